// Strategy `tiles-f32`: what it takes, and windows that reach up to 4 samples.
#include "ops/convolve/cuda/tiles_f32.cuh"

#include "ops/convolve/cuda.hpp"

namespace cuesta {
namespace {

using namespace convolve_cuda;

bool has_own_channels(const ConvolveArgs& args) {
  return args.src.channels > 2 && columns_of(args) <= float_tiles::max_reach_of_many;
}

}  // namespace

std::string_view convolve_cuda::tiles_f32_takes(const ConvolveArgs& args, const Parameters&) {
  if (const auto why = ordered_sums_take(args); !why.empty()) return why;
  if (args.floats.separable()) return "stencils with factors";
  if (!has_own_channels(args) && reach_of(args) > float_tiles::max_reach)
    return "windows that reach more than 7 samples, or 4 pixels of 3 or 4 channels";
  return tiled_rows_take(args);
}

void convolve_cuda::tiles_f32(const ConvolveArgs& args, Call& call) {
  using namespace float_tiles;
  if (has_own_channels(args))
    return args.src.channels == 3 ? of_3_channels(args, call) : of_4_channels(args, call);
  switch (reach_of(args)) {
    case 0:
    case 1: return run<3, 1>(args, call);
    case 2: return run<5, 1>(args, call);
    case 3: return run<7, 1>(args, call);
    case 4: return run<9, 1>(args, call);
    default: return wide(args, call);
  }
}

}  // namespace cuesta
