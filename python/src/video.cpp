// `cuesta._video`: the frames of videos, as the command reads them. It is a separate module because
// it may require FFmpeg's libav, which `import cuesta` does not.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cuesta/io.hpp"
#include "module.hpp"
#include "unlocked.hpp"

namespace cuesta::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;
using Numpy = nb::ndarray<nb::numpy, nb::ro>;

// A frame: luma of 8 bits, luma of more bits if kept, RGB if requested, index, time, seconds lost
// before it, damaged.
using Row = std::tuple<Numpy, std::optional<Numpy>, std::optional<Numpy>, int64_t, double,
                       std::optional<double>, bool>;

// VideoPart's members, in their order.
using Part = std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, int64_t>;

ReadOptions options_of(int64_t max_pixels, bool allow_partial, int threads, double timeout,
                       double reconnect, bool keep_depth, const std::optional<Part>& part) {
  ReadOptions options;
  if (max_pixels > 0) options.max_pixels = max_pixels;
  options.allow_partial = allow_partial;
  options.threads = threads;
  options.timeout = timeout;
  options.reconnect = reconnect;
  options.keep_depth = keep_depth;
  if (part) {
    const auto& [first, frames, begin, end, seek, packet] = *part;
    options.part = VideoPart{first, frames, begin, end, seek, packet};
  }
  return options;
}

// A view of a frame as an array that keeps the frame's memory.
template <class T>
Numpy array_of(const Frame& frame, ImageView<const T> view) {
  using Owner = std::shared_ptr<const void>;
  auto keeper = std::make_unique<Owner>(frame.hold());
  nb::capsule owner(keeper.release(), [](void* p) noexcept { delete static_cast<Owner*>(p); });
  const size_t shape[] = {size_t(view.height), size_t(view.width), size_t(view.channels)};
  const int64_t strides[] = {view.stride_bytes / int64_t(sizeof(T)), view.channels, 1};
  return {view.data,     view.channels == 1 ? size_t(2) : size_t(3), shape, owner, strides,
          nb::dtype<T>()};
}

Row row_of(const Frame& frame, bool color) {
  std::optional<Numpy> rgb;
  if (color) {
    ImageView<const uint8_t> view;
    {
      const Unlocked unlocked;
      view = frame.rgb();
    }
    rgb = array_of(frame, view);
  }
  std::optional<Numpy> deep;
  if (const auto view = frame.deep_luma(); view.data) deep = array_of(frame, view);
  return {array_of(frame, frame.luma()),
          std::move(deep),
          std::move(rgb),
          frame.index(),
          frame.time(),
          frame.lost(),
          frame.damaged()};
}

// One call at a time: Python's threads may share it.
class Reader {
 public:
  Reader(const std::string& path, const ReadOptions& options) : video_(path, options) {}

  std::optional<Row> next(bool color) {
    const Frame* frame = nullptr;
    const std::unique_lock lock = locked();
    if (video_.is_live()) {
      frame = wait_for_next();
    } else {
      const Unlocked unlocked;
      frame = video_.next();
    }
    if (!frame) return std::nullopt;
    return row_of(*frame, color);
  }
  void stop() { video_.stop(); }
  std::tuple<int, int> size() const { return {video_.width(), video_.height()}; }
  double rate() const { return video_.rate(); }
  bool is_live() const { return video_.is_live(); }
  std::optional<int64_t> expected_frames() {
    const std::unique_lock lock = locked();
    return video_.expected_frames();
  }
  std::string damage() {
    const std::unique_lock lock = locked();
    return video_.damage();
  }

 private:
  // Its owner may wait for a frame, so no thread waits for it with the interpreter's lock.
  std::unique_lock<std::mutex> locked() {
    const Unlocked unlocked;
    return std::unique_lock(mutex_);
  }

  // Lets Ctrl-C and other signals reach Python while no frame arrives.
  const Frame* wait_for_next() {
    auto coming = std::async(std::launch::async, [this] { return video_.next(); });
    for (;;) {
      {
        const Unlocked unlocked;
        if (coming.wait_for(std::chrono::milliseconds(100)) == std::future_status::ready)
          return coming.get();
      }
      if (PyErr_CheckSignals() == 0) continue;
      nb::python_error raised;
      const Unlocked unlocked;
      video_.stop();
      coming.wait();
      throw raised;
    }
  }

  std::mutex mutex_;
  VideoReader video_;
};

std::vector<Part> parts_of(const std::string& path, int64_t at_least, int64_t max_pixels) {
  const ReadOptions options = options_of(max_pixels, false, 1, 10, 0, false, std::nullopt);
  std::vector<Part> parts;
  const Unlocked unlocked;
  for (const VideoPart& p : video_parts(path, at_least, options))
    parts.emplace_back(p.first, p.frames, p.begin, p.end, p.seek, p.packet);
  return parts;
}

}  // namespace
}  // namespace cuesta::python

NB_MODULE(_video, m) {
  using namespace cuesta::python;
  m.doc() = "Frames of videos; use cuesta.read_video and cuesta.detect.";
  translate_errors();
  nb::class_<Reader>(m, "VideoReader")
      .def(
          "__init__",
          [](Reader* self, const std::string& path, int64_t max_pixels, bool allow_partial,
             int threads, double timeout, double reconnect, bool keep_depth,
             const std::optional<Part>& part) {
            const auto options = options_of(max_pixels, allow_partial, threads, timeout, reconnect,
                                            keep_depth, part);
            const Unlocked unlocked;
            new (self) Reader(path, options);
          },
          "path"_a, "max_pixels"_a, "allow_partial"_a, "threads"_a, "timeout"_a, "reconnect"_a,
          "keep_depth"_a, "part"_a.none() = nb::none())
      .def("next", &Reader::next, "color"_a)
      .def("stop", &Reader::stop)
      .def_prop_ro("size", &Reader::size)
      .def_prop_ro("rate", &Reader::rate)
      .def_prop_ro("is_live", &Reader::is_live)
      .def_prop_ro("expected_frames", &Reader::expected_frames)
      .def_prop_ro("damage", &Reader::damage);
  m.def("video_parts", &parts_of, "path"_a, "at_least"_a, "max_pixels"_a);
}
