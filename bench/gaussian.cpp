// Gaussian smoothing of u8 against cv::GaussianBlur: equal bytes.
#include <fmt/format.h>

#include "bench/session.hpp"
#include "cuesta/filter.hpp"

namespace cuesta::bench {

void bench_gaussian(Session& session) {
  for (const int32_t side : session.sizes()) {
    const Image<uint8_t> src = session.photograph(side, side);
    Image<uint8_t> ours(side, side), theirs(side, side);
    for (const int ksize : {5, 15}) {
      Table table{.experiment = "gaussian",
                  .parameters = fmt::format("{0}x{0}", ksize),
                  .src = src,
                  .bytes_per_pixel = 2,
                  .flops_per_pixel = 4.0 * ksize};
      if (session.opencv()) {
        gaussian(src, ours, {.ksize = ksize}, session.exec());
        session.opencv()->gaussian(src, theirs, ksize, 0);
        if (!session.expect_equal("gaussian " + table.parameters, ours, theirs)) continue;
      }
      session.add_strategies(table, "convolve", [&](const Exec& exec) {
        gaussian(src, ours, {.ksize = ksize}, exec);
      });
      session.add_opencv(table, "convolve",
                         [&] { session.opencv()->gaussian(src, theirs, ksize, 0); });
      session.time(table);
    }
  }
}

}  // namespace cuesta::bench
