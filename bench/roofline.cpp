// Every strategy of convolve, sobel, log and canny as a point under the roofline, and paper 000's
// theory curves (figs. 5 to 7). FLOP/byte of a point is the definition's: its multiplications and
// additions over the bytes that must be read and written; the paper's formula stands beside it. A
// point above the paper's line shows what caches serve that the formula charges to memory.
#include <fmt/format.h>

#include <cmath>

#include "bench/convolve_work.hpp"
#include "bench/details.hpp"
#include "bench/formulas.hpp"
#include "bench/text.hpp"
#include "cuesta/edges.hpp"

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

std::string theory(const Gpu* gpu) {
  std::vector<std::string> head = {"FLOP/byte x bandwidth", "3x3", "paper's 3x3", "5x5",
                                   "paper's 5x5",           "9x9", "15x15"};
  std::string text;
  const auto table_for = [&](const std::string& title, double bandwidth, double peak, bool theirs) {
    TextTable table(title, head);
    for (const Curve& curve : curves) {
      const auto at = [&](int n) {
        return figure(
            f::attainable(f::intensity_of(curve.strategy, n, n, curve.tiles), bandwidth, peak), 1);
      };
      const auto printed = [&](double value) {
        return theirs ? paper_figure(value, 1) : std::string("-");
      };
      table.add(
          {curve.tiles > 1 ? fmt::format("{} T={}", curve.strategy, curve.tiles) : curve.strategy,
           at(3), printed(curve.paper_3), at(5), printed(curve.paper_5), at(9), at(15)});
    }
    text += table.text();
  };
  table_for("paper 000, figs. 5 to 7: GFLOP/s on the paper's GPU, 80 GB/s and 1403 GFLOP/s",
            f::paper_bandwidth_gbs, f::paper_peak_gflops, true);
  text += "  456.5 at 5x5 with 21 tiles is printed as 546.52 there: digits swapped\n";
  if (gpu) {
    table_for(fmt::format("the same on {}, {:.0f} GB/s and {:.0f} GFLOP/s as measured now",
                          gpu->name, gpu->ceilings.copy_gbs, gpu->ceilings.fma_gflops),
              gpu->ceilings.copy_gbs, gpu->ceilings.fma_gflops, false);
  }
  return text;
}

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
                                                     {"gaussian 5x5", paper_gaussian()},
                                                     {"average 9x9", stencils::average(9)}};
  for (const auto& [name, stencil] : filters) {
    for (const ConstAnyView src : {ConstAnyView(floats), ConstAnyView(bytes)}) {
      const Work work = convolve_work("roofline", name, stencil, src);
      session.print(details_of(fmt::format("convolve {} {}, {}x{}, {}", name, name_of(src.type),
                                           src.width, src.height, session.where()),
                               measure_convolve(session, work, stencil)));
    }
  }
}

// The rest of the request is the caller's.
Work point_of(const std::string& operation, const std::string& parameters,
              const Image<uint8_t>& src, double flops) {
  Work work;
  work.experiment = "roofline";
  work.operation = operation;
  work.parameters = parameters;
  work.sources = {src};
  work.bytes_per_pixel = 2;
  work.flops_per_pixel = flops;
  return work;
}

void print_point(Session& session, const Work& work) {
  const ConstAnyView src = work.sources[0];
  session.print(details_of(fmt::format("{} {}, u8, {}x{}, {}", work.operation, work.parameters,
                                       src.width, src.height, session.where()),
                           session.measure(work)));
}

void sobel_point(Session& session, const Image<uint8_t>& src) {
  // Two sums of nine products, two absolute values and a sum.
  Work work = point_of("sobel", "magnitude L1 to u8", src, 2 * 2 * 9 + 3);
  work.call = [](ConstAnyView from, AnyView to, const Exec& exec) {
    sobel(from, {.magnitude = to}, {}, exec);
  };
  work.opencv = [](Peer& peer, ConstAnyView from, AnyView to) { peer.sobel_magnitude(from, to); };
  work.opencv_equal = true;
  work.npp = [](DevicePeer& peer, ConstAnyView from, AnyView to, void* stream) {
    peer.sobel_magnitude(from, to, stream);
  };
  print_point(session, work);
}

void log_point(Session& session, const Image<uint8_t>& src) {
  Work work = point_of("log", "edges, sigma 1.4, threshold 5", src, 2 * 49);
  work.call = [](ConstAnyView from, AnyView to, const Exec& exec) {
    log_edges(from, to, {}, exec);
  };
  // OpenCV's definition differs, and stops short of the threshold.
  work.opencv = [](Peer& peer, ConstAnyView from, AnyView) { peer.log(from, 1.4); };
  print_point(session, work);
}

void canny_point(Session& session, const Image<uint8_t>& src) {
  // Thresholds are chosen once, so that every strategy does the same work.
  CannyOptions options;
  options.thresholds = Thresholds::automatic(AutoThreshold::percentile, 90);
  Image<uint8_t> edges(src.width(), src.height());
  const CannyResult chosen = canny(src, edges, options, session.exec());
  const double low = std::round(chosen.low), high = std::round(chosen.high);
  options.thresholds = Thresholds::given(low, high);
  // Paper 001's count by stage: 2k² for the Gaussian, 4·9 + 4 for the gradient, 4, 1.
  Work work = point_of("canny", "5x5 sigma 1.4, L1", src, 2 * 25 + 4 * 9 + 4 + 4 + 1);
  work.call = [options](ConstAnyView from, AnyView to, const Exec& exec) {
    canny(from, to, options, exec);
  };
  work.opencv = [low, high](Peer& peer, ConstAnyView from, AnyView to) {
    peer.canny(from, to, 5, 1.4, low, high);
  };
  work.opencv_equal = true;
  const std::vector<double> exact = gaussian_taps(5, 1.4);
  const std::vector<float> taps(exact.begin(), exact.end());
  work.npp = [taps, low, high](DevicePeer& peer, ConstAnyView from, AnyView to, void* stream) {
    peer.canny(from, to, taps, low, high, stream);
  };
  print_point(session, work);
}

}  // namespace

void bench_roofline(Session& session) {
  session.print(theory(session.gpu()));
  keep_theory(session);
  for (const int32_t side : session.sizes({2048})) {
    const Image<uint8_t> src = session.photograph(side, side);
    convolve_points(session, src);
    sobel_point(session, src);
    log_point(session, src);
    canny_point(session, src);
  }
}

}  // namespace cuesta::bench
