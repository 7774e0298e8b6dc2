// Every strategy of convolve, sobel, log and canny as a point under the roofline, and paper 000's
// theory curves (figs. 5 to 7). FLOP/byte of a point is the definition's: its multiplications and
// additions over the bytes that must be read and written; the paper's formula stands beside it. A
// point above the paper's line shows what caches serve that the formula charges to memory.
#include "bench/papers/convolutions.hpp"
#include "bench/papers/experiments.hpp"
#include "bench/papers/formulas.hpp"
#include "bench/works/edges.hpp"

namespace cuesta::bench {
namespace {

namespace f = formulas;

struct Curve {
  const char* strategy;
  int tiles;
  double paper_3, paper_5;  // GFLOP/s they print at 3 × 3 and 5 × 5; 0: none
};
// 546.52 at 5 × 5 with 21 tiles is what the paper prints for 456.52: digits swapped.
constexpr Curve curves[] = {
    {"naive", 1, 20, 20},   {"shared", 1, 27.692, 34.483}, {"shared-constant", 1, 90, 250},
    {"separable", 1, 0, 0}, {"tiled", 21, 164.35, 546.52}, {"separable-tiled", 21, 0, 0}};

void keep_theory(Session& session) {
  const Gpu* gpu = session.gpu();
  for (const Curve& curve : curves) {
    for (int n = 3; n <= 15; n += 2) {
      const double intensity = f::intensity_of(curve.strategy, n, n, curve.tiles);
      session.add_theory(
          {curve.strategy, curve.tiles, n,
           f::attainable(intensity, f::paper_bandwidth_gbs, f::paper_peak_gflops),
           gpu ? f::attainable(intensity, gpu->ceilings.copy_gbs, gpu->ceilings.fma_gflops) : 0,
           n == 3   ? curve.paper_3
           : n == 5 ? curve.paper_5
                    : 0});
    }
  }
}

void convolve_points(Session& session, const Image<uint8_t>& bytes) {
  const Image<float> floats = Session::floats_of(bytes);
  const std::pair<const char*, Stencil> filters[] = {{"laplacian 3x3", stencils::laplacian()},
                                                     {"gaussian 5x5", stencils::paper_gaussian()},
                                                     {"average 9x9", stencils::average(9)}};
  for (const auto& [name, stencil] : filters) {
    for (const ConstAnyView src : {ConstAnyView(floats), ConstAnyView(bytes)})
      measure_convolve(session, convolve_work("roofline", name, stencil, src, papers_border),
                       stencil);
  }
}

void canny_point(Session& session, const Image<uint8_t>& src) {
  Work work = canny_work("roofline", with_chosen_thresholds(session, {}, src), src);
  work.parameters = "5x5 sigma 1.4, L1";
  // Paper 001's count by stage: 2k² for the Gaussian, 4·9 + 4 for the gradient, 4, 1.
  work.flops_per_pixel = 2 * 25 + 4 * 9 + 4 + 4 + 1;
  session.measure(work);
}

}  // namespace

void bench_roofline(Session& session) {
  keep_theory(session);
  for (const int32_t side : session.sizes({2048})) {
    const Image<uint8_t> src = session.papers_picture("roofline", side);
    convolve_points(session, src);
    session.measure(sobel_work("roofline", "magnitude L1 to u8", src));
    session.measure(log_work("roofline", "edges, sigma 1.4, threshold 5", src));
    canny_point(session, src);
  }
}

}  // namespace cuesta::bench
