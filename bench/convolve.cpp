// Stencils that do not separate, against cv::filter2D: u8 with integer taps gives equal bytes; f32
// differs in the order of its sums and is not compared.
#include <fmt/format.h>

#include <vector>

#include "bench/session.hpp"
#include "cuesta/filter.hpp"
#include "verify/patterns.hpp"

namespace cuesta::bench {
namespace {

// Small integers of both signs, all different enough that no rank-1 factors exist.
std::vector<int32_t> taps_of(int n) {
  verify::Random random(static_cast<uint64_t>(n));
  std::vector<int32_t> taps;
  for (int i = 0; i < n * n; ++i) taps.push_back(int32_t(random.below(19)) - 9);
  return taps;
}

template <class T>
void convolve_one(Session& session, const Image<T>& src, int n) {
  const std::vector<int32_t> integers = taps_of(n);
  const std::vector<float> floats(integers.begin(), integers.end());
  const Stencil stencil =
      std::is_same_v<T, float> ? Stencil::floats(n, n, floats) : Stencil::integers(n, n, integers);
  Image<T> ours(src.width(), src.height()), theirs(src.width(), src.height());
  Table table{.experiment = "convolve",
              .parameters = fmt::format("{0}x{0}, full rank", n),
              .src = src,
              .bytes_per_pixel = 2 * sizeof(T),
              .flops_per_pixel = 2.0 * n * n};
  if (session.opencv() && !std::is_same_v<T, float>) {
    correlate(src, ours, stencil, {}, session.exec());
    session.opencv()->correlate(src, theirs, floats, n);
    if (!session.expect_equal("convolve " + table.parameters, ours, theirs)) return;
  }
  session.add_strategies(table, "convolve",
                         [&](const Exec& exec) { correlate(src, ours, stencil, {}, exec); });
  session.add_opencv(table, "convolve",
                     [&] { session.opencv()->correlate(src, theirs, floats, n); });
  session.time(table);
}

}  // namespace

void bench_convolve(Session& session) {
  for (const int32_t side : session.sizes()) {
    const Image<uint8_t> bytes = session.photograph(side, side);
    Image<float> floats(side, side);
    for (int32_t y = 0; y < side; ++y)
      for (int32_t x = 0; x < side; ++x) floats.at(x, y) = float(bytes.at(x, y));
    for (const int n : {3, 5, 9}) convolve_one(session, bytes, n);
    for (const int n : {3, 5, 9}) convolve_one(session, floats, n);
  }
}

}  // namespace cuesta::bench
