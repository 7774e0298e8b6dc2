// Strategy `simd`: rows in vector registers, strips over threads. Masks are packed as the
// comparisons are made; histograms count in four tables, so that equal neighbours do not wait for
// each other.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pixel/cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include <cstring>

#include "core/bits.hpp"
#include "cpu/bits-inl.hpp"
#include "cpu/simd-inl.hpp"
#include "ops/pixel/reference.hpp"
#include "ops/shared/pixel_arithmetic.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

// Gray of samples of any width, in 32-bit lanes.
template <class D32, class V>
HWY_INLINE auto gray_in_32_bits(D32 d, V r, V g, V b) {
  const hn::Rebind<hn::TFromV<V>, D32> narrow;
  const auto sum =
      hn::Add(hn::Add(hn::Mul(hn::PromoteTo(d, r), hn::Set(d, pixel::red)),
                      hn::Mul(hn::PromoteTo(d, g), hn::Set(d, pixel::green))),
              hn::Add(hn::Mul(hn::PromoteTo(d, b), hn::Set(d, pixel::blue)), hn::Set(d, 1 << 14)));
  return hn::DemoteTo(narrow, hn::ShiftRight<15>(sum));
}

// Highway's one-lane target has no pairwise products.
#if HWY_TARGET != HWY_SCALAR
// Gray of u8 samples. A 32-bit lane holds four pixels; each gets (r, g) · weights + (b, 1) ·
// (blue, 2^14) as two pairwise 16-bit products, and goes back to its own byte.
template <class D, class V>
HWY_INLINE V gray_of(D d, V r, V g, V b) {
  const hn::Repartition<int16_t, D> d16;
  const hn::Repartition<int32_t, D> d32;
  const auto weigh = [&](auto even, auto odd) {  // lanes of 16 bits: even * blue + odd * ...
    return hn::BitCast(d16, hn::Set(d32, (odd << 16) | even));
  };
  const auto rg_weights = weigh(pixel::red, pixel::green);
  const auto b1_weights = weigh(pixel::blue, 1 << 14);
  const auto one = hn::Set(d16, int16_t(1));
  const auto low_bytes = hn::Set(d16, int16_t(255));
  const auto sums = [&](auto rg, auto b1) {
    auto other = hn::Zero(d32);
    auto sum = hn::ReorderWidenMulAccumulate(d32, rg, rg_weights, hn::Zero(d32), other);
    sum = hn::ReorderWidenMulAccumulate(d32, b1, b1_weights, sum, other);
    return hn::RearrangeToOddPlusEven(sum, other);
  };
  const auto up = [&](auto v) { return hn::BitCast(d16, hn::ShiftLeft<16>(hn::BitCast(d32, v))); };
  const auto down = [&](auto v) {
    return hn::BitCast(d16, hn::ShiftRight<16>(hn::BitCast(d32, v)));
  };
  const auto byte = [&](int shift, auto v) { return hn::And(v, hn::Set(d32, 255 << shift)); };

  const auto r16 = hn::BitCast(d16, r), g16 = hn::BitCast(d16, g), b16 = hn::BitCast(d16, b);
  const auto r02 = hn::And(r16, low_bytes), g02 = hn::And(g16, low_bytes),
             b02 = hn::And(b16, low_bytes);
  const hn::RebindToUnsigned<decltype(d16)> du16;
  const auto odd_bytes = [&](auto v) {
    return hn::BitCast(d16, hn::ShiftRight<8>(hn::BitCast(du16, v)));
  };
  const auto r13 = odd_bytes(r16), g13 = odd_bytes(g16), b13 = odd_bytes(b16);
  const auto sum0 = sums(hn::OddEven(up(g02), r02), hn::OddEven(one, b02));
  const auto sum1 = sums(hn::OddEven(up(g13), r13), hn::OddEven(one, b13));
  const auto sum2 = sums(hn::OddEven(g02, down(r02)), hn::OddEven(one, down(b02)));
  const auto sum3 = sums(hn::OddEven(g13, down(r13)), hn::OddEven(one, down(b13)));
  const auto pixels01 = hn::Or(hn::ShiftRight<15>(sum0), byte(8, hn::ShiftRight<7>(sum1)));
  const auto pixels23 = hn::Or(byte(16, hn::ShiftLeft<1>(sum2)),
                               hn::ShiftLeft<24>(hn::ShiftRight<15>(sum3)));  // 255 << 24 is no int
  return hn::BitCast(d, hn::Or(pixels01, pixels23));
}

#endif

