#include "record_visits.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "cuda/check.hpp"
#include "cuesta/device.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/image.hpp"
#include "cuesta/objects.hpp"

namespace recording {
namespace {

using namespace cuesta;
using Cells = std::vector<int>;  // x, y, x, y, ...

// One launch, or one step of a launch that has several.
struct Launch {
  size_t threads = 0;
  std::multiset<uintptr_t> loads{};
  std::map<uintptr_t, int> stores{};                           // bytes by address
  std::map<std::pair<unsigned, unsigned>, uintptr_t> first{};  // 16 bytes of each thread
  std::map<uintptr_t, int32_t> left{};  // afterwards, at each address that a launch stored to
};
struct Recording {
  const cuda::LaunchRecorder* recorder = nullptr;
  std::map<std::pair<size_t, int>, Launch> launches{};
  std::map<uintptr_t, int> stored{};
  bool steps = false;                                   // of a launch, each by itself
  std::map<std::pair<unsigned, unsigned>, int> step{};  // of block and thread
  std::pair<size_t, int> last{};
  std::mutex mutex{};  // blocks of a cooperative launch run together
};
Recording* now = nullptr;

void leave(Launch& launch) {
  for (const auto& [at, bytes] : now->stored) {
    int32_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(at), size_t(std::min(bytes, 4)));
    launch.left[at] = value;
  }
}

std::pair<unsigned, unsigned> own() {
  return {blockIdx.y * gridDim.x + blockIdx.x, threadIdx.y * blockDim.x + threadIdx.x};
}

// A ring whose contrast falls from left to right, so that its left is strong; and a weak square.
Image<uint8_t> ring() {
  Image<uint8_t> picture(48, 44);
  for (int32_t y = 0; y < picture.height(); ++y) {
    for (int32_t x = 0; x < picture.width(); ++x) {
      const int32_t dx = x - 22, dy = y - 22;
      const bool in_ring = dx * dx + dy * dy < 15 * 15;
      const bool in_square = x >= 41 && x < 46 && y >= 4 && y < 10;
      picture.at(x, y) = uint8_t(20 + (in_ring ? 160 - 3 * x : in_square ? 40 : 0));
    }
  }
  return picture;
}

// A comb, whose teeth meet in its last row; a rectangle, a diagonal and points.
Image<uint8_t> comb() {
  Image<uint8_t> mask(40, 20);
  for (int32_t y = 0; y < mask.height(); ++y) {
    for (int32_t x = 0; x < mask.width(); ++x) {
      const bool tooth = x >= 2 && x < 22 && y >= 2 && y < 17 && x % 4 == 2;
      const bool back = x >= 2 && x < 20 && y == 17;
      const bool solid = x >= 25 && x < 31 && y >= 3 && y < 7;
      const bool diagonal = x - 24 == y - 10 && y >= 10 && y < 18;
      mask.at(x, y) = tooth || back || solid || diagonal || (x == 36 && y % 6 == 3) ? 255 : 0;
    }
  }
  return mask;
}

// The launches of `call` that the steps' kernels made, in order.
template <class Call>
std::vector<Launch> launches_of(bool steps, const Call& call) {
  cuda::LaunchRecorder recorder;
  Recording recording{.recorder = &recorder, .steps = steps};
  Workspace workspace;  // keeps the scratch memory until it is read
  now = &recording;
  call(Exec{.workspace = &workspace});
  leave(recording.launches[recording.last]);
  now = nullptr;
  std::vector<Launch> all;
  for (auto& [index, launch] : recording.launches) {
    const cuda::Launch& known = recorder.launches()[index.first - 1];
    launch.threads = size_t(known.grid.x) * known.grid.y * known.block.x * known.block.y;
    all.push_back(std::move(launch));
  }
  return all;
}

// A picture in device memory by its first sample: the place of an address, or none.
struct Plane {
  uintptr_t begin = 0;
  int32_t width = 0, height = 0, pitch = 0, bytes = 1;
  bool holds(uintptr_t at) const {
    return at >= begin && at < begin + uintptr_t(pitch) * uintptr_t(height) &&
           int32_t((at - begin) % uintptr_t(pitch)) < width * bytes;
  }
  int32_t x(uintptr_t at) const { return int32_t((at - begin) % uintptr_t(pitch)) / bytes; }
  int32_t y(uintptr_t at) const { return int32_t((at - begin) / uintptr_t(pitch)); }
};

// Of marks, which the launch stores all: padding says where the second row begins.
Plane marks_of(const Launch& launch, const Image<uint8_t>& picture) {
  Plane plane{launch.stores.begin()->first, picture.width(), picture.height(), picture.width()};
  uintptr_t next = plane.begin;
  for (const auto& [at, bytes] : launch.stores) {
    if (at > next) {
      plane.pitch = int32_t(at - plane.begin);
      break;
    }
    next = at + 1;
  }
  return plane;
}

// Of parents, whose first node leads to itself after the launch that begins the sets.
Plane parents_of(const Launch& launch, int32_t width, int32_t height) {
  for (const auto& [at, bytes] : launch.stores) {
    if (const int32_t node = launch.left.at(at); bytes == 4 && node >= 0)
      return {at - 4 * uintptr_t(node), width, height, 4 * width, 4};
  }
  return {};
}

// A row as lengths and whether its pixels were loaded, as record_loads.cpp has them.
std::string rows_of(const Plane& plane, const std::multiset<uintptr_t>& loads) {
  std::vector<std::string> rows;
  for (int32_t y = 0; y < plane.height; ++y) {
    std::string row;
    const auto loaded = [&](int32_t x) {
      return loads.contains(plane.begin + uintptr_t(y * plane.pitch + x));
    };
    for (int32_t x = 0, first = 0; x < plane.width; first = x) {
      while (x < plane.width && loaded(x) == loaded(first)) ++x;
      row += fmt::format("{}{}x{:d}", first ? " " : "", x - first, loaded(first));
    }
    rows.push_back(fmt::format("\"{}\"", row));
  }
  return fmt::format("[{}]", fmt::join(rows, ","));
}

std::string list_of(const Cells& cells) { return fmt::format("[{}]", fmt::join(cells, ",")); }

// Of a search: what is strong or open before it, and what joins in which launch.
std::string search_of(std::string_view step, Cells& strong, Cells& open) {
  const Image<uint8_t> picture = ring();
  Image<uint8_t, Space::device> source(picture.width(), picture.height());
  Image<uint8_t, Space::device> result(picture.width(), picture.height());
  upload(picture, source.view());
  const auto launches = launches_of(step == "persistent", [&](Exec exec) {
    exec.strategy = std::string(step);
    canny(source, result.view(), {.thresholds = Thresholds::given(60, 260)}, exec);
  });
  const Plane marks = marks_of(launches.front(), picture);
  std::map<uintptr_t, int32_t> before = launches.front().left;
  strong.clear(), open.clear();
  std::set<uintptr_t> joined;
  std::vector<std::string> rounds, seen;
  size_t threads = 0, visits = 0;
  for (size_t n = 1; n < launches.size(); ++n) {
    Cells cells;
    std::multiset<uintptr_t> loads;
    for (const auto& [at, bytes] : launches[n].stores) {
      if (!marks.holds(at) || bytes != 1 || before[at] != 1 || !joined.insert(at).second) continue;
      cells.insert(cells.end(), {marks.x(at), marks.y(at)});
    }
    for (const uintptr_t at : launches[n].loads)
      if (marks.holds(at)) loads.insert(at);
    if (cells.empty()) continue;
    rounds.push_back(list_of(cells));
    threads += launches[n].threads, visits += loads.size();
    seen.push_back(rows_of(marks, loads));
  }
  for (const auto& [at, value] : before) {
    if (!marks.holds(at) || value == 0 || joined.contains(at)) continue;
    Cells& to = value > 1 ? strong : open;
    to.insert(to.end(), {marks.x(at), marks.y(at)});
  }
  const size_t shown = rounds.size() / 2;
  return fmt::format(
      " \"canny-{}\": [\n  {{\"size\":[{},{}],\"strong\":{},\"open\":{},\n   \"rounds\":[{}],\n   "
      "\"threads\":{},\"visits\":{},\"shown\":{},\"seen\":{}}}\n ]",
      step, picture.width(), picture.height(), list_of(strong), list_of(open),
      fmt::join(rounds, ","), threads, visits, shown, seen.at(shown));
}

// Of `runs`, whose masks are words of 32 pixels: a thread of its flood stores four words of edges
// before four of candidates. What joins there is one round, what sets bring to an edge another.
std::string runs_of(const Cells& strong, const Cells& open) {
  const Image<uint8_t> picture = ring();
  Image<uint8_t, Space::device> source(picture.width(), picture.height());
  Image<uint8_t, Space::device> result(picture.width(), picture.height());
  upload(picture, source.view());
  const auto launches = launches_of(false, [&](Exec exec) {
    exec.strategy = "runs";
    canny(source, result.view(), {.thresholds = Thresholds::given(60, 260)}, exec);
  });
  const Launch& flood = launches.front();
  uintptr_t begin = 0, next = 0;  // of the words that hold the first store
  for (const uintptr_t at : flood.loads) {
    if (at > next) begin = at;
    next = at + 16;
    if (at >= flood.first.begin()->second) break;
  }
  Image<uint8_t> edges(picture.width(), picture.height());
  download(result.view(), edges.view());
  std::set<std::pair<int, int>> before;
  for (size_t i = 0; i < strong.size(); i += 2) before.emplace(strong[i], strong[i + 1]);
  Cells rounds[2];
  for (int32_t y = 0; y < edges.height(); ++y) {
    for (int32_t x = 0; x < edges.width(); ++x) {
      if (edges.at(x, y) == 0 || before.contains({x, y})) continue;
      const auto word = flood.left.find(begin + uintptr_t(16 * y + x / 32 * 4));
      const bool here = word != flood.left.end() && (uint32_t(word->second) >> (x % 32) & 1) != 0;
      rounds[here ? 0 : 1].insert(rounds[here ? 0 : 1].end(), {x, y});
    }
  }
  const Plane all{.begin = 0, .width = picture.width(), .height = picture.height(), .pitch = 0};
  std::multiset<uintptr_t> seen;
  for (int32_t x = 0; x < all.width; ++x) seen.insert(uintptr_t(x));
  return fmt::format(
      " \"canny-runs\": [\n  {{\"size\":[{},{}],\"strong\":{},\"open\":{},\n   "
      "\"rounds\":[{}{}{}],\n   "
      "\"threads\":{},\"visits\":{},\"unit\":\"words of 32 pixels\",\"shown\":0,\"seen\":{}}}\n ]",
      picture.width(), picture.height(), list_of(strong), list_of(open), list_of(rounds[0]),
      rounds[1].empty() ? "" : ",", rounds[1].empty() ? "" : list_of(rounds[1]), flood.threads,
      flood.loads.size(), rows_of(all, seen));
}

// Of sets: each node and its parent after `merge`, and the longest way to a root after what
// follows. A node is a pixel; one of `runs` is half the first column of a run, and stands for it.
std::string sets_of(std::string_view operation, std::string_view step) {
  const bool edges = operation == "canny", runs = step == "runs";
  const Image<uint8_t> picture = edges ? ring() : comb();
  Image<uint8_t, Space::device> source(picture.width(), picture.height());
  Image<uint8_t, Space::device> result(picture.width(), picture.height());
  upload(picture, source.view());
  const auto launches = launches_of(false, [&](Exec exec) {
    exec.strategy = std::string(step);
    if (edges)
      canny(source, result.view(), {.thresholds = Thresholds::given(60, 260)}, exec);
    else
      label(source, {}, exec);
  });
  const size_t init = edges ? 1 : 0;
  const int32_t across = runs ? (picture.width() - 1) / 2 + 1 : picture.width();
  const Plane nodes = parents_of(launches[init], across, picture.height());
  const auto place = [&](int32_t node) {
    int32_t x = node % nodes.width;
    const int32_t y = node / nodes.width;
    if (runs) x = picture.view().at(2 * x, y) != 0 ? 2 * x : 2 * x + 1;
    return std::pair(x, y);
  };
  const auto parent_after = [&](size_t launch, int32_t node) {
    return launches[launch].left.at(nodes.begin + 4 * uintptr_t(node));
  };
  Cells links;
  int longest = 0;  // way to a root after the second kernel
  for (const auto& [at, bytes] : launches[init].stores) {
    if (!nodes.holds(at) || bytes != 4) continue;
    const int32_t node = int32_t(at - nodes.begin) / 4, parent = parent_after(init + 1, node);
    if (parent < 0) continue;
    const auto [x, y] = place(node);
    const auto [u, v] = place(parent);
    links.insert(links.end(), {x, y, u - x, v - y});
    int way = 0;
    for (int32_t n = node; parent_after(init + 2, n) != n; ++way) n = parent_after(init + 2, n);
    longest = std::max(longest, way);
  }
  return fmt::format(
      " \"{}-{}\": [\n  {{\"size\":[{},{}],\"links\":{},\n   \"then\":\"{}\",\"longest\":{}}}\n ]",
      operation, step, picture.width(), picture.height(), list_of(links),
      edges ? "raise_roots" : "compress", longest);
}

}  // namespace

