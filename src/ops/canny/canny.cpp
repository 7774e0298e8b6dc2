// The public entry of canny: check, choose a strategy, run.
#include <cmath>
#include <memory>

#include "core/check.hpp"
#include "core/check_batch.hpp"
#include "cuesta/stencil.hpp"
#include "ops/canny/reference.hpp"

namespace cuesta {

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
}

void check_thresholds(const Thresholds& t) {
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

// What holds for every picture of a batch when it holds for the first; options with ksize resolved.
CannyOptions checked(ConstAnyView src, AnyView dst, const CannyOptions& wanted) {
  check_view(src, "canny: src", {PixelType::u8, PixelType::u16});
  check_view(dst, "canny: dst", {PixelType::u8});
  check_same_size(src, dst, "canny: src", "canny: dst");
  CannyOptions options = wanted;
  check_options(options);
  if (options.mask) {
    check_view(options.mask, "canny: mask", {PixelType::u8});
    check_same_size(src, options.mask, "canny: src", "canny: mask");
  }
  return options;
}

}  // namespace

CannyResult canny(ConstAnyView src, AnyView dst, const CannyOptions& wanted, const Exec& exec) {
  const CannyOptions options = checked(src, dst, wanted);
  check_thresholds(options.thresholds);
  check_no_overlap(src, dst, "canny: src", "canny: dst");
  if (options.mask) check_no_overlap(options.mask, dst, "canny: mask", "canny: dst");
  CannyResult result;
  dispatch(CannyArgs{src, dst, options, &result}, exec);
  return result;
}

void canny(const ConstBatch& src, const Batch& dst, std::span<const Thresholds> thresholds,
           const CannyOptions& wanted, std::span<CannyResult> results, const Exec& exec) {
  CannyArgs args{src.first, dst.first, checked(src.first, dst.first, wanted)};
  check_batch(src, "canny: src");
  check_batch(dst, "canny: dst");
  check_same_count(src, dst, "canny: src", "canny: dst");
  check_disjoint(dst, "canny: dst");
  check_no_overlap(src, dst, "canny: src", "canny: dst");
  if (const ConstAnyView mask = args.options.mask) {
    const ConstBatch masks(mask, src.count, args.options.mask_step_bytes);
    check_no_overlap(masks, dst, "canny: mask", "canny: dst");
  }
  if (thresholds.size() != 1 && thresholds.size() != size_t(src.count)) {
    throw_invalid(std::to_string(thresholds.size()),
                  "canny: thresholds has {} entries; it takes 1, or one for each of {} pictures",
                  thresholds.size(), src.count);
  }
  if (!results.empty() && results.size() != size_t(src.count)) {
    throw_invalid(std::to_string(results.size()),
                  "canny: results has {} entries; it takes none, or one for each of {} pictures",
                  results.size(), src.count);
  }
  for (const Thresholds& t : thresholds) check_thresholds(t);

  args.count = src.count;
  args.src_step = src.step_bytes;
  args.dst_step = dst.step_bytes;
  args.options.thresholds = thresholds[0];
  if (thresholds.size() > 1) args.thresholds = thresholds;
  Scratch scratch(exec, Space::host);
  if (results.empty()) {
    const auto n = size_t(src.count);
    auto* unread = reinterpret_cast<CannyResult*>(scratch.take<std::byte>(n * sizeof(CannyResult)));
    std::uninitialized_value_construct_n(unread, n);
    results = {unread, n};
  }
  args.result = results.data();
  dispatch(args, exec);
}

Image<uint8_t> canny(ConstAnyView src, const CannyOptions& options, const Exec& exec) {
  check_view(src, "canny: src", {PixelType::u8, PixelType::u16});
  Image<uint8_t> dst(src.width, src.height);
  canny(src, dst, options, exec);
  return dst;
}

}  // namespace cuesta
