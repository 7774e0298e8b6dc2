// From the samples that files hold to those that operations take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"

namespace cuesta::recipes {

/// What a picture's numbers become if they are not 8 or 16 bits.
/// Such numbers are floats, signed integers and integers of 32 bits.
enum class Floats : uint8_t {
  levels,  ///< u16, from black to white
  holes,   ///< the same, also of 8 and 16 bits that have a number for no data; says where those are
  numbers,  ///< f32 with the file's numbers; u16 of a file that holds light, or by a given White
  raw,      ///< f32 with the file's numbers, always
};

/// Returns how numbers are taken where levels are required.
constexpr Floats levels_instead_of(Floats floats) {
  return floats == Floats::raw       ? Floats::levels
         : floats == Floats::numbers ? Floats::holes
                                     : floats;
}

/// The numbers of white and black.
struct White {
  /// How white is found.
  enum class Rule : uint8_t {
    automatic,  ///< without samples below 0: the first of 1, 255 and 65535 that no color sample
                ///< exceeds by more than half, as filters overshoot, and that 99 % do not exceed;
                ///< else the largest sample. Radiance and OpenEXR files hold light.
    number,     ///< `value`
    light,      ///< linear light, as of HDR pictures: white is what 1 in 100 color samples exceed,
                ///< and sRGB's curve is between
  };
  Rule rule = Rule::automatic;
  double value = 1;
  /// By default 0, and with the automatic rule the smallest sample where that is below 0.
  std::optional<double> black{};

  /// Returns whether a caller has set it.
  bool is_given() const { return rule != Rule::automatic || black; }
};

/// Levels made of numbers.
struct Whitened {
  Image<uint16_t> pixels;
  std::string remark;  ///< "levels, 0 is black and 255 is white"
  double clipped = 0;  ///< part of the color samples below black or above white
  double scale = 1;    ///< levels of `pixels` that one of the file's own is; 1 of light
  /// By Floats::holes: 255 where floats are NaN, and `pixels` continue there as around; else empty.
  Image<uint8_t> holes{};
};

/// Converts floats to u16: black is 0 and white 65535.
/// Values are rounded, numbers outside are clipped, and NaN is black. Alpha has its own white:
/// `opaque`, or by the automatic rule. `holds_light`: the file's format stores linear light. Throws
/// Error{invalid_argument} if white is not above black.
Whitened whiten(ImageView<const float> picture, bool has_alpha, const White& white,
                bool holds_light, std::optional<double> opaque = {});
/// Makes levels of u8, u16 or f32 in host memory by whiten(). Opaque alpha of integers is the
/// largest of their type. Floats::holes: NaN are holes.
Whitened levels_of(ConstAnyView picture, bool has_alpha, const White& white, bool holds_light,
                   Floats floats);
/// Returns a sentence for the user if more than 1 % of the samples were clipped; else empty.
std::string clipped_remark(double clipped, std::string_view remark);

/// Converts samples to another type, between pictures of one size and number of channels.
/// From u8 or u16 to u8, u16 or f32, or from f32 to f32, in host memory. u8 to u16 keeps white
/// white (× 257), u16 to u8 takes the high byte, to f32 numbers stay as they are. One type copies.
void convert(ConstAnyView src, AnyView dst);

/// Computes to_gray() of a picture of a file, whose colors are in RGB order.
void make_gray(ConstAnyView src, AnyView dst, const Exec& exec = {});

/// Counts the samples of rows [first, first + count) of a u8 mask that are not 0.
int64_t count_set(ConstAnyView mask, int32_t first, int32_t count);

}  // namespace cuesta::recipes
