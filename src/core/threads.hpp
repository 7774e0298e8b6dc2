// Threads hide behind this header: oneTBB in use, std::jthread where CUESTA_THREADS_STD is set (for
// ThreadSanitizer).
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace cuesta {

/// What `Exec::threads` means here: 0 becomes the cores this process may use.
int thread_count(int requested);

namespace detail {
void run_tasks(int tasks, int threads, void (*call)(void*, int), void* body);
}

/// Runs body(task) for every task in [0, tasks), at most `threads` at once (already resolved by
/// thread_count). Returns when all are done; the first exception is thrown on. One thread or one
/// task runs on the caller's thread.
template <class Body>
void parallel_tasks(int tasks, int threads, Body&& body) {
  if (threads <= 1 || tasks <= 1) {
    for (int i = 0; i < tasks; ++i) body(i);
    return;
  }
  using Function = std::remove_reference_t<Body>;
  detail::run_tasks(
      tasks, threads, [](void* f, int i) { (*static_cast<Function*>(f))(i); },
      const_cast<void*>(static_cast<const void*>(&body)));
}

/// How `rows` are cut into strips of near equal height: at most `per_thread` strips a thread, none
/// below `least` rows.
struct Strips {
  int32_t rows = 0, count = 0;
  Strips(int32_t all_rows, int threads, int32_t least = 16, int per_thread = 4)
      : rows(all_rows),
        count(threads <= 1
                  ? (all_rows > 0)
                  : std::max<int32_t>(all_rows > 0, std::min<int32_t>(all_rows / std::max(1, least),
                                                                      threads * per_thread))) {}
  int32_t begin(int32_t i) const { return int32_t(int64_t(rows) * i / count); }
  int32_t end(int32_t i) const { return begin(i + 1); }
};

/// body(first_row, end_row) over strips of [0, rows).
template <class Body>
void parallel_rows(int32_t rows, int threads, Body&& body, int32_t least = 16) {
  const Strips strips(rows, threads, least);
  parallel_tasks(strips.count, threads, [&](int i) { body(strips.begin(i), strips.end(i)); });
}

}  // namespace cuesta
