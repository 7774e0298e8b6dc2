#include "core/threads.hpp"

#if defined(CUESTA_THREADS_STD)
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#else
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <memory>
#endif

#include "core/check.hpp"

namespace cuesta {
namespace {

// More than any machine has, and few enough to be begun.
constexpr int max_threads = 4096;

void check_threads(int requested) {
  if (requested > max_threads)
    throw_invalid(std::to_string(requested), "threads is {}; it must be at most {}", requested,
                  max_threads);
}

}  // namespace

#if defined(CUESTA_THREADS_STD)

int thread_count(int requested) {
  check_threads(requested);
  return requested > 0 ? requested : std::max(1, int(std::thread::hardware_concurrency()));
}

namespace detail {
void run_tasks(int tasks, int threads, void (*call)(void*, int), void* body) {
  std::atomic<int> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  {
    std::vector<std::jthread> pool;
    for (int t = 0; t < std::min(threads, tasks); ++t) {
      pool.emplace_back([&] {
        try {
          for (int i; (i = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) call(body, i);
        } catch (...) {
          const std::lock_guard lock(mutex);
          if (!failure) failure = std::current_exception();
        }
      });
    }
  }
  if (failure) std::rethrow_exception(failure);
}
}  // namespace detail

#else

int thread_count(int requested) {
  check_threads(requested);
  return requested > 0 ? requested : std::max(1, oneapi::tbb::this_task_arena::max_concurrency());
}

namespace detail {
void run_tasks(int tasks, int threads, void (*call)(void*, int), void* body) {
  const auto loop = [&] {
    oneapi::tbb::parallel_for(
        0, tasks, [&](int i) { call(body, i); }, oneapi::tbb::simple_partitioner());
  };
  // More than the machine has gains nothing, and oneTBB would say so on stderr.
  threads = std::min(threads, oneapi::tbb::info::default_concurrency());
  if (threads == oneapi::tbb::this_task_arena::max_concurrency()) {
    // Isolated, so that a waiting caller does not pick up an unrelated task that needs the same
    // workspace.
    oneapi::tbb::this_task_arena::isolate(loop);
    return;
  }
  thread_local std::unique_ptr<oneapi::tbb::task_arena> arena;
  if (!arena || arena->max_concurrency() != threads)
    arena = std::make_unique<oneapi::tbb::task_arena>(threads);
  arena->execute(loop);
}
}  // namespace detail

#endif

}  // namespace cuesta