// Gray of f32 samples, rounded after each step.
template <class D, class V>
HWY_INLINE V gray_of_floats(D d, V r, V g, V b) {
  const auto sum = hn::Add(hn::Add(hn::Mul(r, hn::Set(d, float(pixel::red))),
                                   hn::Mul(g, hn::Set(d, float(pixel::green)))),
                           hn::Mul(b, hn::Set(d, float(pixel::blue))));
  return with_one_nan(d, hn::Mul(sum, hn::Set(d, 1.0f / 32768)));
}

// The lanes that gray is computed in.
template <class T>
auto gray_tag() {
  if constexpr (std::is_floating_point_v<T>) return hn::ScalableTag<T>();
#if HWY_TARGET != HWY_SCALAR
  else if constexpr (sizeof(T) == 1)
    return hn::ScalableTag<uint8_t>();
#endif
  else
    return hn::Rebind<T, hn::ScalableTag<int32_t>>();
}

// A vector of each channel of interleaved samples; those past `Channels` stay as they are.
template <int Channels, class D, class V>
HWY_INLINE void load_channels(D d, const hn::TFromD<D>* from, V& first, V& second, V& third,
                              V& fourth) {
  if constexpr (Channels == 1)
    first = hn::LoadU(d, from);
  else if constexpr (Channels == 2)
    hn::LoadInterleaved2(d, from, first, second);
  else if constexpr (Channels == 3)
    hn::LoadInterleaved3(d, from, first, second, third);
  else
    hn::LoadInterleaved4(d, from, first, second, third, fourth);
}

// One vector of gray from interleaved samples.
template <class T, int Channels>
HWY_INLINE auto gray_at(const T* from, bool bgr) {
  const auto d = gray_tag<T>();
  hn::VFromD<decltype(d)> r, g, b, alpha;
  load_channels<Channels>(d, from, r, g, b, alpha);
  if constexpr (Channels <= 2) {
    if constexpr (std::is_floating_point_v<T>)
      return with_one_nan(d, r);
    else
      return r;
  } else {
    if (bgr) std::swap(r, b);
    if constexpr (std::is_floating_point_v<T>) return gray_of_floats(d, r, g, b);
#if HWY_TARGET != HWY_SCALAR
    else if constexpr (sizeof(T) == 1)
      return gray_of(d, r, g, b);
#endif
    else
      return gray_in_32_bits(hn::ScalableTag<int32_t>(), r, g, b);
  }
}

template <class T, int Channels>
void gray_row(const T* from, T* to, ptrdiff_t width, bool bgr) {
  const auto d = gray_tag<T>();
  const auto lanes = ptrdiff_t(hn::Lanes(d));
  ptrdiff_t x = 0;
  for (; x + lanes <= width; x += lanes)
    hn::StoreU(gray_at<T, Channels>(from + x * Channels, bgr), d, to + x);
  if (x < width) {
    HWY_ALIGN T rest[hn::MaxLanes(d) * Channels] = {};
    std::memcpy(rest, from + x * Channels, size_t(width - x) * Channels * sizeof(T));
    store_upto(gray_at<T, Channels>(rest, bgr), d, to + x, width - x);
  }
}

template <class T>
void gray(const PixelArgs& args, int32_t first, int32_t end) {
  const auto src = args.a.as<T>();
  const auto dst = args.dst.as<T>();
  const bool bgr = args.order == ColorOrder::bgr;
  for (int32_t y = first; y < end; ++y) {
    switch (src.channels) {
      case 1:
        if constexpr (std::is_floating_point_v<T>)
          gray_row<T, 1>(src.row(y), dst.row(y), src.width, bgr);
        else
          std::memcpy(dst.row(y), src.row(y), size_t(src.width) * sizeof(T));
        break;
      case 2: gray_row<T, 2>(src.row(y), dst.row(y), src.width, bgr); break;
      case 3: gray_row<T, 3>(src.row(y), dst.row(y), src.width, bgr); break;
      default: gray_row<T, 4>(src.row(y), dst.row(y), src.width, bgr);
    }
  }
}

template <class T, int From, int To>
void keep_row(const T* from, T* to, ptrdiff_t width) {
  const hn::ScalableTag<T> d;
  const auto lanes = ptrdiff_t(hn::Lanes(d));
  ptrdiff_t x = 0;
  for (; x + lanes <= width; x += lanes) {
    hn::VFromD<decltype(d)> first, second, third, fourth;
    load_channels<From>(d, from + x * From, first, second, third, fourth);
    if constexpr (To == 1)
      hn::StoreU(first, d, to + x);
    else if constexpr (To == 2)
      hn::StoreInterleaved2(first, second, d, to + x * To);
    else
      hn::StoreInterleaved3(first, second, third, d, to + x * To);
  }
  for (; x < width; ++x) std::copy_n(from + x * From, To, to + x * To);
}

