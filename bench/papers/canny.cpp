#include "bench/papers/canny.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bench/papers/paper_001.hpp"
#include "verify/patterns.hpp"

namespace cuesta::bench {

CannyPictures canny_pictures(Session& session, int32_t side) {
  CannyPictures pictures;
  pictures.made = session.quick() ? 8 : 100;
  for (size_t seed = 1; seed <= pictures.made; ++seed) {
    pictures.all.emplace_back(side, side);
    verify::fill(pictures.all.back(), verify::Pattern::natural, seed);
  }
  for (Image<uint8_t>& photo : session.photographs(side, session.quick() ? 4 : 100))
    pictures.all.push_back(std::move(photo));
  return pictures;
}

CannyOptions canny_options() {
  CannyOptions options{.sigma = 1.4, .ksize = 5};
  options.thresholds = Thresholds::given(20, 60);
  return options;
}

Work paper_canny_work(std::string experiment, const CannyPictures& pictures) {
  Work work = canny_work(std::move(experiment), canny_options(), pictures.all.at(0));
  const size_t natural = pictures.all.size() - pictures.made;
  work.parameters += fmt::format(", {} made{} pictures", pictures.made,
                                 natural ? fmt::format(" and {} natural", natural) : "");
  work.sources.assign(pictures.all.begin(), pictures.all.end());
  work.rounds = true;
  work.one_thread = true;
  work.sweeps = {{"hysteresis", {"bfs-launch", "union-find"}}};
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
  const Given given = std::get<Given>(options.thresholds);
  const double low = std::min(given.low, given.high), high = std::max(given.low, given.high);
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
