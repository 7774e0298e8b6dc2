// What threads of a block load, step by step of the papers: `cuesta_record_loads` writes it as
// JSON, from which bench/pages/drawings.py draws. The steps' kernels are compiled with the calls
// that ThreadSanitizer would answer, before every access to memory; here they are recorded.
#include <cuda_runtime.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cuda/check.hpp"
#include "cuesta/device.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/filter.hpp"
#include "cuesta/image.hpp"
#include "cuesta/motion.hpp"
#include "cuesta/strategies.hpp"
#include "emulated/block.hpp"
#include "record_visits.hpp"

namespace {

using namespace cuesta;

enum class Memory { other, source, result, between, shared };

struct Access {
  int thread = 0;
  Memory memory{};
  bool stores = false;
  uintptr_t at = 0;
  int bytes = 0;
};

// The accesses of one block of every launch of a call.
struct Recording {
  ConstAnyView source{};
  AnyView result{};
  const cuda::LaunchRecorder* launches = nullptr;
  uintptr_t shared_begin = 0, shared_end = 0;              // static: of this thread
  uintptr_t between_begin = UINTPTR_MAX, between_end = 0;  // stored by one launch for the next
  bool chain = false;                                      // of an operation of many pictures
  std::map<size_t, std::vector<Access>> of{};              // by launch
  // Of a chain: what all blocks load and store in pictures between launches, by launch and bytes.
  std::map<size_t, std::map<int, std::set<uintptr_t>>> touched{};
};
Recording* now = nullptr;
uintptr_t host_stack = 0;  // an address in it; threads of a block have stacks of their own

bool is_within(uintptr_t at, uintptr_t begin, uintptr_t end) { return at >= begin && at < end; }

template <class View>
bool is_of(const View& view, uintptr_t at) {
  const auto begin = reinterpret_cast<uintptr_t>(view.data);
  const auto stride = uintptr_t(view.stride_bytes);
  return is_within(at, begin, begin + stride * uintptr_t(view.height)) &&
         (at - begin) % stride < uintptr_t(view.width);
}

bool is_shared(uintptr_t at) {
  const auto dynamic = reinterpret_cast<uintptr_t>(emulated::dynamic_shared());
  const size_t bytes = now->launches->launches().back().dynamic_shared_bytes;
  return is_within(at, dynamic, dynamic + bytes) ||
         is_within(at, now->shared_begin, now->shared_end);
}

bool is_on_device(uintptr_t at) {
  cudaPointerAttributes known{};
  return cudaPointerGetAttributes(&known, reinterpret_cast<const void*>(at)) == cudaSuccess &&
         known.type == cudaMemoryTypeDevice;
}

Memory memory_of(uintptr_t at, bool stores) {
  const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (is_of(now->source, at)) return Memory::source;
  if (is_of(now->result, at)) return Memory::result;
  if (is_shared(at)) return Memory::shared;
  if (is_within(at, frame - (4 << 10), frame + (4 << 10))) return Memory::other;  // the stack
  if (stores) {
    now->between_begin = std::min(now->between_begin, at);
    now->between_end = std::max(now->between_end, at + 1);
  }
  return is_within(at, now->between_begin, now->between_end) ? Memory::between : Memory::other;
}

void record(void* address, int bytes, bool stores, bool is_atomic = false) {
  const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const bool is_host = is_within(host_stack, frame - (8 << 20), frame + (8 << 20));
  const auto at = reinterpret_cast<uintptr_t>(address);
  if (recording::visits() && !is_host) return recording::visit(at, bytes, stores);
  if (!now || is_host || is_atomic) return;
  Memory memory = Memory::other;
  if (!now->chain) {
    memory = memory_of(at, stores);
  } else if (is_shared(at)) {
    memory = Memory::shared;
  } else if (is_on_device(at)) {
    memory = stores ? Memory::result : Memory::source;
    if (!is_of(now->source, at) && !is_of(now->result, at))
      now->touched[now->launches->launches().size()][bytes].insert(at);
  }
  const bool here = blockIdx.x == gridDim.x / 2 && blockIdx.y == gridDim.y / 2;
  if (memory == Memory::other || !here) return;
  now->of[now->launches->launches().size()].push_back(
      {int(threadIdx.y * blockDim.x + threadIdx.x), memory, stores, at, bytes});
}

// Thread-local arrays of this program, which is where shared ones are.
int find_shared(dl_phdr_info* info, size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_TLS || info->dlpi_name[0] != 0) continue;
    now->shared_begin = reinterpret_cast<uintptr_t>(info->dlpi_tls_data);
    now->shared_end = now->shared_begin + info->dlpi_phdr[i].p_memsz;
  }
  return 0;
}

