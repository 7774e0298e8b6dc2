// Requests of filters, which several experiments time.
#pragma once

#include <string>

#include "bench/engine/session.hpp"
#include "cuesta/border.hpp"
#include "cuesta/stencil.hpp"

namespace cuesta::bench {

/// One stencil over one picture, to the picture's type; 2 · width · height operations a pixel.
/// OpenCV's border is its own: with another one than the default the answers are not compared.
Work convolve_work(std::string experiment, std::string parameters, const Stencil& stencil,
                   ConstAnyView src, Border border = {});
/// Smoothing of u8 by ksize × ksize, beside cv::GaussianBlur (equal bytes).
Work gaussian_work(std::string experiment, int ksize, ConstAnyView src);
/// The median of ksize x ksize samples, beside cv::medianBlur (equal bytes) where that takes src.
Work median_work(std::string experiment, int ksize, ConstAnyView src);

}  // namespace cuesta::bench
