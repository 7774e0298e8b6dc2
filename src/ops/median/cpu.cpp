// Strategy `simd`. Windows of 3 and 5: rows of sorted columns, each sorted once, merged in vector
// registers. u8 beyond: histograms of columns, summed as they stand; a window's slide by
// one column in and one out. u16 beyond: the same of the ranks of a tile's samples
// (cpu/ranks-inl.hpp). Bits: sums of columns. Borders are written out; strips over threads.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/median/cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "cpu/bits-inl.hpp"
#include "cpu/extended_bits.hpp"
#include "cpu/extended_row.hpp"
#include "cpu/simd-inl.hpp"
#include "ops/median/cpu/columns-inl.hpp"
#include "ops/median/cpu/ranks-inl.hpp"
#include "ops/median/reference.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

#define MEDIAN_INLINE HWY_INLINE
#include "ops/median/network.inc"
#undef MEDIAN_INLINE

// -- 3 and 5 --------------------------------------------------------------------------------------

template <class D>
struct Lanes {
  HWY_INLINE hn::VFromD<D> low(hn::VFromD<D> a, hn::VFromD<D> b) const { return hn::Min(a, b); }
  HWY_INLINE hn::VFromD<D> high(hn::VFromD<D> a, hn::VFromD<D> b) const { return hn::Max(a, b); }
};

// What is sorted: f32 as integers of their order (order.hpp).
template <class T>
using Key = std::conditional_t<std::is_same_v<T, float>, int32_t, T>;

template <class T, class D, class V>
HWY_INLINE V turned(D d, V v) {
  if constexpr (std::is_same_v<T, float>)
    return hn::Xor(v, hn::And(hn::ShiftRight<31>(v), hn::Set(d, 0x7FFFFFFF)));
  else
    return v;
}

template <int K, class T>
void networks(const MedianArgs& args, Call& call) {
  constexpr int32_t r = K / 2;
  using Lane = Key<T>;
  const hn::ScalableTag<Lane> d;
  const Lanes<decltype(d)> order;
  const auto lanes = ptrdiff_t(hn::Lanes(d));
  const auto src = args.src.as<T>();
  const auto dst = args.dst.as<T>();
  const int32_t width = src.width, height = src.height, channels = src.channels;
  const ptrdiff_t samples = ptrdiff_t(width) * channels;
  const ptrdiff_t extended = samples + 2 * r * channels;
  // Vector loads overrun a row by less than a vector of 64 lanes.
  const ptrdiff_t stride = (extended + 63) / 64 * 64 + 64;
  const Strips strips(height, call.threads());
  auto* sources = call.scratch().take<T>(size_t(stride) * K * size_t(strips.count));
  auto* sorted = call.scratch().take<Lane>(size_t(stride) * K * size_t(strips.count));

  parallel_tasks(strips.count, call.threads(), [&](int s) {
    T* const memory = sources + stride * K * s;
    Lane* const ranks = sorted + stride * K * s;
    // What vectors read past the rows never reaches a result, but it is defined.
    std::fill_n(memory, stride * K, T(0));
    std::fill_n(ranks, stride * K, Lane(0));
    cpu::RollingRows<T> rows(src, args.options.border, r, r, K, memory, stride);
    for (int32_t y = strips.begin(s) - r; y < strips.begin(s) + r; ++y) rows.make(y);
    for (int32_t y = strips.begin(s); y < strips.end(s); ++y) {
      rows.make(y + r);
      T* const to = dst.row(y);
      if (args.options.border.mode == BorderMode::ignore && (y < r || y >= height - r)) {
        std::fill_n(to, samples, T(0));
        continue;
      }
      const Lane* window[K];
      for (int j = 0; j < K; ++j) window[j] = reinterpret_cast<const Lane*>(rows.row(y + j - r));
      for (ptrdiff_t x = 0; x < extended; x += lanes) {
        hn::VFromD<decltype(d)> column[K];
        for (int j = 0; j < K; ++j) column[j] = turned<T>(d, hn::LoadU(d, window[j] + x));
        sort(order, column);
        for (int j = 0; j < K; ++j) hn::StoreU(column[j], d, ranks + stride * j + x);
      }
      for (ptrdiff_t x = 0; x < samples; x += lanes) {
        hn::VFromD<decltype(d)> columns[K][K];
        for (int j = 0; j < K; ++j)
          for (int i = 0; i < K; ++i)
            columns[j][i] = hn::LoadU(d, ranks + stride * j + x + ptrdiff_t(i) * channels);
        store_upto(turned<T>(d, middle_of_columns(order, columns)), d,
                   reinterpret_cast<Lane*>(to) + x, samples - x);
      }
      if (args.options.border.mode == BorderMode::ignore) {
        const ptrdiff_t margin = std::min<ptrdiff_t>(r * channels, samples);
        std::fill_n(to, margin, T(0));
        std::fill_n(to + samples - margin, margin, T(0));
      }
    }
  });
}