using Cell = std::pair<int, int>;  // x, y

// Samples of one memory as cells.
struct Plane {
  uintptr_t begin = 0, pitch = 0;
  int bytes = 1;
  Cell cell(uintptr_t at) const {
    return {int((at - begin) % pitch) / bytes, int((at - begin) / pitch)};
  }
};

// Of memory between launches: where a row of one block's samples ends, the next begins a pitch on.
// Its first samples are of the picture's first row that is made, below the window's upper half.
Plane plane_between(const std::vector<Access>& accesses) {
  std::set<uintptr_t> all;
  for (const Access& one : accesses)
    if (one.memory == Memory::between) all.insert(one.at);
  uintptr_t first = *all.begin(), last = first;
  for (const uintptr_t at : all) {
    if (at > last + sizeof(float)) {
      const uintptr_t pitch = at - first;
      return {now->between_begin - 2 * pitch, pitch, sizeof(float)};
    }
    last = at;
  }
  return {now->between_begin, now->between_end - now->between_begin, sizeof(float)};
}

// The samples of an access.
using Where = std::function<std::vector<Cell>(const Access&)>;

Where in_plane(const Plane& plane) {
  return [plane](const Access& one) {
    std::vector<Cell> cells;
    for (int i = 0; i < std::max(1, one.bytes / plane.bytes); ++i)
      cells.push_back(plane.cell(one.at + uintptr_t(i) * uintptr_t(plane.bytes)));
    return cells;
  };
}

// Addresses of a launch without large gaps: pictures that follow each other in scratch memory.
std::pair<uintptr_t, size_t> run_of(const std::set<uintptr_t>& all, uintptr_t at, uintptr_t gap) {
  auto first = all.find(at), last = first;
  while (first != all.begin() && *first - *std::prev(first) < gap) --first;
  while (std::next(last) != all.end() && *std::next(last) - *last < gap) ++last;
  return {*first, size_t(std::distance(first, last)) + 1};
}

// Of a chain, whose pictures between launches have the source's size and whole words a row. Runs of
// few addresses are taps and lists of cells, which are not drawn.
Where in_chain(size_t launch) {
  return [launch](const Access& one) -> std::vector<Cell> {
    const int sample = one.bytes >= 8 ? 1 : one.bytes;  // longer ones are of many bytes
    if (is_of(now->source, one.at) || is_of(now->result, one.at)) {
      const ConstAnyView view =
          is_of(now->source, one.at) ? now->source : ConstAnyView(now->result);
      return in_plane({reinterpret_cast<uintptr_t>(view.data), uintptr_t(view.stride_bytes), 1})(
          one);
    }
    constexpr size_t few = 512;
    const uintptr_t pitch = uintptr_t(now->source.width) * uintptr_t(sample);
    const auto [begin, count] = run_of(now->touched[launch][one.bytes], one.at, 4 * pitch);
    if (count * size_t(one.bytes) / size_t(sample) < few) return {};
    // Scratch memory has 64 bytes after each picture, and aligns the next to 256.
    const uintptr_t apart = (pitch * uintptr_t(now->source.height) + 64 + 255) / 256 * 256;
    Access within = one;
    within.at = begin + (one.at - begin) % apart;
    return in_plane({begin, pitch, sample})(within);
  };
}

std::string list_of(const std::vector<Cell>& cells, Cell origin) {
  std::vector<std::string> words;
  for (const Cell& cell : cells)
    words.push_back(fmt::format("[{},{}]", cell.first - origin.first, cell.second - origin.second));
  return fmt::format("[{}]", fmt::join(words, ","));
}

struct Drawn {
  std::map<Cell, int> loads{};                // of all threads
  std::vector<Cell> mine{}, taken{}, made{};  // of one thread: loads, loads from shared, stores
  std::set<Cell> makes{};                     // stores of all threads
};