template <class T>
void keep_channels(const PixelArgs& args, int32_t first, int32_t end) {
  const auto src = args.a.as<T>();
  const auto dst = args.dst.as<T>();
  const auto each_row = [&](auto&& keep) {
    for (int32_t y = first; y < end; ++y) keep(src.row(y), dst.row(y), ptrdiff_t(src.width));
  };
  switch (src.channels * 4 + dst.channels) {
    case 2 * 4 + 1: return each_row(keep_row<T, 2, 1>);
    case 3 * 4 + 1: return each_row(keep_row<T, 3, 1>);
    case 3 * 4 + 2: return each_row(keep_row<T, 3, 2>);
    case 4 * 4 + 1: return each_row(keep_row<T, 4, 1>);
    case 4 * 4 + 2: return each_row(keep_row<T, 4, 2>);
    case 4 * 4 + 3: return each_row(keep_row<T, 4, 3>);
    default:  // all of them
      each_row([&](const T* from, T* to, ptrdiff_t width) {
        std::memcpy(to, from, size_t(width) * size_t(src.channels) * sizeof(T));
      });
  }
}

// Samples as doubles, times the factor, in pixel::scaled()'s roundings.
template <class From, class To>
void scale(const PixelArgs& args, int32_t first, int32_t end) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<int32_t, decltype(d)> d32;
  const hn::Rebind<From, decltype(d)> from_tag;
  const hn::Rebind<To, decltype(d)> to_tag;
  const auto factor = hn::Set(d, args.factor), zero = hn::Zero(d), half = hn::Set(d, 0.5);
  const auto most = hn::Set(d, double(std::numeric_limits<To>::max()));
  const ptrdiff_t samples = ptrdiff_t(args.a.width) * args.a.channels;
  for (int32_t y = first; y < end; ++y) {
    const From* from = args.a.as<From>().row(y);
    To* to = args.dst.as<To>().row(y);
    for (ptrdiff_t x = 0; x < samples; x += ptrdiff_t(hn::Lanes(d))) {
      const auto sample = load_upto(from_tag, from + x, samples - x);
      auto value = zero;
      if constexpr (std::is_same_v<From, float>)
        value = hn::PromoteTo(d, sample);
      else
        value = hn::PromoteTo(d, hn::PromoteTo(d32, sample));
      value = hn::Mul(value, factor);
      if constexpr (std::is_same_v<To, float>) {
        store_upto(with_one_nan(to_tag, as_float(value)), to_tag, to + x, samples - x);
      } else {
        const auto rounded = hn::Add(value, half);
        const auto cut = hn::IfThenElseZero(hn::Gt(rounded, zero), hn::Min(rounded, most));
        store_upto(hn::DemoteTo(to_tag, hn::DemoteTo(d32, cut)), to_tag, to + x, samples - x);
      }
    }
  }
}

template <class V>
HWY_INLINE V difference(V a, V b) {
  if constexpr (std::is_floating_point_v<hn::TFromV<V>>)
    return with_one_nan(hn::DFromV<V>(), hn::Abs(hn::Sub(a, b)));
  else
    return hn::Sub(hn::Max(a, b), hn::Min(a, b));
}

template <class T>
void absdiff(const PixelArgs& args, int32_t first, int32_t end) {
  const hn::ScalableTag<T> d;
  const auto lanes = ptrdiff_t(hn::Lanes(d));
  const ptrdiff_t samples = ptrdiff_t(args.a.width) * args.a.channels;
  for (int32_t y = first; y < end; ++y) {
    const T* a = args.a.as<T>().row(y);
    const T* b = args.b.as<T>().row(y);
    T* to = args.dst.as<T>().row(y);
    ptrdiff_t x = 0;
    for (; x + lanes <= samples; x += lanes)
      hn::StoreU(difference(hn::LoadU(d, a + x), hn::LoadU(d, b + x)), d, to + x);
    if (x < samples)
      store_upto(difference(load_upto(d, a + x, samples - x), load_upto(d, b + x, samples - x)), d,
                 to + x, samples - x);
  }
}

