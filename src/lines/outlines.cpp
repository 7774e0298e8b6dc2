#include "cuesta/lines.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <span>

#include "core/check.hpp"
#include "lines/simplify.hpp"

namespace cuesta {
namespace lines {
namespace {

// A corner of pixels: the upper left one of pixel (x, y).
struct Corner {
  int32_t y, x;
  auto operator<=>(const Corner&) const = default;  // NOLINT(modernize-use-nullptr)
};
using Corners = std::vector<Corner>;

struct Ring {
  Corners corners{};           // where it turns, and the fixed ones
  std::vector<size_t> cuts{};  // indices of the fixed ones
  int64_t length = 0;
};

// Walks around regions on the sides of pixels.
class Walker {
 public:
  explicit Walker(ImageView<const int32_t> labels)
      : labels_(labels), walked_(size_t(labels.width) * size_t(labels.height)) {}

  // Whether a ring that was not walked yet goes along the upper side of the pixel.
  bool begins_at(int32_t x, int32_t y) const {
    return at(x, y) != 0 && at(x, y) != at(x, y - 1) && !walked_[index(x, y)];
  }

  // The ring along the upper side of the pixel, with its region on the right.
  Ring walk(int32_t x, int32_t y) {
    const int32_t label = at(x, y);
    Ring ring;
    const Corner begin{y, x};
    Corner here = begin;
    int way = 0;     // right, down, left, up
    int before = 3;  // it turns where it begins
    do {
      if (is_fixed(here)) ring.cuts.push_back(ring.corners.size());
      if (way != before || is_fixed(here)) ring.corners.push_back(here);
      if (way == 0) walked_[index(here.x, here.y)] = true;
      here = {here.y + down[size_t(way)], here.x + right[size_t(way)]};
      ++ring.length;
      before = way;
      way = next_way(here, way, label);
    } while (here != begin || way != 0);
    return ring;
  }

 private:
  static constexpr std::array<int, 4> right{1, 0, -1, 0}, down{0, 1, 0, -1};

