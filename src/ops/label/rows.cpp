// Strategy `rows`: union-find over pixels. Strips of rows by threads, then the rows where strips
// meet, then numbers in raster order. A set is known by its least pixel, so roots stand in raster
// order.
#include "cpu/union_find.hpp"
#include "ops/label/reference.hpp"

namespace cuesta {
namespace {

using Index = uint32_t;  // y * width + x, below LabelArgs::max_pixels
constexpr Index background = ~Index(0);

// Joins row y to row y - 1.
void join_row_above(Index* parent, int32_t width, int32_t y, int connectivity) {
  const Index row = Index(y) * Index(width);
  const int32_t reach = connectivity == 8 ? 1 : 0;
  for (int32_t x = 0; x < width; ++x) {
    if (parent[row + Index(x)] == background) continue;
    for (int32_t n = std::max(0, x - reach); n <= std::min(width - 1, x + reach); ++n) {
      const Index above = row - Index(width) + Index(n);
      if (parent[above] != background) cpu::unite(parent, row + Index(x), above);
    }
  }
}

}  // namespace

void label_rows(const LabelArgs& args, Call& call) {
  const int32_t width = args.mask.width, height = args.mask.height;
  const Strips strips(height, call.threads());
  auto* parent = call.scratch().take<Index>(size_t(width) * size_t(height));
  const auto at = [&](int32_t x, int32_t y) -> Index& {
    return parent[Index(y) * Index(width) + Index(x)];
  };

  parallel_tasks(strips.count, call.threads(), [&](int s) {
    for (int32_t y = strips.begin(s); y < strips.end(s); ++y) {
      for (int32_t x = 0; x < width; ++x) {
        if (!mask_at(args.mask, x, y))
          at(x, y) = background;
        else
          at(x, y) = x > 0 && at(x - 1, y) != background ? at(x - 1, y)
                                                         : Index(y) * Index(width) + Index(x);
      }
      if (y > strips.begin(s)) join_row_above(parent, width, y, args.options.connectivity);
    }
  });
  for (int s = 1; s < strips.count; ++s)
    join_row_above(parent, width, strips.begin(s), args.options.connectivity);

  // Least pixels come first, so a parent is settled before its children; a settled pixel holds its
  // label, marked by the highest bit.
  constexpr Index marked = Index(1) << 31;
  if (args.components()) args.components()->clear();
  int32_t count = 0;
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      Index& p = at(x, y);
      if (p == background) continue;
      const bool root = p == Index(y) * Index(width) + Index(x);
      p = root ? marked | Index(++count) : parent[p];
      if (!args.components()) continue;
      if (root) {
        args.components()->emplace_back();
        args.components()->back().label = count;
      }
      add_run((*args.components())[(p & ~marked) - 1], x, x + 1, y);
    }
  }
  args.set_count(count);
  const auto label_row = [&](int32_t y, int32_t* out) {
    for (int32_t x = 0; x < width; ++x)
      out[x] = at(x, y) == background ? 0 : int32_t(at(x, y) & ~marked);
  };
  if (args.ends().first) {
    label_row(0, args.ends().first);
    label_row(height - 1, args.ends().last);
  }
  if (!args.labels()) return;
  parallel_rows(height, call.threads(), [&](int32_t first, int32_t end) {
    for (int32_t y = first; y < end; ++y) label_row(y, args.labels().as<int32_t>().row(y));
  });
}

}  // namespace cuesta
