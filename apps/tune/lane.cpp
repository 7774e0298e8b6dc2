#include "apps/tune/lane.hpp"

namespace cuesta::cli::tune {

Lane::Lane() : thread_([this] { serve(); }) {}

Lane::~Lane() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool Lane::run(const std::function<void()>& work) {
  Task task{&work};
  std::unique_lock lock(mutex_);
  if (next_) next_->state = Task::replaced;
  next_ = &task;
  newer_.store(true);
  changed_.notify_all();
  changed_.wait(lock, [&] { return task.state == Task::done || task.state == Task::replaced; });
  if (task.error) std::rethrow_exception(task.error);
  return task.state == Task::done;
}

void Lane::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || next_; });
    if (ends_) return;
    Task* const task = next_;
    next_ = nullptr;
    newer_.store(false);
    task->state = Task::runs;
    lock.unlock();
    std::exception_ptr error;
    try {
      (*task->work)();
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    task->error = error;
    task->state = Task::done;
    changed_.notify_all();
  }
}

}  // namespace cuesta::cli::tune
