// What the label strategies share, and their entries.
#pragma once

#include <algorithm>

#include "ops/label/args.hpp"
#include "ops/shared/mask_at.hpp"

namespace cuesta {

/// Adds the pixels [begin, end) of row y. Rows come in rising order once c has a pixel.
inline void add_run(Component& c, int32_t begin, int32_t end, int32_t y) {
  const int64_t pixels = end - begin;
  if (c.area == 0) {
    c.box = {begin, y, end - begin, 1};
  } else {
    const int32_t left = std::min(c.box.x, begin);
    const int32_t right = std::max(c.box.x + c.box.width, end);
    c.box = {left, c.box.y, right - left, y + 1 - c.box.y};
  }
  c.area += pixels;
  c.sum_x += (int64_t(begin) + end - 1) * pixels / 2;
  c.sum_y += y * pixels;
}

/// Adds what another part of the same component has.
inline void add_part(Component& c, const Component& part) {
  const Rect &a = c.box, &b = part.box;
  const int32_t left = std::min(a.x, b.x), top = std::min(a.y, b.y);
  c.box = {left, top, std::max(a.x + a.width, b.x + b.width) - left,
           std::max(a.y + a.height, b.y + b.height) - top};
  c.area += part.area;
  c.sum_x += part.sum_x;
  c.sum_y += part.sum_y;
}

/// The components of a picture of their labels, 1 to components.size(). Overwrites the list.
void gather_components(ImageView<const int32_t> labels, std::vector<Component>& components);

/// Throws Error{invalid_argument} naming the view or option.
void check_label(ConstAnyView mask, AnyView labels, const LabelOptions& options);

/// Strategy `serial`.
void label_serial(const LabelArgs& args, Call& call);
/// Strategy `rows`.
void label_rows(const LabelArgs& args, Call& call);
/// Strategy `simd`; it takes every request.
void label_simd(const LabelArgs& args, Call& call);

}  // namespace cuesta
