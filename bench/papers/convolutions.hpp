// The papers' arithmetic beside the rows of a convolution: what log-ladder, memory-ladder,
// sobel-ladder and roofline share.
#pragma once

#include "bench/works/filters.hpp"

namespace cuesta::bench {

/// Pixels whose window leaves the picture are 0: papers 001 and 003 leave them out, and no rung's
/// time has the launch of a frame in it.
inline constexpr Border papers_border{BorderMode::ignore};

/// As the papers' tables want it: blocks of 32, the rungs' default, and of 16; the host on all
/// threads and on one; each strategy's fastest variant with upload and download too.
Work as_papers(Work work);
/// A convolve_work so, with the papers' border.
Work paper_convolve_work(std::string experiment, std::string parameters, const Stencil& stencil,
                         ConstAnyView src);

/// Measures a convolve_work and puts the papers' intensities and accesses beside each row; into its
/// statistics `tiles` where it has several, the threads of a block, and how many of them load or
/// compute nothing; then what `annotate` adds.
Measured measure_convolve(Session& session, const Work& work, const Stencil& stencil,
                          const std::function<void(Row&)>& annotate = {});

/// Tiles that a block makes: the row's T, or known from its launch; 1 where it has no tiles.
int tiles_of(const Row& row, int width, int height);

}  // namespace cuesta::bench
