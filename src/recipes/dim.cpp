// Pictures of 16 bits that use a small part of them, as cameras of 10 to 14 bits write.
#include <fmt/format.h>

#include <algorithm>

#include "cuesta/recipes/recipe.hpp"

namespace cuesta::recipes {

int32_t largest_of_dim(ConstAnyView picture, bool has_alpha) {
  constexpr int32_t quarter = 65536 / 4;
  if (picture.type != PixelType::u16 || picture.space != Space::host) return 0;
  const auto samples = picture.as<uint16_t>();
  const int32_t colors = samples.channels - int32_t(has_alpha);
  int32_t largest = 0;
  for (int32_t y = 0; y < samples.height; ++y) {
    const uint16_t* row = samples.row(y);
    for (int32_t x = 0; x < samples.width; ++x, row += samples.channels)
      for (int32_t c = 0; c < colors; ++c) largest = std::max<int32_t>(largest, row[c]);
    if (largest >= quarter) return 0;
  }
  return largest;
}

std::string dim_remark(const Recipe& recipe, ConstAnyView picture, bool has_alpha) {
  if (recipe.floats() != Floats::holes) return {};
  const int32_t largest = largest_of_dim(picture, has_alpha);
  if (largest == 0) return {};
  return fmt::format("its largest sample is {} and white is 65535, so that its edges are weak",
                     largest);
}

}  // namespace cuesta::recipes
