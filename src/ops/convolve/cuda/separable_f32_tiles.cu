// Strategy `separable-f32`: which requests go to tiles, and those of one channel.
#include "ops/convolve/cuda/separable_f32_tiles.cuh"

namespace cuesta {
namespace {

using namespace convolve_cuda;

void of_1_channel(const ConvolveArgs& args, Call& call) {
  using namespace separable_tiles;
  switch (args.width) {
    case 5: return run<5, 1>(args, call);
    case 7: return run<7, 1>(args, call);
    case 9: return run<9, 1>(args, call);
    case 11: return run<11, 1>(args, call);
    case 13: return run<13, 1>(args, call);
    case 15: return run<15, 1>(args, call);
    case 17: return run<17, 1>(args, call);
    case 19: return run<19, 1>(args, call);
    case 21: return run<21, 1>(args, call);
    case 23: return run<23, 1>(args, call);
    case 25: return run<25, 1>(args, call);
    case 27: return run<27, 1>(args, call);
    case 29: return run<29, 1>(args, call);
    case 31: return run<31, 1>(args, call);
    default: return wide(args, call);
  }
}

}  // namespace

bool convolve_cuda::separable_f32_tiles_takes(const ConvolveArgs& args) {
  const int32_t channels = args.src.channels;
  const size_t least = channels == 1 ? min_tiled_taps : 3;
  const size_t most = channels == 1 ? max_tiled_taps : max_tiled_taps_of_many;
  const auto whole = [&](std::span<const float> taps, int32_t anchor) {
    const size_t n = taps.size();
    return n % 2 == 1 && n >= least && n <= most && anchor == int32_t(n) / 2 &&
           std::none_of(taps.begin(), taps.end(), [](float tap) { return tap == 0; });
  };
  return channels != 2 && channels <= 4 && args.width == args.height &&
         tiled_rows_take(args).empty() && whole(args.floats.row, args.anchor_x) &&
         whole(args.floats.column, args.anchor_y);
}

void convolve_cuda::separable_f32_tiles(const ConvolveArgs& args, Call& call) {
  switch (args.src.channels) {
    case 1: return of_1_channel(args, call);
    case 3: return separable_tiles::of_3_channels(args, call);
    default: return separable_tiles::of_4_channels(args, call);
  }
}

}  // namespace cuesta
