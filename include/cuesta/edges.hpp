// Edges: Sobel gradients, Laplacian of Gaussian, Canny. One channel; Canny of three as well.
//
// Each operation comes in three forms: into a picture, into a batch, and as a new picture in the
// source's space. Host and device pictures together do not compile.
#pragma once

#include <optional>
#include <span>
#include <type_traits>
#include <variant>

#include "cuesta/batch.hpp"
#include "cuesta/border.hpp"
#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"
#include "cuesta/typed.hpp"

namespace cuesta {

/// How a gradient magnitude is computed: l1 is |gx| + |gy|, l2 is sqrt(gx² + gy²).
enum class Norm : uint8_t { l1, l2 };

/// Options of sobel().
struct SobelOptions {
  int aperture = 3;  ///< 3, 5 or 7
  Norm norm = Norm::l1;
  Border border{};  ///< default reflect101
};

/// What sobel() writes; a view without data is not wanted. All have the source's size. Of an f32
/// source all are f32.
template <class View>
struct BasicSobelOutputs {
  View gx{}, gy{};   ///< s16 (saturated) or s32 (never saturates)
  View magnitude{};  ///< u8 or u16 (saturated), or f32; l1 |gx|+|gy|, l2 floor(sqrt(gx²+gy²)), of
                     ///< the exact gradients; of an f32 source not rounded to a whole number
  View direction{};  ///< u8 octant codes 0..3 (0 horizontal gradient, 1 diagonal \, 2 vertical, 3
                     ///< diagonal /), or f32 radians
};
using SobelOutputs = BasicSobelOutputs<AnyView>;
using SobelBatchOutputs = BasicSobelOutputs<Batch>;

/// Computes Sobel gradients, their magnitude and direction.
/// u8 and u16 sources: exact integers, as cv::Sobel with scale 1. f32 sources: f32, first sums down
/// the columns of the window, then across these, each from +0 by fma without taps of 0. The f32
/// magnitude is |gx| + |gy| or √fma(gx, gx, gy²). Every NaN is 0x7FFFFFFF. Throws
/// Error{invalid_argument} naming the view or option. Source: paper 003.
void sobel(ConstAnyView src, const SobelOutputs& out, const SobelOptions& options = {},
           const Exec& exec = {});
/// Computes the gradients of each picture of a batch.
void sobel(const ConstBatch& src, const SobelBatchOutputs& out, const SobelOptions& options = {},
           const Exec& exec = {});
/// Computes the gradients of a typed picture; outputs in the other space do not compile.
template <PictureLike Src>
  requires KnownSpace<Src>
void sobel(const Src& src, const BasicSobelOutputs<ViewBeside<Src>>& out,
           const SobelOptions& options = {}, const Exec& exec = {}) {
  sobel(ConstAnyView(src), SobelOutputs{out.gx, out.gy, out.magnitude, out.direction}, options,
        exec);
}

/// The two gradients of a picture.
template <class Owner>
struct Gradients {
  Owner gx{}, gy{};
};
/// The pictures of the gradients: f32 for float sources, otherwise s16. Decided at run time for
/// views without a type.
template <PictureLike Src>
using GradientOf = std::conditional_t<std::is_same_v<NewLike<Src>, NewOf<float, Src>>,
                                      NewOf<float, Src>, NewOf<int16_t, Src>>;
/// Computes both gradients as new pictures: f32 for float sources, otherwise s16 (saturated).
template <PictureLike Src>
Gradients<GradientOf<Src>> sobel_gradients(const Src& src, const SobelOptions& options = {},
                                           const Exec& exec = {}) {
  const ConstAnyView view = src;
  const auto make = [&] {
    return detail::new_picture_as<GradientOf<Src>>(
        view, 1, view.type == PixelType::f32 ? PixelType::f32 : PixelType::s16);
  };
  Gradients<GradientOf<Src>> made{make(), make()};
  sobel(view, SobelOutputs{.gx = made.gx, .gy = made.gy}, options, exec);
  return made;
}
/// Computes the gradient magnitude as a new picture of the source's type (saturated).
template <PictureLike Src>
NewLike<Src> sobel(const Src& src, const SobelOptions& options = {}, const Exec& exec = {}) {
  auto magnitude = new_like(src);
  sobel(ConstAnyView(src), SobelOutputs{.magnitude = magnitude}, options, exec);
  return magnitude;
}

/// Where thresholds come from when they are not given. All look at the histogram of the gradient
/// magnitude (65,536 bins).
enum class AutoThreshold : uint8_t { otsu, median, percentile, noise };

/// A given pair, in gradient units as cv::Canny's. Swapped when low > high, as there.
struct Given {
  double low = 0, high = 0;
};
/// A rule that finds the thresholds from the picture; low = high / 2.
/// otsu: high is Otsu's threshold of the non-zero magnitudes. median: high is 1.33 × their median.
/// percentile: high is the magnitude that `percent` of all pixels do not exceed. noise: high is
/// Otsu's threshold, but in a picture of noise alone a magnitude that noise does not exceed, so
/// that no edge is found (src/ops/canny/README.md).
struct Automatic {
  AutoThreshold rule = AutoThreshold::otsu;
  double percent = 90;  ///< 0..100, of `percentile`
};

/// Canny's thresholds, given or found from the picture: `Given{50, 100}`, `Automatic{}`.
struct Thresholds : std::variant<Automatic, Given> {
  using variant::variant;
  /// given() and automatic() make either kind; is_automatic() returns which.
  static Thresholds given(double low, double high) { return Given{low, high}; }
  static Thresholds automatic(AutoThreshold rule, double percent = 90) {
    return Automatic{rule, percent};
  }
  /// Returns whether thresholds are found from the picture.
  bool is_automatic() const { return index() == 0; }
};

/// How the gradients of three channels are combined into one.
/// strongest: at each pixel the channel of the
/// largest magnitude, the first of equal ones (cv::Canny). structure: the largest eigenvalue of the
/// sum of the channels' gᵀg and its direction (Di Zenzo 1986), which sees gradients that channels
/// share; its root takes the place of the magnitude, as of Norm::l2.
enum class ColorGradient : uint8_t { strongest, structure };

/// Options of canny().
struct CannyOptions {
  /// Smoothing before the gradient, in pixels; 0 smooths nothing and equals cv::Canny. Without a
  /// value it is the papers': PaperGaussian's sigma, and its window where ksize is 0.
  std::optional<double> sigma{};
  int ksize = 0;  ///< smoothing window, odd; 0 takes gaussian_size(sigma)
  Thresholds thresholds{};
  Norm norm = Norm::l1;
  int aperture = 3;     ///< 3, 5 or 7
  ConstAnyView mask{};  ///< u8 of the source's size, 0 = outside (magnitude 0 there); none by
                        ///< default. Of a batch: one mask for all pictures
  ColorGradient color = ColorGradient::strongest;  ///< of sources of three channels
  Border border{};  ///< of the smoothing; default reflect101. The gradient takes `replicate`
};

/// The thresholds that were used, in gradient units.
struct CannyResult {
  double low = 0, high = 0;
};

/// Options of canny_of_gradients(); the members are those of CannyOptions.
struct CannyGradientOptions {
  Thresholds thresholds{};
  Norm norm = Norm::l1;
  ConstAnyView mask{};
  ColorGradient color = ColorGradient::strongest;
};

/// Thresholds, masks and results for each picture of a batch.
struct CannyEach {
  std::span<const Thresholds> thresholds{};  ///< one for each picture; none: options.thresholds
  ConstBatch mask{};                         ///< one for each picture; none: options.mask
  std::span<CannyResult> results{};          ///< takes the thresholds used, one for each; or none
};

/// Computes the Canny edges of a picture and returns the thresholds that were used.
/// src is u8, u16 or f32 with 1 or 3 channels; dst has its size. dst u8: edges, 0 or 255. dst u16
/// (of u8 sources with aperture 3 or 5 and a sigma up to 3) or f32 (of others): the strengths,
/// whatever the thresholds, which are returned as 0. A strength is the magnitude of a pixel that
/// thinning keeps, in the units of thresholds, and 0 elsewhere. It is rounded up to a number that
/// dst holds, so that comparing with `>` a threshold that dst can hold, and hysteresis, give the
/// edges. Above a sigma of 3 u8 sources are computed in f32, and above 5 u16 ones: rounding would
/// draw contour lines. f32 sources are not rounded to whole numbers: thresholds are in the
/// picture's own units (src/ops/canny/README.md). Throws Error{invalid_argument} naming the view or
/// option. Source: Canny 1986 as cv::Canny defines it; paper 001.
CannyResult canny(ConstAnyView src, OutView dst, const CannyOptions& options = {},
                  const Exec& exec = {});
/// Computes the edges of each picture of a batch, with the bytes of canny() on it alone.
/// On CUDA a batch takes the launches of one picture (src/ops/canny/README.md has the limits), and
/// the thresholds to be found are waited for together; on the CPU many small pictures are spread
/// over the threads. Throws Error{invalid_argument} naming the batch, the span or the option.
void canny(const ConstBatch& src, const Batch& dst, const CannyOptions& options = {},
           const Exec& exec = {});
/// The same with thresholds or masks for each picture; can return the thresholds that were used.
void canny(const ConstBatch& src, const Batch& dst, const CannyOptions& options,
           const CannyEach& each, const Exec& exec = {});
/// Computes the edges of one picture as a new picture.
template <PictureLike Src>
NewOf<uint8_t, Src> canny(const Src& src, const CannyOptions& options = {}, const Exec& exec = {}) {
  auto dst = new_of<uint8_t>(src);
  canny(ConstAnyView(src), dst, options, exec);
  return dst;
}
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
CannyResult canny(const Src&, Dst&&, const CannyOptions& = {}, const Exec& = {}) = delete;

/// Computes Canny edges from given gradients and returns the thresholds that were used.
/// gx and gy are s16 or f32 pictures of 1 or 3 channels and one size. The result is that of canny()
/// with these gradients, without a division; dst is u8 or f32. For s16 these are the bytes of
/// cv::Canny(dx, dy) where |gx| is at most 27,145; its 32 bits overflow beyond. Throws
/// Error{invalid_argument} naming the view or option.
CannyResult canny_of_gradients(ConstAnyView gx, ConstAnyView gy, OutView dst,
                               const CannyGradientOptions& options = {}, const Exec& exec = {});
/// Computes the edges of each pair of a batch, with the bytes of the pair alone.
/// Otherwise as canny() of batches.
void canny_of_gradients(const ConstBatch& gx, const ConstBatch& gy, const Batch& dst,
                        const CannyGradientOptions& options = {}, const Exec& exec = {});
/// The same with thresholds or masks for each picture; can return the thresholds that were used.
void canny_of_gradients(const ConstBatch& gx, const ConstBatch& gy, const Batch& dst,
                        const CannyGradientOptions& options, const CannyEach& each,
                        const Exec& exec = {});
/// Computes the edges as a new picture.
template <PictureLike Gx>
NewOf<uint8_t, Gx> canny_of_gradients(const Gx& gx, const std::type_identity_t<Gx>& gy,
                                      const CannyGradientOptions& options = {},
                                      const Exec& exec = {}) {
  auto dst = new_of<uint8_t>(gx);
  canny_of_gradients(ConstAnyView(gx), ConstAnyView(gy), dst, options, exec);
  return dst;
}

/// How edges are found in the Laplacian of Gaussian; LogOptions::mode has the definitions.
enum class LogMode : uint8_t { threshold, zero_crossings };

/// Options of log_edges().
struct LogOptions {
  /// threshold: an edge is |L| > t, L in gray levels (undivided: |L| > floor(scale * t)).
  /// zero_crossings: L crosses zero between two neighbours when their signs are strictly opposite
  /// and |ΔL| > t. An edge is a pixel that crosses to its right or its lower neighbour, or whose L
  /// is 0 and whose left and right, or upper and lower, neighbours cross each other. Pixels
  /// outside the picture do not take part: the last column has no right neighbour, the last row no
  /// lower one. t >= 0, any real.
  LogMode mode = LogMode::threshold;
  double threshold = 5;
  /// Smoothing by gaussian_taps_q8 (scale 2^16), in pixels. ksize is odd, at most 255; 0 takes
  /// gaussian_size(sigma), up to 42, and above 2.2 smooths twice (src/ops/log). sigma 0: nothing
  /// with ksize 0, otherwise ksize's own. Without a value it is the papers': the integers
  /// PaperGaussian::taps (scale 17²), or of another ksize PaperGaussian's sigma.
  std::optional<double> sigma{};
  int ksize = 0;
  Border border{};  ///< default reflect101; `ignore`: L is 0 where the window leaves the picture
};

/// Computes the edges of a picture by the Laplacian of Gaussian, or the response itself.
/// src is u8 or u16. dst u8: edges, 0 or 255. dst s32: the undivided response
/// scale · L itself, saturated (only u16 sources reach that far), whatever the mode. The picture is
/// extended by the border, then one stencil (g gᵀ) ∗ l is applied with undivided integer weights.
/// Throws Error{invalid_argument} naming the view or option.
/// Source: paper 000, with eq. 5 composed instead of added.
void log_edges(ConstAnyView src, OutView dst, const LogOptions& options = {},
               const Exec& exec = {});
/// Computes the edges of each picture of a batch.
void log_edges(const ConstBatch& src, const Batch& dst, const LogOptions& options = {},
               const Exec& exec = {});
/// Computes the edges of one picture as a new picture.
template <PictureLike Src>
NewOf<uint8_t, Src> log_edges(const Src& src, const LogOptions& options = {},
                              const Exec& exec = {}) {
  auto dst = new_of<uint8_t>(src);
  log_edges(ConstAnyView(src), dst, options, exec);
  return dst;
}
template <class Src, class Dst>
  requires mixes_host_and_device<Src, Dst>
void log_edges(const Src&, Dst&&, const LogOptions& = {}, const Exec& = {}) = delete;

}  // namespace cuesta
