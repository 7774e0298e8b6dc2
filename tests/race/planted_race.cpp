// Built under ThreadSanitizer only: two threads of ours add to one plain integer. CTest wants the
// report.
#include <cstdio>

#include "core/threads.hpp"

int main() {
  int64_t sum = 0;
  cuesta::parallel_tasks(1000, 2, [&](int i) { sum += i; });
  std::printf("%lld\n", static_cast<long long>(sum));
}
