// What the numbers of float pictures mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cuesta/image.hpp"

namespace cuesta::recipes {

/// What a picture's numbers become where they are not 8 or 16 bits: floats, signed integers,
/// integers of 32 bits.
enum class Floats : uint8_t {
  levels,  ///< u16, from black to white
  holes,   ///< the same, also of 8 and 16 bits that have a number for no data; says where those are
  numbers,  ///< f32 with the file's numbers; u16 of a file that holds light, or by a given White
  raw,      ///< f32 with the file's numbers, always
};

/// How numbers are taken where levels are wanted after all.
constexpr Floats levels_instead_of(Floats floats) {
  return floats == Floats::raw       ? Floats::levels
         : floats == Floats::numbers ? Floats::holes
                                     : floats;
}

/// Which numbers stand for white and black.
struct White {
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

  /// Whether a caller has set it.
  bool is_given() const { return rule != Rule::automatic || black; }
};

/// What became of the numbers.
struct Whitened {
  Image<uint16_t> pixels;
  std::string remark;  ///< "floats, 0 is black and 255 is white"
  double clipped = 0;  ///< part of the color samples below black or above white
  double scale = 1;    ///< levels of `pixels` that one of the file's own is; 1 of light
};

/// Floats as u16: black is 0, white 65535, rounded; what is outside is clipped, NaN is black.
/// Alpha has its own white by the automatic rule. `holds_light`: the file's format says so. Throws
/// Error{invalid_argument} where white is not above black.
Whitened whiten(ImageView<const float> picture, bool has_alpha, const White& white,
                bool holds_light);

}  // namespace cuesta::recipes
