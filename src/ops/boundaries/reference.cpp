// Boundaries as the definition reads: a whole picture between any two stages. No cleverness.
#include "ops/boundaries/reference.hpp"

#include <cmath>

#include "ops/boundaries/pixels.hpp"

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

using namespace boundary;
using Plane = ImageView<int32_t>;

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
        made(first[0], [&](auto x, auto y) { return strength(tensor(sums, x, y)); });
    const Plane octants =
        made(first[0], [&](auto x, auto y) { return int32_t(octant(tensor(sums, x, y))); });
    const Plane whole{nullptr, args_.src.width, args_.src.height, 1, 0};
    const Plane strengths =
        made(whole, [&](auto x, auto y) { return expanded(half_strength, x, y); });
    call.stage("suppression");
    const auto marks = scratch_.image<uint8_t>(whole.width, whole.height);
    for_pixels(whole, [&](int32_t x, int32_t y) {
      marks.at(x, y) = mark_at(strengths, octants, limits, x, y);
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
    const Plane size{nullptr, half(from.width), half(from.height), 1, 0};
    return made(size, [&](auto x, auto y) { return reduced(from, x, y); });
  }
  Plane sum_of(const Plane& fine, const Plane& coarse) {
    return made(fine, [&](auto x, auto y) { return fine.at(x, y) + expanded(coarse, x, y); });
  }
  Tensor tensor(const Plane* channels, int32_t x, int32_t y) const {
    return tensor_at(channels, channels_, x, y);
  }

  // Responses at half size, as opponents.
  void take_source(Plane* planes) {
    args_.src.type == PixelType::u8 ? take_source(args_.src.as<uint8_t>(), planes)
                                    : take_source(args_.src.as<uint16_t>(), planes);
  }
  template <class T>
  void take_source(ImageView<const T> src, Plane* planes) {
    const auto* table = responses().data();
    const int32_t width = half(src.width), height = half(src.height);
    for (int32_t c = 0; c < channels_; ++c) planes[c] = scratch_.image<int32_t>(width, height);
    for_pixels(planes[0], [&](int32_t x, int32_t y) {
      const Opponents found = opponents_at(src, table, x, y);
      for (int32_t c = 0; c < channels_; ++c) planes[c].at(x, y) = found.of[c];
    });
  }

  Plane surround_limits(const Plane* first) {
    Plane around = made(first[0], [&](auto x, auto y) { return activity(tensor(first, x, y)); });
    for (int level = 1; level < 4; ++level) around = level_above(around);
    for (int time = 0; time < 2; ++time) {
      const Plane from = around;
      around = made(from, [&](auto x, auto y) { return smoothed(from, x, y); });
    }
    const int64_t threshold = fixed_threshold(args_.options);
    return made(around, [&](auto x, auto y) { return limit(threshold, around.at(x, y)); });
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
