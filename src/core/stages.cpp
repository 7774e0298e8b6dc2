#include "core/stages.hpp"

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>

namespace cuesta {
namespace {

/// Which items are through which stage.
class Progress {
 public:
  explicit Progress(int places) : places_(places) {}

  /// Waits until a place is free for the next item.
  int next_to_take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return taken_ - given_ < places_; });
    return place_of(taken_);
  }
  void took() { count(taken_); }
  /// There are no more items than were taken.
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  /// Wait for the next item of a stage; false where there is none.
  bool next_to_work(int& place) { return next(worked_, taken_, place); }
  void worked() { count(worked_); }
  bool next_to_give(int& place) { return next(given_, worked_, place); }
  void gave() { count(given_); }

 private:
  int place_of(int64_t item) const { return int(item % places_); }
  void count(int64_t& items) {
    const std::lock_guard lock(mutex_);
    ++items;
    changed_.notify_all();
  }
  bool next(const int64_t& own, const int64_t& before, int& place) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return own < before || (ended_ && own == taken_); });
    place = place_of(own);
    return own < before;
  }

  const int places_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t taken_ = 0, worked_ = 0, given_ = 0;
  bool ended_ = false;
};

void run_in_turn(int places, const Stages& stages) {
  for (int place = 0; stages.take(place); place = (place + 1) % places) {
    stages.work(place);
    stages.give(place);
  }
}

}  // namespace

void run_stages(int places, const Stages& stages) {
  Progress progress(places);
  const auto take = [&] {
    while (stages.take(progress.next_to_take())) progress.took();
    progress.end();
  };
  const auto give = [&] {
    for (int place = 0; progress.next_to_give(place); progress.gave()) stages.give(place);
  };
  std::thread taking, giving;
  try {
    giving = std::thread(give);
    taking = std::thread(take);
  } catch (const std::exception&) {
    // No thread, or no memory for one (std::system_error, std::bad_alloc): one stage follows the
    // other.
    progress.end();
    if (giving.joinable()) giving.join();
    return run_in_turn(places, stages);
  }
  for (int place = 0; progress.next_to_work(place); progress.worked()) stages.work(place);
  taking.join();
  giving.join();
}

}  // namespace cuesta
