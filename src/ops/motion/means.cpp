// Means of N x N pixels: sums down the columns of a tile of as many as are in the first cache, then
// along them, by 2, 3 or 4 at a time, then quotients.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/motion/means.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <type_traits>

#include "cpu/simd-inl.hpp"
#include "ops/motion/means.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

constexpr ptrdiff_t tile_columns = 2048;

// Sums of 16 x 16 samples of u8 fit 16 bits.
template <class T>
using SumOf = std::conditional_t<sizeof(T) == 1, uint16_t, uint32_t>;

template <class T>
struct Tile {
  using Sum = SumOf<T>;
  // Vectors are read past the sums that count.
  static constexpr ptrdiff_t room =
      tile_columns + 4 * ptrdiff_t(hn::MaxLanes(hn::ScalableTag<Sum>()));
  HWY_ALIGN Sum sums[room] = {};

  // Sums of `rows` rows, each column by itself. At `next` are those that are read after them: a
  // frame comes from another core, out of whose caches it is fetched meanwhile.
  void add_columns(const T* from, const T* next, ptrdiff_t stride, int32_t rows,
                   ptrdiff_t columns) {
    const hn::ScalableTag<Sum> d;
    const hn::Rebind<T, decltype(d)> narrow;
    for (ptrdiff_t x = 0; x < columns; x += ptrdiff_t(hn::Lanes(d))) {
      for (int32_t y = 0; y < rows; ++y) hwy::Prefetch(next + y * stride + x);
      auto sum = hn::PromoteTo(d, load_upto(narrow, from + x, columns - x));
      for (int32_t y = 1; y < rows; ++y)
        sum = hn::Add(sum, hn::PromoteTo(d, load_upto(narrow, from + y * stride + x, columns - x)));
      hn::Store(sum, d, sums + x);
    }
  }

  // The sums of every `Count` neighbours take their place.
  template <int Count>
  void add_neighbours(ptrdiff_t left) {
    const hn::ScalableTag<Sum> d;
    for (ptrdiff_t x = 0; x < left; x += ptrdiff_t(hn::Lanes(d))) {
      hn::VFromD<decltype(d)> a, b, c, e;
      if constexpr (Count == 2) {
        hn::LoadInterleaved2(d, sums + Count * x, a, b);
        a = hn::Add(a, b);
      } else if constexpr (Count == 3) {
        hn::LoadInterleaved3(d, sums + Count * x, a, b, c);
        a = hn::Add(hn::Add(a, b), c);
      } else {
        hn::LoadInterleaved4(d, sums + Count * x, a, b, c, e);
        a = hn::Add(hn::Add(a, b), hn::Add(c, e));
      }
      hn::Store(a, d, sums + x);
    }
  }
  void add_neighbours(int32_t factor, ptrdiff_t left) {
    for (; factor % 4 == 0; factor /= 4) add_neighbours<4>(left * (factor / 4));
    for (; factor % 3 == 0; factor /= 3) add_neighbours<3>(left * (factor / 3));
    if (factor % 2 == 0) add_neighbours<2>(left * (factor /= 2));
    if (factor == 1) return;
    for (ptrdiff_t x = 0; x < left; ++x) {
      Sum sum = 0;
      for (int32_t i = 0; i < factor; ++i) sum = Sum(sum + sums[x * factor + i]);
      sums[x] = sum;
    }
  }

  // Rounded quotients: shifts, or the float's, which is exact enough for sums of 24 bits: an
  // integer less 1/count, count <= 256, is one of its numbers.
  void put_quotients(int32_t count, T* to, ptrdiff_t left) const {
    const hn::ScalableTag<uint32_t> d;
    const hn::RebindToSigned<decltype(d)> di;
    const hn::RebindToFloat<decltype(d)> df;
    const hn::Rebind<Sum, decltype(d)> of_sums;
    const hn::Rebind<T, decltype(d)> of_results;
    const auto half = hn::Set(d, uint32_t(count / 2));
    const auto divisor = hn::Set(df, float(count));
    const bool shifts = std::has_single_bit(uint32_t(count));
    const int shift = std::countr_zero(uint32_t(count));
    for (ptrdiff_t x = 0; x < left; x += ptrdiff_t(hn::Lanes(d))) {
      hn::VFromD<decltype(d)> sum;
      if constexpr (std::is_same_v<Sum, uint32_t>)
        sum = hn::LoadU(d, sums + x);
      else
        sum = hn::PromoteTo(d, hn::LoadU(of_sums, sums + x));
      sum = hn::Add(sum, half);
      const auto mean =
          shifts ? hn::BitCast(di, hn::ShiftRightSame(sum, shift))
                 : hn::ConvertTo(di, hn::Div(hn::ConvertTo(df, hn::BitCast(di, sum)), divisor));
      store_upto(hn::DemoteTo(of_results, mean), of_results, to + x, left - x);
    }
  }
};

