// Strategy `planes`: pictures of several channels as pictures of one, where that row is faster by
// more than splitting and merging cost.
#include "cuda/channel_planes.cuh"
#include "ops/convolve/cuda.hpp"

namespace cuesta {
namespace {

/// The production row that takes a request, `planes` aside.
const Strategy<ConvolveArgs>* other_row(const ConvolveArgs& args) {
  const Exec exec;
  for (const auto& s : ConvolveArgs::strategies())
    if (s.space == Space::device && s.tier == Tier::production && s.name != "planes" &&
        s.supports(args, {exec, s.parameters}).empty())
      return &s;
  return nullptr;
}

/// A channel of a request as a request.
ConvolveArgs of_channel(const ConvolveArgs& args, ConstAnyView src, AnyView dst) {
  ConvolveArgs one = args;
  one.src = src, one.dst = dst;
  return one;
}
/// The same, to be asked about: planes have aligned rows.
ConvolveArgs of_any_channel(const ConvolveArgs& args) {
  const auto plane = [](ConstAnyView of) {
    const ptrdiff_t stride = (ptrdiff_t(of.width) * bytes_per_sample(of.type) + 255) / 256 * 256;
    return AnyView(reinterpret_cast<void*>(256), of.width, of.height, 1, stride, of.type,
                   Space::device);
  };
  return of_channel(args, plane(args.src), plane(args.dst));
}

/// Whether the row for one channel wins by more than two copies of the picture cost. (H200,
/// 2026-11-28, 4096², copies of the picture, whole against planes. u8, 4 channels, 31 × 31: 173,
/// 13.7; sigma 32: 41, 18; f32, 3 channels, 5 × 5: 5.6, 3.9; sigma 3: 7.7, 4.2; 31 × 31: 51, 43.)
bool wins(const Strategy<ConvolveArgs>& one, const Strategy<ConvolveArgs>& whole,
          const ConvolveArgs& args) {
  const ConstAnyView& src = args.src;
  if (whole.name == "blocks") return one.name != whole.name || args.height >= 31;
  if (whole.name == "long-f32") return one.name != whole.name;
  if (whole.name != "mma-long" || one.name != whole.name) return false;
  // Sums of more channels in shared memory leave room for fewer warps.
  const bool wide = src.channels == 4 && src.type == PixelType::u16;
  return src.channels > 2 && args.height > (wide ? 48 : 90) &&
         int64_t(src.width) * src.height >= 1 << 22;
}

}  // namespace

std::string_view convolve_cuda::planes_take(const ConvolveArgs& args, const Parameters&) {
  if (args.src.channels < 2) return "pictures of one channel";
  const auto *whole = other_row(args), *one = other_row(of_any_channel(args));
  if (!one) return "requests that no production row takes of one channel";
  if (!whole || wins(*one, *whole, args)) return {};
  return "requests that a row for interleaved channels takes as fast";
}

void convolve_cuda::planes(const ConvolveArgs& args, Call& call) {
  const auto* row = other_row(of_any_channel(args));
  cuda::by_planes("convolve", args.src, args.dst, call, [&](ConstAnyView src, AnyView dst) {
    run_strategy(*row, of_channel(args, src, dst), call.nested());
  });
}

}  // namespace cuesta
