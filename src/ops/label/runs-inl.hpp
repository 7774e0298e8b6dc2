// Runs of set pixels in rows of bits, and which runs of two neighbouring rows touch, from whole
// words: no list of coordinates is kept. A run is known by its number in its row. Compiled once for
// every instruction set, as most of them count and find bits in one instruction.
#if defined(CUESTA_LABEL_RUNS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_LABEL_RUNS_INL_HPP
#undef CUESTA_LABEL_RUNS_INL_HPP
#else
#define CUESTA_LABEL_RUNS_INL_HPP
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {

/// A row of a mask; bits past its width read as 0.
struct Row {
  const uint64_t* words;
  int32_t width;

  int32_t count() const { return (width + 63) / 64; }
  uint64_t word(int32_t w) const {
    const uint64_t all = words[w];
    const int32_t past = (w + 1) * 64 - width;  // at most 63 in a row's last word
    return past > 0 ? all & (~uint64_t(0) >> past) : all;
  }
};

/// The most runs a row can have.
constexpr int32_t max_runs(int32_t width) { return width / 2 + width % 2; }

/// run(begin, end) for every run of a row, from the left.
template <class Run>
HWY_INLINE void for_each_run(const Row& row, Run run) {
  uint64_t carry = 0;  // whether the pixel before this word is set
  int32_t begin = 0;
  for (int32_t w = 0; w < row.count(); ++w) {
    const uint64_t word = row.word(w);
    // Pixels that differ from the one before: beginnings and ends by turns.
    uint64_t turns = word ^ (word << 1 | carry);
    if (turns && carry) {
      run(begin, w * 64 + std::countr_zero(turns));
      turns &= turns - 1;
    }
    carry = word >> 63;
    while (turns) {
      begin = w * 64 + std::countr_zero(turns);
      turns &= turns - 1;
      if (!turns) break;
      run(begin, w * 64 + std::countr_zero(turns));
      turns &= turns - 1;
    }
  }
  if (carry) run(begin, row.width);
}

/// Walks `row` under `above`. Calls
///   begins(first, count)  for `count` runs that begin in this word, before they are named below;
///   first(c, a)           where the first pixel of run c touches run a of the row above, or is
///                         one to the right of its end: at most once a run c, before later();
///   later(c, a)           for every other touching pair, each once.
/// Returns the number of runs of `row`.
///
/// Two runs touch 4-way where they share a column, and 8-way where one, widened by one column,
/// does. The leftmost such column is the beginning of one of the two, which is how pairs are found.
template <bool Eight, class Begins, class First, class Later>
HWY_INLINE int32_t walk(const Row& above, const Row& row, Begins begins, First first, Later later) {
  uint64_t above_carry = 0, row_carry = 0;
  int32_t above_runs = 0, row_runs = 0;
  for (int32_t w = 0; w < row.count(); ++w) {
    const uint64_t a = above.word(w), c = row.word(w);
    const uint64_t a_left = a << 1 | above_carry, c_left = c << 1 | row_carry;
    above_carry = a >> 63, row_carry = c >> 63;
    if (!(a | c)) continue;
    const uint64_t a_begins = a & ~a_left, c_begins = c & ~c_left;
    const int32_t beginning = std::popcount(c_begins);
    begins(row_runs, beginning);
    const uint64_t meets_first = c_begins & (Eight ? a | a_left : a);
    const uint64_t meets_later = a_begins & (Eight ? c_left : c & ~c_begins);
    for (uint64_t m = meets_first; m; m &= m - 1) {
      const uint64_t upto = m ^ (m - 1);  // its lowest bit and all below
      first(row_runs + std::popcount(c_begins & upto) - 1,
            above_runs + std::popcount(a_begins & upto) - 1);
    }
    for (uint64_t m = meets_later; m; m &= m - 1) {
      const uint64_t upto = m ^ (m - 1);
      later(row_runs + std::popcount(c_begins & (upto >> 1)) - 1,
            above_runs + std::popcount(a_begins & upto) - 1);
    }
    row_runs += beginning;
    above_runs += std::popcount(a_begins);
  }
  return row_runs;
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
