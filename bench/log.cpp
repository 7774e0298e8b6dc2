// Edges by the Laplacian of Gaussian against cv::GaussianBlur + cv::Laplacian, which stop short of
// the threshold. The definitions differ (one 7x7 here, two rounded steps there), so the answers are
// not compared.
#include "bench/session.hpp"
#include "cuesta/edges.hpp"

namespace cuesta::bench {

void bench_log(Session& session) {
  for (const int32_t side : session.sizes()) {
    const Image<uint8_t> src = session.photograph(side, side);
    Image<uint8_t> edges(side, side);
    Table table{.experiment = "log",
                .parameters = "sigma 1.4, threshold 5",
                .src = src,
                .bytes_per_pixel = 2,
                .flops_per_pixel = 2 * 49};
    session.add_strategies(table, "log",
                           [&](const Exec& exec) { log_edges(src, edges, {}, exec); });
    session.add_opencv(table, "log", [&] { session.opencv()->log(src, 1.4); });
    session.time(table);
  }
}

}  // namespace cuesta::bench
