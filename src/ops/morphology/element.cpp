// Structuring elements: makers, names, reflection.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/check.hpp"
#include "ops/morphology/options.hpp"

namespace cuesta {
namespace {

constexpr int largest = 255;

void check_size(int width, int height, std::string_view what) {
  if (width < 1 || height < 1 || width > largest || height > largest) {
    throw_invalid(fmt::format("{}x{}", width, height), "{} is {} x {}; both sides must be {}", what,
                  width, height,
                  wrong(width < 1 || height < 1 ? std::min(width, height) : std::max(width, height),
                        between(1, largest).or_by(smaller_in_turn)));
  }
}

template <class Inside>
StructuringElement make(int width, int height, Inside inside) {
  std::vector<uint8_t> cells(size_t(width) * size_t(height));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      cells[size_t(y) * size_t(width) + size_t(x)] = inside(x, y) ? 1 : 0;
  return {width, height, cells};
}

// "15" or "15x9"; nothing for other text.
std::optional<std::pair<int, int>> parse_size(std::string_view text) {
  const auto number = [](std::string_view digits) -> std::optional<int> {
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) return {};
    return value;
  };
  const size_t by = text.find('x');
  const auto width = number(text.substr(0, by));
  const auto height = by == std::string_view::npos ? width : number(text.substr(by + 1));
  if (!width || !height) return {};
  return std::pair(*width, *height);
}

}  // namespace

StructuringElement::StructuringElement(int width, int height, std::span<const uint8_t> cells)
    : width_(width), height_(height), anchor_x_(width / 2), anchor_y_(height / 2) {
  check_size(width, height, "structuring element");
  if (cells.size() != size_t(width) * size_t(height)) {
    throw_invalid(std::to_string(cells.size()),
                  "structuring element of {} x {} has {} cells; it must have {}", width, height,
                  cells.size(), width * height);
  }
  cells_.assign(cells.begin(), cells.end());
  if (count() == 0) {
    throw_invalid("empty",
                  "structuring element of {} x {} has no cell set; at least one must be set", width,
                  height);
  }
}

StructuringElement StructuringElement::disk(int diameter) {
  if (const auto must_be = wrong(diameter, odd(1, largest).or_by(smaller_in_turn));
      !must_be.empty())
    throw_invalid(std::to_string(diameter), "disk: diameter is {}; it must be {}", diameter,
                  must_be);
  const int r = diameter / 2;
  return make(diameter, diameter,
              [r](int x, int y) { return (x - r) * (x - r) + (y - r) * (y - r) <= r * r; });
}

StructuringElement StructuringElement::ellipse(int width, int height) {
  check_size(width, height, "ellipse");
  if (width == 1 && height == 1) return rectangle(1, 1);
  // cv::getStructuringElement, operation for operation, as its roundings decide the cells.
  const int r = height / 2, c = width / 2;
  const double inverse = r ? 1.0 / (double(r) * r) : 0;
  return make(width, height, [=](int x, int y) {
    const int dy = y - r;
    const int dx = int(std::nearbyint(c * std::sqrt((r * r - dy * dy) * inverse)));
    return x >= c - dx && x <= c + dx;
  });
}

StructuringElement StructuringElement::rectangle(int width, int height) {
  check_size(width, height, "rectangle");
  return make(width, height, [](int, int) { return true; });
}

StructuringElement StructuringElement::cross(int width, int height) {
  check_size(width, height, "cross");
  return make(width, height, [=](int x, int y) { return x == width / 2 || y == height / 2; });
}

StructuringElement StructuringElement::parse(std::string_view text) {
  if (text == "none") return rectangle(1, 1);
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view shape = text.substr(0, colon);
    if (const auto size = parse_size(text.substr(colon + 1))) {
      const auto [width, height] = *size;
      if (shape == "disk" && width == height) return disk(width);
      if (shape == "ellipse") return ellipse(width, height);
      if (shape == "rect") return rectangle(width, height);
      if (shape == "cross") return cross(width, height);
    }
  }
  throw_invalid(
      std::string(text),
      "structuring element is '{}'; it must be none, disk:N, ellipse:N, rect:N or cross:N "
      "(WxH for N except with disk), sizes 1 to {}",
      text, largest);
}

std::string text_of(const StructuringElement& e) {
  const int width = e.width(), height = e.height();
  const auto is = [&](const StructuringElement& other) {
    return std::ranges::equal(e.cells(), other.cells());
  };
  if (width == 1 && height == 1) return "none";
  const std::string size =
      width == height ? std::to_string(width) : fmt::format("{}x{}", width, height);
  if (width == height && width % 2 == 1 && is(StructuringElement::disk(width)))
    return "disk:" + size;
  if (is(StructuringElement::rectangle(width, height))) return "rect:" + size;
  if (is(StructuringElement::cross(width, height))) return "cross:" + size;
  if (is(StructuringElement::ellipse(width, height))) return "ellipse:" + size;
  return fmt::format("a {}x{} element", width, height);
}

int StructuringElement::count() const {
  return int(std::count_if(cells_.begin(), cells_.end(), [](uint8_t c) { return c != 0; }));
}

StructuringElement StructuringElement::reflected() const {
  StructuringElement out = *this;
  std::reverse(out.cells_.begin(), out.cells_.end());
  out.anchor_x_ = width_ - 1 - anchor_x_;
  out.anchor_y_ = height_ - 1 - anchor_y_;
  return out;
}

}  // namespace cuesta
