// Strategy `plain` (device): the least or largest sample under the element, a thread a pixel, or a
// thread a word of 64 pixels of a mask of bits. The element goes over as a list of cells. Erosion
// is the dilation of what is complemented, so both are one kernel.
#include "ops/morphology/cuda.hpp"

#include <vector>

#include "core/bits.hpp"
#include "ops/morphology/step.cuh"

namespace cuesta {
namespace {

using morphology_cuda::bit_range;
using morphology_cuda::Rule;

/// A cell of the element, from its anchor.
struct Cell {
  int16_t dx, dy;
};

/// A step with its element as a list of cells.
struct CellRule : Rule {
  const Cell* cells;
  int32_t count;
  int32_t sign;  // −1: the element turned by 180 degrees
};

template <class T>
struct StepSamples {
  ImageView<const T, Space::device> src;
  ImageView<T, Space::device> dst;
  CellRule rule;

  __device__ void operator()(int32_t x, int32_t y) const {
    if (rule.leaves_rows(y, src.height) || rule.leaves_columns(x, src.width)) {
      dst.at(x, y) = 0;
      return;
    }
    const T flip = rule.dilate ? T(0) : T(~T(0));
    T best = 0;  // what never wins
    for (int32_t n = 0; n < rule.count; ++n) {
      const Cell cell = rule.cells[n];
      const int32_t sx = x + rule.sign * cell.dx, sy = y + rule.sign * cell.dy;
      const bool inside = uint32_t(sx) < uint32_t(src.width) && uint32_t(sy) < uint32_t(src.height);
      if (!inside && rule.neutral) continue;
      const T v = T((inside ? src.at(sx, sy) : outside_sample(sx, sy)) ^ flip);
      best = best < v ? v : best;
    }
    dst.at(x, y) = T(best ^ flip);
  }
  __device__ T outside_sample(int32_t x, int32_t y) const {
    const int32_t sx = map_index(rule.border, x, src.width);
    const int32_t sy = map_index(rule.border, y, src.height);
    return sx < 0 || sy < 0 ? T(rule.outside) : src.at(sx, sy);
  }
};

struct StepBits {
  BasicBitView<const uint64_t, Space::device> src;
  BasicBitView<uint64_t, Space::device> dst;
  CellRule rule;

  /// Word `w` of row y.
  __device__ void operator()(int32_t w, int32_t y) const {
    const int32_t first = w * 64;
    const uint64_t wanted = bit_range<uint64_t>(0, int64_t(src.width) - first);
    uint64_t& result = dst.row(y)[w];
    if (rule.leaves_rows(y, src.height)) {
      result = 0;
      return;
    }
    const uint64_t flip = rule.dilate ? 0 : ~uint64_t(0);
    const uint64_t outside = (rule.outside ? ~uint64_t(0) : 0) ^ flip;
    uint64_t found = 0;
    for (int32_t n = 0; n < rule.count; ++n) {
      const Cell cell = rule.cells[n];
      int32_t sy = y + rule.sign * cell.dy;
      const int32_t sx = first + rule.sign * cell.dx;
      if (uint32_t(sy) >= uint32_t(src.height)) {
        if (rule.neutral) continue;
        sy = map_index(rule.border, sy, src.height);
        if (sy < 0) {
          found |= outside;
          continue;
        }
      }
      const uint64_t* row = src.row(sy);
      // Pixels sx … sx + 63, and which of them the picture has.
      const uint64_t inside = bit_range<uint64_t>(-int64_t(sx), int64_t(src.width) - sx);
      uint64_t seen = (pixels(row, sx) ^ flip) & inside;
      uint64_t missing = rule.neutral ? 0 : wanted & ~inside;
      if (rule.border == BorderMode::constant || rule.border == BorderMode::ignore) {
        seen |= outside & missing;
        missing = 0;
      }
      for (; missing; missing &= missing - 1) {
        const int32_t i = __ffsll(int64_t(missing)) - 1;
        const int32_t from = map_index(rule.border, sx + i, src.width);
        seen |= (((row[from >> 6] >> (from & 63)) ^ flip) & 1) << i;
      }
      found |= seen;
    }
    uint64_t keep = wanted;
    if (rule.ignores()) {
      keep &= bit_range<uint64_t>(int64_t(rule.anchor_x) - first,
                                  int64_t(src.width) - rule.width + rule.anchor_x + 1 - first);
    }
    result = (found ^ flip) & keep;
  }

