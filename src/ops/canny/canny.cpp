// The public entry of canny: check, choose a strategy, run.
#include <memory>
#include <utility>

#include "core/check.hpp"
#include "core/check_batch.hpp"
#include "cuesta/smoothing.hpp"
#include "cuesta/stencil.hpp"
#include "ops/canny/fractions.hpp"
#include "ops/canny/options.hpp"
#include "ops/canny/reference.hpp"

namespace cuesta {

CannyOptions canny_resolved(const CannyOptions& wanted) {
  check_options(wanted, "canny");
  CannyOptions options = wanted;
  const GaussianOptions smoothing = smoothing_of(wanted);
  if (smoothing.ksize == 0 && smoothing.sigma > canny_max_sigma) {
    throw_invalid(fmt::to_string(smoothing.sigma),
                  "canny: sigma is {}; without a ksize it must be at most {} (for more, {})",
                  smoothing.sigma, canny_max_sigma, smaller_first);
  }
  options.sigma = smoothing.sigma;
  options.ksize = smoothing.sigma > 0 && smoothing.ksize == 0 ? gaussian_size(smoothing.sigma)
                                                              : smoothing.ksize;
  return options;
}

namespace {

void check_thresholds(const Thresholds& t) {
  check_options(CannyOptions{.thresholds = t}, "canny");
}

// What holds for every picture of a batch when it holds for the first; options with ksize resolved.
// `src` is called so.
CannyOptions checked(ConstAnyView src, AnyView dst, const CannyOptions& wanted,
                     std::initializer_list<PixelType> types = {PixelType::u8, PixelType::u16,
                                                               PixelType::f32},
                     std::string_view name = "canny: src") {
  check_view(src, name, types, 1, 4);
  if (src.channels != 1 && src.channels != 3) {
    throw_invalid(std::to_string(src.channels), "{} has {} channels; it must have 1 or 3", name,
                  src.channels);
  }
  CannyOptions options = canny_resolved(wanted);
  check_view(dst, "canny: dst", {PixelType::u8, canny_strength_type(src.type, options)});
  check_same_size(src, dst, name, "canny: dst");
  if (src.channels == 3 && options.color == ColorGradient::structure) options.norm = Norm::l2;
  if (options.mask) {
    check_view(options.mask, "canny: mask", {PixelType::u8});
    check_same_size(src, options.mask, name, "canny: mask");
  }
  return options;
}

}  // namespace

CannyArgs canny_checked(ConstAnyView src, ConstAnyView mask, const CannyOptions& wanted) {
  CannyOptions options = wanted;
  options.mask = mask;
  const AnyView dst = placeholder(src.width, src.height, PixelType::u8, 1, src.space);
  return {.src = src, .dst = dst, .options = checked(src, dst, options)};
}

CannyResult canny(ConstAnyView src, OutView dst, const CannyOptions& wanted, const Exec& exec) {
  const CannyOptions options = checked(src, dst, wanted);
  check_no_overlap(src, dst, "canny: src", "canny: dst");
  if (options.mask) check_no_overlap(options.mask, dst, "canny: mask", "canny: dst");
  CannyResult result;
  canny_dispatch({.src = src, .dst = dst, .options = options, .result = &result}, exec);
  return result;
}

namespace {

// What holds for every pair of gradients of a batch when it holds for the first.
CannyArgs checked(ConstAnyView gx, ConstAnyView gy, AnyView dst,
                  const CannyGradientOptions& wanted) {
  const CannyOptions options = checked(gx, dst,
                                       {.sigma = 0,
                                        .thresholds = wanted.thresholds,
                                        .norm = wanted.norm,
                                        .mask = wanted.mask,
                                        .color = wanted.color},
                                       {PixelType::s16, PixelType::f32}, "canny: gx");
  check_view(gy, "canny: gy", {gx.type}, gx.channels, gx.channels);
  check_same_size(gx, gy, "canny: gx", "canny: gy");
  return {.src = gx, .gy = gy, .dst = dst, .options = options};
}

// `args` is of the first pictures, and checked; `sources` are named as messages name them.
void run_batch(CannyArgs args, std::initializer_list<NamedBatch> sources, const Batch& dst,
               const CannyEach& each, const Exec& exec) {
  const int32_t count = check_batches(sources, {{dst, "canny: dst"}});
  const NamedBatch& src = *sources.begin();
  if (const ConstAnyView mask = args.options.mask) {
    const ConstBatch masks = each.mask.first ? each.mask : ConstBatch(mask, count, 0);
    check_batch(masks, "canny: mask");
    check_same_count(src.batch, masks, src.what, "canny: mask");
    check_no_overlap(masks, dst, "canny: mask", "canny: dst");
    args.mask_step = masks.step_bytes;
  }
  const auto check_entries = [&](size_t entries, std::string_view what) {
    if (entries == 0 || entries == size_t(count)) return;
    throw_invalid(std::to_string(entries),
                  "canny: {} has {} entries; it must be empty or have one for each of {} pictures",
                  what, entries, count);
  };
  check_entries(each.thresholds.size(), "thresholds");
  check_entries(each.results.size(), "results");
  for (const Thresholds& t : each.thresholds) check_thresholds(t);

  args.count = count;
  args.src_step = src.batch.step_bytes;
  args.dst_step = dst.step_bytes;
  args.thresholds = each.thresholds;
  Scratch scratch(exec, Space::host);
  std::span<CannyResult> results = each.results;
  if (results.empty()) {
    const auto n = size_t(count);
    auto* unread = reinterpret_cast<CannyResult*>(scratch.take<std::byte>(n * sizeof(CannyResult)));
    std::uninitialized_value_construct_n(unread, n);
    results = {unread, n};
  }
  args.result = results.data();
  canny_dispatch(args, exec);
}

}  // namespace

CannyResult canny_of_gradients(ConstAnyView gx, ConstAnyView gy, OutView dst,
                               const CannyGradientOptions& options, const Exec& exec) {
  CannyArgs args = checked(gx, gy, dst, options);
  check_no_overlap(gx, dst, "canny: gx", "canny: dst");
  check_no_overlap(gy, dst, "canny: gy", "canny: dst");
  if (options.mask) check_no_overlap(options.mask, dst, "canny: mask", "canny: dst");
  CannyResult result;
  args.result = &result;
  dispatch(args, exec);
  return result;
}

void canny_of_gradients(const ConstBatch& gx, const ConstBatch& gy, const Batch& dst,
                        const CannyGradientOptions& options, const Exec& exec) {
  canny_of_gradients(gx, gy, dst, options, CannyEach{}, exec);
}

void canny_of_gradients(const ConstBatch& gx, const ConstBatch& gy, const Batch& dst,
                        const CannyGradientOptions& wanted, const CannyEach& each,
                        const Exec& exec) {
  CannyGradientOptions options = wanted;
  if (each.mask.first) options.mask = each.mask.first;
  CannyArgs args = checked(gx.first, gy.first, dst.first, options);
  args.gy_step = gy.step_bytes;
  run_batch(std::move(args), {{gx, "canny: gx"}, {gy, "canny: gy"}}, dst, each, exec);
}

void canny(const ConstBatch& src, const Batch& dst, const CannyOptions& options, const Exec& exec) {
  canny(src, dst, options, CannyEach{}, exec);
}

void canny(const ConstBatch& src, const Batch& dst, const CannyOptions& wanted,
           const CannyEach& each, const Exec& exec) {
  CannyOptions options = wanted;
  if (each.mask.first) options.mask = each.mask.first;
  run_batch({.src = src.first, .dst = dst.first, .options = checked(src.first, dst.first, options)},
            {{src, "canny: src"}}, dst, each, exec);
}

}  // namespace cuesta
