#include "core/stages.hpp"

#include <cstdint>

#if !defined(CUESTA_THREADS_STD)
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>
#endif

namespace cuesta {

#if defined(CUESTA_THREADS_STD)

void run_stages(int, const Stages& stages) {
  while (stages.take(0)) {
    stages.work(0);
    stages.give(0);
  }
}

#else

void run_stages(int places, const Stages& stages) {
  namespace tbb = oneapi::tbb;
  constexpr auto in_order = tbb::filter_mode::serial_in_order;
  // Two of the three stages wait most of the time; the third computes on every core.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  size_t(tbb::info::default_concurrency()) + 2);
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
