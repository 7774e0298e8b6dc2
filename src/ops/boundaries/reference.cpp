// Boundaries as the definition reads: a whole picture between any two stages. No cleverness.
#include "ops/boundaries/reference.hpp"

#include <algorithm>
#include <cmath>

#include "ops/boundaries/arithmetic.hpp"

namespace cuesta {

const std::array<uint8_t, 256>& boundary::responses() {
  static const std::array<uint8_t, 256> table = [] {
    std::array<uint8_t, 256> made{};
    for (size_t c = 0; c < made.size(); ++c)
      made[c] = uint8_t(std::lround(255 * std::log1p(double(c) / 96) / std::log1p(255.0 / 96)));
    return made;
  }();
  return table;
}

namespace {

using Plane = ImageView<int32_t>;

// The sample at (x, y), or that of the border nearest to it.
int32_t nearest(const Plane& plane, int32_t x, int32_t y) {
  return plane.at(std::clamp(x, 0, plane.width - 1), std::clamp(y, 0, plane.height - 1));
}

// Σ of the 4 × 4 samples around sample (x, y) of the next level, weighed by 1 3 3 1 both ways; at()
// gives those of the lower level.
template <class At>
int32_t reduced_sum(int32_t x, int32_t y, const At& at) {
  static constexpr int32_t taps[] = {1, 3, 3, 1};
  int32_t sum = 0;
  for (int32_t j = 0; j < 4; ++j)
    for (int32_t i = 0; i < 4; ++i) sum += taps[i] * taps[j] * at(2 * x - 1 + i, 2 * y - 1 + j);
  return sum;
}
int32_t reduced(const Plane& from, int32_t x, int32_t y) {
  const auto at = [&](int32_t i, int32_t j) { return nearest(from, i, j); };
  return (reduced_sum(x, y, at) + 32) >> 6;
}

// Sample (x, y) of the level below: columns first, then the row.
int32_t expanded(const Plane& from, int32_t x, int32_t y) {
  const int32_t i = x / 2, j = y / 2, beside = x % 2 ? i + 1 : i - 1, above = y % 2 ? j + 1 : j - 1;
  const auto column = [&](int32_t at) {
    return boundary::mix(nearest(from, at, j), nearest(from, at, above));
  };
  return boundary::mix(column(i), column(beside));
}

// Sobel's gradients over 8, rounded.
void add_gradient(const Plane& from, int32_t x, int32_t y, boundary::Tensor& sum) {
  const auto at = [&](int32_t i, int32_t j) { return nearest(from, x + i, y + j); };
  const int32_t gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
  const int32_t gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
  sum.add((gx + 4) >> 3, (gy + 4) >> 3);
}

int32_t smoothed(const Plane& from, int32_t x, int32_t y) {
  static constexpr int32_t taps[] = {1, 2, 1};
  int32_t sum = 8;
  for (int32_t j = 0; j < 3; ++j)
    for (int32_t i = 0; i < 3; ++i) sum += taps[i] * taps[j] * nearest(from, x - 1 + i, y - 1 + j);
  return sum >> 4;
}

// The limits between their samples.
int32_t limit_at(const Plane& limits, int32_t x, int32_t y) {
  const boundary::Place across = boundary::place_of(x), down = boundary::place_of(y);
  const auto column = [&](int32_t at) {
    return (32 - down.share) * nearest(limits, at, down.first) +
           down.share * nearest(limits, at, down.first + 1);
  };
  const int32_t sum =
      (32 - across.share) * column(across.first) + across.share * column(across.first + 1);
  return (sum + 512) >> 10;
}

bool is_maximum(uint8_t octant, const Plane& strength, int32_t x, int32_t y) {
  static constexpr int32_t right[] = {1, 1, 0, -1}, down[] = {0, 1, 1, 1};
  const int32_t i = right[octant], j = down[octant], m = strength.at(x, y);
  const auto at = [&](int32_t u, int32_t v) {
    const bool inside = u >= 0 && v >= 0 && u < strength.width && v < strength.height;
    return inside ? strength.at(u, v) : 0;
  };
  return m > at(x - i, y - j) && m >= at(x + i, y + j);
}

enum Mark : uint8_t { none, candidate, strong };

// Every candidate that 8-way neighbours connect to a strong pixel becomes strong.
void hysteresis(ImageView<uint8_t> marks, Scratch& scratch) {
  struct Pixel {
    int32_t x, y;
  };
  auto* stack = scratch.take<Pixel>(size_t(marks.width) * size_t(marks.height));
  size_t top = 0;
  for (int32_t y = 0; y < marks.height; ++y)
    for (int32_t x = 0; x < marks.width; ++x)
      if (marks.at(x, y) == strong) stack[top++] = {x, y};
  while (top > 0) {
    const Pixel p = stack[--top];
    for (int32_t y = std::max(p.y - 1, 0); y <= std::min(p.y + 1, marks.height - 1); ++y) {
      for (int32_t x = std::max(p.x - 1, 0); x <= std::min(p.x + 1, marks.width - 1); ++x) {
        if (marks.at(x, y) != candidate) continue;
        marks.at(x, y) = strong;
        stack[top++] = {x, y};
      }
    }
  }
}

class Stages {
 public:
  Stages(const BoundariesArgs& args, Call& call, int threads)
      : args_(args), scratch_(call.scratch()), threads_(threads), channels_(args.src.channels) {}

