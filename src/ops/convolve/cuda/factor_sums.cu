// Undivided sums by the products of `mma-long`, for other operations (ops/shared/factor_sums.hpp).
#include "ops/shared/factor_sums.hpp"

#include "ops/convolve/cuda/mma_long.cuh"

namespace cuesta {
namespace {

using namespace convolve_mma;

// The sums as a convolution: the window begins further to the left and above.
ConvolveArgs arguments(const factor_sums::Request& request) {
  const auto n = int32_t(request.taps.size());
  ConvolveArgs args;
  args.src = request.src;
  args.dst = {request.sums.data,
              request.src.width + 2 * request.left,
              request.src.height + 2 * request.above,
              1,
              request.sums.stride_bytes,
              PixelType::s32,
              Space::device};
  args.width = args.height = n;
  args.anchor_x = n / 2 + request.left, args.anchor_y = n / 2 + request.above;
  args.integers.column = args.integers.row = request.taps;
  args.border = request.border;
  return args;
}

template <class T>
void run_type(const ConvolveArgs& args, Call& call) {
  using Request = typename LongKind<T, Results::sums, true, 0, 0>::Request;
  const Request q(args);
  const bool aligned =
      q.src.stride_bytes % 16 == 0 && reinterpret_cast<uintptr_t>(q.src.data) % 16 == 0;
  by_products<T>(args, [&](auto across, auto down) {
    if constexpr (down() != running)
      aligned ? launch_long<T, LongKind<T, Results::sums, true, across(), down()>>(args, q, call)
              : launch_long<T, LongKind<T, Results::sums, false, across(), down()>>(args, q, call);
  });
}

}  // namespace

std::string_view factor_sums::takes(const Request& request) {
  const ConvolveArgs args = arguments(request);
  const auto why = bytes_take(args);
  return why.empty() ? long_products_take(args) : why;
}

void factor_sums::run(const Request& request, Call& call) {
  const ConvolveArgs args = arguments(request);
  request.src.type == PixelType::u8 ? run_type<uint8_t>(args, call)
                                    : run_type<uint16_t>(args, call);
}

}  // namespace cuesta
