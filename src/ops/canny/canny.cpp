// The public entry of canny: check, choose a strategy, run.
#include <cmath>

#include "core/check.hpp"
#include "cuesta/stencil.hpp"
#include "ops/canny/reference.hpp"
#include "ops/tables.hpp"

namespace cuesta {

template <>
std::span<const StrategyInfo<CannyArgs>> strategies<CannyArgs>(Space space) {
  static constexpr StrategyInfo<CannyArgs> host[] = {
      {.name = "serial",
       .tier = Tier::reference,
       .idea = "one stage after the other, a whole picture between; hysteresis with a stack",
       .paper = "001",
       .run = canny_serial},
      {.name = "rows",
       .tier = Tier::baseline,
       .idea = "every stage's rows over threads; hysteresis by union-find, strips joined after",
       .paper = "001",
       .run = canny_rows},
      {.name = "simd",
       .tier = Tier::production,
       .idea = "smoothing, gradient and suppression fused in rolling rows; one-bit masks, "
               "hysteresis on words",
       .supports = canny_simd_supports,
       .run = canny_simd},
  };
  return space == Space::host ? host : cuda_tables().canny;
}

namespace {

void check_options(CannyOptions& options) {
  if (options.aperture != 3 && options.aperture != 5 && options.aperture != 7) {
    throw_invalid(std::to_string(options.aperture), "canny: aperture is {}; it must be 3, 5 or 7",
                  options.aperture);
  }
  if (!(options.sigma >= 0) || !std::isfinite(options.sigma)) {
    throw_invalid(std::to_string(options.sigma), "canny: sigma is {}; it must be 0 or more",
                  options.sigma);
  }
  if (options.ksize != 0) check_odd(options.ksize, 1, 255, "canny: ksize");
  if (options.sigma > 0 && options.ksize == 0) {
    options.ksize = gaussian_size(options.sigma);
    if (options.ksize > 255) {
      throw_invalid(std::to_string(options.sigma),
                    "canny: sigma {} takes a window of {}; the largest is 255", options.sigma,
                    options.ksize);
    }
  }
  const Thresholds& t = options.thresholds;
  if (t.is_automatic) {
    if (t.rule == AutoThreshold::percentile && !(t.percent >= 0 && t.percent <= 100)) {
      throw_invalid(std::to_string(t.percent), "canny: percent is {}; it must be 0 to 100",
                    t.percent);
    }
  } else if (!std::isfinite(t.low) || !std::isfinite(t.high)) {
    throw_invalid(std::to_string(std::isfinite(t.low) ? t.high : t.low),
                  "canny: thresholds are {} and {}; they must be finite numbers", t.low, t.high);
  }
}

}  // namespace

CannyResult canny(ConstPlane src, Plane dst, const CannyOptions& wanted, const Exec& exec) {
  check_plane(src, "canny: src", {PixelType::u8, PixelType::u16});
  check_plane(dst, "canny: dst", {PixelType::u8});
  check_same_size(src, dst, "canny: src", "canny: dst");
  check_no_overlap(src, dst, "canny: src", "canny: dst");
  CannyOptions options = wanted;
  check_options(options);
  if (options.mask) {
    check_plane(options.mask, "canny: mask", {PixelType::u8});
    check_same_size(src, options.mask, "canny: src", "canny: mask");
    check_no_overlap(options.mask, dst, "canny: mask", "canny: dst");
  }
  CannyResult result;
  dispatch(CannyArgs{src, dst, options, &result}, exec);
  return result;
}

Image<uint8_t> canny(ConstPlane src, const CannyOptions& options, const Exec& exec) {
  check_plane(src, "canny: src", {PixelType::u8, PixelType::u16});
  Image<uint8_t> dst(src.width, src.height);
  canny(src, dst, options, exec);
  return dst;
}

}  // namespace cuesta
