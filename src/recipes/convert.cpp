#include "cuesta/recipes/samples.hpp"

#include <algorithm>

#include "cuesta/objects.hpp"

namespace cuesta::recipes {
namespace {

template <class From, class To>
void convert(ImageView<const From> src, ImageView<To> dst) {
  const int64_t samples = int64_t(src.width) * src.channels;
  for (int32_t y = 0; y < src.height; ++y) {
    const From* from = src.row(y);
    To* to = dst.row(y);
    for (int64_t i = 0; i < samples; ++i) {
      if constexpr (std::is_same_v<From, uint8_t> && std::is_same_v<To, uint16_t>)
        to[i] = To(from[i] * 257);
      else if constexpr (std::is_same_v<From, uint16_t> && std::is_same_v<To, uint8_t>)
        to[i] = To(from[i] >> 8);
      else
        to[i] = To(from[i]);
    }
  }
}

template <class From>
void convert_from(ConstAnyView src, AnyView dst) {
  switch (dst.type) {
    case PixelType::u8: return convert(src.as<From>(), dst.as<uint8_t>());
    case PixelType::u16: return convert(src.as<From>(), dst.as<uint16_t>());
    default: return convert(src.as<From>(), dst.as<float>());
  }
}

}  // namespace

void convert(ConstAnyView src, AnyView dst) {
  if (src.type == PixelType::f32)
    convert(src.as<float>(), dst.as<float>());
  else if (src.type == PixelType::u16)
    convert_from<uint16_t>(src, dst);
  else
    convert_from<uint8_t>(src, dst);
}

void make_gray(ConstAnyView src, AnyView dst, const Exec& exec) {
  to_gray(src, dst, ColorOrder::rgb, exec);
}

int64_t count_set(ConstAnyView mask, int32_t first, int32_t count) {
  int64_t set = 0;
  for (int32_t y = first; y < first + count; ++y) {
    const uint8_t* row = mask.as<uint8_t>().row(y);
    set += mask.width - std::count(row, row + mask.width, uint8_t(0));
  }
  return set;
}

}  // namespace cuesta::recipes
