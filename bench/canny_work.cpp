#include "bench/canny_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bench/details.hpp"
#include "bench/paper_001.hpp"
#include "cuesta/stencil.hpp"
#include "verify/patterns.hpp"

namespace cuesta::bench {

Image<uint8_t> canny_picture(int32_t side) {
  Image<uint8_t> picture(side, side);
  verify::fill(picture, verify::Pattern::natural, 1);
  return picture;
}

CannyOptions canny_options() {
  CannyOptions options{.sigma = 1.4, .ksize = 5};
  options.thresholds = Thresholds::given(20, 60);
  return options;
}

Work canny_work(std::string experiment, const CannyOptions& options, ConstAnyView src) {
  const double low = options.thresholds.low, high = options.thresholds.high;
  Work work;
  work.experiment = std::move(experiment);
  work.operation = "canny";
  work.parameters = fmt::format("{0}x{0} sigma {1}, L1, low {2}, high {3}", options.ksize,
                                options.sigma, low, high);
  work.sources = {src};
  work.bytes_per_pixel = 2;
  work.sweeps = {{"hysteresis", {"bfs-launch", "union-find"}}};
  work.call = [options](ConstAnyView from, AnyView to, const Exec& exec) {
    canny(from, to, options, exec);
  };
  work.opencv = [options, low, high](Peer& peer, ConstAnyView from, AnyView to) {
    peer.canny(from, to, options.ksize, options.sigma, low, high);
  };
  work.opencv_equal = true;
  const std::vector<double> exact = gaussian_taps(options.ksize, options.sigma);
  const std::vector<float> taps(exact.begin(), exact.end());
  work.npp = [taps, low, high](DevicePeer& peer, ConstAnyView from, AnyView to, void* stream) {
    peer.canny(from, to, taps, low, high, stream);
  };
  return work;
}

void set_paper_001_figure(Row& row) {
  if (row.width != row.height) return;
  const double gpu_ms = paper_001::at(paper_001::gpu_ms, row.width);
  const double cpu_fps = paper_001::at(paper_001::cpu_fps, row.width);
  if (gpu_ms == 0) return;
  if (row.space == "device" && row.strategy == "row-cyclic" &&
      parameter_of(row, "hysteresis", "") == "bfs-launch")
    row.paper_figure = PaperFigure{gpu_ms, "ms", "total time, Quadro P5000"};
  if (row.space == "host" && row.strategy == "rows")
    row.paper_figure = PaperFigure{1000 / cpu_fps, "ms", "1 / FPS, 16 cores"};
}

EdgeSearch search_edges(Session& session, ConstAnyView src, const CannyOptions& options) {
  // With both thresholds equal every maximum above them is an edge.
  const auto maxima_above = [&](double threshold) {
    CannyOptions all = options;
    all.thresholds = Thresholds::given(threshold, threshold);
    Image<uint8_t> out(src.width, src.height);
    canny(src, out, all, session.exec());
    return out;
  };
  const double low = std::min(options.thresholds.low, options.thresholds.high);
  const double high = std::max(options.thresholds.low, options.thresholds.high);
  const Image<uint8_t> strong = maxima_above(high);
  Image<uint8_t> left = maxima_above(low);  // candidates not reached yet

  std::vector<std::pair<int32_t, int32_t>> reached, next;
  for (int32_t y = 0; y < src.height; ++y) {
    for (int32_t x = 0; x < src.width; ++x) {
      if (strong.at(x, y) == 0) continue;
      left.at(x, y) = 0;
      reached.emplace_back(x, y);
    }
  }
  EdgeSearch search;
  search.trees_start = search.trees_end = int64_t(reached.size());
  for (;; reached.swap(next)) {
    next.clear();
    for (const auto& [x, y] : reached) {
      for (int32_t v = std::max(0, y - 1); v <= std::min(src.height - 1, y + 1); ++v) {
        for (int32_t u = std::max(0, x - 1); u <= std::min(src.width - 1, x + 1); ++u) {
          if (std::exchange(left.at(u, v), uint8_t(0)) != 0) next.emplace_back(u, v);
        }
      }
    }
    if (next.empty()) return search;
    ++search.depth;
    search.trees_end += int64_t(next.size());
  }
}

}  // namespace cuesta::bench
