// Options drawn from bytes by their descriptions: mostly what they may be, at times what they may
// not. The bytes are a fuzzer's, or a generator's.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/options.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/motion.hpp"

namespace cuesta::verify {

class Bytes {
 public:
  explicit Bytes(std::span<const uint8_t> data) : left_(data) {}
  /// 0 after the last.
  uint8_t next() {
    if (left_.empty()) return 0;
    const uint8_t byte = left_.front();
    left_ = left_.subspan(1);
    return byte;
  }
  /// 0 <= result < n, n at most 256.
  int below(int n) { return next() % n; }
  /// The same of n up to 65,536, from two bytes.
  int below_many(int n) {
    const int high = next();
    return (high * 256 + next()) % n;
  }

 private:
  std::span<const uint8_t> left_;
};

inline double draw_number(Bytes& bytes, const Limits& limits, bool whole) {
  static constexpr double wild[] = {-1, 0, 256, -2e9, 2e9, 1e-300, 1e300, NAN, INFINITY};
  const int how = bytes.below(32);
  if (how == 0) {
    const double value = wild[bytes.below(whole ? 5 : int(std::size(wild)))];
    return value;
  }
  if (how < 8 && !limits.own.empty()) return 0;
  if (limits.choice_count > 0) return limits.choices[size_t(bytes.below(limits.choice_count))];
  // Near the lower end, where windows are small; 255 is reached, too.
  const double low = std::isfinite(limits.low) && limits.low > -1e6 ? limits.low : -20;
  double value = low + (how < 12 ? bytes.next() : bytes.below(24));
  if (!whole) value += bytes.below(16) / 16.0;
  if (limits.odd && std::fmod(value, 2) == 0) value += 1;
  return std::min(value, limits.high);
}

template <class T>
  requires std::integral<T> || std::floating_point<T>
void draw(Bytes& bytes, const Limits& limits, T& value) {
  if constexpr (std::same_as<T, bool>)
    value = bytes.below(2) == 1;
  else
    value = T(draw_number(bytes, limits, std::integral<T>));
}
inline void draw(Bytes& bytes, const Limits& limits, std::optional<double>& value) {
  if (bytes.below(4) == 0) return value.reset();
  value = draw_number(bytes, limits, false);
}
template <NamedEnum E>
void draw(Bytes& bytes, const Limits&, E& value) {
  const auto names = names_of(E{});
  const int chosen = bytes.below(int(names.size()) * 8 + 1);
  value = chosen == 0 ? E(200) : names[size_t(chosen) % names.size()].value;
}
inline void draw(Bytes& bytes, const Limits& limits, Border& value) {
  draw(bytes, limits, value.mode);
  value.value = draw_number(bytes, at_least(-4), false);
}
inline void draw(Bytes& bytes, const Limits& limits, std::optional<Border>& value) {
  if (bytes.below(3) == 0) return value.reset();
  draw(bytes, limits, value.emplace());
}
inline void draw(Bytes& bytes, const Limits&, StructuringElement& value) {
  // Mostly small; also longer than a warp, and cells at random.
  const auto side = [&](int most) { return 1 + bytes.below(bytes.below(4) == 0 ? most : 9); };
  // Arguments have no order of evaluation.
  const auto make = [&](auto element, int max_width, int max_height) {
    const int width = side(max_width), height = side(max_height);
    value = element(width, height);
  };
  switch (bytes.below(6)) {
    case 0: make(StructuringElement::rectangle, 60, 40); break;
    case 1: make(StructuringElement::ellipse, 40, 30); break;
    case 2: make(StructuringElement::cross, 20, 20); break;
    case 3: {
      const int width = side(40), height = side(12);
      std::vector<uint8_t> cells(size_t(width) * size_t(height));
      for (auto& cell : cells) cell = bytes.below(4) == 0;
      cells[size_t(bytes.below_many(int(cells.size())))] = 1;
      value = {width, height, cells};
      break;
    }
    default: value = StructuringElement::disk(side(20) | 1); break;
  }
}
inline void draw(Bytes& bytes, const Limits& limits, DifferenceThreshold& value) {
  value.level = draw_number(bytes, limits, false);
  value.otsu = bytes.below(2) == 1;
}
inline void draw(Bytes& bytes, const Limits&, Thresholds& value) {
  if (bytes.below(2) == 0) {
    const double low = draw_number(bytes, at_least(0), false) * 4;
    value = Given{low, low + draw_number(bytes, at_least(0), false) * 8};
  } else {
    value = Automatic{AutoThreshold(bytes.below(3)), draw_number(bytes, between(0, 100), false)};
  }
}

/// All fields of an options struct.
template <class Options>
Options draw_options(Bytes& bytes) {
  Options options;
  for_each_field<Options>([&](const auto& one) { draw(bytes, one.limits, one.at(options)); });
  return options;
}

}  // namespace cuesta::verify
