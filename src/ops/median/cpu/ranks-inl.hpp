// Medians of u16 on tiles of the picture. The samples that the windows of a tile have are sorted by
// counting; a sample's place in that order is its rank, and equal samples have different ranks. 256
// bins of equally many ranks turn the samples into bytes, whatever they are. Histograms of columns
// find the bin of each median, and the samples of that bin, in order, the median itself. Included
// as cpu/simd-inl.hpp is.
#if defined(CUESTA_MEDIAN_RANKS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_MEDIAN_RANKS_INL_HPP
#undef CUESTA_MEDIAN_RANKS_INL_HPP
#else
#define CUESTA_MEDIAN_RANKS_INL_HPP
#endif

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "cpu/extended_row.hpp"
#include "cpu/simd-inl.hpp"
#include "ops/median/args.hpp"
#include "ops/median/cpu/columns-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

/// The samples of one tile, and their ranks. `wide` × `high` of them at most.
class RankedTile {
 public:
  using Places = hn::CappedTag<uint32_t, 16>;
  static constexpr int32_t min_side = 128;  // results of a tile
  static constexpr size_t values = 65536;   // of samples
  static constexpr uint32_t bins_of_ranks = 256;

  RankedTile(Scratch& scratch, int32_t wide, int32_t high, int32_t channels)
      : row_(scratch.take<uint16_t>(size_t(wide) * size_t(channels))),
        samples_(scratch.take<uint16_t>(size_t(wide) * size_t(high))),
        counts_(scratch.take<uint32_t>(values)),
        places_(scratch.take<uint32_t>(size_t(wide) * size_t(high) + hn::MaxLanes(Places()))),
        bins_(scratch.take<uint8_t>(size_t(wide) * size_t(high))) {
    std::fill_n(counts_, values, 0);
  }

  /// Ranks the samples of channel c of the columns from `left` and the rows from `top` on.
  void rank(const MedianArgs& args, int32_t left, int32_t top, int32_t wide, int32_t high,
            int32_t c) {
    const auto src = args.src.as<uint16_t>();
    wide_ = wide;
    const uint32_t count = uint32_t(wide) * uint32_t(high);
    uint32_t least = values - 1, most = 0;
    for (int32_t y = 0; y < high; ++y) {
      cpu::extend_span(src, top + y, args.options.border, left, left + wide, row_);
      uint16_t* const to = samples_ + ptrdiff_t(wide) * y;
      for (int32_t x = 0; x < wide; ++x) {
        const uint16_t sample = row_[ptrdiff_t(x) * src.channels + c];
        to[x] = sample;
        ++counts_[sample];
        least = std::min<uint32_t>(least, sample);
        most = std::max<uint32_t>(most, sample);
      }
    }
    for (uint32_t value = least, before = 0; value <= most; ++value)
      before += std::exchange(counts_[value], before);
    bin_size_ = (count + bins_of_ranks - 1) / bins_of_ranks;
    // rank · factor >> 32 is rank / bin_size: rank · bin_size stays below 2^32.
    const uint64_t factor = (uint64_t{1} << 32) / bin_size_ + 1;
    for (int32_t y = 0; y < high; ++y) {
      const ptrdiff_t from = ptrdiff_t(wide) * y;
      for (int32_t x = 0; x < wide; ++x) {
        const uint32_t rank = counts_[samples_[from + x]]++;
        places_[rank] = uint32_t(y) << 16 | uint32_t(x);
        bins_[from + x] = uint8_t(rank * factor >> 32);
      }
    }
    std::fill_n(counts_ + least, most - least + 1, 0);
    std::fill_n(places_ + count, hn::MaxLanes(Places()), ~uint32_t{0});  // in no window
  }

  const uint8_t* bins(int32_t y) const { return bins_ + ptrdiff_t(wide_) * y; }

