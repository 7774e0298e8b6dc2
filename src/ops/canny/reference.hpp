// The oracle, by stages and rows, so that `rows` can spread them over threads.
#pragma once

#include "ops/canny/args.hpp"
#include "ops/canny/channels.hpp"
#include "ops/canny/fractions.hpp"
#include "ops/canny/thresholds.hpp"

namespace cuesta {

/// Checked, with the window that sigma takes. Throws Error{invalid_argument}.
CannyOptions canny_resolved(const CannyOptions& wanted);
/// The argument for a picture without a place for its edges, checked. Throws
/// Error{invalid_argument}.
CannyArgs canny_checked(ConstAnyView src, ConstAnyView mask, const CannyOptions& options);

/// The whole pictures between the stages, of gradients G: int32_t, or float of f32 sources. What
/// has a ring is 2 wider and higher than the source; pixel (x, y) is at (x + 1, y + 1), and the
/// ring is 0.
template <class G>
struct CannyStagesOf {
  using Magnitude = canny_channels::Magnitude<G>;
  enum : uint8_t { none, candidate, strong };

  // Of each channel. After canny_magnitude_rows() those of the first are the picture's: whole ones
  // divided by 16 for aperture 7, of the strongest channel, or a vector in the octant of the
  // structure tensor.
  ImageView<G> gx[3], gy[3];
  ImageView<Magnitude> magnitude;  // with a ring
  ImageView<uint8_t> marks;        // with a ring
  bool by_length = false;          // canny_thins_by_length()

  /// What thresholds compare of pixel (x, y).
  Magnitude size(int32_t x, int32_t y) const {
    const Magnitude own = magnitude.at(x + 1, y + 1);
    if constexpr (std::is_same_v<G, float>)
      if (by_length) return canny_sum_of(own, gx[0].at(x, y), gy[0].at(x, y));
    return own;
  }
};
using CannyStages = CannyStagesOf<int32_t>;

/// Memory for the stages, rings cleared.
template <class G = int32_t>
CannyStagesOf<G> canny_stages(const CannyArgs& args, Scratch& scratch);
/// Smoothing and gradient, by the strategy `name` of the public gaussian() and sobel(), with
/// threads; announces both. Or the gradients that were given.
template <class G>
void canny_gradients(const CannyArgs& args, CannyStagesOf<G>& stages, Call& call,
                     std::string_view name, int threads);
/// Rows [first, end) of the magnitude: gradients scaled, channels made one, norm, mask.
template <class G>
void canny_magnitude_rows(const CannyArgs& args, const CannyStagesOf<G>& stages, int32_t first,
                          int32_t end);
/// Adds rows [first, end) to `bins` (canny_bins of them).
template <class G>
void canny_histogram_rows(const CannyArgs& args, const CannyStagesOf<G>& stages, int32_t first,
                          int32_t end, std::span<uint64_t> bins);
/// Non-maximum suppression: rows [first, end) of the marks become `candidate` at every maximum,
/// else `none`.
template <class G>
void canny_suppress_rows(const CannyStagesOf<G>& stages, int32_t first, int32_t end);
/// The two thresholds: of the maxima in rows [first, end), those up to low become `none`, those
/// above high `strong`.
template <class G>
void canny_threshold_rows(const CannyStagesOf<G>& stages,
                          const BasicCannyLimits<canny_channels::Magnitude<G>>& limits,
                          int32_t first, int32_t end);

/// Strengths of the maxima in rows [first, end), 0 elsewhere, instead of thresholds and hysteresis.
template <class G>
void canny_strength_rows(const CannyArgs& args, const CannyStagesOf<G>& stages, int32_t first,
                         int32_t end);

/// What a band wants of stages whose magnitudes and maxima are made.
template <class G>
void canny_fill_band(const CannyArgs& args, const CannyStagesOf<G>& stages);

/// Strategy `serial`.
void canny_serial(const CannyArgs& args, Call& call);
/// Strategy `rows`.
void canny_rows(const CannyArgs& args, Call& call);
/// Strengths as `rows` makes them, smoothing and gradient by `simd`.
void canny_simd_strengths(const CannyArgs& args, Call& call);
/// Strategy `simd`, which takes every request.
void canny_simd(const CannyArgs& args, Call& call);

}  // namespace cuesta
