// Strategy `simd` of u16 and f32: the public gaussian() first, then gradient, magnitude and
// suppression of a strip fused in rows of floats (wide_rows-inl.hpp).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/canny/cpu/wide.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include "ops/canny/cpu/pictures-inl.hpp"
#include "ops/canny/cpu/wide.hpp"
#include "ops/canny/cpu/wide_rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {

void canny_wide_target(const CannyArgs& args, Call& call) {
#if CUESTA_CANNY_FUSES
  const Job job = canny_job(args);
  const auto smoothed_as = [&]<class S>(S) {
    if (args.options.sigma == 0) return AnyView();
    return AnyView(call.scratch().image<S>(args.src.width, args.src.height, args.src.channels));
  };
  switch (args.src.type) {
    case PixelType::s16: return run_batch<WideMagnitudes<int16_t, double>>(args, job, {}, call);
    case PixelType::u16:
      return args.options.norm == Norm::l1 ? run_batch<WideMagnitudes<uint16_t, float>>(
                                                 args, job, smoothed_as(uint16_t()), call)
                                           : run_batch<WideMagnitudes<uint16_t, double>>(
                                                 args, job, smoothed_as(uint16_t()), call);
    default: return run_batch<WideMagnitudes<float, double>>(args, job, smoothed_as(float()), call);
  }
#else
  // The definition of f32 has its fma: without the instruction the plain loops call fmaf.
  each_picture<canny_rows>(args, call);
#endif
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cuesta {

HWY_EXPORT(canny_wide_target);
void canny_wide_simd(const CannyArgs& args, Call& call) {
  HWY_DYNAMIC_DISPATCH(canny_wide_target)(args, call);
}

}  // namespace cuesta
#endif
