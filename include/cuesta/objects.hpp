// Point operations, binary morphology and connected components. Masks are u8 (0 = background) or
// one bit a pixel.
//
// Each operation comes in three forms: into a picture, into a batch (picture after picture), and as
// a new picture in the source's space. Host and device pictures together do not compile.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cuesta/batch.hpp"
#include "cuesta/border.hpp"
#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"
#include "cuesta/typed.hpp"

namespace cuesta {

/// Order of the color samples that to_gray reads; a fourth sample (alpha) is ignored.
enum class ColorOrder : uint8_t { rgb, bgr };

/// Converts a picture to gray.
///
/// The gray level is (9798 R + 19235 G + 3735 B + 16384) >> 15 (cv::cvtColor) of u8 and u16, and
/// (9798 R + 19235 G + 3735 B) / 32768 of f32, rounded after each step. src has 1 to 4 channels:
/// the first of one or two (gray, alpha) is copied. dst has src's type and one channel. A NaN is
/// 0x7FFFFFFF.
void to_gray(ConstAnyView src, OutView dst, ColorOrder order = ColorOrder::rgb,
             const Exec& exec = {});
void to_gray(const ConstBatch& src, const Batch& dst, ColorOrder order = ColorOrder::rgb,
             const Exec& exec = {});

/// Computes double(sample) * factor of each sample.
/// src and dst are u8, u16 or f32, with one size
/// and number of channels (1 to 4). An integer result is rounded half up and clipped to its type's
/// range; NaN gives 0. In an f32 result, a NaN is 0x7FFFFFFF. Throws Error{invalid_argument} for a
/// factor that is not finite.
void scale(ConstAnyView src, OutView dst, double factor, const Exec& exec = {});
void scale(const ConstBatch& src, const Batch& dst, double factor, const Exec& exec = {});

/// Copies the first channels of a picture, as many as dst has.
/// RGBA becomes RGB; gray and alpha become gray. src is u8, u16 or f32 with 1 to 4 channels; dst
/// has its type and size.
void keep_channels(ConstAnyView src, OutView dst, const Exec& exec = {});
void keep_channels(const ConstBatch& src, const Batch& dst, const Exec& exec = {});

/// Computes |a − b| of each sample.
/// a, b and dst are u8, u16 or f32, with one size, type and number of channels. A NaN is
/// 0x7FFFFFFF.
void absdiff(ConstAnyView a, ConstAnyView b, OutView dst, const Exec& exec = {});
void absdiff(const ConstBatch& a, const ConstBatch& b, const Batch& dst, const Exec& exec = {});

/// Computes src > limit as a mask: u8 (255 or 0) or bits. src is u8, u16 or f32 of one channel.
void threshold(ConstAnyView src, OutView dst, double limit, const Exec& exec = {});
void threshold(const ConstBatch& src, const Batch& dst, double limit, const Exec& exec = {});
/// Computes |a − b| > limit as a mask, without storing the difference.
/// a and b are u8 or u16 of one channel; dst is u8 or bits.
void absdiff_threshold(ConstAnyView a, ConstAnyView b, OutView dst, double limit,
                       const Exec& exec = {});
void absdiff_threshold(const ConstBatch& a, const ConstBatch& b, const Batch& dst, double limit,
                       const Exec& exec = {});

/// Counts the samples of each value.
/// src is u8 (256 bins) or u16 (65,536 bins) of one channel. `bins` is host memory and is
/// overwritten; the call waits for a device picture. A batch has the bins of its pictures one after
/// the other.
void histogram(ConstAnyView src, std::span<uint64_t> bins, const Exec& exec = {});
void histogram(const ConstBatch& src, std::span<uint64_t> bins, const Exec& exec = {});
/// Counts the samples of each value in a new vector.
std::vector<uint64_t> histogram(ConstAnyView src, const Exec& exec = {});
/// Computes Otsu's threshold of a histogram; foreground is src > result.
/// Source: cv::threshold(THRESH_OTSU).
int32_t otsu_threshold(std::span<const uint64_t> bins);

/// Unpack and pack masks: u8 0 or 255 from bits, and bits from u8 (non-zero is set).
void unpack_mask(ConstAnyView src, OutView dst, const Exec& exec = {});
void unpack_mask(const ConstBatch& src, const Batch& dst, const Exec& exec = {});
void pack_mask(ConstAnyView src, OutView dst, const Exec& exec = {});
void pack_mask(const ConstBatch& src, const Batch& dst, const Exec& exec = {});

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
  /// "disk:15", "ellipse:15", "rect:5x3", "cross:3", or "none": one cell, which changes nothing.
  /// Throws Error{invalid_argument} that lists the forms.
  static StructuringElement parse(std::string_view text);

