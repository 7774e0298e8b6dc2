// The public entry of regions: check, choose a strategy, run.
#include "core/check.hpp"
#include "core/check_batch.hpp"
#include "ops/regions/options.hpp"
#include "ops/regions/reference.hpp"

namespace cuesta {

void regions(ConstAnyView src, OutView dst, const RegionOptions& options, const Exec& exec) {
  using enum PixelType;
  check_view(src, "regions: src", {u8, u16});
  check_view(dst, "regions: dst", {s32, u8, u16});
  check_same_size(src, dst, "regions: src", "regions: dst");
  check_no_overlap(src, dst, "regions: src", "regions: dst");
  if (int64_t(src.width) * src.height > RegionsArgs::max_pixels) {
    throw_invalid(fmt::format("{} x {}", src.width, src.height),
                  "regions: src is {} x {}; it must have at most {} pixels", src.width, src.height,
                  RegionsArgs::max_pixels);
  }
  check_options(options, "regions");
  dispatch(RegionsArgs{src, dst, options}, exec);
}

void regions(const ConstBatch& src, const Batch& dst, const RegionOptions& options,
             const Exec& exec) {
  each_picture(src, dst, "regions: src", "regions: dst",
               [&](ConstAnyView from, AnyView to) { regions(from, to, options, exec); });
}

}  // namespace cuesta
