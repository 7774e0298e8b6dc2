// Linear filters. 1 to 4 channels, each filtered by itself. Source u8, u16 or f32; destination the
// same type, s16 or f32.
#pragma once

#include "cuesta/border.hpp"
#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"
#include "cuesta/stencil.hpp"

namespace cuesta {

struct FilterOptions {
  Border border;          ///< reflect101 unless told
  bool absolute = false;  ///< |result| before the offset
  int32_t offset = 0;     ///< added after rounding, before saturation
};

/// dst(x, y) = saturate(|round(Σ taps(i, j) · src(x + i − ax, y + j − ay) / divisor)| + offset),
/// the bars by request. src and dst have one size and one number of channels and do not overlap.
/// Throws Error{invalid_argument} naming the view or option. Source: cv::filter2D; papers 000, 002,
/// 003.
void correlate(ConstAnyView src, AnyView dst, const Stencil& stencil,
               const FilterOptions& options = {}, const Exec& exec = {});
/// The same with the stencil turned by 180 degrees (eq. 3 of paper 000).
void convolve(ConstAnyView src, AnyView dst, const Stencil& stencil,
              const FilterOptions& options = {}, const Exec& exec = {});

/// Gaussian smoothing. On u8 and u16: taps gaussian_taps_q8, both passes exact, one rounding (v +
/// 2^15) >> 16, equal to cv::GaussianBlur on u8. On f32: explicit order and fma. ksize 0 takes
/// gaussian_size(sigma); sigma 0 takes 0.3((k−1)/2 − 1) + 0.8. ksize is odd, 1..255. dst has src's
/// type.
void gaussian(ConstAnyView src, AnyView dst, int ksize, double sigma = 0, const Border& border = {},
              const Exec& exec = {});

void box(ConstAnyView src, AnyView dst, int n, const Border& border = {}, const Exec& exec = {});
void sharpen(ConstAnyView src, AnyView dst, int n = 3, const Border& border = {},
             const Exec& exec = {});
void laplacian(ConstAnyView src, AnyView dst, const FilterOptions& options = {},
               const Exec& exec = {});

}  // namespace cuesta
