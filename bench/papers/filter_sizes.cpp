// Paper 000, figs. 5 to 7, measured: GFLOP/s of every rung of convolve by the filter's side, 3 to
// 15, where the paper draws theory alone. The filter is an average, so that the separable rungs
// take it; T = 21 is the curves'. With unroll=all one curve is one kernel.
#include <fmt/format.h>

#include "bench/papers/convolutions.hpp"
#include "bench/papers/experiments.hpp"

namespace cuesta::bench {

void bench_filter_sizes(Session& session) {
  for (const int32_t side : session.sizes({2048})) {
    const Image<uint8_t> bytes = Session::noise(side, side);
    const Image<float> floats = Session::floats_of(bytes);
    for (const ConstAnyView src : {ConstAnyView(floats), ConstAnyView(bytes)}) {
      if (session.quick() && src.type == PixelType::u8) continue;
      for (int n = 3; n <= 15; n += 2) {
        const Stencil stencil = stencils::average(n);
        Work work =
            paper_convolve_work("filter-sizes", fmt::format("average {0}x{0}", n), stencil, src);
        work.sweeps.push_back({"T", {"21"}});
        work.sweeps.push_back({"unroll", {"some", "all"}});
        work.end_to_end = EndToEnd::none;
        if (session.quick()) {  // 679 taps a pixel on one core take their time
          work.reference = "simd";
          work.takes = [](const StrategyDescription& s) {
            return s.space == Space::device || s.tier == Tier::production;
          };
        }
        measure_convolve(session, work, stencil);
      }
    }
  }
}

}  // namespace cuesta::bench
