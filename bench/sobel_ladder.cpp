// Paper 003: Sobel's magnitude and two sharpening filters at 512 × 512, in blocks of 32 and 16,
// with the gain of each step over the one before. Their pictures are floats and their magnitude a
// root; ours are u8 with the L2 magnitude in f32, and f32 for sharpening.
#include <fmt/format.h>

#include <array>
#include <optional>

#include "bench/convolve_work.hpp"
#include "bench/details.hpp"
#include "bench/text.hpp"
#include "cuesta/edges.hpp"

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

double theirs(const Step& step, bool block_32) { return block_32 ? step.ms_32 : step.ms_16; }

std::string gain(double before, double after) {
  return before > 0 && after > 0 ? fmt::format("{:.0f} %", 100 * (1 - after / before)) : "-";
}

// Theirs were made at 512 × 512 only.
void set_paper_figures(Row& row, std::span<const Step> steps) {
  const std::string block = parameter_of(row, "block", "");
  if (row.space != "device" || row.width != 512 || (block != "32" && block != "16")) return;
  for (const Step& step : steps) {
    if (row.strategy == step.strategy)
      row.paper_figure = PaperFigure{theirs(step, block == "32"), "ms", "processing time"};
  }
}

std::string steps_text(const std::string& title, const Measured& measured,
                       std::span<const Step> steps, const std::string& block) {
  TextTable table(fmt::format("{}, block {}", title, block),
                  {"step", "ms", "over the step before", "over the first", "paper's ms",
                   "over the step before", "over the first"});
  double first = 0, before = 0, their_before = 0;
  for (const Step& step : steps) {
    const double their_ms = theirs(step, block == "32");
    double ms = 0;
    for (const Row& row : measured.rows) {
      if (row.space == "device" && row.strategy == step.strategy &&
          parameter_of(row, "block", "") == block)
        ms = row.ms;
    }
    if (first == 0) first = ms;
    table.add({step.strategy, milliseconds(ms), gain(before, ms), gain(first, ms),
               fmt::format("{:.3f}", their_ms), gain(their_before, their_ms),
               gain(theirs(steps[0], block == "32"), their_ms)});
    before = ms;
    their_before = their_ms;
  }
  if (const Row* copy = measured.find("device copy", Space::device))
    table.add({"a copy of the picture", milliseconds(copy->ms), "", "", "", "", ""});
  return table.text();
}

void report(Session& session, const std::string& title, const Measured& measured,
            std::span<const Step> steps) {
  if (session.gpu()) {
    for (const char* block : {"32", "16"}) session.print(steps_text(title, measured, steps, block));
  }
  session.print(details_of(title + ", all strategies", measured));
}

}  // namespace

void bench_sobel_ladder(Session& session) {
  for (const int32_t side : session.sizes({512})) {
    const Image<uint8_t> bytes = session.photograph(side, side);
    const Image<float> floats = Session::floats_of(bytes);
    const auto title = [&](const char* what, const char* type) {
      return fmt::format("paper 003: {}, {}x{} {}, {}", what, side, side, type, session.where());
    };

    Work work;
    work.experiment = "sobel-ladder";
    work.operation = "sobel";
    work.parameters = "magnitude L2 to f32";
    work.sources = {bytes};
    work.result = PixelType::f32;
    work.bytes_per_pixel = 1 + 4;
    work.flops_per_pixel = 2 * 2 * 9 + 3;  // two sums of nine products, two squares, their sum
    work.sweeps = {{"block", {"32", "16"}}};
    work.call = [](ConstAnyView src, AnyView dst, const Exec& exec) {
      sobel(src, {.magnitude = dst}, {.norm = Norm::l2}, exec);
    };
    report(session, title("Sobel, L2 to f32", "u8"),
           session.measure(work, [](Row& row) { set_paper_figures(row, sobel_steps); }),
           sobel_steps);
    // What pictures are made of today, and the host's production takes.
    work.parameters = "magnitude L1 to u8";
    work.result = PixelType::u8;
    work.bytes_per_pixel = 1 + 1;
    work.call = [](ConstAnyView src, AnyView dst, const Exec& exec) {
      sobel(src, {.magnitude = dst}, {}, exec);
    };
    work.opencv = [](Peer& peer, ConstAnyView src, AnyView dst) { peer.sobel_magnitude(src, dst); };
    work.opencv_equal = true;
    work.npp = [](DevicePeer& peer, ConstAnyView src, AnyView dst, void* stream) {
      peer.sobel_magnitude(src, dst, stream);
    };
    session.print(details_of(title("Sobel, L1 to u8", "u8"), session.measure(work)));

    const std::pair<const char*, Stencil> filters[] = {
        {"sharpening -1 .. 9 .. -1", stencils::sharpen(3)},
        {"sharpening 2d - box/9", stencils::unsharp(3)}};
    for (const auto& [name, stencil] : filters) {
      Work sharpening = convolve_work("sobel-ladder", name, stencil, floats);
      sharpening.sweeps = work.sweeps;
      sharpening.takes = [](const StrategyDescription& row) {
        return row.space == Space::host || row.name == "global" || row.name == "shared-1d";
      };
      // Their figures are the first filter's.
      const bool printed = &stencil == &filters[0].second;
      const Measured measured = measure_convolve(session, sharpening, stencil, [&](Row& row) {
        if (printed) set_paper_figures(row, sharpen_steps);
      });
      report(session, title(name, "f32"), measured, sharpen_steps);
    }
  }
}

}  // namespace cuesta::bench
