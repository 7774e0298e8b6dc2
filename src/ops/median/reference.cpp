// The median as the definition reads: a window's samples, the one in the middle. No cleverness.
#include "ops/median/reference.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "core/bits.hpp"
#include "core/border_sample.hpp"
#include "ops/median/order.hpp"

namespace cuesta {
namespace {

using medians::leaves;

// What is sorted instead of the samples.
template <class T>
int32_t key_of(T sample) {
  if constexpr (std::is_same_v<T, float>)
    return medians::turned(std::bit_cast<int32_t>(sample));
  else
    return sample;
}
template <class T>
T sample_of(int32_t key) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(medians::turned(key));
  else
    return T(key);
}

template <class T>
void reference_rows(const MedianArgs& args, int32_t first, int32_t end) {
  const auto src = args.src.as<T>();
  const auto dst = args.dst.as<T>();
  const Border& border = args.options.border;
  const int32_t k = args.options.ksize, r = args.radius();
  const int32_t outside = key_of(border_sample<T>(border));
  std::vector<int32_t> window(size_t(k) * size_t(k));
  for (int32_t y = first; y < end; ++y) {
    for (int32_t x = 0; x < src.width; ++x) {
      for (int32_t c = 0; c < src.channels; ++c) {
        if (border.mode == BorderMode::ignore && leaves(x, y, src.width, src.height, r)) {
          dst.at(x, y, c) = 0;
          continue;
        }
        auto to = window.begin();
        for (int32_t j = -r; j <= r; ++j) {
          const int32_t sy = map_index(border.mode, y + j, src.height);
          for (int32_t i = -r; i <= r; ++i) {
            const int32_t sx = map_index(border.mode, x + i, src.width);
            *to++ = sx < 0 || sy < 0 ? outside : key_of(src.at(sx, sy, c));
          }
        }
        std::nth_element(window.begin(), window.begin() + args.half(), window.end());
        dst.at(x, y, c) = sample_of<T>(window[size_t(args.half())]);
      }
    }
  }
}

void reference_bit_rows(const MedianArgs& args, int32_t first, int32_t end) {
  const ConstBitView src = bits_of(args.src);
  const BitView dst = bits_of(args.dst);
  const Border& border = args.options.border;
  const int32_t r = args.radius();
  const bool outside = median_border_bit(border);
  for (int32_t y = first; y < end; ++y) {
    std::fill_n(dst.row(y), dst.words(), uint64_t(0));
    for (int32_t x = 0; x < src.width; ++x) {
      if (border.mode == BorderMode::ignore && leaves(x, y, src.width, src.height, r)) continue;
      int32_t set = 0;
      for (int32_t j = -r; j <= r; ++j) {
        const int32_t sy = map_index(border.mode, y + j, src.height);
        for (int32_t i = -r; i <= r; ++i) {
          const int32_t sx = map_index(border.mode, x + i, src.width);
          set += sx < 0 || sy < 0 ? outside : src.at(sx, sy);
        }
      }
      dst.row(y)[x / 64] |= uint64_t(set > args.half()) << (x % 64);
    }
  }
}

}  // namespace

bool median_border_bit(const Border& border) { return border_sample<uint8_t>(border) != 0; }

void median_reference_rows(const MedianArgs& args, int32_t first, int32_t end) {
  switch (args.src.type) {
    case PixelType::u8: return reference_rows<uint8_t>(args, first, end);
    case PixelType::u16: return reference_rows<uint16_t>(args, first, end);
    case PixelType::f32: return reference_rows<float>(args, first, end);
    default: return reference_bit_rows(args, first, end);
  }
}

void median_serial(const MedianArgs& args, Call&) {
  median_reference_rows(args, 0, args.src.height);
}

}  // namespace cuesta