bool visits() { return now != nullptr; }

void visit(uintptr_t at, int bytes, bool stores) {
  cudaPointerAttributes known{};
  if (cudaPointerGetAttributes(&known, reinterpret_cast<const void*>(at)) != cudaSuccess ||
      known.type != cudaMemoryTypeDevice)
    return;
  const std::lock_guard lock(now->mutex);
  const size_t number = now->recorder->launches().size();
  if (number != now->last.first) {
    if (now->last.first != 0) leave(now->launches[now->last]);
    now->last = {number, 0};
    now->step.clear();
  }
  Launch& launch = now->launches[{number, now->step[own()]}];
  if (!stores) {
    launch.loads.insert(at);
  } else if (bytes == 16) {
    launch.first.emplace(own(), at);
    for (uintptr_t word = at; word < at + 16; word += 4) now->stored[word] = 4;
  } else if (bytes <= 4) {
    now->stored[at] = launch.stores[at] = bytes;
  }
}

void begin_step() {
  const std::lock_guard lock(now->mutex);
  if (now->steps) ++now->step[own()];
}

std::vector<std::string> searches() {
  std::vector<std::string> all;
  Cells strong, open;
  for (const char* step : {"bfs-launch", "bfs-queue", "tile-flood", "persistent"})
    all.push_back(search_of(step, strong, open));
  all.push_back(runs_of(strong, open));
  for (const auto& [operation, step] : {std::pair{"canny", "union-find"},
                                        {"label", "union-find"},
                                        {"label", "blocks"},
                                        {"label", "runs"}})
    all.push_back(sets_of(operation, step));
  return all;
}

}  // namespace recording
