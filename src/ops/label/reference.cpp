// Components as the definition reads: pixels in raster order; the first one not yet labelled
// initialises a component, which is flooded at once. No cleverness.
#include "ops/label/reference.hpp"

namespace cuesta {
namespace {

struct Point {
  int32_t x, y;
};

// Labels everything connected to `start`, and gathers it.
Component flood(const LabelArgs& args, ImageView<int32_t> labels, Point* stack, Point start,
                int32_t label) {
  int32_t left = start.x, right = start.x, top = start.y, bottom = start.y;
  Component c;
  c.label = label;
  size_t depth = 0;
  const auto push = [&](int32_t x, int32_t y) {
    if (x < 0 || y < 0 || x >= labels.width || y >= labels.height) return;
    if (labels.at(x, y) || !mask_at(args.mask, x, y)) return;
    labels.at(x, y) = label;
    stack[depth++] = {x, y};
  };
  push(start.x, start.y);
  while (depth) {
    const Point p = stack[--depth];
    left = std::min(left, p.x), right = std::max(right, p.x);
    top = std::min(top, p.y), bottom = std::max(bottom, p.y);
    ++c.area;
    c.sum_x += p.x;
    c.sum_y += p.y;
    for (int32_t dy = -1; dy <= 1; ++dy)
      for (int32_t dx = -1; dx <= 1; ++dx)
        if (args.options.connectivity == 8 || dx == 0 || dy == 0) push(p.x + dx, p.y + dy);
  }
  c.box = {left, top, right - left + 1, bottom - top + 1};
  return c;
}

}  // namespace

void label_serial(const LabelArgs& args, Call& call) {
  const int32_t width = args.mask.width, height = args.mask.height;
  const auto labels =
      args.labels() ? args.labels().as<int32_t>() : call.scratch().image<int32_t>(width, height);
  // Every pixel is pushed once at most.
  auto* stack = call.scratch().take<Point>(size_t(width) * size_t(height));
  for (int32_t y = 0; y < height; ++y) std::fill_n(labels.row(y), width, 0);
  if (args.components()) args.components()->clear();
  int32_t count = 0;
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      if (labels.at(x, y) || !mask_at(args.mask, x, y)) continue;
      const Component c = flood(args, labels, stack, {x, y}, ++count);
      if (args.components()) args.components()->push_back(c);
    }
  }
  args.set_count(count);
  if (args.ends().first) {
    std::copy_n(labels.row(0), width, args.ends().first);
    std::copy_n(labels.row(height - 1), width, args.ends().last);
  }
}

}  // namespace cuesta
