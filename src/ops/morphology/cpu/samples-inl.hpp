// Runs of an element by doubling, and one step over a strip of rows of samples; compiled once for
// every instruction set.
#if defined(CUESTA_MORPHOLOGY_SAMPLES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_MORPHOLOGY_SAMPLES_INL_HPP
#undef CUESTA_MORPHOLOGY_SAMPLES_INL_HPP
#else
#define CUESTA_MORPHOLOGY_SAMPLES_INL_HPP
#endif

#include <hwy/highway.h>

#include <bit>

#include "cpu/simd-inl.hpp"
#include "ops/morphology/element_runs.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

using morph::ElementRuns;
using morph::Run;

// Vectors of 64 bytes at most.
template <class Lane>
using Tag = hn::CappedTag<Lane, 64 / sizeof(Lane)>;

// The words of bits or the samples of gray pictures; lanes are unsigned in both.
template <class Lane>
constexpr bool is_bits = sizeof(Lane) == 8;

template <bool Dilate, class D, class V>
HWY_INLINE V join(D, V a, V b) {
  if constexpr (is_bits<hn::TFromD<D>>)
    return Dilate ? hn::Or(a, b) : hn::And(a, b);
  else
    return Dilate ? hn::Max(a, b) : hn::Min(a, b);
}

// What never wins.
template <bool Dilate, class Lane>
constexpr Lane neutral = Dilate ? Lane(0) : Lane(~Lane(0));

// 64 pixels a lane, `offset` pixels further on than lane i's own.
template <class D>
HWY_INLINE auto load_shifted(D d, const uint64_t* row, ptrdiff_t i, int offset) {
  const uint64_t* from = row + i + offset / 64;
  const int bit = offset % 64;
  const auto low = hn::LoadU(d, from);
  if (bit == 0) return low;
  return hn::Or(hn::ShiftRightSame(low, bit), hn::ShiftLeftSame(hn::LoadU(d, from + 1), 64 - bit));
}
template <class D, class Lane>
HWY_INLINE auto load_shifted(D d, const Lane* row, ptrdiff_t i, int offset) {
  return hn::LoadU(d, row + i + offset);
}

// Level by level: blocks of 2^level lanes' pixels from blocks half as long. `rows` has a row of
// every level, the first of which is the source row.
template <bool Dilate, class Lane>
void double_up(Lane* const* rows, int top_level, ptrdiff_t lanes) {
  const Tag<Lane> d;
  for (int level = 1; level <= top_level; ++level) {
    const Lane* from = rows[level - 1];
    const int step = 1 << (level - 1);
    for (ptrdiff_t i = 0; i < lanes; i += ptrdiff_t(hn::Lanes(d))) {
      hn::StoreU(join<Dilate>(d, hn::LoadU(d, from + i), load_shifted(d, from, i, step)), d,
                 rows[level] + i);
    }
  }
}

// One step over one strip of rows of samples. A moved block is a load at another address, so source
// rows keep their blocks in a ring as high as the element, and an output row is joined in
// registers.
template <bool Dilate, class T>
class SampleStrip {
 public:
  using Lane = T;
  // Doubling reaches 2^6 samples and a vector further, an output row two vectors.
  static ptrdiff_t stride_for(ptrdiff_t lanes) { return (lanes + 63) / 64 * 64 + 128; }
  static size_t rows_for(const ElementRuns& runs) {
    return size_t(runs.top_level() + 1) * size_t(runs.element().height());
  }

  SampleStrip(const ElementRuns& runs, int, ptrdiff_t lanes, int32_t, Lane* memory)
      : runs_(runs), height_(runs.element().height()), lanes_(lanes), stride_(stride_for(lanes)) {
    // What vectors read past the lanes never reaches a result, but it is defined.
    for (size_t r = 0; r < rows_for(runs); ++r)
      std::fill_n(memory + stride_ * ptrdiff_t(r) + lanes, stride_ - lanes, T(0));
    for (int level = 0; level <= runs.top_level(); ++level)
      ring_[level] = memory + stride_ * height_ * level;
  }

  T* source_row() { return ring_[0] + stride_ * next_; }
  void add() {
    T* rows[ElementRuns::max_levels];
    for (int level = 0; level <= runs_.top_level(); ++level)
      rows[level] = ring_[level] + stride_ * next_;
    double_up<Dilate>(rows, runs_.top_level(), lanes_);
    next_ = next_ + 1 == height_ ? 0 : next_ + 1;
  }

