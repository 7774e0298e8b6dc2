#include "cli/samples.hpp"

#include "cli/common.hpp"
#include "cuesta/objects.hpp"

namespace cuesta::cli {
namespace {

template <class From, class To>
void convert(ImageView<const From> src, ImageView<To> dst) {
  const int64_t row = int64_t(src.width) * src.channels;
  for (int32_t y = 0; y < src.height; ++y) {
    const From* from = src.row(y);
    To* to = dst.row(y);
    for (int64_t i = 0; i < row; ++i) {
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

template <class T>
void first_channel(ImageView<const T> src, ImageView<T> dst) {
  for (int32_t y = 0; y < src.height; ++y) {
    for (int32_t x = 0; x < src.width; ++x) dst.at(x, y) = src.at(x, y);
  }
}

template <class T>
void mask_of(ImageView<const T> src, int32_t colors, ImageView<uint8_t> mask) {
  for (int32_t y = 0; y < src.height; ++y) {
    for (int32_t x = 0; x < src.width; ++x) {
      bool is_set = false;
      for (int32_t c = 0; c < colors; ++c) is_set |= src.at(x, y, c) != 0;
      mask.at(x, y) = is_set ? 255 : 0;
    }
  }
}

}  // namespace

void check_region(ConstAnyView picture, const Rect& region, const std::string& name) {
  if (int64_t(region.x) + region.width <= picture.width &&
      int64_t(region.y) + region.height <= picture.height)
    return;
  const std::string text =
      fmt::format("{},{},{},{}", region.x, region.y, region.width, region.height);
  usage_error(text, "--region {}: this leaves the picture {}, which has {} x {} pixels", text, name,
              picture.width, picture.height);
}

ConstAnyView region_of(ConstAnyView picture, const std::optional<Rect>& region,
                       const std::string& name) {
  if (!region) return picture;
  check_region(picture, *region, name);
  return picture.region(*region);
}

ConstAnyView gray_of(ConstAnyView picture, AnyImage& holder, const Exec& exec) {
  if (picture.channels == 1) return picture;
  const AnyView gray = holder.create(picture.size(), 1, picture.type);
  if (picture.channels > 2)
    to_gray(picture, gray, ColorOrder::rgb, exec);
  else if (picture.type == PixelType::u16)
    first_channel(picture.as<uint16_t>(), gray.as<uint16_t>());
  else
    first_channel(picture.as<uint8_t>(), gray.as<uint8_t>());
  return gray;
}

ConstAnyView converted(ConstAnyView picture, PixelType type, AnyImage& holder) {
  if (picture.type == type) return picture;
  const AnyView out = holder.create(picture.size(), picture.channels, type);
  if (picture.type == PixelType::u16)
    convert_from<uint16_t>(picture, out);
  else
    convert_from<uint8_t>(picture, out);
  return out;
}

void fill_mask(ConstAnyView picture, bool has_alpha, AnyView mask) {
  const int32_t colors = picture.channels - (has_alpha ? 1 : 0);
  if (picture.type == PixelType::u16)
    mask_of(picture.as<uint16_t>(), colors, mask.as<uint8_t>());
  else
    mask_of(picture.as<uint8_t>(), colors, mask.as<uint8_t>());
}

int64_t count_set(ConstAnyView plane) {
  const auto view = plane.as<uint8_t>();
  int64_t count = 0;
  for (int32_t y = 0; y < view.height; ++y) {
    const uint8_t* row = view.row(y);
    for (int32_t x = 0; x < view.width; ++x) count += row[x] != 0;
  }
  return count;
}

}  // namespace cuesta::cli
