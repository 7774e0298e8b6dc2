// What the parts of strategy `tensor` share: the rule of a request, and how a stencil runs.
#pragma once

#include <bit>

#include "core/border_sample.hpp"
#include "cuda/tensor_stencil.cuh"
#include "ops/convolve/cuda/rules.cuh"
#include "ops/convolve/cuda/tensor.hpp"

namespace cuesta::convolve_cuda {

/// Calls run(rule) with the rule that makes the request's results of sums. `T`: the source's
/// samples. `Small`: sums stay below 2^22, and none is negative where halves go up.
template <class T, bool Small, class Out, class Run>
void with_whole_rule(const ConvolveArgs& args, const TensorTaps& taps, Run&& run) {
  if (taps.divisor == 1) return run(Direct<Out>{args.absolute, taps.offset});
  const bool up = args.rounding == Rounding::half_up;
  if constexpr (Small) {
    const Divisors by(taps.divisor);
    run(Whole<Out>{up ? by.twice_up() : by.twice(), args.absolute ? 0x7FFFFFFF : 0xFFFFFFFF,
                   taps.offset - magic_bits});
  } else {
    run(Integers<Out>{Division(taps.divisor, taps.least, up), args.absolute, taps.offset});
  }
}

template <class T, bool Small, class Run>
void with_rule(const ConvolveArgs& args, const TensorTaps& taps, Run&& run) {
  const Divisors by(taps.divisor);
  if (args.dst.type == PixelType::f32)
    return run(Quotient{by.exact(), args.absolute ? 0x7FFFFFFF : 0xFFFFFFFF, float(args.offset)});
  if (args.dst.type == PixelType::s16) return with_whole_rule<T, Small, int16_t>(args, taps, run);
  if constexpr (sizeof(T) == 1) {
    // Quotients and what the offset makes of them in 16 bits, and no ties that one product misses.
    const int64_t most = taps.largest() / taps.divisor + 1;
    const bool up = args.rounding == Rounding::half_up;
    const bool ties = taps.divisor % 2 == 0 &&
                      (up ? taps.least < 0 : !std::has_single_bit(uint64_t(taps.divisor)));
    if (taps.divisor > 1 && taps.largest() < TensorTaps::float_sums && !args.absolute && !ties &&
        most + std::abs(taps.offset) < 32767) {
      const auto offset = uint32_t(uint16_t(taps.offset));
      return run(Bytes{up ? by.once_up() : by.once(), offset | offset << 16});
    }
  }
  with_whole_rule<T, Small, T>(args, taps, run);
}

template <class T, class Rule>
cuda::tensor::StencilRequest<T, typename Rule::Out> request_of(const ConvolveArgs& args,
                                                               const Rule&) {
  return {args.src.as<T, Space::device>(), args.dst.as<typename Rule::Out, Space::device>(),
          args.border.mode, border_sample<T>(args.border)};
}

inline auto window_of(const TensorTaps& taps) {
  return cuda::tensor::Window{taps.width, taps.height, taps.anchor_x, taps.anchor_y,
                              [&](int32_t i, int32_t j) { return taps.at(i, j); }};
}

/// Windows that reach four samples, of samples T and taps of `Planes` signed bytes.
template <class T, int Planes>
void run_tensor(const ConvolveArgs& args, const TensorTaps& taps, Call& call) {
  constexpr bool small = sizeof(T) == 1 && Planes == 1;
  with_rule<T, small>(args, taps, [&](const auto& rule) {
    const auto q = request_of<T>(args, rule);
    if (taps.radius() <= 2)
      cuda::tensor::run<2, Planes>("convolve", q, window_of(taps), rule, call);
    else
      cuda::tensor::run<4, Planes>("convolve", q, window_of(taps), rule, call);
  });
}

}  // namespace cuesta::convolve_cuda
