// The public entry of boundaries: check, choose a strategy, run.
#include "core/check.hpp"
#include "core/check_batch.hpp"
#include "ops/boundaries/options.hpp"
#include "ops/boundaries/reference.hpp"

namespace cuesta {

void boundaries(ConstAnyView src, OutView dst, const BoundaryOptions& options, const Exec& exec) {
  check_view(src, "boundaries: src", {PixelType::u8, PixelType::u16}, 1, 4);
  if (src.channels != 1 && src.channels != 3) {
    throw_invalid(std::to_string(src.channels),
                  "boundaries: src has {} channels; it must have 1 (gray) or 3 (RGB)",
                  src.channels);
  }
  check_view(dst, "boundaries: dst", {PixelType::u8, PixelType::u16});
  check_same_size(src, dst, "boundaries: src", "boundaries: dst");
  check_no_overlap(src, dst, "boundaries: src", "boundaries: dst");
  check_options(options, "boundaries");
  dispatch(BoundariesArgs{src, dst, options}, exec);
}

void boundaries(const ConstBatch& src, const Batch& dst, const BoundaryOptions& options,
                const Exec& exec) {
  each_picture(src, dst, "boundaries: src", "boundaries: dst",
               [&](ConstAnyView from, AnyView to) { boundaries(from, to, options, exec); });
}

}  // namespace cuesta
