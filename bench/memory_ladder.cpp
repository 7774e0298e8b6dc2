// Paper 002: averaging and sharpening by where the image and the filter lie: kernel time, speed-up
// over one core, accesses to global memory, overhead, GFLOP/s. f32 as theirs, on a GTX 1060.
#include <fmt/format.h>

#include "bench/convolve_work.hpp"
#include "bench/details.hpp"
#include "bench/formulas.hpp"
#include "bench/paper_002.hpp"
#include "bench/text.hpp"

namespace cuesta::bench {
namespace {

namespace p2 = paper_002;

struct Filter {
  const char* name;
  Stencil (*make)(int n);
  const double (*seconds)[5];
  const double (*overhead)[4];
  const double (*gflops)[5];
};
// The rungs' default.
constexpr int counted_block = 32;

constexpr Filter filters[] = {{"averaging", stencils::average, p2::averaging_seconds,
                               p2::averaging_overhead, p2::averaging_gflops},
                              {"sharpening", stencils::sharpen, p2::sharpening_seconds,
                               p2::sharpening_overhead, p2::sharpening_gflops}};

// Their columns, what they leave to future work, then the host's production and the lower bound.
constexpr std::string_view columns[] = {"serial",    "naive",   "shared",
                                        "constant",  "texture", "texture-constant",
                                        "separable", "simd",    "device copy"};

bool on_host(std::string_view column) { return column == "serial" || column == "simd"; }

const Row* row_of(const Measured& measured, std::string_view strategy) {
  return measured.find(strategy, on_host(strategy) ? Space::host : Space::device);
}

// What the paper prints for the row: milliseconds; 0 for nothing.
double paper_ms(const Filter& filter, std::string_view strategy, int32_t side, int n) {
  const int line = p2::line_of(side, n), column = p2::column_of(strategy);
  if (line < 0) return 0;
  if (strategy == "serial") return 1e3 * filter.seconds[line][0];
  return column < 0 ? 0 : 1e3 * filter.seconds[line][column + 1];
}

// The five tables of one filter, a line a size and filter width, ours over theirs where the paper
// has that size.
class Tables {
 public:
  explicit Tables(const Filter& filter) : filter_(filter) {}

  void add(const Measured& measured, int32_t side, int n) {
    const std::string line = fmt::format("{0}x{0} {1}x{1}", side, n), theirs = line + " paper";
    const int at = p2::line_of(side, n);
    for (const std::string_view name : columns) {
      const std::string column(name);
      const Row* row = row_of(measured, name);
      const int paper_column = p2::column_of(name);  // -1: future work, or no step of theirs
      const bool printed = at >= 0 && paper_column >= 0;
      const bool step = !(name == "simd" || name == "device copy");
      const auto set_paper = [&](Grid& grid, double value, int digits) {
        if (at >= 0) grid.set(theirs, column, step ? paper_figure(value, digits) : "");
      };
      time_.set(line, column, row ? milliseconds(row->ms) : "-");
      set_paper(time_, paper_ms(filter_, name, side, n), 3);
      rate_.set(line, column, row ? figure(row->gflops, 1) : "-");
      const int rate_column = name == "serial" ? 0 : paper_column + 1;
      const bool has_rate = printed || (at >= 0 && name == "serial");
      set_paper(rate_, has_rate ? filter_.gflops[at][rate_column] : 0, 1);
      if (name == "serial") continue;
      speedup_.set(line, column, row ? figure(row->speedup(), 1) : "-");
      set_paper(speedup_, printed ? paper_speedup(at, paper_column) : 0, 1);
      if (!step) continue;
      const double pixels = double(side) * side;
      accesses_.set(line + " paper's formula", column,
                    figure(formulas::accesses_paper(name, n, n) * pixels, 0));
      accesses_.set(
          line + " counted", column,
          figure(formulas::accesses_counted(name, n, n, {.block = counted_block}) * pixels, 0));
      overhead_.set(line + " pageable", column,
                    row ? milliseconds(row->pageable_ms - row->ms) : "-");
      overhead_.set(line + " pinned", column, row ? milliseconds(row->pinned_ms - row->ms) : "-");
      overhead_.set(line + " resident", column, row ? "0" : "-");
      set_paper(overhead_, printed ? 1e3 * filter_.overhead[at][paper_column] : 0, 1);
    }
  }

  void print(Session& session) const {
    const std::string title =
        fmt::format("paper 002: {} filter f32, {}", filter_.name, session.where());
    session.print(time_.text(title + ": kernel time, ms", "image, filter"));
    session.print(speedup_.text(title + ": speed-up over one serial core", "image, filter"));
    session.print(
        accesses_.text(title + ": global memory accesses (counted: at block 32)", "image, filter"));
    if (session.gpu())
      session.print(overhead_.text(
          title + ": overhead, ms (upload, download, enqueueing; theirs also allocates)",
          "image, filter"));
    session.print(rate_.text(
        title + ": GFLOP/s, 2LP a pixel (theirs is not comparable: it counts index arithmetic)",
        "image, filter"));
  }

 private:
  // Printed for sharpening; for averaging the quotient of the times they print.
  double paper_speedup(int line, int column) const {
    return filter_.seconds == p2::sharpening_seconds
               ? p2::sharpening_speedup[line][column]
               : filter_.seconds[line][0] / filter_.seconds[line][column + 1];
  }

  const Filter& filter_;
  Grid time_, speedup_, accesses_, overhead_, rate_;
};

}  // namespace

void bench_memory_ladder(Session& session) {
  for (const Filter& filter : filters) {
    Tables tables(filter);
    std::string details;
    for (const int32_t side : session.sizes({256, 512, 1024, 2048})) {
      const Image<float> src = Session::floats_of(session.photograph(side, side));
      for (const int n : {3, 5, 9}) {
        const Stencil stencil = filter.make(n);
        Work work = convolve_work("memory-ladder", fmt::format("{} {}x{}", filter.name, n, n),
                                  stencil, src);
        work.end_to_end = true;
        const Measured measured = measure_convolve(session, work, stencil, [&](Row& row) {
          const bool theirs = row.space == "device" || row.strategy == "serial";
          const double ms = theirs ? paper_ms(filter, row.strategy, side, n) : 0;
          if (ms > 0) row.paper_figure = PaperFigure{ms, "ms", "kernel time"};
        });
        tables.add(measured, side, n);
        details += details_of(
            fmt::format("{} {}x{}, {}x{} f32, {}", filter.name, n, n, side, side, session.where()),
            measured);
      }
    }
    tables.print(session);
    session.print(details);
  }
}

}  // namespace cuesta::bench
