// Linear filters and the median. 1 to 4 channels, each filtered by itself. Linear filters: source
// u8, u16 or f32; destination the same type, s16 or f32.
//
// Each filter comes in three forms: into a picture, into a batch (picture after picture), and as a
// new picture of the source's type and space. Host and device pictures together do not compile.
#pragma once

#include "cuesta/batch.hpp"
#include "cuesta/border.hpp"
#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"
#include "cuesta/stencil.hpp"
#include "cuesta/typed.hpp"

namespace cuesta {

/// Options of correlate(), convolve() and laplacian().
struct FilterOptions {
  Border border{};        ///< default reflect101
  bool absolute = false;  ///< |result| before the offset
  int32_t offset = 0;     ///< added after rounding, before saturation
};

/// Computes the correlation of a picture with a stencil.
///
/// dst(x, y) = saturate(|round(Σ taps(i, j) · src(x + i − ax, y + j − ay) / divisor)| + offset),
/// the bars by request. src and dst have one size and one number of channels and do not overlap.
/// Every NaN of f32 is 0x7FFFFFFF. Throws Error{invalid_argument} naming the view or option.
/// Source: cv::filter2D; papers 000, 002, 003.
void correlate(ConstAnyView src, OutView dst, const Stencil& stencil,
               const FilterOptions& options = {}, const Exec& exec = {});
void correlate(const ConstBatch& src, const Batch& dst, const Stencil& stencil,
               const FilterOptions& options = {}, const Exec& exec = {});
/// Computes the convolution: correlate() with the stencil turned by 180 degrees.
/// Source: eq. 3 of paper 000.
void convolve(ConstAnyView src, OutView dst, const Stencil& stencil,
              const FilterOptions& options = {}, const Exec& exec = {});
void convolve(const ConstBatch& src, const Batch& dst, const Stencil& stencil,
              const FilterOptions& options = {}, const Exec& exec = {});

/// Options of gaussian().
struct GaussianOptions {
  double sigma = 0;  ///< pixels; 0 takes 0.3((k − 1)/2 − 1) + 0.8 of ksize
  int ksize = 0;     ///< window, odd, 1..255; 0 takes gaussian_size(sigma). One of the two is given
  Border border{};   ///< default reflect101
};

/// Computes Gaussian smoothing.
/// On u8 and u16: taps gaussian_taps_q8, both passes exact, one rounding (v +
/// 2^15) >> 16, equal to cv::GaussianBlur on u8. On f32: explicit order and fma. dst has src's
/// type. Throws Error{invalid_argument} naming the view or option, also where neither sigma nor
/// ksize is given.
void gaussian(ConstAnyView src, OutView dst, const GaussianOptions& options, const Exec& exec = {});
void gaussian(const ConstBatch& src, const Batch& dst, const GaussianOptions& options,
              const Exec& exec = {});

/// Options of box().
struct BoxOptions {
  int n = 3;        ///< side of the window, 1..255
  Border border{};  ///< default reflect101
};
/// Computes the mean of the n × n window (cv::blur). Throws Error{invalid_argument} naming the view
/// or option.
void box(ConstAnyView src, OutView dst, const BoxOptions& options = {}, const Exec& exec = {});
void box(const ConstBatch& src, const Batch& dst, const BoxOptions& options = {},
         const Exec& exec = {});

/// Options of sharpen().
struct SharpenOptions {
  int n = 3;        ///< side of the window, odd, 1..255
  Border border{};  ///< default reflect101
};
/// Computes the correlation with stencils::sharpen(n). Throws Error{invalid_argument} naming the
/// view or option.
void sharpen(ConstAnyView src, OutView dst, const SharpenOptions& options = {},
             const Exec& exec = {});
void sharpen(const ConstBatch& src, const Batch& dst, const SharpenOptions& options = {},
             const Exec& exec = {});

/// Computes the correlation with stencils::laplacian(). Throws Error{invalid_argument} naming the
/// view or option.
void laplacian(ConstAnyView src, OutView dst, const FilterOptions& options = {},
               const Exec& exec = {});
void laplacian(const ConstBatch& src, const Batch& dst, const FilterOptions& options = {},
               const Exec& exec = {});

/// Options of median().
struct MedianOptions {
  int ksize = 3;  ///< side of the window: odd, 1..255; of f32 1, 3 or 5
  Border border{BorderMode::replicate, 0};
};

/// Computes the median of the ksize x ksize window around each sample.
///
/// src is u8, u16 or f32 of 1 to 4 channels, or bits (set where more than half of the window is
/// set). dst has its type, size and channels and does not overlap it. f32 is ordered by IEEE 754's
/// totalOrder: −0 before +0, NaNs at both ends by their sign. Throws Error{invalid_argument} naming
/// the view or option. Source: cv::medianBlur.
void median(ConstAnyView src, OutView dst, const MedianOptions& options = {},
            const Exec& exec = {});
void median(const ConstBatch& src, const Batch& dst, const MedianOptions& options = {},
            const Exec& exec = {});

// ---- new pictures

/// Computes the correlation as a new picture of the source's type and space.
template <PictureLike Src>
NewLike<Src> correlate(const Src& src, const Stencil& stencil, const FilterOptions& options = {},
                       const Exec& exec = {}) {
  auto dst = new_like(src);
  correlate(ConstAnyView(src), dst, stencil, options, exec);
  return dst;
}
/// Computes the convolution as a new picture of the source's type and space.
template <PictureLike Src>
NewLike<Src> convolve(const Src& src, const Stencil& stencil, const FilterOptions& options = {},
                      const Exec& exec = {}) {
  auto dst = new_like(src);
  convolve(ConstAnyView(src), dst, stencil, options, exec);
  return dst;
}
/// Computes the smoothed picture as a new picture of the source's type and space.
template <PictureLike Src>
NewLike<Src> gaussian(const Src& src, const GaussianOptions& options, const Exec& exec = {}) {
  auto dst = new_like(src);
  gaussian(ConstAnyView(src), dst, options, exec);
  return dst;
}
/// Computes the mean as a new picture of the source's type and space.
template <PictureLike Src>
NewLike<Src> box(const Src& src, const BoxOptions& options = {}, const Exec& exec = {}) {
  auto dst = new_like(src);
  box(ConstAnyView(src), dst, options, exec);
  return dst;
}
/// Computes the sharpened picture as a new picture of the source's type and space.
template <PictureLike Src>
NewLike<Src> sharpen(const Src& src, const SharpenOptions& options = {}, const Exec& exec = {}) {
  auto dst = new_like(src);
  sharpen(ConstAnyView(src), dst, options, exec);
  return dst;
}
/// Computes the Laplacian as a new picture of the source's type and space.
template <PictureLike Src>
NewLike<Src> laplacian(const Src& src, const FilterOptions& options = {}, const Exec& exec = {}) {
  auto dst = new_like(src);
  laplacian(ConstAnyView(src), dst, options, exec);
  return dst;
}

/// Computes the median as a new picture of the source's type and space.
template <PictureLike Src>
NewLike<Src> median(const Src& src, const MedianOptions& options = {}, const Exec& exec = {}) {
  auto dst = new_like(src);
  median(ConstAnyView(src), dst, options, exec);
  return dst;
}

// ---- what does not compile

template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void correlate(const Src&, Dst&&, const Stencil&, const FilterOptions& = {},
               const Exec& = {}) = delete;
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void convolve(const Src&, Dst&&, const Stencil&, const FilterOptions& = {},
              const Exec& = {}) = delete;
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void gaussian(const Src&, Dst&&, const GaussianOptions&, const Exec& = {}) = delete;
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void box(const Src&, Dst&&, const BoxOptions& = {}, const Exec& = {}) = delete;
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void sharpen(const Src&, Dst&&, const SharpenOptions& = {}, const Exec& = {}) = delete;
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void laplacian(const Src&, Dst&&, const FilterOptions& = {}, const Exec& = {}) = delete;
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void median(const Src&, Dst&&, const MedianOptions& = {}, const Exec& = {}) = delete;

}  // namespace cuesta
