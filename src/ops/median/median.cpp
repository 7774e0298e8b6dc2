// The public entry of median: check, choose a strategy, run.
#include "core/check.hpp"
#include "core/check_batch.hpp"
#include "ops/median/options.hpp"
#include "ops/median/reference.hpp"

namespace cuesta {

void median(ConstAnyView src, OutView dst, const MedianOptions& options, const Exec& exec) {
  using enum PixelType;
  check_view(src, "median: src", {u8, u16, f32, bit}, 1, src.type == bit ? 1 : 4);
  check_view(dst, "median: dst", {src.type}, src.channels, src.channels);
  check_same_size(src, dst, "median: src", "median: dst");
  check_no_overlap(src, dst, "median: src", "median: dst");
  check_options(options, "median");
  if (src.type == f32 && options.ksize > 5) {
    throw_invalid(std::to_string(options.ksize),
                  "median: ksize is {}; with f32 samples it must be 1, 3 or 5 (for more, make it "
                  "u16 first)",
                  options.ksize);
  }
  dispatch(MedianArgs{src, dst, options}, exec);
}

void median(const ConstBatch& src, const Batch& dst, const MedianOptions& options,
            const Exec& exec) {
  each_picture(src, dst, "median: src", "median: dst",
               [&](ConstAnyView from, AnyView to) { median(from, to, options, exec); });
}

}  // namespace cuesta
