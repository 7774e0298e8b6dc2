#include "apps/watch/heat_map.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "cuesta/fill.hpp"
#include "cuesta/io/colors.hpp"
#include "cuesta/io/picture.hpp"

namespace cuesta::cli {
namespace {

// Black-body colors: red rises first, then green, then blue.
std::array<double, 3> color_of(double heat) {
  return {std::min(1.0, 0.25 + 2.2 * heat), std::clamp(2.2 * heat - 0.8, 0.0, 1.0),
          std::clamp(4 * heat - 3, 0.0, 1.0)};
}

}  // namespace

HeatMap::HeatMap(const io::StreamFormat& format)
    : format_(format), counts_(format.width, format.height) {
  fill(counts_.view(), 0);
}

void HeatMap::add(const io::Frame& frame, ConstBitView mask, int32_t x, int32_t y) {
  if (background_.empty()) {
    io::Frame gray = frame;
    gray.cb = gray.cr = {};
    background_ = Image<uint8_t>(format_.width, format_.height, 3);
    io::make_rgb(gray, format_, background_);
  }
  for (int32_t row = 0; row < mask.height; ++row) {
    const uint64_t* words = mask.row(row);
    int32_t* counts = counts_.view().row(y + row) + x;
    for (int32_t w = 0; w < mask.words(); ++w, counts += 64) {
      for (uint64_t bits = words[w]; bits != 0; bits &= bits - 1) ++counts[std::countr_zero(bits)];
    }
  }
}

Image<uint8_t> HeatMap::picture() const {
  Image<uint8_t> out(format_.width, format_.height, 3);
  int32_t most = 1;
  for (int32_t y = 0; y < format_.height; ++y) {
    const int32_t* counts = counts_.view().row(y);
    most = std::max(most, *std::max_element(counts, counts + format_.width));
  }
  for (int32_t y = 0; y < format_.height; ++y) {
    const int32_t* counts = counts_.view().row(y);
    uint8_t* to = out.view().row(y);
    for (int32_t x = 0; x < format_.width; ++x, to += 3) {
      const double heat = std::log1p(counts[x]) / std::log1p(most);
      const double dim = background_.empty() ? 0 : background_.view().row(y)[3 * x] / 3.0;
      const double share = counts[x] == 0 ? 0 : 0.35 + 0.65 * heat;
      const auto color = color_of(heat);
      for (size_t c = 0; c < 3; ++c)
        to[c] = uint8_t(std::lround((1 - share) * dim + share * 255 * color[c]));
    }
  }
  return out;
}

void HeatMap::write(const std::string& path) const { io::write_picture(path, picture()); }

}  // namespace cuesta::cli
