// Paper 001: Canny from picture to edges, frames a second at 64 x 64 to 1024 x 1024. Theirs times
// the GPU with what it copies between its stages; ours is given with the pictures on the GPU
// already, and with upload and download from pageable and from pinned memory.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bench/canny_work.hpp"
#include "bench/details.hpp"
#include "bench/paper_001.hpp"
#include "bench/text.hpp"

namespace cuesta::bench {
namespace {

namespace p1 = paper_001;

std::string fps(double ms) {
  return ms > 0 ? fmt::format("{:.{}f}", 1000 / ms, ms > 10 ? 1 : 0) : "-";
}

// A column a size, the paper's two lines last.
class Tables {
 public:
  void add(const Measured& measured, int32_t side) {
    const std::string size = fmt::format("{0}x{0}", side);
    for (const Row& row : measured.rows) {
      const std::string name = label_of(row);
      time_.set(name, size, milliseconds(row.ms));
      if (row.operation == "copy") continue;
      rate_.set(name, size, fps(row.ms));
      if (row.pageable_ms == 0) continue;
      pageable_.set(name, size, fps(row.pageable_ms));
      pinned_.set(name, size, fps(row.pinned_ms));
    }
    columns_.push_back({side, size});
  }

  void print(Session& session, const std::string& title) {
    for (const auto& [side, size] : columns_) {
      time_.set("paper, Quadro P5000", size, paper_figure(p1::at(p1::gpu_ms, side), 4));
      for (Grid* grid : {&rate_, &pageable_, &pinned_})
        grid->set("paper, Quadro P5000", size, paper_figure(p1::at(p1::gpu_fps, side), 0));
      rate_.set("paper, 16 cores", size, paper_figure(p1::at(p1::cpu_fps, side), 0));
    }
    session.print(time_.text(title + ": a picture, ms", "strategy"));
    session.print(rate_.text(
        title + ": frames a second" + (session.gpu() ? ", pictures resident on the GPU" : ""),
        "strategy"));
    if (!session.gpu()) return;
    session.print(pageable_.text(
        title + ": frames a second with upload and download, pageable memory", "strategy"));
    session.print(pinned_.text(title + ": frames a second with upload and download, pinned memory",
                               "strategy"));
  }

 private:
  Grid time_, rate_, pageable_, pinned_;
  std::vector<std::pair<int32_t, std::string>> columns_;
};

// The paper's hypothesis, at its largest size.
std::string goal_text(const Measured& measured, int32_t side) {
  std::vector<std::string> missed;
  for (const Row& row : measured.rows) {
    const double ms = std::max(row.ms, row.pageable_ms);
    if (row.operation != "copy" && ms > 1000 / p1::goal_fps) missed.push_back(label_of(row));
  }
  return fmt::format(
      "  the paper's goal, {:.0f} frames a second at {}x{}, transfers included: {}\n", p1::goal_fps,
      side, side,
      missed.empty() ? std::string("every row reaches it")
                     : fmt::format("missed by {}", fmt::join(missed, "; ")));
}

}  // namespace

void bench_canny_fps(Session& session) {
  Tables tables;
  std::string notes;
  for (const int32_t side : session.sizes({std::begin(p1::sides), std::end(p1::sides)})) {
    const Image<uint8_t> src = canny_picture(side);
    Work work = canny_work("canny-fps", canny_options(), src);
    work.end_to_end = true;
    const Measured measured = session.measure(work, set_paper_001_figure);
    tables.add(measured, side);
    for (const std::string& note : measured.notes)
      notes += fmt::format("  {0}x{0}: {1}\n", side, note);
    if (side == 1024) notes += goal_text(measured, side);
  }
  tables.print(session, fmt::format("paper 001: Canny u8, {}", session.where()));
  session.print(notes);
}

}  // namespace cuesta::bench
