// Boundaries as the definition reads: a whole picture between any two stages. No cleverness.
#include "ops/boundaries/reference.hpp"

#include <cmath>

#include "ops/boundaries/cues.hpp"
#include "ops/boundaries/pixels.hpp"
#include "ops/boundaries/strengths.hpp"

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

const std::array<uint16_t, 256>& boundary::strength_table() {
  static const std::array<uint16_t, 256> table = [] {
    std::array<uint16_t, 256> made{};
    for (size_t i = 0; i < made.size(); ++i) {
      const double score = (double(i) - 127.5) / 16;
      made[i] = uint16_t(std::lround(65535 / std::sqrt(1 + std::exp(-score))));
    }
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
    const bool scores_maxima = args_.options.quality == BoundaryQuality::high;
    const Plane active =
        made(first[0], [&](auto x, auto y) { return activity(tensor(first, x, y)); });
    const Plane around = surround(active);
    const int64_t threshold =
        fixed_threshold(scores_maxima || args_.makes_strengths() ? scored : args_.options);
    const Plane limits =
        made(around, [&](auto x, auto y) { return limit(threshold, around.at(x, y)); });
    call.stage("strength");
    const Plane half_strength =
        made(first[0], [&](auto x, auto y) { return strength(tensor(sums, x, y)); });
    const Plane octants =
        made(first[0], [&](auto x, auto y) { return int32_t(octant(tensor(sums, x, y))); });
    const Plane whole{nullptr, args_.src.width, args_.src.height, 1, 0};
    const Plane strengths =
        made(whole, [&](auto x, auto y) { return expanded(half_strength, x, y); });
    Plane scores;
    if (scores_maxima) {
      call.stage("score");
      scores = scores_of(first, second, third, sums, half_strength, active, around);
    }
    call.stage("suppression");
    if (args_.makes_strengths()) return write_strengths(strengths, octants, limits, scores);
    const auto marks = scratch_.image<uint8_t>(whole.width, whole.height);
    const ScoreLimits score_limit = score_limits(args_.options);
    for_pixels(whole, [&](int32_t x, int32_t y) {
      marks.at(x, y) = scores_maxima
                           ? scored_mark_at(strengths, octants, limits, scores, score_limit, x, y)
                           : mark_at(strengths, octants, limits, x, y);
    });
    call.stage("hysteresis");
    hysteresis(marks, scratch_);
    const auto dst = args_.dst.as<uint8_t>();
    for_pixels(whole,
               [&](int32_t x, int32_t y) { dst.at(x, y) = marks.at(x, y) == strong ? 255 : 0; });
  }

 private:
  // `scores` without data: ratios.
  void write_strengths(const Plane& strengths, const Plane& octants, const Plane& limits,
                       const Plane& scores) {
    const auto dst = args_.dst.as<uint16_t>();
    for_pixels(strengths, [&](int32_t x, int32_t y) {
      const int32_t m = strengths.at(x, y), limit = limit_at(limits, x, y);
      const bool counts =
          m > limit && is_maximum(uint8_t(octants.at(x / 2, y / 2)), strengths, x, y);
      dst.at(x, y) = !counts       ? uint16_t{0}
                     : scores.data ? strength_of(scores.at(x / 2, y / 2))
                                   : strength_of_ratio(m, limit);
    });
  }
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

  Plane surround(Plane around) {
    for (int level = 1; level < 4; ++level) around = level_above(around);
    return smoothed_plane(smoothed_plane(around));
  }
  Plane smoothed_plane(const Plane& from) {
    return made(from, [&](auto x, auto y) { return smoothed(from, x, y); });
  }

  // The score of every sample at half size.
  Plane scores_of(const Plane* first, const Plane* second, const Plane* third, const Plane* sums,
                  const Plane& strengths, const Plane& active, const Plane& around) {
    CueMaps<Plane, Plane> maps;
    maps.strengths = strengths;
    fill_tensors(sums, maps);
    maps.brightness[0] = second[0];
    maps.brightness[1] = third[0];
    maps.has_colors = channels_ == 3;
    if (maps.has_colors) {
      maps.red_green = first[1];
      maps.red_green_far = level_above(third[1]);
      maps.yellow_blue_far = third[2];
    }
    const Plane active1 = level_above(active);
    maps.activity = level_above(active1);
    maps.surround = around;
    maps.texture = smoothed_plane(maps.activity);
    maps.detail = smoothed_plane(level_above(made(first[0], [&](auto x, auto y) {
      return std::abs(first[0].at(x, y) - expanded(second[0], x, y));
    })));
    maps.grain = smoothed_plane(level_above(made(first[0], [&](auto x, auto y) {
      const Gradient g = gradient_at(first[0], x, y);
      return std::abs(g.x) - std::abs(g.y);
    })));
    maps.mean_strength = mean_of(strengths);
    maps.mean_activity = mean_of(active);
    for (int32_t y = 0; y < around.height; ++y)
      for (int32_t x = 0; x < around.width; ++x)
        maps.max_surround = std::max(maps.max_surround, around.at(x, y));
    return made(strengths, [&](auto x, auto y) { return score_of(CueReader(maps, x, y).read()); });
  }
  void fill_tensors(const Plane* sums, CueMaps<Plane, Plane>& maps) {
    for (int32_t i = 0; i < 3; ++i) {
      maps.tensor[i] = made(sums[0], [&](auto x, auto y) {
        const Tensor j = tensor(sums, x, y);
        return i == 0 ? j.xx : i == 1 ? j.yy : j.xy;
      });
      const Plane narrow =
          made(sums[0], [&](auto x, auto y) { return maps.tensor[i].at(x, y) >> 6; });
      maps.spread[0][i] = level_above(narrow);
      maps.spread[1][i] = level_above(maps.spread[0][i]);
      maps.spread[2][i] = level_above(maps.spread[1][i]);
    }
  }
  static int32_t mean_of(const Plane& plane) {
    int64_t sum = 0;
    for (int32_t y = 0; y < plane.height; ++y)
      for (int32_t x = 0; x < plane.width; ++x) sum += plane.at(x, y);
    return int32_t(sum / (int64_t(plane.width) * plane.height));
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
