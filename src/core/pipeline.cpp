#include "core/pipeline.hpp"

#include <utility>

#include "core/check.hpp"
#include "core/device_memory.hpp"
#include "core/on_device.hpp"
#include "cuesta/device.hpp"

namespace cuesta {
struct Pipeline::Place {
  Place(int index, const PictureShape& source, const PictureShape& result)
      : device(index),
        up(source),
        down(result),
        src(source.size, source.channels, source.type, Space::device),
        dst(result.size, result.channels, result.type, Space::device) {}

  int device;
  Stream stream;
  PinnedPicture up, down;
  AnyImage src, dst;
  Workspace workspace;
  int64_t number = -1;  // of the picture in flight; -1: none
};

Pipeline::Pipeline(PictureShape source, PictureShape result, Work work, Done done, Options options)
    : work_(std::move(work)), done_(std::move(done)), options_(std::move(options)) {
  if (options_.in_flight < 1) {
    throw_invalid(std::to_string(options_.in_flight),
                  "pipeline: in_flight is {}; it must be at least 1", options_.in_flight);
  }
  if (options_.devices.empty()) options_.devices = {current_device()};
  // Neighbours are on different GPUs, so that all of them get work from the first pictures on.
  for (int turn = 0; turn < options_.in_flight; ++turn) {
    for (const int device : options_.devices) {
      const OnDevice scope(device);
      places_.push_back(std::make_unique<Place>(device, source, result));
    }
  }
}

Pipeline::~Pipeline() {
  for (const auto& place : places_) {
    try {
      if (place->number >= 0) wait(place->stream.get());
    } catch (const Error&) {  // nobody asks for its result
    }
  }
}

void Pipeline::show(Place& place) {
  if (place.number < 0) return;
  const int64_t number = std::exchange(place.number, -1);
  const OnDevice scope(place.device);
  wait(place.stream.get());
  done_(number, place.down.view());
}

AnyView Pipeline::source() {
  Place& place = *places_[next_];
  show(place);
  offered_ = true;
  return place.up.view();
}

void Pipeline::submit() {
  if (!std::exchange(offered_, false))
    throw_invalid("submit", "pipeline: submit() was called before source(); call source() first");
  Place& place = *places_[next_];
  const OnDevice scope(place.device);
  Exec exec = options_.exec;
  exec.stream = place.stream.get();
  exec.workspace = &place.workspace;
  upload(place.up.view(), place.src, exec.stream);
  try {
    work_(place.src, place.dst, exec);
  } catch (...) {
    wait(exec.stream);  // the upload still reads the place
    throw;
  }
  detail::enqueue_download(place.dst, place.down.view(), exec.stream);
  place.number = submitted_++;
  next_ = (next_ + 1) % places_.size();
}

void Pipeline::finish() {
  offered_ = false;
  for (size_t i = 0; i < places_.size(); ++i) show(*places_[(next_ + i) % places_.size()]);
}

}  // namespace cuesta
