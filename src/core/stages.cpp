#include "core/stages.hpp"

#include <cstdint>

#if !defined(CUESTA_THREADS_STD)
#include <memory>
#include <mutex>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>
#endif

namespace cuesta {

#if defined(CUESTA_THREADS_STD)

void run_stages(int places, const Stages& stages) {
  for (int place = 0; stages.take(place); place = (place + 1) % places) {
    stages.work(place);
    stages.give(place);
  }
}

#else

namespace {

// While it lives there are two threads more than cores: two of the three stages of a run wait most
// of the time, and the third computes on every core. oneTBB takes the least of all limits, so that
// runs at the same time share one.
class TwoThatWait {
 public:
  TwoThatWait() { add(2); }
  ~TwoThatWait() {
    try {
      add(-2);
    } catch (
        ...) {  // NOLINT(bugprone-empty-catch): no memory to lower the limit; the next one does
    }
  }
  TwoThatWait(const TwoThatWait&) = delete;
  TwoThatWait& operator=(const TwoThatWait&) = delete;

 private:
  static void add(int threads) {
    using oneapi::tbb::global_control;
    static std::mutex mutex;
    static int waiting = 0;
    static std::unique_ptr<global_control> limit;
    const std::lock_guard lock(mutex);
    waiting += threads;
    std::unique_ptr<global_control> next;
    if (waiting > 0) {
      next = std::make_unique<global_control>(
          global_control::max_allowed_parallelism,
          size_t(oneapi::tbb::info::default_concurrency() + waiting));
    }
    limit = std::move(next);
  }
};

}  // namespace

void run_stages(int places, const Stages& stages) {
  namespace tbb = oneapi::tbb;
  constexpr auto in_order = tbb::filter_mode::serial_in_order;
  const TwoThatWait two_that_wait;
  tbb::task_arena arena(3);
  // The last stage frees places in the order in which the first takes them.
  int64_t taken = 0;
  const auto take = tbb::make_filter<void, int>(in_order, [&](tbb::flow_control& flow) {
    const auto place = int(taken % places);
    if (stages.take(place))
      ++taken;
    else
      flow.stop();
    return place;
  });
  const auto work = tbb::make_filter<int, int>(in_order, [&](int place) {
    stages.work(place);
    return place;
  });
  const auto give = tbb::make_filter<int, void>(in_order, [&](int place) { stages.give(place); });
  arena.execute([&] { tbb::parallel_pipeline(size_t(places), take & work & give); });
}

#endif

}  // namespace cuesta