// v > limit in every lane, as limit_of has it. Integers compare with the next one, which needs no
// signs: v >= n is max(v, n) == v.
template <class T>
struct Above {
  T bound;
  bool none = false;
  explicit Above(double limit) {
    const auto least = pixel::limit_of<T>(limit);
    if constexpr (std::is_floating_point_v<T>) {
      bound = least;
    } else {
      none = least >= std::numeric_limits<T>::max();
      bound = none ? T(0) : T(least + 1);
    }
  }
  template <class D, class V>
  HWY_INLINE auto operator()(D d, V v) const {
    if constexpr (std::is_floating_point_v<T>)
      return hn::Gt(v, hn::Set(d, bound));
    else
      return hn::Eq(hn::Max(v, hn::Set(d, bound)), v);
  }
};

// 64 pixels of one bit: bit i + j is lane j of the mask that compare(i) gives, for
// i = 0, Lanes(d), ... 64.
template <class D, class Compare>
HWY_INLINE uint64_t mask_word(D d, Compare&& compare) {
  constexpr size_t lanes = hn::MaxLanes(d);
  static_assert(lanes <= 64);
  if constexpr (lanes >= 8) {
    uint8_t bytes[16];  // Highway may write 8 bytes where it needs fewer
    for (size_t i = 0; i < 64; i += lanes) hn::StoreMaskBits(d, compare(i), bytes + i / 8);
    return word_of_bytes(bytes);
  } else {
    uint64_t word = 0;
    for (size_t i = 0; i < 64; i += lanes) {
      uint8_t bytes[8] = {};
      hn::StoreMaskBits(d, compare(i), bytes);
      word |= uint64_t(bytes[0]) << i;
    }
    return word;
  }
}

// Where row y of a mask goes: 64 pixels at a time, as bits or as bytes.
class MaskRow {
 public:
  MaskRow(AnyView dst, int32_t y)
      : bits_(dst.type == PixelType::bit ? bits_of(dst).row(y) : nullptr),
        bytes_(bits_ ? nullptr : dst.as<uint8_t>().row(y)),
        width_(dst.width) {}
  HWY_INLINE void put(ptrdiff_t x, uint64_t word) const {
    if (!bits_)
      unpack_row(&word, std::min<ptrdiff_t>(64, width_ - x), bytes_ + x);
    else
      bits_[x / 64] = width_ - x >= 64 ? word : word & last_word_mask(int32_t(width_));
  }

 private:
  uint64_t* bits_;
  uint8_t* bytes_;
  ptrdiff_t width_;
};

// A row of compare(d, samples...) over rows of samples of one type.
template <class T, class Compare, class... Rows>
HWY_INLINE void compare_row(const MaskRow& to, ptrdiff_t width, const Compare& compare,
                            const Rows*... from) {
  const hn::ScalableTag<T> d;
  ptrdiff_t x = 0;
  for (; x + 64 <= width; x += 64)
    to.put(x, mask_word(d, [&](size_t i) HWY_ATTR {
             return compare(d, hn::LoadU(d, from + x + ptrdiff_t(i))...);
           }));
  if (x < width)
    to.put(x, mask_word(d, [&](size_t i) HWY_ATTR {
             return compare(d, load_upto(d, from + std::min(x + ptrdiff_t(i), width),
                                         width - x - ptrdiff_t(i))...);
           }));
}

void clear(const PixelArgs& args, int32_t first, int32_t end) {
  for (int32_t y = first; y < end; ++y) {
    const MaskRow to(args.dst, y);
    for (ptrdiff_t x = 0; x < args.dst.width; x += 64) to.put(x, 0);
  }
}

// Bytes to bytes: the comparison itself is the result.
void threshold_bytes(const PixelArgs& args, int32_t first, int32_t end) {
  const hn::ScalableTag<uint8_t> d;
  const Above<uint8_t> above(args.limit);
  if (above.none) return clear(args, first, end);
  const ptrdiff_t width = args.a.width;
  for (int32_t y = first; y < end; ++y) {
    const uint8_t* from = args.a.as<uint8_t>().row(y);
    uint8_t* to = args.dst.as<uint8_t>().row(y);
    for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(d)))
      store_upto(hn::VecFromMask(d, above(d, load_upto(d, from + x, width - x))), d, to + x,
                 width - x);
  }
}

template <class T>
void threshold(const PixelArgs& args, int32_t first, int32_t end) {
  const Above<T> above(args.limit);
  if (above.none) return clear(args, first, end);
  for (int32_t y = first; y < end; ++y)
    compare_row<T>(
        MaskRow(args.dst, y), args.a.width, [&](auto d, auto v) HWY_ATTR { return above(d, v); },
        args.a.as<T>().row(y));
}

