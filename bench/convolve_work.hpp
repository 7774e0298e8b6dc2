// Convolutions as the papers time them: what log-ladder, memory-ladder, sobel-ladder and roofline
// share.
#pragma once

#include <string>

#include "bench/session.hpp"
#include "cuesta/stencil.hpp"

namespace cuesta::bench {

/// Paper 000's 5 × 5 Gaussian of sigma 1.4 over 289.
Stencil paper_gaussian();

/// One stencil over one picture, to the picture's type; 2 · width · height operations a pixel.
Work convolve_work(std::string experiment, std::string parameters, const Stencil& stencil,
                   ConstAnyView src);

/// Measures it and puts the papers' intensities and accesses beside each row, then what `annotate`
/// adds.
Measured measure_convolve(Session& session, const Work& work, const Stencil& stencil,
                          const std::function<void(Row&)>& annotate = {});

/// Tiles side by side in a block, told from the row's launch; 1 where it has no tiles.
int tiles_of(const Row& row, int width, int height);

}  // namespace cuesta::bench
