// Strategy `simd`: smoothing, gradient, magnitude and suppression of a strip fused in rows that
// stay in L1 and L2. u8 in 16-bit lanes (32 for l2 magnitudes); of three channels each is made so,
// and the strongest kept or the structure tensor measured. u16 and f32 take cpu/wide.cpp. What
// suppression leaves is two bits a pixel; hysteresis works on words of them (bit_hysteresis.hpp).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/canny/cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include "ops/canny/cpu/pictures-inl.hpp"
#include "ops/canny/cpu/wide.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

template <int K>
void run_norm(const CannyArgs& args, const Job& job, AnyView smoothed, Call& call) {
  args.options.norm == Norm::l1 ? run_batch<Magnitudes<K, int16_t>>(args, job, smoothed, call)
                                : run_batch<Magnitudes<K, int32_t>>(args, job, smoothed, call);
}

}  // namespace

void canny_simd_target(const CannyArgs& args, Call& call) {
  const CannyOptions& options = args.options;
  Job job = canny_job(args);
#if !CUESTA_CANNY_FUSES
  // The structure tensor is measured with fused multiplications: the plain loops call fma.
  if (job.structure()) return each_picture<canny_rows>(args, call);
#endif
  AnyView smoothed;
  if (args.gy) return run_batch<GivenMagnitudes>(args, job, smoothed, call);
  if (options.sigma > 0 && options.ksize <= largest_fused_window) {
    int32_t taps[largest_fused_window];
    gaussian_taps_q8(std::span(taps, size_t(options.ksize)), *options.sigma);
    auto* kept = call.scratch().take<uint16_t>(size_t(options.ksize));
    std::copy_n(taps, options.ksize, kept);
    job.taps = kept;
    job.window = options.ksize;
  } else if (options.sigma > 0) {
    smoothed = call.scratch().image<uint8_t>(args.src.width, args.src.height, args.src.channels);
  }
  switch (options.aperture) {
    case 3: return run_norm<3>(args, job, smoothed, call);
    case 5: return run_norm<5>(args, job, smoothed, call);
    default: return run_norm<7>(args, job, smoothed, call);
  }
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cuesta {

HWY_EXPORT(canny_simd_target);
void canny_simd(const CannyArgs& args, Call& call) {
  if (args.makes_strengths()) return each_picture<canny_simd_strengths>(args, call);
  if (canny_takes_wide_rows(args)) return canny_wide_simd(args, call);
  HWY_DYNAMIC_DISPATCH(canny_simd_target)(args, call);
}

}  // namespace cuesta
#endif
