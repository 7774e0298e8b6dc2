#include "cuesta/io/overlap.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <mutex>
#include <utility>
#include <vector>

#include "core/stages.hpp"

namespace cuesta::io {
namespace {

Image<uint8_t>& of_size(Image<uint8_t>& image, int32_t width, int32_t height) {
  if (image.width() != width || image.height() != height) image = Image<uint8_t>(width, height);
  return image;
}

}  // namespace

void FrameBuffer::assign(Frame frame) {
  frame_ = std::move(frame);
  drawn_ = {};
}

ImageView<uint8_t> FrameBuffer::replace_luma(int32_t width, int32_t height, bool keeps_color,
                                             ConstAnyView* old_luma) {
  if (old_luma) *old_luma = frame_.luma;
  const ImageView<uint8_t> luma = of_size(planes_[0], width, height).view();
  frame_.luma = ImageView<const uint8_t>(luma);
  drawn_[0] = true;
  if (!keeps_color) frame_.cb = frame_.cr = {};
  return luma;
}

AnyView FrameBuffer::drawable(size_t plane, ConstAnyView& shown) {
  Image<uint8_t>& own = planes_[plane];
  if (!shown) return {};
  if (!std::exchange(drawn_[plane], true)) {
    copy(shown, of_size(own, shown.width, shown.height));
    shown = ImageView<const uint8_t>(own.view());
  }
  return own;
}

void overlap(FrameSource& source, const std::function<void(FrameBuffer&, int)>& work,
             const std::function<void(const Frame&)>& write, int at_once) {
  const bool threads = at_once > 1;
  std::vector<FrameBuffer> memory(size_t(threads ? at_once : frames_at_once));
  std::vector<std::future<void>> working(memory.size());
  std::mutex mutex;
  std::exception_ptr read_error, work_error, write_error;
  std::atomic<bool> is_over{false};
  bool is_cut = false;  // a frame is missing
  const auto end_with = [&](std::exception_ptr& error) {
    {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
    is_over = true;
    source.stop();
  };
  const auto work_on = [&](int place) {
    FrameBuffer& buffer = memory[size_t(place)];
    try {
      work(buffer, threads ? place : 0);
    } catch (...) {
      end_with(work_error);
      buffer.assign({});
    }
  };
  Stages stages;
  stages.take = [&](int place) {
    if (is_over) return false;
    try {
      Frame frame;
      if (!source.next(frame)) return false;
      memory[size_t(place)].assign(std::move(frame));
      return true;
    } catch (...) {
      read_error = std::current_exception();
      return false;
    }
  };
  // Frames that were read before another could not be written or worked on go through untouched.
  stages.work = [&](int place) {
    if (is_over) return memory[size_t(place)].assign({});
    if (!threads) return work_on(place);
    try {
      working[size_t(place)] = std::async(std::launch::async, work_on, place);
    } catch (...) {
      end_with(work_error);
      memory[size_t(place)].assign({});
    }
  };
  stages.give = [&](int place) {
    FrameBuffer& buffer = memory[size_t(place)];
    if (working[size_t(place)].valid()) working[size_t(place)].get();
    if (!buffer.frame().has_picture()) is_cut = true;
    if (!is_cut && !write_error) {
      try {
        write(buffer.frame());
      } catch (...) {
        end_with(write_error);
      }
    }
    buffer.assign({});
  };
  run_stages(int(memory.size()), stages);
  for (const auto& error : {work_error, write_error, read_error}) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace cuesta::io