// -- u8 beyond ------------------------------------------------------------------------------------

// Columns of u8 and their histograms stay in the second-level cache.
constexpr int32_t min_tile_width = 256;

template <class Count>
void column_histograms(const MedianArgs& args, Call& call) {
  const auto src = args.src.as<uint8_t>();
  const auto dst = args.dst.as<uint8_t>();
  const int32_t k = args.options.ksize, r = k / 2, channels = src.channels;
  const Border& border = args.options.border;
  const int32_t tile_width = std::min(src.width, std::max(min_tile_width, 2 * k));
  const int32_t columns = tile_width + 2 * r;
  const Strips strips(src.height, call.threads(), std::max(16, 2 * k), 2);
  const size_t row_bytes = (size_t(columns) * size_t(channels) + 63) / 64 * 64;
  const size_t bytes = medians::ColumnMemory::bytes(columns) + 2 * row_bytes;
  auto* scratch = call.scratch().take<uint8_t>(bytes * size_t(strips.count));

  parallel_tasks(strips.count, call.threads(), [&](int s) {
    uint8_t* const in = scratch + bytes * size_t(s);
    uint8_t* const out = in + row_bytes;
    const medians::ColumnMemory memory(out + row_bytes, columns);
    const int32_t begin = strips.begin(s), end = strips.end(s);
    for (int32_t left = 0; left < src.width; left += tile_width) {
      const int32_t right = std::min(src.width, left + tile_width);
      for (int32_t c = 0; c < channels; ++c) {
        Tile<Count> tile(memory, k, right - left + 2 * r);
        const auto extend = [&](int32_t y, uint8_t* to) {
          cpu::extend_span(src, y, border, left - r, right + r, to);
        };
        for (int32_t y = begin - r; y <= begin + r; ++y) {
          extend(y, in);
          tile.enter(in + c, channels);
        }
        for (int32_t y = begin; y < end; ++y) {
          if (y > begin) {
            extend(y + r, in);
            extend(y - r - 1, out);
          }
          uint8_t* const to = dst.row(y) + ptrdiff_t(left) * channels + c;
          tile.row(in + c, y > begin ? out + c : nullptr, channels,
                   [=](int32_t x, uint8_t median, Count)
                       HWY_ATTR { to[ptrdiff_t(x) * channels] = median; });
        }
      }
    }
  });
}

// -- Bits -----------------------------------------------------------------------------------------

// Sums of the columns of a strip, and those of `ksize` neighbours from those of 1, 2, 4 … of them.
// Count is as wide as a window's sum wants.
template <class Count>
class BitStrip {
 public:
  // Sums of neighbours reach a window, half of one and a vector past the last column.
  static ptrdiff_t stride_for(ptrdiff_t columns) { return columns + 256 + 128 + 64; }

