// The cores of the machine, shared by threads that each have a frame to work on.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace cuesta::cli {

/// Lets this many threads work at once, in the order in which they asked: whoever has had a turn
/// stands behind all that wait, so none gets a second before each has had its own.
class Turns {
 public:
  explicit Turns(int at_once) : admitted_(at_once) {}

  /// A turn, from when it comes until this goes.
  class Turn {
   public:
    explicit Turn(Turns& turns) : turns_(turns) {
      std::unique_lock lock(turns_.mutex_);
      const int64_t number = turns_.asked_++;
      turns_.changed_.wait(lock, [&] { return number < turns_.admitted_; });
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      {
        const std::lock_guard lock(turns_.mutex_);
        ++turns_.admitted_;
      }
      turns_.changed_.notify_all();
    }

   private:
    Turns& turns_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t asked_ = 0, admitted_;
};

}  // namespace cuesta::cli