// What the block does with the samples it loads; cells of shared memory are known by the sample
// that was stored there.
Drawn drawn_of(const std::vector<Access>& accesses, const Where& loaded, const Where& stored,
               Memory from, int thread) {
  Drawn drawn;
  std::map<uintptr_t, Cell> shared;
  std::map<int, std::deque<std::vector<Cell>>> waiting;
  for (const Access& one : accesses) {
    const bool mine = one.thread == thread;
    if (one.memory == from && !one.stores) {
      const std::vector<Cell> cells = loaded(one);
      for (const Cell& cell : cells) {
        ++drawn.loads[cell];
        if (mine) drawn.mine.push_back(cell);
      }
      if (!cells.empty()) waiting[one.thread].push_back(cells);
    } else if (one.memory == Memory::shared && one.stores) {
      if (auto& cells = waiting[one.thread]; !cells.empty()) {
        const auto apart = uintptr_t(one.bytes) / cells.front().size();
        for (size_t i = 0; i < cells.front().size(); ++i)
          shared[one.at + i * apart] = cells.front()[i];
        cells.pop_front();
      }
    } else if (one.memory == Memory::shared) {
      if (mine && shared.contains(one.at)) drawn.taken.push_back(shared[one.at]);
    } else if (one.stores) {
      for (const Cell& cell : stored(one)) {
        drawn.makes.insert(cell);
        if (mine) drawn.made.push_back(cell);
      }
    }
  }
  return drawn;
}

Drawn drawn_of(const std::vector<Access>& accesses, int thread) {
  const auto has = [&](Memory memory, bool stores) {
    return std::ranges::any_of(
        accesses, [&](const Access& one) { return one.memory == memory && one.stores == stores; });
  };
  const Memory from = has(Memory::source, false) ? Memory::source : Memory::between;
  const Plane source{reinterpret_cast<uintptr_t>(now->source.data),
                     uintptr_t(now->source.stride_bytes)};
  const Plane result{reinterpret_cast<uintptr_t>(now->result.data),
                     uintptr_t(now->result.stride_bytes)};
  const bool uses_between = has(Memory::between, false) || has(Memory::between, true);
  const Plane between = uses_between ? plane_between(accesses) : Plane{};
  return drawn_of(accesses, in_plane(from == Memory::source ? source : between),
                  in_plane(has(Memory::result, true) ? result : between), from, thread);
}

// Of a block's launch; `name` may be empty.
std::string json_of(const Drawn& drawn, const cuda::Launch& launch, int thread,
                    std::string_view name) {
  int left = INT32_MAX, top = INT32_MAX, right = 0, bottom = 0;
  const auto widen = [&](const Cell& cell) {
    left = std::min(left, cell.first), right = std::max(right, cell.first + 1);
    top = std::min(top, cell.second), bottom = std::max(bottom, cell.second + 1);
  };
  for (const Cell& cell : drawn.makes) widen(cell);
  const std::array made = {left, top, right - left, bottom - top};
  for (const auto& [cell, times] : drawn.loads) widen(cell);
  const int x = thread % int(launch.block.x), y = thread / int(launch.block.x);
  std::vector<std::string> rows;
  for (int row = top; row < bottom; ++row) {
    std::string counts;
    for (int column = left, begun = left, before = -1; column <= right; ++column) {
      const auto found = drawn.loads.find({column, row});
      const int times = found == drawn.loads.end() ? 0 : found->second;
      if (column > left && (column == right || times != before)) {
        counts += fmt::format("{}{}x{}", counts.empty() ? "" : " ", column - begun, before);
        begun = column;
      }
      before = times;
    }
    rows.push_back(fmt::format("\"{}\"", counts));
  }
  return fmt::format(
      "{{{}\"block\": [{}, {}], \"thread\": [{}, {}],\n   \"mine\": {},\n   \"taken\": {},\n   "
      "\"made\": {},\n   \"loads\": [{}],\n   \"makes\": [{},{},{},{}]}}",
      name.empty() ? "" : fmt::format("\"name\": \"{}\", ", name), launch.block.x, launch.block.y,
      x, y, list_of(drawn.mine, {left, top}), list_of(drawn.taken, {left, top}),
      list_of(drawn.made, {left, top}), fmt::join(rows, ",\n    "), made[0] - left, made[1] - top,
      made[2], made[3]);
}

// The smallest blocks draw best.
std::vector<Parameter> parameters_of(const StrategyDescription& step) {
  std::vector<Parameter> found;
  for (const ParameterInfo& info : step.parameters) {
    if (info.name == "block") found.push_back({"block", std::string(info.values.back())});
    if (info.name == "grid") found.push_back({"grid", "7"});
    if (info.name == "limit") found.push_back({"limit", "48k"});
  }
  return found;
}