template <class T>
void means(ImageView<const T> frame, ImageView<T> small, int32_t factor, int32_t first,
           int32_t end) {
  Tile<T> tile;
  const ptrdiff_t whole = frame.width / factor, most = tile_columns / factor;
  for (int32_t y = first; y < end; ++y) {
    const int32_t rows = std::min(factor, frame.height - y * factor);
    const T* from = frame.row(y * factor);
    const ptrdiff_t stride = frame.stride_bytes / ptrdiff_t(sizeof(T));
    const T* next = (y + 2) * factor <= frame.height ? from + factor * stride : from;
    T* to = small.row(y);
    for (ptrdiff_t x = 0; x < whole; x += most) {
      const ptrdiff_t left = std::min(most, whole - x);
      tile.add_columns(from + x * factor, next + x * factor, stride, rows, left * factor);
      tile.add_neighbours(factor, left);
      tile.put_quotients(factor * rows, to + x, left);
    }
  }
}

}  // namespace

void means_of_u8(ImageView<const uint8_t> frame, ImageView<uint8_t> small, int32_t factor,
                 int32_t first, int32_t end) {
  means(frame, small, factor, first, end);
}
void means_of_u16(ImageView<const uint16_t> frame, ImageView<uint16_t> small, int32_t factor,
                  int32_t first, int32_t end) {
  means(frame, small, factor, first, end);
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cuesta {
namespace {

template <class T>
T mean_at(ImageView<const T> frame, int32_t factor, int32_t x, int32_t y) {
  const int32_t right = std::min((x + 1) * factor, frame.width);
  const int32_t bottom = std::min((y + 1) * factor, frame.height);
  uint32_t sum = 0, count = 0;
  for (int32_t j = y * factor; j < bottom; ++j)
    for (int32_t i = x * factor; i < right; ++i, ++count) sum += frame.at(i, j);
  return T((2 * sum + count) / (2 * count));
}

template <class T>
void means_by_definition(ImageView<const T> frame, ImageView<T> small, int32_t factor,
                         int32_t first, int32_t end, int32_t from_column) {
  for (int32_t y = first; y < end; ++y)
    for (int32_t x = from_column; x < small.width; ++x)
      small.at(x, y) = mean_at(frame, factor, x, y);
}

}  // namespace

HWY_EXPORT(means_of_u8);
HWY_EXPORT(means_of_u16);

namespace motion {

void means_reference(ConstAnyView frame, AnyView small, int32_t factor, int32_t first,
                     int32_t end) {
  if (frame.type == PixelType::u16)
    means_by_definition(frame.as<uint16_t>(), small.as<uint16_t>(), factor, first, end, 0);
  else
    means_by_definition(frame.as<uint8_t>(), small.as<uint8_t>(), factor, first, end, 0);
}

void means_simd(ConstAnyView frame, AnyView small, int32_t factor, int32_t first, int32_t end) {
  const int32_t rest = frame.width / factor;  // the column that the frame has less of, if any
  if (frame.type == PixelType::u16) {
    const auto from = frame.as<uint16_t>();
    const auto to = small.as<uint16_t>();
    HWY_DYNAMIC_DISPATCH(means_of_u16)(from, to, factor, first, end);
    means_by_definition(from, to, factor, first, end, rest);
  } else {
    const auto from = frame.as<uint8_t>();
    const auto to = small.as<uint8_t>();
    HWY_DYNAMIC_DISPATCH(means_of_u8)(from, to, factor, first, end);
    means_by_definition(from, to, factor, first, end, rest);
  }
}

}  // namespace motion
}  // namespace cuesta
#endif
