// Strategy `serial`: the steps one after the other, and what is written of their result.
#include "ops/regions/reference.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cuesta {
namespace {

using namespace regions_of;

// Levels of arcs by the two basins.
class Levels {
 public:
  Levels(const std::vector<Arc>& arcs, size_t basins) : arcs_(arcs), first_(basins + 1) {
    for (const Arc& arc : arcs) ++first_[size_t(arc.a) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
  }
  /// 0 of one basin.
  int32_t between(int32_t a, int32_t b) const {
    if (a == b) return 0;
    if (a > b) std::swap(a, b);
    const auto begin = arcs_.begin() + ptrdiff_t(first_[size_t(a)]);
    const auto end = arcs_.begin() + ptrdiff_t(first_[size_t(a) + 1]);
    return std::ranges::lower_bound(begin, end, b, {}, &Arc::b)->level;
  }

 private:
  const std::vector<Arc>& arcs_;
  std::vector<size_t> first_;
};

// The strength of the contour at each pixel, to the right and below.
template <class T, class Value>
void write_contours(ImageView<const int32_t> basins, const Levels& levels, ImageView<T> dst,
                    const Value& value) {
  for (int32_t y = 0; y < dst.height; ++y) {
    for (int32_t x = 0; x < dst.width; ++x) {
      const int32_t here = basins.at(x, y);
      int32_t level = 0;
      if (x + 1 < dst.width) level = levels.between(here, basins.at(x + 1, y));
      if (y + 1 < dst.height) level = std::max(level, levels.between(here, basins.at(x, y + 1)));
      dst.at(x, y) = value(level);
    }
  }
}

int32_t root_of(std::vector<int32_t>& parents, int32_t basin) {
  while (parents[size_t(basin)] != basin) {
    parents[size_t(basin)] = parents[size_t(parents[size_t(basin)])];
    basin = parents[size_t(basin)];
  }
  return basin;
}

void write_labels(ImageView<const int32_t> basins, const std::vector<Arc>& arcs, size_t count,
                  int32_t limit, ImageView<int32_t> dst) {
  std::vector<int32_t> parents(count), labels(count, 0);
  std::iota(parents.begin(), parents.end(), 0);
  for (const Arc& arc : arcs) {
    if (arc.level <= limit) parents[size_t(root_of(parents, arc.a))] = root_of(parents, arc.b);
  }
  int32_t last = 0;
  for (int32_t y = 0; y < dst.height; ++y) {
    for (int32_t x = 0; x < dst.width; ++x) {
      int32_t& label = labels[size_t(root_of(parents, basins.at(x, y)))];
      if (label == 0) label = ++last;
      dst.at(x, y) = label;
    }
  }
}

// The strengths in 16 bits.
ImageView<const uint16_t> strengths_of(ConstAnyView src, Scratch& scratch) {
  if (src.type == PixelType::u16) return src.as<uint16_t>();
  const auto from = src.as<uint8_t>();
  const auto to = scratch.image<uint16_t>(src.width, src.height);
  for (int32_t y = 0; y < src.height; ++y)
    for (int32_t x = 0; x < src.width; ++x) to.at(x, y) = uint16_t(257 * from.at(x, y));
  return to;
}

}  // namespace

void regions_serial(const RegionsArgs& args, Call& call) {
  Scratch& scratch = call.scratch();
  const auto src = strengths_of(args.src, scratch);
  call.stage("flood");
  const auto relief = scratch.image<int32_t>(src.width, src.height);
  const auto basins = scratch.image<int32_t>(src.width, src.height);
  fill_relief(src, relief, scratch);
  const auto count = size_t(flood(relief, basins, scratch));
  call.stage("join");
  std::vector<int64_t> areas(count);
  for (int32_t y = 0; y < src.height; ++y)
    for (int32_t x = 0; x < src.width; ++x) ++areas[size_t(basins.at(x, y))];
  std::vector<Arc> arcs = arcs_between(src, basins);
  join_all(arcs, std::move(areas));
  call.stage("contours");
  const auto limit = int32_t(std::floor(args.options.threshold * 65535));
  if (args.dst.type == PixelType::s32)
    return write_labels(basins, arcs, count, limit, args.dst.as<int32_t>());
  const Levels levels(arcs, count);
  if (args.dst.type == PixelType::u8) {
    write_contours(basins, levels, args.dst.as<uint8_t>(),
                   [limit](int32_t level) { return uint8_t(level > limit ? 255 : 0); });
  } else {
    write_contours(basins, levels, args.dst.as<uint16_t>(),
                   [](int32_t level) { return uint16_t(level); });
  }
}

}  // namespace cuesta