std::string recording_of(const StrategyDescription& step) {
  // At addresses that textures take.
  constexpr int32_t aligned = 512;
  const bool rolls = step.name == "row-cyclic",
             large = step.name == "halos";  // has the largest blocks
  const int32_t height = rolls ? 35 : large ? 192 : 48;
  const AnyImage source(Size{2 * aligned, height}, 1, PixelType::u8, Space::device);
  AnyImage result(Size{2 * aligned, height}, 1, PixelType::u8, Space::device);
  const auto past = int32_t(reinterpret_cast<uintptr_t>(source.view().data) % aligned);
  const int32_t width = rolls ? 48 : large ? 384 : step.name == "adaptive-tiled" ? 96 : 192;
  const Rect part{past ? aligned - past : 0, 0, width, height};
  cuda::LaunchRecorder launches;
  Recording recording{.source = ConstAnyView(source.view()).region(part),
                      .result = result.view().region(part),
                      .launches = &launches};
  now = &recording;
  dl_iterate_phdr(find_shared, nullptr);
  const auto parameters = parameters_of(step);
  const Exec exec{.strategy = std::string(step.name), .parameters = parameters};
  const Border border{BorderMode::ignore};
  const bool three = step.name == "global" || step.name == "shared-1d";
  if (step.operation == "sobel")
    sobel(recording.source, {.magnitude = recording.result}, {.border = border}, exec);
  else
    correlate(recording.source, recording.result,
              three ? stencils::average(3) : stencils::gaussian(5, 0), {.border = border}, exec);
  std::vector<std::string> drawn;
  for (const auto& [index, accesses] : recording.of) {
    const cuda::Launch& launch = launches.launches()[index - 1];
    const int thread = launch.block.y > 1 ? int(launch.block.x) + 1 : 9;
    drawn.push_back(json_of(drawn_of(accesses, thread), launch, thread, {}));
  }
  now = nullptr;
  return fmt::format(" \"{}-{}\": [\n  {}\n ]", step.operation, step.name,
                     fmt::join(drawn, ",\n  "));
}

// ---- Operations of many kernels

struct Chain {
  std::string_view operation, step;
  std::vector<Parameter> parameters;
  std::vector<std::pair<size_t, std::string_view>> kernels;  // of those that are recorded
};

// Which kernels show what a step is about, and in which order they run.
const std::vector<Chain>& chains() {
  static const std::vector<Chain> all = {
      {"canny", "global", {{"block", "8"}}, {{0, "Gaussian"}, {1, "Sobel"}}},
      {"canny", "row-cyclic", {{"grid", "7"}}, {{0, "Gaussian"}, {1, "Sobel"}}},
      {"motion", "v1.0", {}, {{1, "Blur"}, {4, "Dilate"}}},
      {"motion", "v1.1", {}, {{0, "Blur"}, {2, "Dilate"}}},
      {"motion", "v1.2", {}, {{0, "Blur"}, {2, "Dilate"}}},
      {"motion", "v1.3", {{"block_x", "16"}, {"block_y", "16"}}, {{0, "Blur"}, {2, "Dilate"}}},
      {"motion", "v1.4", {{"block_x", "16"}, {"block_y", "16"}}, {{0, "Blur"}, {2, "Dilate"}}},
      {"motion", "v1.5", {{"block_x", "16"}, {"block_y", "4"}}, {{1, "Blur"}, {3, "Dilate"}}},
  };
  return all;
}

// A bright disk on a dark ground, in the second frame another place.
void draw(AnyView there, int frame) {
  Image<uint8_t> picture(there.width, there.height);
  for (int32_t y = 0; y < there.height; ++y) {
    for (int32_t x = 0; x < there.width; ++x) {
      const int32_t dx = x - there.width / 2 - 9 * frame, dy = y - there.height / 2;
      picture.at(x, y) = dx * dx + dy * dy < 400 ? 200 : 20;
    }
  }
  upload(picture, there);
}

void call(const Chain& chain, const Recording& recording, MotionDetector& detector) {
  const Exec exec{.strategy = std::string(chain.step), .parameters = chain.parameters};
  if (chain.operation == "canny") {
    canny(recording.source, recording.result, {.thresholds = Thresholds::given(20, 60)}, exec);
  } else {
    detector.push(recording.source, exec);
  }
}

