// Stages run at once, in order, in the places they are given, and leave oneTBB as it is.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#ifdef CUESTA_HAS_TBB
#include <oneapi/tbb/global_control.h>
#endif

#include "core/stages.hpp"
#include "core/threads.hpp"

namespace cuesta {
namespace {

using std::chrono::milliseconds;

TEST(Stages, TakeEveryItemThroughInOrder) {
  for (const int places : {1, 2, 3, 8}) {
    for (const int items : {0, 1, 2, 7, 100}) {
      std::vector<int> in_place(size_t(places), -1), worked, given;
      int next = 0;
      const auto take = [&](int place) {
        if (next == items) return false;
        EXPECT_EQ(place, next % places);
        EXPECT_EQ(in_place[size_t(place)], -1) << "the place was not free";
        in_place[size_t(place)] = next++;
        return true;
      };
      const auto work = [&](int place) {
        worked.push_back(in_place[size_t(place)]);
        in_place[size_t(place)] += 1000;
      };
      const auto give = [&](int place) {
        given.push_back(in_place[size_t(place)] - 1000);
        in_place[size_t(place)] = -1;
      };
      run_stages(places, {.take = take, .work = work, .give = give});
      ASSERT_EQ(worked.size(), size_t(items)) << places;
      EXPECT_EQ(given, worked);
      for (int i = 0; i < items; ++i) EXPECT_EQ(given[size_t(i)], i);
    }
  }
}

// Each of the three waits until the other two have begun: item 0 is given while 1 is worked on and
// 2 is taken.
TEST(Stages, RunAtOnce) {
  std::mutex mutex;
  std::condition_variable changed;
  int running = 0, taken = 0, worked = 0;
  bool met = false;
  const auto meet = [&] {
    std::unique_lock lock(mutex);
    ++running;
    changed.notify_all();
    if (changed.wait_for(lock, milliseconds(2000), [&] { return running == 3 || met; })) met = true;
    changed.notify_all();
    --running;
  };
  const auto take = [&](int) {
    if (taken == 6) return false;
    ++taken;
    if (taken > 2) meet();
    return true;
  };
  const auto work = [&](int) {
    if (++worked > 1) meet();
  };
  run_stages(3, {.take = take, .work = work, .give = [&](int) { meet(); }});
  EXPECT_TRUE(met);
}

TEST(Stages, WorkOnTheCallersThread) {
  const auto caller = std::this_thread::get_id();
  int taken = 0, elsewhere = 0;
  run_stages(2, {.take = [&](int) { return taken++ < 5; },
                 .work = [&](int) { elsewhere += std::this_thread::get_id() != caller; },
                 .give = [](int) {}});
  EXPECT_EQ(elsewhere, 0);
}

// While two stages wait, the third computes on as many threads as it does alone.
TEST(Stages, WaitingTakesNoThreadFromComputing) {
  const int threads = thread_count(0);
  std::atomic<int> inside{0};
  int seen = 0, taken = 0;
  const auto compute = [&] {
    std::atomic<int> most{0};
    parallel_tasks(threads * 4, threads, [&](int) {
      const int now = ++inside;
      for (int known = most; known < now && !most.compare_exchange_weak(known, now);) {
      }
      std::this_thread::sleep_for(milliseconds(20));
      --inside;
    });
    return most.load();
  };
  const int alone = compute();
  const auto wait = [] { std::this_thread::sleep_for(milliseconds(50)); };
  run_stages(3, {.take = [&](int) { return wait(), taken++ < 4; },
                 .work = [&](int) { seen = std::max(seen, compute()); },
                 .give = [&](int) { wait(); }});
  EXPECT_EQ(thread_count(0), threads);
  EXPECT_GE(seen, alone);
}

#ifdef CUESTA_HAS_TBB
// The limit is the process's: other users of oneTBB in it would see it change.
TEST(Stages, LeaveTheProcessesLimitOfThreads) {
  using oneapi::tbb::global_control;
  const auto limit = [] {
    return global_control::active_value(global_control::max_allowed_parallelism);
  };
  const size_t before = limit();
  int taken = 0;
  std::vector<size_t> seen;
  run_stages(2, {.take = [&](int) { return taken++ < 3; },
                 .work = [&](int) { seen.push_back(limit()); },
                 .give = [](int) {}});
  EXPECT_EQ(seen, std::vector<size_t>(3, before));
  EXPECT_EQ(limit(), before);
}
#endif

}  // namespace
}  // namespace cuesta