  /// The pixels x … x + 63 of a row; those that it does not have are anything.
  __device__ uint64_t pixels(const uint64_t* row, int32_t x) const {
    const int32_t word = x >> 6, shift = x & 63;  // both round down
    const uint64_t low = uint32_t(word) < uint32_t(src.words()) ? row[word] >> shift : 0;
    if (shift == 0 || uint32_t(word + 1) >= uint32_t(src.words())) return low;
    return low | row[word + 1] << (64 - shift);
  }
};

// -- Pictures -------------------------------------------------------------------------------------

template <class T>
struct Samples {
  using Source = ImageView<const T, Space::device>;
  using Result = ImageView<T, Space::device>;
  static Source source(ConstAnyView view) { return view.as<T, Space::device>(); }
  static Result result(AnyView view) { return view.as<T, Space::device>(); }
  static Result scratch(ConstAnyView like, Call& call) {
    return call.scratch().image<T, Space::device>(like.width, like.height);
  }
  static void step(const Source& src, const Result& dst, const CellRule& rule, Call& call) {
    cuda::for_each_pixel("morphology", src.width, src.height, StepSamples<T>{src, dst, rule}, call);
  }
};

struct Bits {
  using Source = BasicBitView<const uint64_t, Space::device>;
  using Result = BasicBitView<uint64_t, Space::device>;
  static Source source(ConstAnyView view) { return bits_of<Space::device>(view); }
  static Result result(AnyView view) { return bits_of<Space::device>(view); }
  static Result scratch(ConstAnyView like, Call& call) {
    return call.scratch().bits<Space::device>(like.width, like.height);
  }
  static void step(const Source& src, const Result& dst, const CellRule& rule, Call& call) {
    cuda::for_each_pixel("morphology", src.words(), src.height, StepBits{src, dst, rule}, call);
  }
};

/// The element's cells in the call's scratch.
std::span<const Cell> upload_cells(const ElementView& element, Call& call) {
  std::vector<Cell> cells;
  for (int j = 0; j < element.height(); ++j)
    for (int i = 0; i < element.width(); ++i)
      if (element.contains(i, j))
        cells.push_back({int16_t(i - element.anchor_x()), int16_t(j - element.anchor_y())});
  return {cuda::upload<Cell>(cells, call, "morphology: uploading the element"), cells.size()};
}

CellRule rule_of(const MorphologyArgs& args, std::span<const Cell> cells, bool second) {
  CellRule rule{morphology_cuda::rule_of(args, second)};
  rule.cells = cells.data();
  rule.count = int32_t(cells.size());
  rule.sign = second ? -1 : 1;
  return rule;
}

template <class Picture>
void run(const MorphologyArgs& args, Call& call) {
  const auto src = Picture::source(args.src);
  const auto dst = Picture::result(args.dst);
  const std::span<const Cell> cells = upload_cells(args.first(), call);
  const CellRule first = rule_of(args, cells, false);
  if (!args.two_steps() && args.src.data != args.dst.data) {
    Picture::step(src, dst, first, call);
    return;
  }
  const auto between = Picture::scratch(args.src, call);
  Picture::step(src, between, first, call);
  if (args.two_steps()) {
    Picture::step(between, dst, rule_of(args, cells, true), call);
  } else {
    // In place: one cell on the anchor copies.
    const Cell anchor{0, 0};
    CellRule copy{{.width = 1, .height = 1, .dilate = true, .neutral = true}};
    copy.cells = cuda::upload<Cell>(std::span(&anchor, 1), call, "morphology: in place");
    copy.count = copy.sign = 1;
    Picture::step(between, dst, copy, call);
  }
}

}  // namespace

void morphology_cuda::plain(const MorphologyArgs& args, Call& call) {
  switch (args.src.type) {
    case PixelType::u8: return run<Samples<uint8_t>>(args, call);
    case PixelType::u16: return run<Samples<uint16_t>>(args, call);
    default: return run<Bits>(args, call);
  }
}

}  // namespace cuesta
