// Strategy `tensor`: one channel of u8 and taps of a signed byte, up to four samples to every side,
// as products of matrices of bytes on the tensor cores (cuda/tensor_stencil.cuh); sums become
// results by rules.cuh.
#include "core/border_sample.hpp"
#include "cuda/tensor_stencil.cuh"
#include "ops/convolve/byte_taps.hpp"
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/rules.cuh"

namespace cuesta {
namespace {

using namespace convolve_cuda;

template <class Rule>
void run(const ConvolveArgs& args, const ByteTaps& taps, const Rule& rule, Call& call) {
  using Out = typename Rule::Out;
  const cuda::tensor::Window window{taps.width, taps.height, taps.anchor_x, taps.anchor_y,
                                    [&](int32_t i, int32_t j) { return taps.at(i, j); }};
  const cuda::tensor::Request<Out> q{args.src.as<uint8_t, Space::device>(),
                                     args.dst.as<Out, Space::device>(), args.border.mode,
                                     border_sample<uint8_t>(args.border)};
  if (taps.radius() <= 2)
    cuda::tensor::run<2>("convolve", q, window, rule, call);
  else
    cuda::tensor::run<4>("convolve", q, window, rule, call);
}

// Beyond this an offset saturates whatever the sum.
int32_t cut_offset(int32_t offset) { return std::clamp(offset, -(1 << 24), 1 << 24); }

template <class T>
Whole<T> whole(const ConvolveArgs& args, const Twice& divide) {
  return {divide, args.absolute ? 0x7FFFFFFF : 0xFFFFFFFF, cut_offset(args.offset) - magic_bits};
}

}  // namespace

void convolve_cuda::tensor(const ConvolveArgs& args, Call& call) {
  ByteTaps taps;
  byte_taps(args, taps);
  const Divisors by(taps.divisor);
  const bool up = args.rounding == Rounding::half_up;
  const Twice twice = up ? by.twice_up() : by.twice();
  if (args.dst.type == PixelType::f32) {
    const Quotient rule{by.exact(), args.absolute ? 0x7FFFFFFF : 0xFFFFFFFF, float(args.offset)};
    return run(args, taps, rule, call);
  }
  if (args.dst.type == PixelType::s16) return run(args, taps, whole<int16_t>(args, twice), call);
  // Quotients and what the offset makes of them, in 16 bits.
  const double most = std::max(-double(taps.least), double(taps.most)) / double(taps.divisor) + 1;
  const bool narrow = most < 32767 && most + std::abs(double(args.offset)) < 32767;
  const bool ties = taps.divisor % 2 == 0 && !std::has_single_bit(uint64_t(taps.divisor)) && !up;
  if (!narrow || ties || args.absolute) return run(args, taps, whole<uint8_t>(args, twice), call);
  const auto offset = uint32_t(uint16_t(args.offset));
  run(args, taps, Bytes{up ? by.once_up() : by.once(), offset | offset << 16}, call);
}

}  // namespace cuesta
