#include "io/overlap.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace cuesta::io {
namespace {

// The number of buffers bounds every queue, so none needs a limit of its own.
class Queue {
 public:
  void push(FrameBuffer* item) {
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(item);
    }
    changed_.notify_one();
  }
  /// Null when the queue is closed and empty, or was stopped.
  FrameBuffer* pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !items_.empty() || closed_; });
    if (stopped_ || items_.empty()) return nullptr;
    FrameBuffer* item = items_.front();
    items_.pop_front();
    return item;
  }
  /// What is in it still comes out.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }
  /// Nothing comes out any more.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = stopped_ = true;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<FrameBuffer*> items_;
  bool closed_ = false, stopped_ = false;
};

void copy(ConstAnyView from, Image<uint8_t>& to, ConstAnyView& view) {
  if (!from) {
    view = {};
    return;
  }
  if (to.view().width != from.width || to.view().height != from.height)
    to = Image<uint8_t>(from.width, from.height);
  const auto source = from.as<uint8_t>();
  const auto target = to.view();
  for (int32_t y = 0; y < from.height; ++y) std::copy_n(source.row(y), from.width, target.row(y));
  view = ImageView<const uint8_t>(target);
}

}  // namespace

void FrameBuffer::assign(const Frame& frame) {
  Frame own = frame;
  copy(frame.luma, planes_[0], own.luma);
  copy(frame.cb, planes_[1], own.cb);
  copy(frame.cr, planes_[2], own.cr);
  frame_ = own;
}

ImageView<uint8_t> FrameBuffer::replace_luma(int32_t width, int32_t height,
                                             ConstAnyView* old_luma) {
  if (old_luma) *old_luma = frame_.luma;
  Image<uint8_t>& other = planes_[3];
  if (other.view().width != width || other.view().height != height)
    other = Image<uint8_t>(width, height);
  frame_.luma = ImageView<const uint8_t>(other.view());
  frame_.cb = frame_.cr = {};
  return other.view();
}

AnyView FrameBuffer::writable(const ConstAnyView& p) {
  return {const_cast<void*>(p.data), p.width, p.height, p.channels, p.stride_bytes, p.type};
}

void overlap(FrameSource& source, const std::function<void(FrameBuffer&)>& work,
             const std::function<void(const Frame&)>& write, int buffers) {
  std::vector<FrameBuffer> memory(size_t(std::max(3, buffers)));
  Queue free, decoded, done;
  for (auto& buffer : memory) free.push(&buffer);
  std::exception_ptr read_error, work_error, write_error;
  {
    std::jthread reader([&] {
      try {
        Frame frame;
        while (FrameBuffer* buffer = free.pop()) {
          if (!source.next(frame)) break;
          buffer->assign(frame);
          decoded.push(buffer);
        }
      } catch (...) {
        read_error = std::current_exception();
      }
      decoded.close();
    });
    std::jthread writer([&] {
      try {
        while (FrameBuffer* buffer = done.pop()) {
          write(buffer->frame());
          free.push(buffer);
        }
      } catch (...) {
        write_error = std::current_exception();
        source.stop();
        free.stop();
        decoded.stop();
      }
    });
    try {
      while (FrameBuffer* buffer = decoded.pop()) {
        work(*buffer);
        done.push(buffer);
      }
      done.close();
    } catch (...) {
      work_error = std::current_exception();
      source.stop();
      done.close();
      free.stop();
    }
  }
  for (const auto& error : {work_error, write_error, read_error}) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace cuesta::io
