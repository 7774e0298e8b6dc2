#if defined(CUESTA_HAS_PICTURES)
#include "io/band_pass.hpp"

#include <exception>
#include <future>
#include <vector>

#include "core/stages.hpp"

namespace cuesta::io {
namespace {

// Runs steps until one throws, and keeps what it threw; from any thread.
class FirstFault {
 public:
  /// What the step returns; false where it, or one before, threw.
  template <class Step>
  bool operator()(Step&& step) {
    try {
      {
        const std::lock_guard lock(mutex_);
        if (fault_) return false;
      }
      return step();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!fault_) fault_ = std::current_exception();
      return false;
    }
  }
  void rethrow() const {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr fault_;
};

}  // namespace

void pass_bands(BandFeed& feed, int at_once, const Pass& pass) {
  std::vector<Band> places(size_t(std::max(2, at_once)));
  const bool threads = at_once > 1;
  const Band* before = nullptr;
  FirstFault guarded;
  const auto work_on = [&](int place) {
    guarded([&] {
      pass.work(places[size_t(place)], threads ? place : 0);
      return true;
    });
  };
  const auto then = [&](int place) {
    guarded([&] {
      if (pass.then) pass.then(places[size_t(place)]);
      return true;
    });
  };
  const auto take = [&](int place) {
    Band& band = places[size_t(place)];
    return guarded([&] {
      const bool is_there = feed.take(band, before);
      before = &band;
      return is_there;
    });
  };
  const auto work = [&](int place) {
    if (!threads) {
      work_on(place);
      return then(place);
    }
    guarded([&] {
      places[size_t(place)].working = std::async(std::launch::async, work_on, place);
      return true;
    });
  };
  const auto give = [&](int place) {
    if (Band& band = places[size_t(place)]; band.working.valid()) {
      band.working.get();
      then(place);
    }
    guarded([&] {
      pass.give(places[size_t(place)]);
      return true;
    });
  };
  run_stages(int(places.size()), {.take = take, .work = work, .give = give});
  guarded.rethrow();
}

}  // namespace cuesta::io
#endif