  /// `columns` is one row of stride_for(count), `blocks` two.
  BitStrip(uint8_t* columns, Count* blocks, ptrdiff_t count, int32_t ksize)
      : columns_(columns), blocks_(blocks), count_(count), ksize_(ksize) {
    // What vectors read past the columns never reaches a result, but it is defined.
    std::fill_n(columns_, stride_for(count), uint8_t(0));
    std::fill_n(blocks_, 2 * stride_for(count), Count(0));
  }
  /// The bits of a row's words enter or leave the sums of columns.
  template <bool Enters>
  void change(const uint64_t* words) {
    if constexpr (hn::MaxLanes(ByteTag()) < 8) {
      for (ptrdiff_t x = 0; x < count_; ++x) {
        const auto bit = uint8_t((words[x / 64] >> (x % 64)) & 1);
        columns_[x] = uint8_t(Enters ? columns_[x] + bit : columns_[x] - bit);
      }
    } else {
      const ByteTag d;
      for (ptrdiff_t x = 0; x < count_; x += 64) {
        uint8_t bytes[16] = {};  // LoadMaskBits reads 8 bytes wherever it begins
        bytes_of_word(words[x / 64], bytes);
        for (ptrdiff_t i = 0; i < 64; i += ptrdiff_t(hn::Lanes(d))) {
          const auto ones = hn::VecFromMask(d, hn::LoadMaskBits(d, bytes + i / 8));
          const auto sums = hn::LoadU(d, columns_ + x + i);
          hn::StoreU(Enters ? hn::Sub(sums, ones) : hn::Add(sums, ones), d, columns_ + x + i);
        }
      }
    }
  }
  /// Pixel x of the row, 0 <= x < width, is set where columns x + first .. x + first + ksize − 1
  /// sum to more than `half`. Writes whole words.
  void majority(ptrdiff_t first, ptrdiff_t width, int32_t half, uint64_t* out) {
    using D = hn::CappedTag<Count, 64 / sizeof(Count)>;
    const D d;
    const auto lanes = ptrdiff_t(hn::Lanes(d));
    const ptrdiff_t total = (width + 63) / 64 * 64, reach = total + ksize_;
    Count *const block = blocks_, *const sums = blocks_ + stride_for(count_);
    for (ptrdiff_t x = 0; x < reach; x += lanes) {
      const uint8_t* from = columns_ + first + x;
      if constexpr (sizeof(Count) == 1)
        hn::StoreU(hn::LoadU(d, from), d, block + x);
      else
        hn::StoreU(hn::PromoteTo(d, hn::LoadU(hn::Rebind<uint8_t, D>(), from)), d, block + x);
      hn::StoreU(hn::Zero(d), d, sums + x);
    }
    // The first `done` columns of each window are in `sums`; `block` holds sums of `size` columns,
    // which double in place: those further on are read before they are overwritten.
    for (int32_t size = 1, done = 0;; size *= 2) {
      if (ksize_ & size) {
        for (ptrdiff_t x = 0; x < total; x += lanes)
          hn::StoreU(hn::Add(hn::LoadU(d, sums + x), hn::LoadU(d, block + x + done)), d, sums + x);
        done += size;
      }
      if (2 * size > ksize_) break;
      for (ptrdiff_t x = 0; x < reach; x += lanes)
        hn::StoreU(hn::Add(hn::LoadU(d, block + x), hn::LoadU(d, block + x + size)), d, block + x);
    }
    const auto limit = hn::Set(d, Count(half));
    for (ptrdiff_t x = 0; x < total; x += 64) {
      uint64_t word = 0;
      if constexpr (hn::MaxLanes(ByteTag()) < 8) {
        for (ptrdiff_t i = 0; i < 64; ++i) word |= uint64_t(sums[x + i] > Count(half)) << i;
      } else {
        for (ptrdiff_t i = 0; i < 64; i += lanes) {
          uint8_t bytes[16] = {};
          hn::StoreMaskBits(
              d, hn::Ne(hn::SaturatedSub(hn::LoadU(d, sums + x + i), limit), hn::Zero(d)), bytes);
          word |= word_of_bytes(bytes) << i;
        }
      }
      out[x / 64] = word;
    }
  }

 private:
  uint8_t* columns_;
  Count* blocks_;
  ptrdiff_t count_;
  int32_t ksize_;
};

