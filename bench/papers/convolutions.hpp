// The papers' arithmetic beside the rows of a convolution: what log-ladder, memory-ladder,
// sobel-ladder and roofline share.
#pragma once

#include "bench/works/filters.hpp"

namespace cuesta::bench {

/// Paper 000's 5 × 5 Gaussian of sigma 1.4 over 289.
Stencil paper_gaussian();

/// Pixels whose window leaves the picture are 0: papers 001 and 003 leave them out, and no rung's
/// time has the launch of a frame in it.
inline constexpr Border papers_border{BorderMode::ignore};

/// Measures a convolve_work and puts the papers' intensities and accesses beside each row, `tiles`
/// into its statistics where it has several, then what `annotate` adds.
Measured measure_convolve(Session& session, const Work& work, const Stencil& stencil,
                          const std::function<void(Row&)>& annotate = {});

/// Tiles that a block makes: the row's T, or told from its launch; 1 where it has no tiles.
int tiles_of(const Row& row, int width, int height);

}  // namespace cuesta::bench
