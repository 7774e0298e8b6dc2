// Paper 002: averaging, sharpening and Sobel by where the image and the filter are: kernel time,
// speed-up over one core, accesses to global memory, overhead by its parts, GFLOP/s. f32 as theirs,
// on a GTX 1060. Sobel 3 x 3 stands in their text and in none of their tables.
#include <fmt/format.h>

#include "bench/papers/convolutions.hpp"
#include "bench/papers/experiments.hpp"
#include "bench/papers/formulas.hpp"
#include "bench/papers/paper_002.hpp"

namespace cuesta::bench {
namespace {

namespace p2 = paper_002;

struct Filter {
  const char* name;
  Stencil (*make)(int n);
  int widest;
  const double (*seconds)[5];  // null: no figure is printed
  const double (*overhead)[4];
  const double (*gflops)[5];
};
constexpr Filter filters[] = {
    {"averaging", stencils::average, 9, p2::averaging_seconds, p2::averaging_overhead,
     p2::averaging_gflops},
    {"sharpening", stencils::sharpen, 9, p2::sharpening_seconds, p2::sharpening_overhead,
     p2::sharpening_gflops},
    {"sobel", [](int n) { return stencils::sobel(1, 0, n); }, 3, nullptr, nullptr, nullptr}};

// Their steps and what they leave to future work.
constexpr std::string_view steps[] = {"naive",   "shared",           "constant",
                                      "texture", "texture-constant", "two-pass"};

// What the paper prints for the row: milliseconds; 0 for nothing.
double paper_ms(const Filter& filter, std::string_view strategy, int32_t side, int n) {
  const int line = p2::line_of(side, n), column = p2::column_of(strategy);
  if (line < 0 || !filter.seconds) return 0;
  if (strategy == "serial") return 1e3 * filter.seconds[line][0];
  return column < 0 ? 0 : 1e3 * filter.seconds[line][column + 1];
}

// Printed for sharpening; for averaging the quotient of the times they print.
double paper_speedup(const Filter& filter, int line, int column) {
  return filter.seconds == p2::sharpening_seconds
             ? p2::sharpening_speedup[line][column]
             : filter.seconds[line][0] / filter.seconds[line][column + 1];
}

void add_figures(Session& session, const Filter& filter, const Work& work, int n) {
  const int32_t side = work.sources[0].width;
  const int line = p2::line_of(side, n);
  const auto add = [&](const char* source, std::string_view subject, const char* what,
                       const char* unit, double value, const std::string& detail = {},
                       const char* words = "") {
    if (value == 0 && !*words) return;
    session.add_figure({.experiment = work.experiment,
                        .parameters = work.parameters,
                        .width = side,
                        .height = side,
                        .source = source,
                        .subject = std::string(subject),
                        .detail = detail,
                        .what = what,
                        .unit = unit,
                        .value = value,
                        .words = words});
  };
  const bool printed = line >= 0 && filter.seconds;
  if (line >= 0 && !printed) add("paper", "serial", "kernel time", "ms", 0, {}, "no paper figure");
  add("paper", "serial", "kernel time", "ms", paper_ms(filter, "serial", side, n));
  if (printed) add("paper", "serial", "rate", "GFLOP/s", filter.gflops[line][0]);
  const double pixels = double(side) * side;
  for (const std::string_view step : steps) {
    add("paper", step, "accesses", "", formulas::accesses_paper(step, n, n) * pixels);
    for (const int block : {32, 16}) {
      add("counted", step, "accesses", "",
          formulas::accesses_counted(step, n, n, {.block = block}) * pixels,
          fmt::format("block={}", block));
    }
    const int column = p2::column_of(step);
    if (line >= 0 && !printed && column >= 0)
      add("paper", step, "kernel time", "ms", 0, {}, "no paper figure");
    if (!printed || column < 0) continue;
    add("paper", step, "kernel time", "ms", paper_ms(filter, step, side, n));
    add("paper", step, "speed-up", "", paper_speedup(filter, line, column));
    add("paper", step, "overhead", "ms", 1e3 * filter.overhead[line][column]);
    add("paper", step, "rate", "GFLOP/s", filter.gflops[line][column + 1]);
  }
}

}  // namespace

void bench_memory_ladder(Session& session) {
  for (const Filter& filter : filters) {
    for (const int32_t side : session.sizes({256, 512, 1024, 2048})) {
      const Image<float> src = Session::floats_of(session.papers_picture("memory-ladder", side));
      for (const int n : {3, 5, 9}) {
        if (n > filter.widest) break;
        const Stencil stencil = filter.make(n);
        Work work = paper_convolve_work("memory-ladder", fmt::format("{} {}x{}", filter.name, n, n),
                                        stencil, src);
        work.picture_costs = true;
        measure_convolve(session, work, stencil, [&](Row& row) {
          const bool theirs = row.space == "device" || row.strategy == "serial";
          const double ms = theirs ? paper_ms(filter, row.strategy, side, n) : 0;
          if (ms > 0) row.paper_figure = PaperFigure{ms, "ms", "kernel time"};
        });
        add_figures(session, filter, work, n);
      }
    }
  }
}

}  // namespace cuesta::bench