  /// Return the size, and the anchor: width / 2 and height / 2, as OpenCV's default.
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

/// An operation of morphology().
enum class Morph : uint8_t { erode, dilate, open, close };

/// Options of morphology().
struct MorphologyOptions {
  /// replicate, reflect, reflect101, constant and wrap read the source of each step extended so;
  /// ignore clears the outputs of each step whose window leaves the picture; without a border,
  /// outside never wins: erosion sees foreground there, dilation background.
  std::optional<Border> border{};
};

/// Computes erosion, dilation, opening or closing.
///
/// Erosion and dilation read the element unreflected (min and max over src(x + i − ax, y + j −
/// ay)), as OpenCV; open and close reflect it for their second step. src and dst: both u8 or u16
/// (grayscale min and max; a 0/255 mask is a special case), both bits, one channel, one size. `src`
/// and `dst` may be one view. Throws Error{invalid_argument} naming the view or option.
void morphology(ConstAnyView src, OutView dst, Morph what, const StructuringElement& element,
                const MorphologyOptions& options = {}, const Exec& exec = {});
/// Computes the operation for each picture of a batch; `src` and `dst` may be one batch.
void morphology(const ConstBatch& src, const Batch& dst, Morph what,
                const StructuringElement& element, const MorphologyOptions& options = {},
                const Exec& exec = {});
/// Compute one operation of morphology().
/// morph_open() and morph_close() have names that differ from POSIX's open and close.
void erode(ConstAnyView src, OutView dst, const StructuringElement& element,
           const MorphologyOptions& options = {}, const Exec& exec = {});
void erode(const ConstBatch& src, const Batch& dst, const StructuringElement& element,
           const MorphologyOptions& options = {}, const Exec& exec = {});
void dilate(ConstAnyView src, OutView dst, const StructuringElement& element,
            const MorphologyOptions& options = {}, const Exec& exec = {});
void dilate(const ConstBatch& src, const Batch& dst, const StructuringElement& element,
            const MorphologyOptions& options = {}, const Exec& exec = {});
void morph_open(ConstAnyView src, OutView dst, const StructuringElement& element,
                const MorphologyOptions& options = {}, const Exec& exec = {});
void morph_open(const ConstBatch& src, const Batch& dst, const StructuringElement& element,
                const MorphologyOptions& options = {}, const Exec& exec = {});
void morph_close(ConstAnyView src, OutView dst, const StructuringElement& element,
                 const MorphologyOptions& options = {}, const Exec& exec = {});
void morph_close(const ConstBatch& src, const Batch& dst, const StructuringElement& element,
                 const MorphologyOptions& options = {}, const Exec& exec = {});

/// One connected component. Labels count from 1 by the first pixel in raster order.
struct Component {
  int32_t label = 0;
  Rect box{};
  int64_t area = 0;              ///< pixels
  int64_t sum_x = 0, sum_y = 0;  ///< of the pixels' coordinates
  double centroid_x() const { return double(sum_x) / double(area); }
  double centroid_y() const { return double(sum_y) / double(area); }
  friend bool operator==(const Component&, const Component&) = default;
};

/// Options of label().
struct LabelOptions {
  int connectivity = 8;  ///< 4 or 8
};

/// Finds the connected components of a mask (u8 non-zero, or bits). Returns their number.
/// `labels` (s32 of the mask's size, 0 = background)
/// may be absent. `components` is overwritten in label order; its capacity is reused.
/// Throws Error{invalid_argument} naming the view or option.
int32_t label(ConstAnyView mask, AnyView labels, std::vector<Component>* components,
              const LabelOptions& options = {}, const Exec& exec = {});
/// Finds the components of each mask of a batch. `labels` may be without data; `components` is
/// empty or has one list for each picture. Returns the number of components of all.
int64_t label(const ConstBatch& masks, const Batch& labels,
              std::span<std::vector<Component>> components, const LabelOptions& options = {},
              const Exec& exec = {});

// ---- new pictures

/// The following functions return the result as a new picture.
template <PictureLike Src>
NewLike<Src> to_gray(const Src& src, ColorOrder order = ColorOrder::rgb, const Exec& exec = {}) {
  const ConstAnyView color = src;
  auto dst = detail::new_picture_as<NewLike<Src>>(color, 1, color.type);
  to_gray(color, dst, order, exec);
  return dst;
}
/// Returns a new picture of the type of `src`.
template <PictureLike Src>
NewLike<Src> scale(const Src& src, double factor, const Exec& exec = {}) {
  auto dst = new_like(src);
  scale(ConstAnyView(src), dst, factor, exec);
  return dst;
}
/// Returns a new picture with `channels` channels.
template <PictureLike Src>
NewLike<Src> keep_channels(const Src& src, int32_t channels, const Exec& exec = {}) {
  const ConstAnyView all = src;
  auto dst = detail::new_picture_as<NewLike<Src>>(all, channels, all.type);
  keep_channels(all, dst, exec);
  return dst;
}
/// Returns a new picture in the space of `a`.
template <PictureLike A>
NewLike<A> absdiff(const A& a, ConstAnyView b, const Exec& exec = {}) {
  auto dst = new_like(a);
  absdiff(ConstAnyView(a), b, dst, exec);
  return dst;
}
/// Returns a new u8 picture.
template <PictureLike Src>
NewOf<uint8_t, Src> threshold(const Src& src, double limit, const Exec& exec = {}) {
  auto dst = new_of<uint8_t>(src);
  threshold(ConstAnyView(src), dst, limit, exec);
  return dst;
}
template <PictureLike A>
NewOf<uint8_t, A> absdiff_threshold(const A& a, ConstAnyView b, double limit,
                                    const Exec& exec = {}) {
  auto dst = new_of<uint8_t>(a);
  absdiff_threshold(ConstAnyView(a), b, dst, limit, exec);
  return dst;
}
template <PictureLike Src>
NewOf<uint8_t, Src> unpack_mask(const Src& src, const Exec& exec = {}) {
  auto dst = new_of<uint8_t>(src);
  unpack_mask(ConstAnyView(src), dst, exec);
  return dst;
}
template <PictureLike Src>
NewBits<Src> pack_mask(const Src& src, const Exec& exec = {}) {
  auto dst = new_bits(src);
  pack_mask(ConstAnyView(src), dst, exec);
  return dst;
}
template <PictureLike Src>
NewLike<Src> morphology(const Src& src, Morph what, const StructuringElement& element,
                        const MorphologyOptions& options = {}, const Exec& exec = {}) {
  auto dst = new_like(src);
  morphology(ConstAnyView(src), dst, what, element, options, exec);
  return dst;
}
template <PictureLike Src>
NewLike<Src> erode(const Src& src, const StructuringElement& element,
                   const MorphologyOptions& options = {}, const Exec& exec = {}) {
  return morphology(src, Morph::erode, element, options, exec);
}
template <PictureLike Src>
NewLike<Src> dilate(const Src& src, const StructuringElement& element,
                    const MorphologyOptions& options = {}, const Exec& exec = {}) {
  return morphology(src, Morph::dilate, element, options, exec);
}
template <PictureLike Src>
NewLike<Src> morph_open(const Src& src, const StructuringElement& element,
                        const MorphologyOptions& options = {}, const Exec& exec = {}) {
  return morphology(src, Morph::open, element, options, exec);
}
template <PictureLike Src>
NewLike<Src> morph_close(const Src& src, const StructuringElement& element,
                         const MorphologyOptions& options = {}, const Exec& exec = {}) {
  return morphology(src, Morph::close, element, options, exec);
}

/// The labels of a mask, and its components in label order.
template <class Owner>
struct Labeled {
  Owner labels{};
  std::vector<Component> components{};
};
/// Finds the components of a mask and returns them with the labels.
template <PictureLike Mask>
Labeled<NewOf<int32_t, Mask>> label(const Mask& mask, const LabelOptions& options = {},
                                    const Exec& exec = {}) {
  Labeled<NewOf<int32_t, Mask>> found{new_of<int32_t>(mask), {}};
  label(ConstAnyView(mask), found.labels, &found.components, options, exec);
  return found;
}

// ---- what does not compile

template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void to_gray(const Src&, Dst&&, ColorOrder = ColorOrder::rgb, const Exec& = {}) = delete;
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void scale(const Src&, Dst&&, double, const Exec& = {}) = delete;
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void keep_channels(const Src&, Dst&&, const Exec& = {}) = delete;
template <class A, class B, class Dst>
  requires mixes_host_and_device<A, B, Dst>
void absdiff(const A&, const B&, Dst&&, const Exec& = {}) = delete;
template <class A, class B>
  requires mixes_host_and_device<A, B>
void absdiff(const A&, const B&, const Exec& = {}) = delete;
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void threshold(const Src&, Dst&&, double, const Exec& = {}) = delete;
template <class A, class B, class Dst>
  requires mixes_host_and_device<A, B, Dst>
void absdiff_threshold(const A&, const B&, Dst&&, double, const Exec& = {}) = delete;
template <class A, class B>
  requires mixes_host_and_device<A, B>
void absdiff_threshold(const A&, const B&, double, const Exec& = {}) = delete;
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void unpack_mask(const Src&, Dst&&, const Exec& = {}) = delete;
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void pack_mask(const Src&, Dst&&, const Exec& = {}) = delete;
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void morphology(const Src&, Dst&&, Morph, const StructuringElement&, const MorphologyOptions& = {},
                const Exec& = {}) = delete;
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void erode(const Src&, Dst&&, const StructuringElement&, const MorphologyOptions& = {},
           const Exec& = {}) = delete;
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void dilate(const Src&, Dst&&, const StructuringElement&, const MorphologyOptions& = {},
            const Exec& = {}) = delete;
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void morph_open(const Src&, Dst&&, const StructuringElement&, const MorphologyOptions& = {},
                const Exec& = {}) = delete;
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void morph_close(const Src&, Dst&&, const StructuringElement&, const MorphologyOptions& = {},
                 const Exec& = {}) = delete;
template <class Mask, class Labels>
  requires mixes_host_and_device<Mask, Labels>
int32_t label(const Mask&, Labels&&, std::vector<Component>*, const LabelOptions& = {},
              const Exec& = {}) = delete;

}  // namespace cuesta
