#include "cli/samples.hpp"

#include <algorithm>

#include "cli/common.hpp"
#include "cuesta/recipes/recipe.hpp"
#include "cuesta/recipes/samples.hpp"

namespace cuesta::cli {
namespace {

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
  usage_error(text, "--region is {}; it must be inside the picture {}, which has {} x {} pixels",
              text, name, picture.width, picture.height);
}

ConstAnyView region_of(ConstAnyView picture, const std::optional<Rect>& region,
                       const std::string& name) {
  if (!region) return picture;
  check_region(picture, *region, name);
  return picture.region(*region);
}

ConstAnyView converted(ConstAnyView picture, PixelType type, AnyImage& holder) {
  if (picture.type == type) return picture;
  if (picture.type == PixelType::f32) {  // to be looked at
    const auto kind = recipes::kind_of(picture);
    const auto levels = recipes::whiten(picture.as<float>(), kind.has_alpha, {}, false);
    const AnyView out = holder.create(picture.size(), picture.channels, type);
    recipes::convert(levels.pixels, out);
    return out;
  }
  const AnyView out = holder.create(picture.size(), picture.channels, type);
  recipes::convert(picture, out);
  return out;
}

void fill_mask(ConstAnyView picture, bool has_alpha, AnyView mask) {
  const int32_t colors = picture.channels - (has_alpha ? 1 : 0);
  if (picture.type == PixelType::u16)
    mask_of(picture.as<uint16_t>(), colors, mask.as<uint8_t>());
  else
    mask_of(picture.as<uint8_t>(), colors, mask.as<uint8_t>());
}

}  // namespace cuesta::cli
