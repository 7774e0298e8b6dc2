// Strategy `mma-long`: factors without signs of any length (Gaussians, boxes) of u8 and u16
// pictures of any number of channels, as the two products of mma_separable.cu. It takes what
// reaches too far for that row's registers.
//
//   H (16 columns x 8 rows)   = band of taps (16 x 32 n) . samples (32 n of a row x 8 rows)
//   out (16 rows x 8 columns) = band of taps (16 x 32 m) . H, its bytes apart
//
// A warp has 32 columns and marches down a long strip, 16 rows a step, so that each row of samples
// is multiplied once. Bands, and H of the last 32 m rows, are in shared memory in the order in
// which products want them: a lane writes and reads its own words of H, and nothing moves when rows
// become old. Samples come a few steps' rows at a time to two places in turn, while those of the
// other are worked on. The number of products is known at run time only.
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/mma_long.cuh"

namespace cuesta {
namespace {

using namespace convolve_mma;

template <class T>
void run(const ConvolveArgs& args, Call& call) {
  const SeparableRequest<T> q(args);
  const bool aligned = q.is_aligned() && reinterpret_cast<uintptr_t>(q.src.data) % 16 == 0;
  by_products<T>(args, [&](auto across, auto down) {
    const auto with = [&]<Results Become>() {
      aligned ? launch_long<T, LongKind<T, Become, true, across(), down()>>(args, q, call)
              : launch_long<T, LongKind<T, Become, false, across(), down()>>(args, q, call);
    };
    if constexpr (down() == running)
      with.template operator()<Results::quotients>();
    else
      is_q16(args) ? with.template operator()<Results::upper_halves>()
                   : with.template operator()<Results::quotients>();
  });
  clear_void(q, call);
}

}  // namespace

std::string_view convolve_cuda::mma_long_takes(const ConvolveArgs& args, const Parameters&) {
  const auto why = factors_take(args);
  return why.empty() ? long_products_take(args) : why;
}

void convolve_cuda::mma_long(const ConvolveArgs& args, Call& call) {
  args.src.type == PixelType::u8 ? run<uint8_t>(args, call) : run<uint16_t>(args, call);
}

}  // namespace cuesta