  // Writes the output row whose window ends with the row added last. `from` has room for two
  // pointers a run.
  void finish(const T** from, T* to, ptrdiff_t width) {
    int count = 0;
    runs_.for_each([&](const Run& run) {
      const int slot = next_ + run.row < height_ ? next_ + run.row : next_ + run.row - height_;
      const T* blocks = ring_[run.level()] + stride_ * slot;
      from[count++] = blocks + run.begin;
      if (run.last_block() != run.begin) from[count++] = blocks + run.last_block();
    });
    const Tag<T> d;
    const auto n = ptrdiff_t(hn::Lanes(d));
    for (ptrdiff_t x = 0; x < width; x += 2 * n) {
      auto v = hn::LoadU(d, from[0] + x), w = hn::LoadU(d, from[0] + x + n);
      for (int b = 1; b < count; ++b) {
        v = join<Dilate>(d, v, hn::LoadU(d, from[b] + x));
        w = join<Dilate>(d, w, hn::LoadU(d, from[b] + x + n));
      }
      store_upto(v, d, to + x, width - x);
      store_upto(w, d, to + x + n, width - x - n);
    }
  }

 private:
  const ElementRuns& runs_;
  int height_;
  ptrdiff_t lanes_, stride_;
  T* ring_[ElementRuns::max_levels];
  int next_ = 0;
};

// The same of rectangles: every row has the same run, so that a source row is joined across once,
// and rows double downwards as samples do across.
template <bool Dilate, class T>
class RectangleStrip {
 public:
  using Lane = T;
  static ptrdiff_t stride_for(ptrdiff_t lanes) { return SampleStrip<Dilate, T>::stride_for(lanes); }
  static size_t rows_for(const ElementRuns& runs) {
    size_t rows = size_t(runs.top_level()) + 1;
    for (int level = 0; level <= top_down(runs); ++level) rows += size_t(depth(level));
    return rows;
  }

  RectangleStrip(const ElementRuns& runs, int, ptrdiff_t lanes, int32_t width, Lane* memory)
      : top_level_(runs.top_level()),
        top_down_(top_down(runs)),
        height_(runs.element().height()),
        second_(runs.element().width() - (1 << top_level_)),
        lanes_(lanes),
        width_(width),
        stride_(stride_for(lanes)) {
    // What is read before it is made never reaches a result, but it is defined.
    std::fill_n(memory, size_t(stride_) * rows_for(runs), T(0));
    for (int level = 0; level <= top_level_; ++level, memory += stride_) across_[level] = memory;
    for (int level = 0; level <= top_down_; ++level) {
      down_[level] = memory;
      memory += stride_ * depth(level);
    }
  }

  T* source_row() { return across_[0]; }
  void add() {
    double_up<Dilate>(across_, top_level_, lanes_);
    ++newest_;
    T* to[ElementRuns::max_levels];
    const T* older[ElementRuns::max_levels];
    for (int level = 0; level <= top_down_; ++level) {
      to[level] = row(level, newest_);
      older[level] = row(level, newest_ - (1 << level));
    }
    const Tag<T> d;
    const T *first = across_[top_level_], *second = first + second_;
    for (ptrdiff_t x = 0; x < width_; x += ptrdiff_t(hn::Lanes(d))) {
      auto v = join<Dilate>(d, hn::LoadU(d, first + x), hn::LoadU(d, second + x));
      for (int level = 0; level < top_down_; ++level) {
        hn::StoreU(v, d, to[level] + x);
        v = join<Dilate>(d, v, hn::LoadU(d, older[level] + x));
      }
      hn::StoreU(v, d, to[top_down_] + x);
    }
  }
  // Writes the output row whose window ends with the row added last.
  void finish(const T**, T* to, ptrdiff_t width) {
    const Tag<T> d;
    const T* lower = row(top_down_, newest_);
    const T* upper = row(top_down_, newest_ - height_ + (1 << top_down_));
    for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(d)))
      store_upto(join<Dilate>(d, hn::LoadU(d, lower + x), hn::LoadU(d, upper + x)), d, to + x,
                 width - x);
  }

 private:
  static int top_down(const ElementRuns& runs) {
    return std::bit_width(unsigned(runs.element().height())) - 1;
  }
  // Rows of blocks 2^level high that are kept.
  static ptrdiff_t depth(int level) { return (ptrdiff_t(1) << level) + 1; }
  T* row(int level, ptrdiff_t y) const { return down_[level] + stride_ * (y % depth(level)); }

  int top_level_, top_down_, height_, second_;
  ptrdiff_t lanes_, width_, stride_;
  T *across_[ElementRuns::max_levels], *down_[ElementRuns::max_levels];
  ptrdiff_t newest_ = 256;  // rows before the first are read too
};

}  // namespace
}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
