// Strategy `simd`: tiles of rows with written-out borders in L1, sums in the fewest bits that hold
// them (plan.hpp), strips over threads.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/convolve/cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include <cstring>

#include "ops/convolve/cpu/plan.hpp"
#include "ops/convolve/reference.hpp"

// One-lane "vectors" have no pairs of lanes: there the plain loops run.
#if HWY_TARGET != HWY_SCALAR
#include "ops/convolve/cpu/box-inl.hpp"
#include "ops/convolve/cpu/bytes-inl.hpp"
#include "ops/convolve/cpu/dense-inl.hpp"
#include "ops/convolve/cpu/floats-inl.hpp"
#include "ops/convolve/cpu/pairwise-inl.hpp"
#endif

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {

void convolve_simd_target(const ConvolveArgs& args, [[maybe_unused]] const Plan& plan, Call& call) {
#if HWY_TARGET == HWY_SCALAR
  convolve_rows(args, call);
#else
  const bool bytes = args.src.type == PixelType::u8;
  switch (plan.lanes) {
    case Lanes::dense: return dense_strips(args, plan, call);
    case Lanes::pairs: return pairs_strips(args, plan, call);
    case Lanes::box:
      if (!bytes) return box_strips<double, uint16_t>(args, plan, call);
      return plan.in_doubles ? box_strips<double, uint8_t>(args, plan, call)
                             : box_strips<float, uint8_t>(args, plan, call);
    case Lanes::halves: return floats_strips<float, uint16_t>(args, plan, call);
    case Lanes::f64:
      return bytes ? floats_strips<double, uint8_t>(args, plan, call)
                   : floats_strips<double, uint16_t>(args, plan, call);
    case Lanes::pairwise:
      // As below: sharpening has one fma a sample.
      return HWY_NATIVE_FMA || args.equal.extra == 0 ? pairwise_strips(args, plan, call)
                                                     : convolve_rows(args, call);
    case Lanes::f32:
      if (args.src.type == PixelType::f32) {
        // The order of a sum includes its fma: without the instruction the plain loops call fmaf.
        return HWY_NATIVE_FMA ? floats_strips<float, float>(args, plan, call)
                              : convolve_rows(args, call);
      }
      return bytes ? floats_strips<float, uint8_t>(args, plan, call)
                   : floats_strips<float, uint16_t>(args, plan, call);
  }
#endif
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cuesta {
namespace {

// `ignore`: outputs whose window leaves the picture are 0.
void clear_ignored(const ConvolveArgs& args) {
  const auto bytes_of = [&](int32_t pixels) {
    return size_t(pixels) * size_t(args.dst.channels) * size_t(bytes_per_sample(args.dst.type));
  };
  const int32_t width = args.dst.width, height = args.dst.height;
  const int32_t left = std::min(args.anchor_x, width), top = args.anchor_y;
  const int32_t right = std::min(args.width - 1 - args.anchor_x, width);
  const int32_t bottom = args.height - 1 - args.anchor_y;
  for (int32_t y = 0; y < height; ++y) {
    auto* row = static_cast<char*>(args.dst.data) + ptrdiff_t(y) * args.dst.stride_bytes;
    if (y < top || y + bottom >= height) {
      std::memset(row, 0, bytes_of(width));
    } else {
      std::memset(row, 0, bytes_of(left));
      std::memset(row + bytes_of(width - right), 0, bytes_of(right));
    }
  }
}

// Whether results are the samples: one tap that equals the divisor. (f32 sums begin at +0, which
// changes −0.)
bool keeps_samples(const ConvolveArgs& args) {
  return args.width == 1 && args.height == 1 && args.src.type != PixelType::f32 &&
         args.src.type == args.dst.type && args.offset == 0 &&
         args.integers.at(0, 0, 1) == args.divisor;
}

void copy_rows(const ConvolveArgs& args, Call& call) {
  const auto bytes =
      size_t(args.src.width) * size_t(args.src.channels) * size_t(bytes_per_sample(args.src.type));
  const auto* from = static_cast<const char*>(args.src.data);
  auto* to = static_cast<char*>(args.dst.data);
  parallel_rows(args.src.height, call.threads(), [&](int32_t first, int32_t end) {
    for (ptrdiff_t y = first; y < end; ++y)
      std::memmove(to + y * args.dst.stride_bytes, from + y * args.src.stride_bytes, bytes);
  });
}

}  // namespace

HWY_EXPORT(convolve_simd_target);
void convolve_simd(const ConvolveArgs& args, Call& call) {
  if (keeps_samples(args)) return copy_rows(args, call);
  Plan plan;
  make_plan(args, plan);
  HWY_DYNAMIC_DISPATCH(convolve_simd_target)(args, plan, call);
  if (args.border.mode == BorderMode::ignore) clear_ignored(args);
}

std::string_view convolve_simd_supports(const ConvolveArgs& args, const Parameters&) {
  Plan unused;
  return make_plan(args, unused);
}

}  // namespace cuesta
#endif