std::string recording_of(const Chain& chain) {
  // Rows of whole words in pictures between launches too.
  const int32_t wide = chain.step == "row-cyclic" ? 64 : 192;
  Image<uint8_t, Space::device> source(wide, 96), result(wide, 96);
  MotionOptions options = MotionOptions::of(BackgroundModel::first);
  options.blur = 5;
  options.close = options.open = StructuringElement::disk(5);
  MotionDetector detector(options);
  draw(source.view(), 0);
  if (chain.operation == "motion")
    detector.push(source, {.strategy = std::string(chain.step), .parameters = chain.parameters});
  draw(source.view(), 1);
  cuda::LaunchRecorder launches;
  Recording recording{.source = source.view(), .result = result.view(), .launches = &launches};
  recording.chain = true;
  now = &recording;
  dl_iterate_phdr(find_shared, nullptr);
  call(chain, recording, detector);
  std::vector<std::string> drawn;
  size_t number = 0;
  for (const auto& [index, accesses] : recording.of) {
    const cuda::Launch& launch = launches.launches()[index - 1];
    const auto chosen =
        std::ranges::find(chain.kernels, number++, &std::pair<size_t, std::string_view>::first);
    if (chosen == chain.kernels.end()) continue;
    const int thread = launch.block.y > 1 ? int(launch.block.x) + 1 : 9;
    const Where where = in_chain(index);
    drawn.push_back(json_of(drawn_of(accesses, where, where, Memory::source, thread), launch,
                            thread, chosen->second));
  }
  now = nullptr;
  return fmt::format(" \"{}-{}\": [\n  {}\n ]", chain.operation, chain.step,
                     fmt::join(drawn, ",\n  "));
}

}  // namespace

// ---- What the compiler calls before each access.
extern "C" {
#define CUESTA_ACCESS(bytes)                                                \
  void __tsan_read##bytes(void* at) { record(at, bytes, false); }           \
  void __tsan_write##bytes(void* at) { record(at, bytes, true); }           \
  void __tsan_unaligned_read##bytes(void* at) { record(at, bytes, false); } \
  void __tsan_unaligned_write##bytes(void* at) { record(at, bytes, true); }
CUESTA_ACCESS(1)
CUESTA_ACCESS(2)
CUESTA_ACCESS(4)
CUESTA_ACCESS(8)
CUESTA_ACCESS(16)
#undef CUESTA_ACCESS
// Of host code beside the kernels.
void __tsan_read_range(void*, size_t) {}
void __tsan_write_range(void*, size_t) {}
// Atomics are drawn of searches only. A byte that claim() of canny's queue joins is in a word.
int __tsan_atomic32_fetch_add(int* at, int value, int) {
  return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);
}
int __tsan_atomic32_fetch_or(int* at, int value, int) {
  const int before = __atomic_fetch_or(at, value, __ATOMIC_SEQ_CST);
  const auto byte = reinterpret_cast<char*>(at) + std::countr_zero(unsigned(value)) / 8;
  record(byte, 1, (before | value) != before, true);
  return before;
}
int64_t __tsan_atomic64_fetch_add(int64_t* at, int64_t value, int) {
  return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);
}
int __tsan_atomic32_exchange(int* at, int value, int) {
  return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);
}
bool __tsan_atomic32_compare_exchange_strong(int* at, int* expected, int value, int, int) {
  record(at, 4, false, true);
  return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
}
int __tsan_atomic32_load(const int* at, int) {
  if (recording::visits()) recording::begin_step();
  record(const_cast<int*>(at), 4, false, true);
  return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}
void __tsan_atomic32_store(int* at, int value, int) {
  __atomic_store_n(at, value, __ATOMIC_SEQ_CST);
}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
}

int main() {
  // From the last thread to the first: in raster order sets would be flat before their drawing.
  setenv("CUESTA_EMULATED_ORDER", "backward", 1);
  host_stack = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  std::vector<std::string> steps;
  for (const StrategyDescription& step : list_strategies()) {
    const bool drawn = step.operation == "convolve" || step.operation == "sobel";
    if (drawn && step.space == Space::device && step.tier == Tier::ladder)
      steps.push_back(recording_of(step));
  }
  for (const Chain& chain : chains()) steps.push_back(recording_of(chain));
  for (const std::string& search : recording::searches()) steps.push_back(search);
  std::map<std::string, std::string> first;  // step of each recording; who loads the same is named
  for (std::string& step : steps) {
    const size_t colon = step.find(':');
    const auto [found, is_new] = first.emplace(step.substr(colon), step.substr(0, colon));
    if (!is_new) step = fmt::format("{}:{}", step.substr(0, colon), found->second);
  }
  fmt::print("{{\n{}\n}}\n", fmt::join(steps, ",\n"));
}