  /// Of the samples of a bin that are in the window of `ksize` from (x, y) on, the one that
  /// `before` others come before.
  HWY_INLINE uint16_t sample(uint32_t bin, uint32_t before, int32_t x, int32_t y,
                             int32_t ksize) const {
    // A place is in the window when both halves of its distance are below ksize: neither of them
    // nor of what bias adds has its sign set. A borrow into the upper half does not matter, because
    // the lower one then has its sign.
    const Places d;
    const auto from = hn::Set(d, uint32_t(y) << 16 | uint32_t(x));
    const auto bias = hn::Set(d, (0x8000 - uint32_t(ksize)) * 0x00010001u);
    const auto signs = hn::Set(d, 0x80008000u);
    const uint32_t* at = places_ + size_t(bin) * bin_size_;
    for (;; at += hn::Lanes(d)) {
      const auto distance = hn::Sub(hn::LoadU(d, at), from);
      const auto inside =
          hn::Eq(hn::And(hn::Or(distance, hn::Add(distance, bias)), signs), hn::Zero(d));
      const auto count = uint32_t(hn::CountTrue(d, inside));
      if (before >= count) {
        before -= count;
        continue;
      }
      uint8_t bits[8] = {};
      hn::StoreMaskBits(d, inside, bits);
      uint32_t set = bits[0] | uint32_t(bits[1]) << 8;
      for (; before > 0; --before) set &= set - 1;
      const uint32_t place = at[std::countr_zero(set)];
      return samples_[ptrdiff_t(wide_) * (place >> 16) + (place & 0xFFFF)];
    }
  }

 private:
  uint16_t *row_, *samples_;
  uint32_t *counts_, *places_;
  uint8_t* bins_;
  int32_t wide_ = 0;
  uint32_t bin_size_ = 1;
};

/// Count is u8 for windows up to 15 × 15, as of Sums16.
template <class Count>
void ranked_tiles(const MedianArgs& args, Call& call) {
  const auto dst = args.dst.as<uint16_t>();
  const int32_t k = args.options.ksize, r = k / 2, channels = dst.channels;
  const int32_t tile = std::max(RankedTile::min_side, k);
  // Every thread has a tile at least, unless those would be thinner than their windows.
  const int32_t high = std::clamp((dst.height - 1) / call.threads() + 1, std::min(k, tile), tile);
  const int32_t across = (dst.width - 1) / tile + 1, down = (dst.height - 1) / high + 1;
  const int workers = int(std::min<int64_t>(call.threads(), int64_t(across) * down));
  const int32_t max_width = std::min(tile, dst.width) + 2 * r;
  const int32_t max_height = std::min(high, dst.height) + 2 * r;
  std::vector<RankedTile> tiles;
  std::vector<medians::ColumnMemory> columns;
  for (int i = 0; i < workers; ++i) {
    tiles.emplace_back(call.scratch(), max_width, max_height, channels);
    columns.emplace_back(call.scratch().take<uint8_t>(medians::ColumnMemory::bytes(max_width)),
                         max_width);
  }
  parallel_tasks(workers, call.threads(), [&](int worker) {
    RankedTile& ranked = tiles[size_t(worker)];
    for (int64_t t = worker; t < int64_t(across) * down * channels; t += workers) {
      const auto c = int32_t(t % channels);
      const auto left = int32_t(t / channels % across) * tile;
      const auto top = int32_t(t / channels / across) * high;
      const int32_t width = std::min(tile, dst.width - left) + 2 * r;
      const int32_t height = std::min(high, dst.height - top);
      ranked.rank(args, left - r, top - r, width, height + 2 * r, c);
      Tile<Count> march(columns[size_t(worker)], k, width);
      for (int32_t y = 0; y < k; ++y) march.enter(ranked.bins(y), 1);
      for (int32_t y = 0; y < height; ++y) {
        uint16_t* const to = dst.row(top + y) + ptrdiff_t(left) * channels + c;
        march.row(ranked.bins(y + 2 * r), y > 0 ? ranked.bins(y - 1) : nullptr, 1,
                  [&](int32_t x, uint8_t bin, Count before) HWY_ATTR {
                    to[ptrdiff_t(x) * channels] = ranked.sample(bin, before, x, y, k);
                  });
      }
    }
  });
}

}  // namespace
}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
