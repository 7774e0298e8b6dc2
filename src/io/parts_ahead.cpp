#ifdef CUESTA_HAS_VIDEO
#include "io/parts_ahead.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/device_memory.hpp"
#include "core/on_device.hpp"
#include "cuesta/io.hpp"
#include "io/frame_pool.hpp"
#include "io/video.hpp"

namespace cuesta::io {
namespace {

/// Frames' luma, one below the other: the driver is requested memory once for many.
struct KeptLuma {
  AnyImage image{};
  void clear() {}
};
/// Where the next frame goes.
struct Room {
  std::shared_ptr<KeptLuma> kept{};
  int32_t used = 0;  // frames
};

class PartsAhead final : public FrameSource {
 public:
  /// `first` reads the first part.
  PartsAhead(const StreamLimits& limits, std::vector<VideoPart> parts,
             std::unique_ptr<VideoReader> first)
      : name_(first->name()),
        description_(first->description()),
        limits_(limits),
        parts_(std::move(parts)),
        format_(first->format()),
        queues_(parts_.size()) {
    const size_t threads = std::min(size_t(limits_.gpu->decoders), parts_.size());
    int64_t longest = 0;
    for (const VideoPart& part : parts_)
      frames_ += part.frames, longest = std::max(longest, part.frames);
    const int gpu = limits_.gpu->device;
    size_t memory = 0;
    for (const DeviceInfo& device : list_devices())
      if (device.index == gpu) memory = device.memory_bytes;
    const size_t luma = size_t(format_.width) * size_t(format_.height) * (format_.bits > 8 ? 2 : 1);
    // An eighth of them for rooms that are not full yet; no more than what all decoders have at
    // once.
    const size_t most = memory / 4 / std::max<size_t>(luma, 1);
    room_ = int32_t(std::clamp<size_t>(most / 64, 1, 64));
    max_waiting_ = std::clamp(most - most / 8, few, std::max(few, threads * size_t(longest)));
    pool_ = std::make_unique<Pool<KeptLuma>>(max_waiting_ / size_t(room_) + threads + 1);
    try {
      for (size_t i = 0; i < threads; ++i) {
        threads_.emplace_back(
            [this, reader = std::move(first)]() mutable { read_parts(std::move(reader)); });
      }
    } catch (...) {
      end();
      throw;
    }
  }
  ~PartsAhead() override { end(); }

  const StreamFormat& format() const override { return format_; }
  const std::string& name() const override { return name_; }
  std::string description() const override {
    return description_ + ", in " + std::to_string(parts_.size()) + " parts, " +
           std::to_string(threads_.size()) + " at once";
  }
  std::optional<int64_t> expected_frames() const override { return frames_; }
  void stop() override {
    limits_.stop->request();
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }

  bool next(Frame& frame) override {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (limits_.stop->requested() || turn_ == parts_.size()) return false;
      Queue& queue = queues_[turn_];
      if (!queue.frames.empty()) {
        frame = std::move(queue.frames.front());
        queue.frames.pop_front();
        --waiting_;
        changed_.notify_all();
        return true;
      }
      if (queue.error) std::rethrow_exception(queue.error);
      if (queue.is_whole) {
        ++turn_;
        changed_.notify_all();
      } else {
        changed_.wait(lock);
      }
    }
  }

 private:
  struct Queue {
    std::deque<Frame> frames{};
    bool is_whole = false;
    std::exception_ptr error{};
  };
  static constexpr size_t few = 8;  // frames that the part whose turn it is may always hold

  /// One part after the other, by one decoder. `reader` has part 0, or is null.
  void read_parts(std::unique_ptr<VideoReader> reader) {
    bool has_part = reader != nullptr;
    Room room;
    for (;;) {
      size_t part = 0;
      if (!has_part) {
        const std::lock_guard lock(mutex_);
        if (next_part_ == parts_.size()) return;
        part = next_part_++;
      }
      std::exception_ptr error;
      try {
        const OnDevice scope(limits_.gpu->device);
        if (!reader) {
          StreamLimits limits = limits_;
          limits.part = parts_[part];
          reader = std::make_unique<VideoReader>(name_, limits);
        } else if (!has_part) {
          reader->take(parts_[part]);
        }
        read_part(part, *reader, room);
      } catch (...) {
        error = std::current_exception();
        reader = nullptr;
      }
      has_part = false;
      const std::lock_guard lock(mutex_);
      queues_[part].is_whole = true;
      queues_[part].error = error;
      changed_.notify_all();
    }
  }

  void read_part(size_t part, VideoReader& reader, Room& room) {
    const Stream stream;
    for (Frame frame; reader.next(frame);) {
      if (frame.gpu_luma) keep(frame, room, stream);
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] {
        return limits_.stop->requested() || waiting_ < max_waiting_ ||
               (part == turn_ && queues_[part].frames.size() < few);
      });
      if (limits_.stop->requested()) return;
      queues_[part].frames.push_back(std::move(frame));
      ++waiting_;
      changed_.notify_all();
    }
  }

  /// Off the decoder's surface, since there are few.
  void keep(Frame& frame, Room& room, const Stream& stream) {
    if (!room.kept || room.used == room_) room = {pool_->take(), 0};
    const auto [width, height] = frame.gpu_luma.size();
    const AnyView all =
        room.kept->image.create({width, height * room_}, 1, frame.gpu_luma.type, Space::device);
    const AnyView copy = all.region({0, height * room.used++, width, height});
    detail::copy_on_device(frame.gpu_luma, copy, stream.get());
    wait(stream.get());
    frame.gpu_luma = copy;
    frame.owner = room.kept;
  }

  void end() {
    stop();
    for (std::thread& one : threads_) one.join();
  }

  std::string name_, description_;
  StreamLimits limits_;
  std::vector<VideoPart> parts_;
  StreamFormat format_;
  int64_t frames_ = 0;
  int32_t room_ = 1;  // frames
  std::unique_ptr<Pool<KeptLuma>> pool_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Queue> queues_;
  size_t turn_ = 0, next_part_ = 1;
  size_t waiting_ = 0, max_waiting_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<FrameSource> open_parts_ahead(const std::string& path, const StreamLimits& given) {
  const auto& gpu = given.gpu;
  if (!gpu || gpu->decoders < 2 || gpu->host_planes || given.allow_partial ||
      !given.part.is_whole())
    return nullptr;
  constexpr int64_t shortest = 64;  // frames: opening a part takes as long as decoding some
  auto parts = video_parts(path, shortest, {.max_pixels = given.max_pixels});
  if (parts.size() < 2) return nullptr;
  StreamLimits limits = given;
  limits.with_stop();
  limits.part = parts[0];
  auto first = std::make_unique<VideoReader>(path, limits);
  if (!first->decodes_on_gpu()) return nullptr;
  return std::make_unique<PartsAhead>(limits, std::move(parts), std::move(first));
}

}  // namespace cuesta::io
#endif
