// Canny alone (sigma 0), and with the Gaussian 5x5 before it, against cv::GaussianBlur + cv::Canny.
#include <fmt/format.h>

#include <cmath>

#include "bench/session.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/stencil.hpp"

namespace cuesta::bench {

void bench_canny(Session& session) {
  for (const int32_t side : session.sizes()) {
    const Image<uint8_t> src = session.photograph(side, side);
    Image<uint8_t> ours(side, side), theirs(side, side);
    for (const double sigma : {0.0, 1.4}) {
      CannyOptions options{.sigma = sigma};
      options.thresholds = Thresholds::automatic(AutoThreshold::percentile, 90);
      const CannyResult chosen = canny(src, ours, options, session.exec());
      const double low = std::round(chosen.low), high = std::round(chosen.high);
      options.thresholds = Thresholds::given(low, high);
      const int ksize = sigma > 0 ? gaussian_size(sigma) : 0;
      canny(src, ours, options, session.exec());
      int64_t edges = 0;
      for (int32_t y = 0; y < side; ++y)
        for (int32_t x = 0; x < side; ++x) edges += ours.at(x, y) != 0;

      Table table{
          .experiment = sigma > 0 ? "gaussian + canny" : "canny", .src = src, .bytes_per_pixel = 2};
      table.parameters =
          fmt::format("{}L1, low {}, high {}, {:.1f} % edges", sigma > 0 ? "5x5 sigma 1.4, " : "",
                      low, high, 100.0 * double(edges) / (double(side) * side));
      if (session.opencv()) {
        session.opencv()->canny(src, theirs, ksize, sigma, low, high);
        if (!session.expect_equal(table.experiment, ours, theirs)) continue;
      }
      session.add_strategies(table, "canny",
                             [&](const Exec& exec) { canny(src, ours, options, exec); });
      session.add_opencv(table, "canny",
                         [&] { session.opencv()->canny(src, theirs, ksize, sigma, low, high); });
      session.time(table);
    }
  }
}

}  // namespace cuesta::bench
