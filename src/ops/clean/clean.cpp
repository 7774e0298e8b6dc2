// The public entries of clean: check, choose a strategy, run.
#include <string>

#include "core/check.hpp"
#include "core/check_batch.hpp"
#include "ops/clean/args.hpp"
#include "ops/clean/options.hpp"

namespace cuesta {
namespace {

void check_masks(ConstAnyView mask, AnyView dst, const std::string& operation) {
  const std::string of_mask = operation + ": mask", of_dst = operation + ": dst";
  check_view(mask, of_mask, {PixelType::u8, PixelType::bit});
  check_view(dst, of_dst, {PixelType::u8, PixelType::bit});
  check_same_size(mask, dst, of_mask, of_dst);
  check_no_overlap(mask, dst, of_mask, of_dst);
  constexpr int64_t max_pixels = int64_t(1) << 31;
  if (int64_t(mask.width) * mask.height > max_pixels) {
    throw_invalid(fmt::format("{} x {}", mask.width, mask.height),
                  "{} is {} x {}; it must have at most {} pixels", of_mask, mask.width, mask.height,
                  max_pixels);
  }
}

}  // namespace

void remove_small(ConstAnyView mask, OutView dst, const RemoveSmallOptions& options,
                  const Exec& exec) {
  check_masks(mask, dst, "remove_small");
  check_options(options, "remove_small");
  dispatch(CleanArgs{mask, dst, false, options.connectivity, int64_t(options.min_area) - 1}, exec);
}

void remove_small(const ConstBatch& masks, const Batch& dst, const RemoveSmallOptions& options,
                  const Exec& exec) {
  each_picture(masks, dst, "remove_small: mask", "remove_small: dst",
               [&](ConstAnyView from, AnyView to) { remove_small(from, to, options, exec); });
}

void fill_holes(ConstAnyView mask, OutView dst, const FillHolesOptions& options, const Exec& exec) {
  check_masks(mask, dst, "fill_holes");
  check_options(options, "fill_holes");
  const int64_t max_area = options.max_area == 0 ? int64_t(1) << 31 : options.max_area;
  const int around = options.connectivity == 8 ? 4 : 8;
  dispatch(CleanArgs{mask, dst, true, around, max_area}, exec);
}

void fill_holes(const ConstBatch& masks, const Batch& dst, const FillHolesOptions& options,
                const Exec& exec) {
  each_picture(masks, dst, "fill_holes: mask", "fill_holes: dst",
               [&](ConstAnyView from, AnyView to) { fill_holes(from, to, options, exec); });
}

}  // namespace cuesta
