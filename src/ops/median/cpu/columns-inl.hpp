// Medians of bytes by histograms of columns (Perreault and Hébert, "Median filtering in constant
// time", 2007): a window's histogram slides by one column in and one out. Included as
// cpu/simd-inl.hpp is.
#if defined(CUESTA_MEDIAN_COLUMNS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_MEDIAN_COLUMNS_INL_HPP
#undef CUESTA_MEDIAN_COLUMNS_INL_HPP
#else
#define CUESTA_MEDIAN_COLUMNS_INL_HPP
#endif

#include <algorithm>
#include <cstring>

#include "cpu/simd-inl.hpp"
#include "ops/median/histograms.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

// Sixteen counts, each of all samples up to its own bin, as vectors. A column's are u8 (255 rows at
// most); a window's are Count, u8 up to 15 × 15.
template <class Count>
class Sums16 {
  using D = hn::CappedTag<Count, 16>;
  using Bytes = hn::Rebind<uint8_t, D>;
  static constexpr size_t lanes = hn::MaxLanes(D());
  static constexpr size_t parts = 16 / lanes;

 public:
  // Written out: the compiler's own constructor would stand outside the target's attributes, where
  // NEON's vectors cannot be made.
  HWY_INLINE Sums16() {
    for (size_t p = 0; p < parts; ++p) parts_[p] = hn::Zero(D());
  }
  HWY_INLINE void add(const uint8_t* column) {
    for (size_t p = 0; p < parts; ++p) parts_[p] = hn::Add(parts_[p], load(column, p));
  }
  HWY_INLINE void slide(const uint8_t* in, const uint8_t* out) {
    for (size_t p = 0; p < parts; ++p)
      parts_[p] = hn::Add(parts_[p], hn::Sub(load(in, p), load(out, p)));
  }
  HWY_INLINE void load(const Count* from) {
    for (size_t p = 0; p < parts; ++p) parts_[p] = hn::LoadU(D(), from + p * lanes);
  }
  HWY_INLINE void store(Count* to) const {
    for (size_t p = 0; p < parts; ++p) hn::StoreU(parts_[p], D(), to + p * lanes);
  }
  /// The first bin whose sum passes `rank`: as many as do not.
  HWY_INLINE size_t bin(Count rank) const {
    const auto limit = hn::Set(D(), rank);
    size_t count = 0;
    for (size_t p = 0; p < parts; ++p)
      count += hn::CountTrue(D(), hn::Eq(hn::SaturatedSub(parts_[p], limit), hn::Zero(D())));
    return count;
  }

 private:
  static HWY_INLINE hn::VFromD<D> load(const uint8_t* from, size_t part) {
    if constexpr (sizeof(Count) == 1)
      return hn::LoadU(D(), from + part * lanes);
    else
      return hn::PromoteTo(D(), hn::LoadU(Bytes(), from + part * lanes));
  }
  hn::VFromD<D> parts_[parts];
};

using Sixteen = hn::CappedTag<uint8_t, 16>;

HWY_INLINE void add_from(uint8_t* counts, const uint8_t* steps) {
  for (size_t i = 0; i < 16; i += hn::Lanes(Sixteen())) {
    hn::StoreU(hn::Add(hn::LoadU(Sixteen(), counts + i), hn::LoadU(Sixteen(), steps + i)),
               Sixteen(), counts + i);
  }
}
HWY_INLINE void take_from(uint8_t* counts, const uint8_t* steps) {
  for (size_t i = 0; i < 16; i += hn::Lanes(Sixteen())) {
    hn::StoreU(hn::Sub(hn::LoadU(Sixteen(), counts + i), hn::LoadU(Sixteen(), steps + i)),
               Sixteen(), counts + i);
  }
}

/// One channel of one tile of columns, marched down. Column e holds the samples of the rows of the
/// window now; the window of the tile's x-th pixel is columns x .. x + 2r.
template <class Count>
class Tile {
 public:
  Tile(const medians::ColumnMemory& memory, int32_t ksize, int32_t columns)
      : memory_(memory), ksize_(ksize), columns_(columns), half_(Count(ksize * ksize / 2)) {
    std::memset(memory.coarse, 0, size_t(columns) * 16);
    for (int32_t bin = 0; bin < 16; ++bin) std::memset(fine(bin, 0), 0, size_t(columns) * 16);
  }

  void enter(const uint8_t* in, int32_t step) {
    for (int32_t e = 0; e < columns_; ++e) {
      const uint8_t v = in[ptrdiff_t(e) * step];
      add_from(coarse(e), medians::steps[v >> 4].data());
      add_from(fine(v >> 4, e), medians::steps[v & 15].data());
    }
  }
  HWY_INLINE void exchange(int32_t e, uint8_t in, uint8_t out) const {
    add_from(coarse(e), medians::steps[in >> 4].data());
    take_from(coarse(e), medians::steps[out >> 4].data());
    add_from(fine(in >> 4, e), medians::steps[in & 15].data());
    take_from(fine(out >> 4, e), medians::steps[out & 15].data());
  }
  /// Row `out` (none for the first row of a strip) leaves the columns, row `in` enters. put(x,
  /// median, before) gets the median of the window at every pixel, and how many samples of the same
  /// value come before the one of its rank.
  template <class Put>
  void row(const uint8_t* in, const uint8_t* out, int32_t step, Put&& put) {
    const Tile local = *this;  // byte stores may alias anything but a local
    local.local_row(in, out, step, put);
  }

 private:
  template <class Put>
  HWY_INLINE void local_row(const uint8_t* in, const uint8_t* out, int32_t step, Put&& put) const {
    const int32_t around = ksize_ - 1, width = columns_ - around;
    Sums16<Count> sums;
    for (int32_t e = 0; e < around; ++e) {
      if (out) exchange(e, in[ptrdiff_t(e) * step], out[ptrdiff_t(e) * step]);
      sums.add(coarse(e));
    }
    Count coarse_sums[17], fine_sums[16][16];
    coarse_sums[0] = 0;
    int32_t made[16];  // the pixel whose window fine_sums[bin] are of
    std::fill_n(made, 16, -ksize_);
    for (int32_t x = 0; x < width; ++x) {
      const int32_t last = x + around;
      if (out) exchange(last, in[ptrdiff_t(last) * step], out[ptrdiff_t(last) * step]);
      if (x == 0)
        sums.add(coarse(last));
      else
        sums.slide(coarse(last), coarse(x - 1));
      sums.store(coarse_sums + 1);
      const size_t bin = sums.bin(half_);
      Sums16<Count> inner;
      if (2 * (x - made[bin]) < ksize_) {
        inner.load(fine_sums[bin]);
        for (int32_t i = made[bin]; i < x; ++i)
          inner.slide(fine(int32_t(bin), i + ksize_), fine(int32_t(bin), i));
      } else {
        for (int32_t i = x; i <= last; ++i) inner.add(fine(int32_t(bin), i));
      }
      inner.store(fine_sums[bin]);
      made[bin] = x;
      const auto rank = Count(half_ - coarse_sums[bin]);
      const size_t within = inner.bin(rank);
      put(x, uint8_t(16 * bin + within),
          Count(rank - (within == 0 ? Count(0) : fine_sums[bin][within - 1])));
    }
  }
  uint8_t* coarse(int32_t e) const { return memory_.coarse + ptrdiff_t(e) * 16; }
  uint8_t* fine(int32_t bin, int32_t e) const {
    return memory_.fine + (ptrdiff_t(bin) * memory_.columns + e) * 16;
  }
  medians::ColumnMemory memory_;
  int32_t ksize_, columns_;
  Count half_;
};

}  // namespace
}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
