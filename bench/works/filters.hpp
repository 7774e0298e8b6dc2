// Requests of filters, which several experiments time.
#pragma once

#include <string>

#include "bench/engine/session.hpp"
#include "cuesta/border.hpp"
#include "cuesta/stencil.hpp"

namespace cuesta::bench {

/// n × n whole numbers from −most to most, different enough that no rank-1 factors exist.
Stencil full_rank_stencil(int n, int most = 9, int64_t divisor = 1);
/// The same taps, their divisor aside, as floats.
Stencil floats_of(const Stencil& stencil);

/// One stencil over one picture, to the picture's type; 2 · width · height operations a pixel.
/// OpenCV's border is its own: with another one than the default the answers are not compared.
Work convolve_work(std::string experiment, std::string parameters, const Stencil& stencil,
                   ConstAnyView src, Border border = {});
/// Smoothing by ksize × ksize, of u8 beside cv::GaussianBlur (equal bytes) and NPP.
Work gaussian_work(std::string experiment, int ksize, ConstAnyView src);
/// The median of ksize x ksize samples, beside cv::medianBlur (equal bytes) where that takes src.
Work median_work(std::string experiment, int ksize, ConstAnyView src);

}  // namespace cuesta::bench
