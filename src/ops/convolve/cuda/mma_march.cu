// Strategy `mma-march`: factors without signs (Gaussians, boxes) of u8 pictures of any number of
// channels, as the two products of mma_separable.cu. It takes what reaches further than that row,
// as far as registers hold the sums across.
//
//   H (16 columns x 8 rows)   = band of taps (16 x 32 n) . samples (32 n of a row x 8 rows)
//   out (16 rows x 8 columns) = band of taps (16 x 32 m) . H, its bytes apart
//
// A warp has 16 columns and marches down a long strip, 16 rows a step, so that each row of samples
// is multiplied once. H of the last 32 m rows stays in registers as the second product's operands.
// The groups of 16 rows take turns, so that nothing moves: a second band, turned by a group, serves
// the steps in which the oldest group has an odd place. Rows and columns are dealt so that a lane's
// samples, sums and results are four in a row, and one band serves both directions.
//
// Rows of samples come to a ring of stages of 16 rows, and results leave through shared memory as
// whole rows of the block. Barriers of stages keep the warps together; the block has none. Boxes of many rows: sums that run down, 16 rows that come and 16 that
// go; those are kept in shared memory as operands that only their own lane reads.
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/mma_march_forms.hpp"
#include "ops/convolve/cuda/mma_march.cuh"

namespace cuesta {

std::string_view convolve_cuda::mma_march_takes(const ConvolveArgs& args, const Parameters&) {
  if (args.src.type != PixelType::u8 || args.dst.type != PixelType::u8)
    return "types other than u8 to u8";
  if (const auto why = convolve_mma::factors_take(args); !why.empty()) return why;
  if (const auto why = tiled_rows_take(args); !why.empty()) return why;
  if (cuda::compute_capability() != 0 && cuda::compute_capability() < 90)
    return "GPUs below compute capability 9.0";
  return convolve_mma::march_size_of(args).across == 0
             ? "windows whose sums across exceed registers"
             : std::string_view();
}

void convolve_cuda::mma_march(const ConvolveArgs& args, Call& call) {
  using namespace convolve_mma;
  const MarchSize size = march_size_of(args);
  if (size.down == 0) return march_running(size.across, args, call);
  if (size.across != size.down) return march_oblong(size.across, args, call);
  switch (size.across) {
    case 2: return launch_march<MarchForm<2, 2, 3>>(args, call);
    case 3: return launch_march<MarchForm<3, 3, 2>>(args, call);
    case 4: return launch_march<MarchForm<4, 4, 2>>(args, call);
    default: return launch_march<MarchForm<5, 5, 2>>(args, call);
  }
}

}  // namespace cuesta
