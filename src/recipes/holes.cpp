#include "recipes/holes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cuesta/objects.hpp"

namespace cuesta::recipes {
namespace {

struct Place {
  int32_t x, y;
};

template <class T>
void clear(ImageView<T> picture, ImageView<const uint8_t> holes) {
  for (int32_t y = 0; y < picture.height; ++y)
    for (int32_t x = 0; x < picture.width; ++x)
      if (holes.at(x, y)) picture.at(x, y) = T(0);
}

}  // namespace

Image<uint8_t> holes_of(ImageView<const float> picture, bool has_alpha) {
  const int32_t colors = picture.channels - int32_t(has_alpha);
  Image<uint8_t> holes(picture.width, picture.height);
  bool has_some = false;
  for (int32_t y = 0; y < picture.height; ++y) {
    const float* from = picture.row(y);
    for (int32_t x = 0; x < picture.width; ++x, from += picture.channels) {
      const bool is_hole = std::any_of(from, from + colors, [](float v) { return std::isnan(v); });
      holes.at(x, y) = is_hole ? 255 : 0;
      has_some |= is_hole;
    }
  }
  return has_some ? std::move(holes) : Image<uint8_t>();
}

void fill_holes(Image<uint16_t>& levels, const Image<uint8_t>& holes) {
  Image<uint8_t> open(holes.width(), holes.height());
  std::vector<Place> front, next;
  for (int32_t y = 0; y < holes.height(); ++y) {
    for (int32_t x = 0; x < holes.width(); ++x) {
      open.at(x, y) = holes.at(x, y);
      if (!holes.at(x, y)) front.push_back({x, y});
    }
  }
  const auto spread = [&](Place from, int32_t x, int32_t y) {
    if (x < 0 || y < 0 || x >= open.width() || y >= open.height() || !open.at(x, y)) return;
    open.at(x, y) = 0;
    for (int32_t c = 0; c < levels.channels(); ++c)
      levels.at(x, y, c) = levels.at(from.x, from.y, c);
    next.push_back({x, y});
  };
  for (; !front.empty(); front.swap(next), next.clear()) {
    for (const Place p : front) {
      spread(p, p.x, p.y + 1);
      spread(p, p.x, p.y - 1);
      spread(p, p.x + 1, p.y);
      spread(p, p.x - 1, p.y);
    }
  }
}

Image<uint8_t> grown(ImageView<const uint8_t> holes, int32_t by) {
  constexpr int32_t most = 127;  // rows that the largest element reaches
  Image<uint8_t> out(holes.width, holes.height);
  ConstAnyView from = holes;
  do {
    const int32_t step = std::min(by, most);
    morphology(from, out, Morph::dilate, StructuringElement::rectangle(2 * step + 1, 2 * step + 1));
    from = out;
    by -= step;
  } while (by > 0);
  return out;
}

void clear_holes(AnyView picture, ImageView<const uint8_t> holes) {
  switch (picture.type) {
    case PixelType::u8: return clear(picture.as<uint8_t>(), holes);
    case PixelType::u16: return clear(picture.as<uint16_t>(), holes);
    case PixelType::s32: return clear(picture.as<int32_t>(), holes);
    default: return clear(picture.as<float>(), holes);
  }
}

void renumber(ImageView<int32_t> labels) {
  std::vector<int32_t> numbers;  // of each label, 0 for one that is gone
  const auto each = [&](auto&& see) {
    for (int32_t y = 0; y < labels.height; ++y)
      for (int32_t x = 0; x < labels.width; ++x)
        if (labels.at(x, y) > 0) see(labels.at(x, y));
  };
  each([&](int32_t label) {
    if (size_t(label) >= numbers.size()) numbers.resize(size_t(label) + 1);
    numbers[size_t(label)] = 1;
  });
  int32_t count = 0;
  for (int32_t& number : numbers)
    if (number != 0) number = ++count;
  each([&](int32_t& label) { label = numbers[size_t(label)]; });
}

}  // namespace cuesta::recipes