template <class T>
void absdiff_threshold(const PixelArgs& args, int32_t first, int32_t end) {
  const Above<T> above(args.limit);
  if (above.none) return clear(args, first, end);
  for (int32_t y = first; y < end; ++y)
    compare_row<T>(
        MaskRow(args.dst, y), args.a.width,
        [&](auto d, auto a, auto b) HWY_ATTR { return above(d, difference(a, b)); },
        args.a.as<T>().row(y), args.b.as<T>().row(y));
}

void pack(const PixelArgs& args, int32_t first, int32_t end) {
  for (int32_t y = first; y < end; ++y)
    compare_row<uint8_t>(
        MaskRow(args.dst, y), args.a.width,
        [](auto d, auto v) HWY_ATTR { return hn::Ne(v, hn::Zero(d)); },
        args.a.as<uint8_t>().row(y));
}

void unpack(const PixelArgs& args, int32_t first, int32_t end) {
  const ConstBitView src = bits_of(args.a);
  for (int32_t y = first; y < end; ++y) {
    const MaskRow to(args.dst, y);
    for (int32_t w = 0; w < src.words(); ++w) to.put(ptrdiff_t(w) * 64, src.row(y)[w]);
  }
}

using RowsOf = void (*)(const PixelArgs&, int32_t, int32_t);

template <class From>
RowsOf scale_to(PixelType to) {
  return to == PixelType::u8    ? scale<From, uint8_t>
         : to == PixelType::u16 ? scale<From, uint16_t>
                                : scale<From, float>;
}

RowsOf rows_of(const PixelArgs& args) {
  const PixelType type = args.a.type;
  const bool u8 = type == PixelType::u8, u16 = type == PixelType::u16;
  switch (args.op) {
    case PixelOp::gray: return u8 ? gray<uint8_t> : u16 ? gray<uint16_t> : gray<float>;
    case PixelOp::absdiff: return u8 ? absdiff<uint8_t> : u16 ? absdiff<uint16_t> : absdiff<float>;
    case PixelOp::threshold:
      if (u8 && args.dst.type == PixelType::u8) return threshold_bytes;
      return u8 ? threshold<uint8_t> : u16 ? threshold<uint16_t> : threshold<float>;
    case PixelOp::absdiff_threshold:
      return u8 ? absdiff_threshold<uint8_t> : absdiff_threshold<uint16_t>;
    case PixelOp::pack: return pack;
    case PixelOp::unpack: return unpack;
    case PixelOp::keep_channels:
      return u8 ? keep_channels<uint8_t> : u16 ? keep_channels<uint16_t> : keep_channels<float>;
    case PixelOp::scale:
      return u8    ? scale_to<uint8_t>(args.dst.type)
             : u16 ? scale_to<uint16_t>(args.dst.type)
                   : scale_to<float>(args.dst.type);
    case PixelOp::histogram: break;
  }
  return nullptr;
}

}  // namespace

void pixel_simd_rows(const PixelArgs& args, int32_t first, int32_t end) {
  rows_of(args)(args, first, end);
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cuesta {
namespace {

// Adds the counts of u8 rows [first, end): pixel x counts in table x mod 4.
void count_u8(ImageView<const uint8_t> src, int32_t first, int32_t end, uint64_t* bins) {
  uint64_t tables[4][256] = {};
  for (int32_t y = first; y < end; ++y) {
    const uint8_t* row = src.row(y);
    int32_t x = 0;
    for (; x + 8 <= src.width; x += 8) {
      uint64_t eight;
      std::memcpy(&eight, row + x, 8);
      for (int i = 0; i < 8; ++i) ++tables[i & 3][uint8_t(eight >> (8 * i))];
    }
    for (; x < src.width; ++x) ++tables[x & 3][row[x]];
  }
  for (int i = 0; i < 256; ++i)
    bins[i] += tables[0][i] + tables[1][i] + tables[2][i] + tables[3][i];
}

}  // namespace

HWY_EXPORT(pixel_simd_rows);

void pixel_simd(const PixelArgs& args, Call& call) {
  if (args.op == PixelOp::histogram) {
    histogram_by_strips(args, call, [&](int32_t first, int32_t end, uint64_t* bins) {
      args.a.type == PixelType::u8 ? count_u8(args.a.as<uint8_t>(), first, end, bins)
                                   : histogram_reference_rows(args, first, end, bins);
    });
    return;
  }
  // A strip of less than 64 Ki pixels takes about as long as handing it to a thread.
  const int32_t least = std::max(16, (1 << 16) / args.a.width);
  parallel_rows(
      args.a.height, call.threads(),
      [&](int32_t first, int32_t end) {
        HWY_DYNAMIC_DISPATCH(pixel_simd_rows)
        (args, first, end);
      },
      least);
}

}  // namespace cuesta
#endif
