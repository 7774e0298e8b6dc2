// Paper 004: labelling against the number of components, squares of 20 x 20 in 2048 x 2048. Their
// figure 14 is a chart: OpenCV stays level, their GPU is faster up to about half of the 3600
// squares that fit.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "bench/details.hpp"
#include "bench/session.hpp"
#include "bench/text.hpp"
#include "cuesta/objects.hpp"
#include "verify/patterns.hpp"

namespace cuesta::bench {
namespace {

constexpr int32_t square = 20;
// A square lies anywhere in a cell of its own, one column and row clear of the next cell; 60 x 60
// cells fit 2048 x 2048.
constexpr int32_t cell = 34;

int32_t max_squares(int32_t side) { return (side / cell) * (side / cell); }

// `count` cells chosen at random, the same on every machine.
Image<uint8_t> squares(int32_t side, int32_t count) {
  verify::Random random(4);
  std::vector<int32_t> cells(size_t(max_squares(side)));
  for (size_t i = 0; i < cells.size(); ++i) {
    cells[i] = int32_t(i);
    std::swap(cells[i], cells[random.below(uint32_t(i) + 1)]);
  }
  Image<uint8_t> mask(side, side);
  for (int32_t y = 0; y < side; ++y) std::fill_n(mask.row(y), side, uint8_t(0));
  for (int32_t i = 0; i < count; ++i) {
    const int32_t across = side / cell, at = cells[size_t(i)];
    const int32_t left = at % across * cell + int32_t(random.below(cell - square));
    const int32_t top = at / across * cell + int32_t(random.below(cell - square));
    for (int32_t y = top; y < top + square; ++y)
      std::fill_n(mask.row(y) + left, square, uint8_t(255));
  }
  return mask;
}

std::string text_of(const std::vector<Component>& components) {
  std::string text;
  for (const Component& c : components) {
    fmt::format_to(std::back_inserter(text), "{} {} {} {} {} {} {} {}\n", c.label, c.box.x, c.box.y,
                   c.box.width, c.box.height, c.area, c.sum_x, c.sum_y);
  }
  return text;
}

// Every square is whole and alone, and OpenCV finds the same areas.
bool as_promised(Session& session, const Image<uint8_t>& mask, int32_t count) {
  std::vector<Component> found;
  label(mask, {}, &found, {}, session.exec());
  const bool whole = int32_t(found.size()) == count &&
                     std::all_of(found.begin(), found.end(),
                                 [](const Component& c) { return c.area == square * square; });
  if (!session.expect(whole, fmt::format("label-density: not {} squares", count))) return false;
  if (!session.opencv()) return true;
  std::vector<int64_t> theirs;
  session.opencv()->components(mask, theirs);
  return session.expect(theirs == std::vector<int64_t>(size_t(count), square * square),
                        fmt::format("label-density: opencv, {} squares", count));
}

class Tables {
 public:
  void add(const Measured& measured, int32_t count) {
    const std::string column = fmt::to_string(count);
    for (const Row& row : measured.rows) {
      time_.set(label_of(row), column, milliseconds(row.ms));
      if (row.space == "host") continue;
      for (const auto& [stage, ms] : row.stages)
        stages_.set(fmt::format("{}: {}", label_of(row), stage), column, milliseconds(ms));
    }
    times_.push_back(measured);
  }
  std::string text(const std::string& title) {
    if (times_.empty()) return {};
    // How much the fullest mask costs over the empty one.
    for (const Row& last : times_.back().rows) {
      for (const Row& first : times_.front().rows) {
        if (label_of(first) == label_of(last) && first.ms > 0)
          time_.set(label_of(last), "full/empty", figure(last.ms / first.ms));
      }
    }
    std::string text = time_.text(
        title + ": ms by number of components (no paper figure: chart only)", "strategy");
    if (!stages_.empty())
      text += stages_.text(title + ": ms by stage and number of components", "stage");
    return text;
  }

 private:
  Grid time_, stages_;
  std::vector<Measured> times_;
};

}  // namespace

void bench_label_density(Session& session) {
  for (const int32_t side : session.sizes({2048})) {
    Tables tables;
    Measured last;
    const int32_t most = max_squares(side), steps = session.quick() ? 4 : 12;
    for (int32_t step = 0, before = -1; step <= steps; ++step) {
      const int32_t count = int32_t(int64_t(most) * step / steps);
      if (std::exchange(before, count) == count) continue;  // a small picture has few
      const Image<uint8_t> mask = squares(side, count);
      if (!as_promised(session, mask, count)) continue;
      std::vector<Component> found;
      Work work;
      work.experiment = "label-density";
      work.operation = "label";
      work.parameters = fmt::format("{0} squares of {1}x{1}, labels and components", count, square);
      work.sources = {mask};
      work.result = PixelType::s32;
      work.bytes_per_pixel = 1 + 4;
      work.stages = true;
      work.call = [&](ConstAnyView src, AnyView labels, const Exec& exec) {
        label(src, labels, &found, {}, exec);
      };
      work.answer = [&] { return text_of(found); };
      std::vector<int64_t> areas;
      work.opencv = [&](Peer& peer, ConstAnyView src, AnyView) { peer.components(src, areas); };
      work.npp = [](DevicePeer& peer, ConstAnyView src, AnyView labels, void* stream) {
        peer.label(src, labels, stream);
      };
      last = session.measure(
          work, [&](Row& row) { row.statistics.emplace_back("components", double(count)); });
      tables.add(last, count);
      for (std::string& note : last.notes) {
        if (note.starts_with("npp: not equal")) note = "npp: labels alone, in numbers of its own";
      }
    }
    const std::string title =
        fmt::format("paper 004: labelling, squares of {0}x{0} in {1}x{1} u8, {2}", square, side,
                    session.where());
    session.print(tables.text(title));
    session.print(details_of(fmt::format("{}: {} components", title, most), last));
  }
}

}  // namespace cuesta::bench