template <class Count>
void bit_strips(const MedianArgs& args, Call& call) {
  const ConstBitView src = bits_of(args.src);
  const BitView dst = bits_of(args.dst);
  const int32_t k = args.options.ksize, r = k / 2, width = src.width, height = src.height;
  const BorderMode mode = args.options.border.mode;
  const uint64_t outside = median_border_bit(args.options.border) ? ~uint64_t(0) : 0;
  const int32_t guard = cpu::guard_words(r);
  const ptrdiff_t words = 2 * guard + src.words(), columns = words * 64;
  const ptrdiff_t stride = BitStrip<Count>::stride_for(columns);
  const Strips strips(height, call.threads(), std::max(16, k), 2);
  auto* sums = call.scratch().take<uint8_t>(size_t(stride) * size_t(strips.count));
  auto* blocks = call.scratch().take<Count>(size_t(stride) * 2 * size_t(strips.count));
  auto* rows = call.scratch().take<uint64_t>(size_t(words) * size_t(strips.count));

  parallel_tasks(strips.count, call.threads(), [&](int s) {
    uint64_t* const row = rows + words * s;
    BitStrip<Count> strip(sums + stride * s, blocks + stride * 2 * s, columns, k);
    const auto extend = [&](int32_t y) {
      cpu::extend_bits(src, y, mode, outside, r, r, row, words);
      return row;
    };
    const int32_t begin = strips.begin(s), end = strips.end(s);
    for (int32_t y = begin - r; y < begin + r; ++y) strip.template change<true>(extend(y));
    for (int32_t y = begin; y < end; ++y) {
      strip.template change<true>(extend(y + r));
      strip.majority(64 * guard - r, width, args.half(), dst.row(y));
      strip.template change<false>(extend(y - r));
      if (mode == BorderMode::ignore) {
        const bool whole = y < r || y >= height - r;
        cpu::clear_bits(dst.row(y), 0, whole ? width : std::min(r, width));
        cpu::clear_bits(dst.row(y), std::max(0, width - r), width);
      }
      dst.row(y)[dst.words() - 1] &= last_word_mask(width);
    }
  });
}

// -------------------------------------------------------------------------------------------------

// `ignore` for those that compute every pixel.
template <class T>
void clear_margins(const MedianArgs& args) {
  const auto dst = args.dst.as<T>();
  const int32_t r = args.radius();
  const ptrdiff_t samples = ptrdiff_t(dst.width) * dst.channels;
  const ptrdiff_t margin = std::min<ptrdiff_t>(ptrdiff_t(r) * dst.channels, samples);
  for (int32_t y = 0; y < dst.height; ++y) {
    const bool whole = y < r || y >= dst.height - r;
    std::fill_n(dst.row(y), whole ? samples : margin, T(0));
    std::fill_n(dst.row(y) + samples - margin, margin, T(0));
  }
}

template <class T>
void copy_rows(const MedianArgs& args) {
  const auto src = args.src.as<T>();
  for (int32_t y = 0; y < src.height; ++y)
    std::memcpy(args.dst.as<T>().row(y), src.row(y),
                size_t(src.width) * size_t(src.channels) * sizeof(T));
}

template <class T>
void samples(const MedianArgs& args, Call& call) {
  const int32_t k = args.options.ksize;
  if (k == 1) return copy_rows<T>(args);
  if (k == 3) return networks<3, T>(args, call);
  if (k == 5) return networks<5, T>(args, call);
  if constexpr (sizeof(T) == 1)
    k <= 15 ? column_histograms<uint8_t>(args, call) : column_histograms<uint16_t>(args, call);
  else if constexpr (sizeof(T) == 2)
    k <= 15 ? ranked_tiles<uint8_t>(args, call) : ranked_tiles<uint16_t>(args, call);
  if (args.options.border.mode == BorderMode::ignore) clear_margins<T>(args);
}

}  // namespace

void median_simd_target(const MedianArgs& args, Call& call) {
  switch (args.src.type) {
    case PixelType::u8: return samples<uint8_t>(args, call);
    case PixelType::u16: return samples<uint16_t>(args, call);
    case PixelType::f32: return samples<float>(args, call);
    default:
      return args.options.ksize <= 15 ? bit_strips<uint8_t>(args, call)
                                      : bit_strips<uint16_t>(args, call);
  }
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cuesta {

HWY_EXPORT(median_simd_target);
void median_simd(const MedianArgs& args, Call& call) {
  HWY_DYNAMIC_DISPATCH(median_simd_target)(args, call);
}

}  // namespace cuesta
#endif
