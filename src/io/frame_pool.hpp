// Memory of frames: shared with whoever still looks at one, used again once nobody does.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace cuesta::io {

/// Hands out objects of type T, which T::clear() empties when they come back. At most `max_idle`
/// wait for their next use; the others are freed.
template <class T>
class Pool {
 public:
  explicit Pool(size_t max_idle = 8) : shelf_(std::make_shared<Shelf>(max_idle)) {}

  std::shared_ptr<T> take() {
    std::unique_ptr<T> one;
    {
      const std::lock_guard lock(shelf_->mutex);
      if (!shelf_->idle.empty()) {
        one = std::move(shelf_->idle.back());
        shelf_->idle.pop_back();
      }
    }
    if (!one) one = std::make_unique<T>();
    return {one.release(), [shelf = shelf_](T* back) {
              std::unique_ptr<T> owner(back);
              owner->clear();
              const std::lock_guard lock(shelf->mutex);
              if (shelf->idle.size() < shelf->max_idle) shelf->idle.push_back(std::move(owner));
            }};
  }

 private:
  struct Shelf {
    explicit Shelf(size_t most) : max_idle(most) { idle.reserve(most); }
    const size_t max_idle;
    std::mutex mutex;
    std::vector<std::unique_ptr<T>> idle;
  };
  std::shared_ptr<Shelf> shelf_;
};

}  // namespace cuesta::io
