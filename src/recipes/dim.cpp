// Pictures of 16 bits that use a small part of them, as cameras of 10 to 14 bits write.
#include <fmt/format.h>

#include <algorithm>

#include "cuesta/recipes/recipe.hpp"

namespace cuesta::recipes {

int32_t largest_of_dim(ConstAnyView picture, bool has_alpha) {
  if (picture.type != PixelType::u16 || picture.space != Space::host) return 0;
  const auto samples = picture.as<uint16_t>();
  const int32_t colors = samples.channels - int32_t(has_alpha);
  int32_t largest = 0;
  for (int32_t y = 0; y < samples.height; ++y) {
    const uint16_t* row = samples.row(y);
    for (int32_t x = 0; x < samples.width; ++x, row += samples.channels)
      for (int32_t c = 0; c < colors; ++c) largest = std::max<int32_t>(largest, row[c]);
    if (largest >= 65536 / 4) return 0;
  }
  return largest;
}

std::string dim_remark(int32_t largest) {
  constexpr auto words = "its largest sample is {} and white is 65535, so that its edges are weak";
  return largest == 0 ? std::string() : fmt::format(words, largest);
}

std::string dim_remark(const Recipe& recipe, ConstAnyView picture, bool has_alpha) {
  const bool compares_levels = recipe.floats() == Floats::holes;
  return dim_remark(compares_levels ? largest_of_dim(picture, has_alpha) : 0);
}

}  // namespace cuesta::recipes