  size_t index(int32_t x, int32_t y) const { return size_t(y) * size_t(labels_.width) + size_t(x); }
  // 0 outside.
  int32_t at(int32_t x, int32_t y) const {
    if (x < 0 || y < 0 || x >= labels_.width || y >= labels_.height) return 0;
    return labels_.at(x, y);
  }
  // Where three or more regions meet, and the corners of the picture.
  bool is_fixed(Corner c) const {
    const int32_t a = at(c.x - 1, c.y - 1), b = at(c.x, c.y - 1), d = at(c.x - 1, c.y),
                  e = at(c.x, c.y);
    const bool is_end_x = c.x == 0 || c.x == labels_.width;
    const bool is_end_y = c.y == 0 || c.y == labels_.height;
    return (a != b) + (b != e) + (e != d) + (d != a) > 2 || (is_end_x && is_end_y);
  }
  // The pixel ahead of a corner, on this side of the way.
  bool is_inside(Corner c, int way, bool on_right, int32_t label) const {
    constexpr std::array<int, 4> x{0, -1, -1, 0}, y{0, 0, -1, -1};
    const auto side = size_t(on_right ? way : (way + 3) % 4);
    return at(c.x + x[side], c.y + y[side]) == label;
  }
  // Of two pixels of the region that only touch at the corner, the ring goes past both, so that
  // what they enclose is a hole.
  int next_way(Corner c, int way, int32_t label) const {
    const bool on_left = is_inside(c, way, false, label);
    if (!on_left && is_inside(c, way, true, label)) return way;
    return (way + (on_left ? 3 : 1)) % 4;
  }
  ImageView<const int32_t> labels_;
  std::vector<bool> walked_;
};

LinePoint point_of(Corner c) { return {c.x - 0.5, c.y - 0.5, 0}; }

// The corners that stay of a piece of a border. Both regions beside it walk it, one each way.
Corners simplified_piece(Corners piece, bool closed, double tolerance) {
  const bool turns = closed ? piece[1] > piece.back()
                            : std::ranges::lexicographical_compare(piece.rbegin(), piece.rend(),
                                                                   piece.begin(), piece.end());
  const auto turn = [&] { std::reverse(piece.begin() + (closed ? 1 : 0), piece.end()); };
  if (turns) turn();
  std::vector<LinePoint> points;
  for (const Corner& c : piece) points.push_back(point_of(c));
  keep(piece, simplified(points, closed, tolerance));
  if (turns) turn();
  return piece;
}

std::vector<LinePoint> simplified_ring(Ring ring, double tolerance) {
  Corners& corners = ring.corners;
  Corners made;
  if (ring.cuts.empty()) {
    std::rotate(corners.begin(), std::ranges::min_element(corners), corners.end());
    made = simplified_piece(corners, true, tolerance);
  }
  for (size_t i = 0; i < ring.cuts.size(); ++i) {
    // From one fixed corner to the next, which may be the same.
    const bool is_last = i + 1 == ring.cuts.size();
    Corners piece(corners.begin() + ptrdiff_t(ring.cuts[i]),
                  is_last ? corners.end() : corners.begin() + ptrdiff_t(ring.cuts[i + 1]));
    if (is_last)
      piece.insert(piece.end(), corners.begin(), corners.begin() + ptrdiff_t(ring.cuts[0]));
    const bool closed = ring.cuts.size() == 1;
    if (!closed) piece.push_back(corners[ring.cuts[is_last ? 0 : i + 1]]);
    piece = simplified_piece(std::move(piece), closed, tolerance);
    made.insert(made.end(), piece.begin(), piece.end() - (closed ? 0 : 1));
  }
  std::vector<LinePoint> points;
  for (const Corner& c : made.size() < 3 ? corners : made) points.push_back(point_of(c));
  return points;
}

template <class T>
void add_levels(ImageView<const int32_t> labels, ImageView<const T> gray,
                std::vector<Outline>& all) {
  for (int32_t y = 0; y < labels.height; ++y) {
    for (int32_t x = 0; x < labels.width; ++x) {
      if (labels.at(x, y) == 0) continue;
      Outline& one = all[size_t(labels.at(x, y)) - 1];
      one.mean += double(gray.at(x, y));
      ++one.area;
    }
  }
  for (Outline& one : all) one.mean /= double(std::max<int64_t>(1, one.area));
}

// The largest label.
int32_t count_of(ImageView<const int32_t> labels) {
  int32_t count = 0;
  for (int32_t y = 0; y < labels.height; ++y) {
    const auto [least, most] = std::minmax_element(labels.row(y), labels.row(y) + labels.width);
    if (*least < 0 || *most > int64_t(labels.width) * labels.height) {
      const int32_t wrong = *least < 0 ? *least : *most;
      throw_invalid(std::to_string(wrong),
                    "outlines: labels has the number {}; it must be from 0 to the number of pixels",
                    wrong);
    }
    count = std::max(count, *most);
  }
  return count;
}

std::vector<Outline> outlines_of(ImageView<const int32_t> labels, ConstAnyView gray,
                                 const TraceOptions& how) {
  std::vector<Outline> all(size_t(count_of(labels)), Outline{});
  if (gray.type == PixelType::u8)
    add_levels(labels, gray.as<uint8_t>(), all);
  else
    add_levels(labels, gray.as<uint16_t>(), all);
  Walker walker(labels);
  for (int32_t y = 0; y < labels.height; ++y) {
    for (int32_t x = 0; x < labels.width; ++x) {
      if (!walker.begins_at(x, y)) continue;
      Outline& one = all[size_t(labels.at(x, y)) - 1];
      one.label = labels.at(x, y);
      Ring ring = walker.walk(x, y);
      if (one.rings.empty()) one.length = double(ring.length);
      one.rings.push_back(simplified_ring(std::move(ring), how.tolerance));
    }
  }
  std::erase_if(
      all, [&](const Outline& one) { return one.rings.empty() || one.length < how.min_length; });
  return all;
}

}  // namespace
}  // namespace lines

std::vector<Outline> outlines(ImageView<const int32_t> labels, ConstAnyView gray,
                              const TraceOptions& how) {
  check_view(labels, "outlines: labels", {PixelType::s32});
  check_view(gray, "outlines: gray", {PixelType::u8, PixelType::u16});
  check_same_size(labels, gray, "outlines: labels", "outlines: gray");
  return lines::outlines_of(labels, gray, how);
}

}  // namespace cuesta
