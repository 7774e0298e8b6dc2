// Paper 003: Sobel's magnitude and two sharpening filters at 512 × 512, in blocks of 32 and 16,
// with the gain of each step over the one before. Their pictures are floats and their magnitude a
// root; so are ours, and beside them u8 with roots and with the L1 magnitude in u8.
#include <fmt/format.h>

#include <span>

#include "bench/papers/convolutions.hpp"
#include "bench/papers/experiments.hpp"
#include "bench/works/edges.hpp"

namespace cuesta::bench {
namespace {

struct Step {
  const char* strategy;
  double ms_32, ms_16;  // theirs
};
constexpr Step sobel_steps[] = {{"global", 0.099328, 0.073728},
                                {"shared-no-apron", 0.095232, 0.060416},
                                {"shared-apron", 0.065536, 0.053248},
                                {"shared-1d", 0.054272, 0.047296}};
constexpr Step sharpen_steps[] = {{"global", 0.086016, 0.071680},
                                  {"shared-1d", 0.048128, 0.052224}};

// Theirs were made at 512 × 512 only.
void set_paper_figures(Row& row, std::span<const Step> steps) {
  const std::string block = parameter_of(row, "block", "");
  if (row.space != "device" || row.width != 512 || (block != "32" && block != "16")) return;
  for (const Step& step : steps) {
    if (row.strategy == step.strategy)
      row.paper_figure =
          PaperFigure{block == "32" ? step.ms_32 : step.ms_16, "ms", "processing time"};
  }
}

// At whatever size was run: the steps in their order, and what they gained there.
void add_figures(Session& session, const Work& work, std::span<const Step> steps) {
  for (const Step& step : steps) {
    for (const auto& [block, ms] : {std::pair{"32", step.ms_32}, {"16", step.ms_16}}) {
      session.add_figure({.experiment = work.experiment,
                          .parameters = work.parameters,
                          .source = "paper",
                          .subject = step.strategy,
                          .detail = fmt::format("block={}", block),
                          .what = "processing time",
                          .unit = "ms",
                          .value = ms});
    }
  }
}

// Tiles loaded our way and the paper's.
Work of_loads(Work work) {
  work.sweeps.push_back({"loads", {"once", "four"}});
  return work;
}

}  // namespace

void bench_sobel_ladder(Session& session) {
  bool first = true;
  for (const int32_t side : session.sizes({512})) {
    const Image<uint8_t> bytes = session.papers_picture("sobel-ladder", side);
    const Image<float> floats = Session::floats_of(bytes);

    for (const ConstAnyView source : {ConstAnyView(floats), ConstAnyView(bytes)}) {
      Work roots = sobel_work("sobel-ladder", "magnitude L2 to f32", source);
      roots.result = PixelType::f32;
      roots.bytes_per_pixel = bytes_per_sample(source.type) + 4;
      roots.border = name_of(papers_border.mode);
      roots.window.frame = papers_border.mode != BorderMode::ignore;
      roots.call = [](ConstAnyView src, AnyView dst, const Exec& exec) {
        sobel(src, {.magnitude = dst}, {.norm = Norm::l2, .border = papers_border}, exec);
      };
      roots.opencv_equal = false;  // its border is another
      roots.npp = {};
      session.measure(of_loads(as_papers(roots)),
                      [](Row& row) { set_paper_figures(row, sobel_steps); });
      if (first && source.type == PixelType::f32) add_figures(session, roots, sobel_steps);
    }

    // What pictures are made of today, and the host's production takes.
    const Work sums = sobel_work("sobel-ladder", "magnitude L1 to u8", bytes);
    session.measure(of_loads(as_papers(sums)));

    const std::pair<const char*, Stencil> filters[] = {
        {"sharpening -1 .. 9 .. -1", stencils::sharpen(3)},
        {"sharpening 2d - box/9", stencils::unsharp(3)}};
    for (const auto& [name, stencil] : filters) {
      Work sharpening = of_loads(paper_convolve_work("sobel-ladder", name, stencil, floats));
      sharpening.takes = [](const StrategyDescription& s) {
        return s.space == Space::host || s.name == "global" || s.name == "shared-1d";
      };
      // Their figures are the first filter's.
      const bool printed = &stencil == &filters[0].second;
      measure_convolve(session, sharpening, stencil, [&](Row& row) {
        if (printed) set_paper_figures(row, sharpen_steps);
      });
      if (first && printed) add_figures(session, sharpening, sharpen_steps);
    }
    first = false;
  }
}

}  // namespace cuesta::bench
