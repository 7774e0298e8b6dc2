#include "bench/papers/canny.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bench/papers/paper_001.hpp"
#include "verify/patterns.hpp"

namespace cuesta::bench {
namespace {

constexpr int32_t tile_side = 32;  // of the strategy that floods tiles

using Place = std::pair<int32_t, int32_t>;

// Lets what is `left` join that is reached, step after step: what joins, and how many steps gained.
// Within a step the search continues inside the tile in which a pixel joined.
int64_t flooded(std::vector<Place> reached, Image<uint8_t>& left, int32_t tile, int& steps) {
  int64_t gained = 0;
  std::vector<Place> next;
  const auto spread = [&](Place from, bool within) {
    const auto [x, y] = from;
    for (int32_t v = std::max(0, y - 1); v <= std::min(left.height() - 1, y + 1); ++v) {
      for (int32_t u = std::max(0, x - 1); u <= std::min(left.width() - 1, x + 1); ++u) {
        if (within && (u / tile != x / tile || v / tile != y / tile)) continue;
        if (std::exchange(left.at(u, v), uint8_t(0)) != 0) next.emplace_back(u, v);
      }
    }
  };
  for (;; reached.swap(next)) {
    next.clear();
    for (const Place& from : reached) spread(from, false);
    for (size_t i = 0; i < next.size(); ++i) spread(Place(next[i]), true);
    if (next.empty()) return gained;
    ++steps;
    gained += int64_t(next.size());
  }
}

}  // namespace

Image<uint8_t> canny_picture(int32_t side, uint64_t seed) {
  Image<uint8_t> picture(side, side);
  verify::fill(picture, verify::Pattern::natural, seed);
  return picture;
}

CannyPictures made_pictures(Session& session, int32_t side) {
  CannyPictures pictures{.kind = "made pictures"};
  const size_t count = session.quick() ? 8 : 100;
  for (size_t seed = 1; seed <= count; ++seed) pictures.all.push_back(canny_picture(side, seed));
  return pictures;
}

CannyPictures photographs(Session& session, int32_t side) {
  CannyPictures pictures{.kind = "photographs"};
  for (Photograph& photo : session.photographs(side, session.quick() ? 4 : 100)) {
    pictures.all.push_back(std::move(photo.gray));
    pictures.names.push_back(std::move(photo.name));
  }
  return pictures;
}

CannyOptions canny_options() { return {.thresholds = Thresholds::given(20, 60)}; }

Work paper_canny_work(std::string experiment, const CannyPictures& pictures,
                      const CannyOptions& options) {
  Work work = canny_work(std::move(experiment), options, pictures.all.at(0));
  work.parameters += fmt::format(", {} {}", pictures.all.size(), pictures.kind);
  work.sources.assign(pictures.all.begin(), pictures.all.end());
  work.rounds = true;
  work.one_thread = true;
  // The other kinds have rows of their own.
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

  std::vector<Place> strong_places;
  for (int32_t y = 0; y < src.height; ++y) {
    for (int32_t x = 0; x < src.width; ++x) {
      if (strong.at(x, y) == 0) continue;
      left.at(x, y) = 0;
      strong_places.emplace_back(x, y);
    }
  }
  Image<uint8_t> left_too(src.width, src.height);
  for (int32_t y = 0; y < src.height; ++y) std::copy_n(left.row(y), src.width, left_too.row(y));
  EdgeSearch search;
  search.trees_start = int64_t(strong_places.size());
  search.trees_end = search.trees_start + flooded(strong_places, left, 1, search.depth);
  flooded(std::move(strong_places), left_too, tile_side, search.rounds);
  return search;
}

}  // namespace cuesta::bench