  void run(Call& call) {
    call.stage("pyramid");
    Plane first[3], second[3], third[3], sums[3];
    take_source(first);
    for (int32_t c = 0; c < channels_; ++c) {
      second[c] = level_above(first[c]);
      third[c] = level_above(second[c]);
      // 1, 1 and 2 parts of three scales.
      const Plane doubled = made(third[c], [&](auto x, auto y) { return 2 * third[c].at(x, y); });
      sums[c] = sum_of(first[c], sum_of(second[c], doubled));
    }
    call.stage("surround");
    const Plane limits = surround_limits(first);
    call.stage("strength");
    const Plane half_strength =
        made(first[0], [&](auto x, auto y) { return boundary::strength(tensor(sums, x, y)); });
    const Plane octants = made(
        first[0], [&](auto x, auto y) { return int32_t(boundary::octant(tensor(sums, x, y))); });
    const Plane whole{nullptr, args_.src.width, args_.src.height, 1, 0};
    const Plane strengths =
        made(whole, [&](auto x, auto y) { return expanded(half_strength, x, y); });
    call.stage("suppression");
    const auto marks = scratch_.image<uint8_t>(whole.width, whole.height);
    for_pixels(whole, [&](int32_t x, int32_t y) {
      const int32_t limit = limit_at(limits, x, y), m = strengths.at(x, y);
      const bool maximum = is_maximum(uint8_t(octants.at(x / 2, y / 2)), strengths, x, y);
      marks.at(x, y) = !maximum ? none : m > limit ? strong : m > limit >> 1 ? candidate : none;
    });
    call.stage("hysteresis");
    hysteresis(marks, scratch_);
    const auto dst = args_.dst.as<uint8_t>();
    for_pixels(whole,
               [&](int32_t x, int32_t y) { dst.at(x, y) = marks.at(x, y) == strong ? 255 : 0; });
  }

 private:
  template <class Body>
  void for_pixels(const Plane& of, const Body& body) {
    parallel_rows(of.height, threads_, [&](int32_t begin, int32_t end) {
      for (int32_t y = begin; y < end; ++y)
        for (int32_t x = 0; x < of.width; ++x) body(x, y);
    });
  }
  // A new plane of the size of `like`.
  template <class Value>
  Plane made(const Plane& like, const Value& value) {
    const Plane plane = scratch_.image<int32_t>(like.width, like.height);
    for_pixels(plane, [&](int32_t x, int32_t y) { plane.at(x, y) = value(x, y); });
    return plane;
  }
  Plane level_above(const Plane& from) {
    const Plane size{nullptr, boundary::half(from.width), boundary::half(from.height), 1, 0};
    return made(size, [&](auto x, auto y) { return reduced(from, x, y); });
  }
  Plane sum_of(const Plane& fine, const Plane& coarse) {
    return made(fine, [&](auto x, auto y) { return fine.at(x, y) + expanded(coarse, x, y); });
  }
  boundary::Tensor tensor(const Plane* channels, int32_t x, int32_t y) const {
    boundary::Tensor sum;
    for (int32_t c = 0; c < channels_; ++c) add_gradient(channels[c], x, y, sum);
    return sum;
  }

  // Responses at half size, as opponents.
  void take_source(Plane* planes) {
    args_.src.type == PixelType::u8 ? take_source(args_.src.as<uint8_t>(), planes)
                                    : take_source(args_.src.as<uint16_t>(), planes);
  }
  template <class T>
  void take_source(ImageView<const T> src, Plane* planes) {
    const auto& table = boundary::responses();
    const int32_t width = boundary::half(src.width), height = boundary::half(src.height);
    for (int32_t c = 0; c < channels_; ++c) planes[c] = scratch_.image<int32_t>(width, height);
    for_pixels(planes[0], [&](int32_t x, int32_t y) {
      int32_t of[3];
      for (int32_t c = 0; c < 3; ++c) {
        const auto at = [&](int32_t i, int32_t j) {
          const T* row = src.row(std::clamp(j, 0, src.height - 1));
          const int32_t sample = std::clamp(i, 0, src.width - 1) * src.channels + c % src.channels;
          return table[boundary::level_of(row[sample])];
        };
        of[c] = (reduced_sum(x, y, at) + 16) >> 5;
      }
      const auto opponents = boundary::opponents(of[0], of[1], of[2]);
      for (int32_t c = 0; c < channels_; ++c) planes[c].at(x, y) = opponents.of[c];
    });
  }

  Plane surround_limits(const Plane* first) {
    Plane around =
        made(first[0], [&](auto x, auto y) { return boundary::activity(tensor(first, x, y)); });
    for (int level = 1; level < 4; ++level) around = level_above(around);
    for (int time = 0; time < 2; ++time) {
      const Plane from = around;
      around = made(from, [&](auto x, auto y) { return smoothed(from, x, y); });
    }
    const int64_t threshold = boundary::fixed_threshold(args_.options);
    return made(around,
                [&](auto x, auto y) { return boundary::limit(threshold, around.at(x, y)); });
  }

  const BoundariesArgs& args_;
  Scratch& scratch_;
  int threads_;
  int32_t channels_;
};

}  // namespace

void boundaries_by_rows(const BoundariesArgs& args, Call& call, int threads) {
  Stages(args, call, threads).run(call);
}

void boundaries_serial(const BoundariesArgs& args, Call& call) {
  boundaries_by_rows(args, call, 1);
}

}  // namespace cuesta
