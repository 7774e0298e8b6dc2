// Paper 000: random pictures, the 3 × 3 Laplacian and the 5 × 5 Gaussian by every step from naive
// to adaptive tiling, and LoG edges. Their results are charts (figs. 8 and 9), so there is no
// figure beside ours but the theory of section 4.
#include "bench/papers/convolutions.hpp"
#include "bench/papers/experiments.hpp"
#include "bench/papers/formulas.hpp"
#include "bench/works/edges.hpp"

namespace cuesta::bench {

void bench_log_ladder(Session& session) {
  const std::vector<int32_t> sizes = session.sizes({256, 512, 1024, 2048, 4096});
  const auto paper_gpu = [&](const char* what, const char* unit, double value) {
    session.add_figure({.experiment = "log-ladder",
                        .source = "paper",
                        .subject = "the paper's GPU",
                        .what = what,
                        .unit = unit,
                        .value = value});
  };
  paper_gpu("bandwidth", "GB/s", formulas::paper_bandwidth_gbs);
  paper_gpu("peak", "GFLOP/s", formulas::paper_peak_gflops);

  const std::pair<const char*, Stencil> filters[] = {{"laplacian 3x3", stencils::laplacian()},
                                                     {"gaussian 5x5", stencils::paper_gaussian()}};
  // 21 is the paper's.
  std::vector<Sweep> rungs = {
      {"T", {"4", "21"}}, {"limit", {"48k", "device"}}, {"load", {"by-position", "one-each"}}};
  if (!session.quick()) {
    rungs[0].second = {"1", "2", "4", "8", "21"};
    rungs.push_back({"transpose", {"on", "off"}});
  }
  // 2 bytes a sample are the paper's, whose 48 KiB then hold 22 and 21 tiles.
  for (const PixelType type : {PixelType::f32, PixelType::u8, PixelType::u16}) {
    for (const auto& [name, stencil] : filters) {
      for (const int32_t side : sizes) {
        const Image<uint8_t> bytes = Session::noise(side, side);
        const Image<float> floats =
            type == PixelType::f32 ? Session::floats_of(bytes) : Image<float>();
        const Image<uint16_t> words =
            type == PixelType::u16 ? Session::words_of(bytes) : Image<uint16_t>();
        const ConstAnyView src = type == PixelType::f32   ? ConstAnyView(floats)
                                 : type == PixelType::u16 ? ConstAnyView(words)
                                                          : ConstAnyView(bytes);
        Work work = paper_convolve_work("log-ladder", name, stencil, src);
        work.sweeps.insert(work.sweeps.end(), rungs.begin(), rungs.end());
        measure_convolve(session, work, stencil);
      }
    }
  }
  for (const int32_t side : sizes) {
    const Image<uint8_t> src = Session::noise(side, side);
    session.measure(as_papers(log_work("log-ladder", "edges, sigma 1.4, threshold 5", src)));
    const Image<uint16_t> words = Session::words_of(src);
    Work wide = as_papers(log_work("log-ladder", "edges, sigma 1.4, threshold 5", words));
    wide.bytes_per_pixel = 2 + 1;
    wide.opencv = {};  // its Laplacian makes no s16 of u16
    session.measure(wide);
  }
}

}  // namespace cuesta::bench
