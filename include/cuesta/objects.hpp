// Point operations, binary morphology and connected components. Masks are u8 (0 = background) or
// one bit a pixel.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cuesta/border.hpp"
#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"

namespace cuesta {

/// Order of the color samples that to_gray reads; a fourth sample (alpha) is ignored.
enum class ColorOrder : uint8_t { rgb, bgr };

/// (9798 R + 19235 G + 3735 B + 16384) >> 15 (cv::cvtColor). src u8 or u16 with 1 (copied), 3 or 4
/// channels; dst has one.
void to_gray(ConstAnyView src, AnyView dst, ColorOrder order = ColorOrder::rgb,
             const Exec& exec = {});

/// |a − b| of u8, u16 or f32 pictures of one size, type and number of channels; dst has their type.
void absdiff(ConstAnyView a, ConstAnyView b, AnyView dst, const Exec& exec = {});

/// dst = src > limit, in u8 (255 or 0) or bits. src u8, u16 or f32, one channel.
void threshold(ConstAnyView src, AnyView dst, double limit, const Exec& exec = {});
/// dst = |a − b| > limit without the difference between: a and b u8 or u16, one channel; dst u8 or
/// bits.
void absdiff_threshold(ConstAnyView a, ConstAnyView b, AnyView dst, double limit,
                       const Exec& exec = {});

/// Counts of u8 (256 bins) or u16 (65,536 bins) samples of one channel; `bins`, on the host
/// wherever the picture is, is overwritten. A device picture is waited for.
void histogram(ConstAnyView src, std::span<uint64_t> bins, const Exec& exec = {});
/// Otsu's threshold of a histogram, as cv::threshold(THRESH_OTSU) chooses it: foreground is src >
/// result.
int32_t otsu_threshold(std::span<const uint64_t> bins);

/// Unpacks / packs masks: u8 0 or 255 from bits, and bits from u8 (non-zero is set).
void unpack_mask(ConstAnyView src, AnyView dst, const Exec& exec = {});
void pack_mask(ConstAnyView src, AnyView dst, const Exec& exec = {});

/// A set of offsets around an anchor.
class StructuringElement {
 public:
  /// Any shape: row-major, non-zero belongs. Sizes 1..255. Throws Error{invalid_argument} also for
  /// an empty set.
  StructuringElement(int width, int height, std::span<const uint8_t> cells);
  /// Euclidean: dx² + dy² <= ((d − 1)/2)² about the centre, d odd; disk(15) has 149 cells.
  static StructuringElement disk(int diameter);
  static StructuringElement ellipse(
      int width, int height);  ///< OpenCV's MORPH_ELLIPSE; ellipse(15, 15) has 169 cells
  static StructuringElement rectangle(int width, int height);
  static StructuringElement cross(int width, int height);
  /// "disk:15", "ellipse:15", "rect:5x3", "cross:3"; throws Error{invalid_argument} that lists the
  /// forms.
  static StructuringElement parse(std::string_view text);

  int width() const { return width_; }
  int height() const { return height_; }
  int anchor_x() const { return anchor_x_; }  ///< width / 2, as OpenCV's default
  int anchor_y() const { return anchor_y_; }
  bool contains(int x, int y) const { return cells_[size_t(y) * size_t(width_) + size_t(x)] != 0; }
  std::span<const uint8_t> cells() const { return cells_; }
  int count() const;
  /// Turned by 180 degrees, anchor included.
  StructuringElement reflected() const;

 private:
  int width_, height_, anchor_x_, anchor_y_;
  std::vector<uint8_t> cells_;
};

enum class Morph : uint8_t { erode, dilate, open, close };

struct MorphologyOptions {
  /// replicate, reflect, reflect101, constant and wrap read the source of each step extended so;
  /// ignore clears the outputs of each step whose window leaves the picture; without one
  /// (`neutral`), outside never wins: erosion sees foreground there, dilation background.
  bool neutral = true;
  Border border;
};

/// Erosion and dilation read the element unreflected (min and max over src(x + i − ax, y + j −
/// ay)), as OpenCV; open and close reflect it for their second step. src and dst: both u8 or u16
/// (grayscale min and max; a 0/255 mask is a special case), both bits, one channel, one size. `src`
/// and `dst` may be one view. Throws Error{invalid_argument} naming the view or option.
void morphology(ConstAnyView src, AnyView dst, Morph what, const StructuringElement& element,
                const MorphologyOptions& options = {}, const Exec& exec = {});
void erode(ConstAnyView src, AnyView dst, const StructuringElement& element, const Exec& exec = {});
void dilate(ConstAnyView src, AnyView dst, const StructuringElement& element,
            const Exec& exec = {});
void open(ConstAnyView src, AnyView dst, const StructuringElement& element, const Exec& exec = {});
void close(ConstAnyView src, AnyView dst, const StructuringElement& element, const Exec& exec = {});

/// One connected component. Labels count from 1 by the first pixel in raster order.
struct Component {
  int32_t label = 0;
  Rect box;
  int64_t area = 0;              ///< pixels
  int64_t sum_x = 0, sum_y = 0;  ///< of the pixels' coordinates
  double centroid_x() const { return double(sum_x) / double(area); }
  double centroid_y() const { return double(sum_y) / double(area); }
  friend bool operator==(const Component&, const Component&) = default;
};

struct LabelOptions {
  int connectivity = 8;  ///< 4 or 8
};

/// Components of a mask (u8 non-zero, or bits). `labels` (s32 of the mask's size, 0 = background)
/// may be absent. `components` is overwritten in label order; its capacity is reused. Returns their
/// number. Throws Error{invalid_argument} naming the view or option.
int32_t label(ConstAnyView mask, AnyView labels, std::vector<Component>* components,
              const LabelOptions& options = {}, const Exec& exec = {});

}  // namespace cuesta
