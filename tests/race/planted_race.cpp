// Built under ThreadSanitizer only: two threads of ours add to one plain integer. CTest wants the
// report.
#include <atomic>
#include <cstdio>
#include <thread>

#include "core/threads.hpp"

int main() {
  std::atomic<int> arrived{0};
  int sum = 0;
  cuesta::parallel_tasks(2, 2, [&](int) {
    // Both are here before either adds; relaxed, so that this orders nothing.
    arrived.fetch_add(1, std::memory_order_relaxed);
    while (arrived.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
    ++sum;
  });
  std::printf("%d\n", sum);
}
