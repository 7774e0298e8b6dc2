// Paper 000: random pictures, the 3 × 3 Laplacian and the 5 × 5 Gaussian by every step from naive
// to adaptive tiling, and LoG edges. Their results are charts (figs. 8 and 9), so there is no
// figure beside ours but the theory of section 4.
#include <fmt/format.h>

#include "bench/convolve_work.hpp"
#include "bench/details.hpp"
#include "bench/formulas.hpp"
#include "bench/text.hpp"
#include "cuesta/edges.hpp"

namespace cuesta::bench {
namespace {

// Both kinds of the papers' charts, and what lies behind them at each size.
class Charts {
 public:
  void add(const Measured& measured, int32_t side) {
    const std::string size = fmt::format("{0}x{0}", side);
    const Row* best = nullptr;  // of the tiled ones
    for (const Row& row : measured.rows) {
      if (row.strategy.ends_with("tiled") && row.strategy != "separable-tiled" &&
          (!best || row.ms < best->ms))
        best = &row;
    }
    for (const Row& row : measured.rows) {
      const std::string name = label_of(row);
      runtime_.set(name, size, milliseconds(100 * row.ms) + (&row == best ? " *" : ""));
      speedup_.set(name, size, figure(row.speedup(), 1));
      gflops_.set(name, size, figure(row.gflops, 1));
    }
    swept_ = swept_ || best;
  }
  std::string text(const std::string& title) const {
    return runtime_.text(title + ": runtime over 100 images, ms (no paper figure: chart only)",
                         "strategy") +
           (swept_ ? "  * the fastest T at that size\n" : "") +
           speedup_.text(title + ": speed-up over one serial core (no paper figure: chart only)",
                         "strategy") +
           gflops_.text(title + ": GFLOP/s", "strategy");
  }

 private:
  Grid runtime_, speedup_, gflops_;
  bool swept_ = false;
};

std::string theory_text(const std::string& name, int side, const Measured& measured,
                        const Gpu* gpu) {
  TextTable table(
      name + ": theory of section 4 (4-byte samples), GFLOP/s = FLOP/byte x bandwidth",
      {"strategy", "FLOP/byte", "on the paper's GPU", "on this GPU", "attained on this GPU"});
  for (const Row& row : measured.rows) {
    if (row.intensity_paper == 0) continue;
    const double theirs = formulas::attainable(row.intensity_paper, formulas::paper_bandwidth_gbs,
                                               formulas::paper_peak_gflops);
    const double ours =
        formulas::attainable(row.intensity_paper, gpu->ceilings.copy_gbs, gpu->ceilings.fma_gflops);
    table.add({fmt::format("{} T={}", label_of(row), tiles_of(row, side, side)),
               figure(row.intensity_paper, 3), figure(theirs, 1), figure(ours, 1),
               figure(row.gflops, 1)});
  }
  return table.text();
}

template <class T>
void convolutions(Session& session, const std::vector<int32_t>& sizes) {
  const std::pair<const char*, Stencil> filters[] = {{"laplacian 3x3", stencils::laplacian()},
                                                     {"gaussian 5x5", paper_gaussian()}};
  for (const auto& [name, stencil] : filters) {
    const std::string title =
        fmt::format("paper 000: {} {}, {}", name, name_of(pixel_type_of<T>()), session.where());
    Charts charts;
    Measured last;
    for (const int32_t side : sizes) {
      const Image<uint8_t> bytes = Session::noise(side, side);
      const Image<float> floats =
          std::is_same_v<T, float> ? Session::floats_of(bytes) : Image<float>();
      const ConstAnyView src =
          std::is_same_v<T, float> ? ConstAnyView(floats) : ConstAnyView(bytes);
      Work work = convolve_work("log-ladder", name, stencil, src);
      work.sweeps = {{"T", {"1", "2", "4", "8"}}, {"limit", {"48k", "device"}}};
      last = measure_convolve(session, work, stencil);
      charts.add(last, side);
    }
    session.print(charts.text(title));
    session.print(details_of(fmt::format("{}, {}x{}", title, sizes.back(), sizes.back()), last));
    if (session.gpu()) session.print(theory_text(title, stencil.width(), last, session.gpu()));
  }
}

void edges(Session& session, const std::vector<int32_t>& sizes) {
  const std::string title = fmt::format("paper 000: LoG edges u8, {}", session.where());
  Charts charts;
  Measured last;
  for (const int32_t side : sizes) {
    const Image<uint8_t> src = Session::noise(side, side);
    Work work;
    work.experiment = "log-ladder";
    work.operation = "log";
    work.parameters = "edges, sigma 1.4, threshold 5";
    work.sources = {src};
    work.bytes_per_pixel = 2;
    work.flops_per_pixel = 2 * 49;
    work.call = [](ConstAnyView from, AnyView to, const Exec& exec) {
      log_edges(from, to, {}, exec);
    };
    work.opencv = [](Peer& peer, ConstAnyView from, AnyView) { peer.log(from, 1.4); };
    last = session.measure(work);
    charts.add(last, side);
  }
  session.print(charts.text(title));
  session.print(details_of(fmt::format("{}, {}x{}", title, sizes.back(), sizes.back()), last));
}

}  // namespace

void bench_log_ladder(Session& session) {
  const std::vector<int32_t> sizes = session.sizes({256, 512, 1024, 2048, 4096});
  convolutions<float>(session, sizes);
  convolutions<uint8_t>(session, sizes);
  edges(session, sizes);
}

}  // namespace cuesta::bench
