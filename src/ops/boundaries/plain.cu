// Strategy `plain`: the definition, stage after stage through device memory, a thread a pixel.
#include <array>

#include "cuda/launch.cuh"
#include "cuda/marks.cuh"
#include "ops/boundaries/cuda.hpp"
#include "ops/boundaries/cuda/totals.cuh"
#include "ops/boundaries/cues.hpp"
#include "ops/boundaries/pixels.hpp"

namespace cuesta {
namespace {

using namespace boundary;
using namespace boundary_cuda;

using Plane = ImageView<int32_t, Space::device>;

// ---- stages: what a thread does with its pixel

struct Channels {
  int32_t count;
  Plane of[3];
};

template <class T>
struct Respond {
  ImageView<const T, Space::device> src;
  Channels to;
  std::array<uint8_t, 256> table;

  __device__ void operator()(int32_t x, int32_t y) const {
    const Opponents found = opponents_at(src, table.data(), x, y);
    for (int32_t c = 0; c < to.count; ++c) to.of[c].at(x, y) = found.of[c];
  }
};

struct Reduce {
  Plane from, to;
  __device__ void operator()(int32_t x, int32_t y) const { to.at(x, y) = reduced(from, x, y); }
};

// fine + E(coarse)
struct AddExpanded {
  Plane coarse, fine, to;
  __device__ void operator()(int32_t x, int32_t y) const {
    to.at(x, y) = fine.at(x, y) + expanded(coarse, x, y);
  }
};
struct Expand {
  Plane from, to;
  __device__ void operator()(int32_t x, int32_t y) const { to.at(x, y) = expanded(from, x, y); }
};
struct Double {
  Plane from, to;
  __device__ void operator()(int32_t x, int32_t y) const { to.at(x, y) = 2 * from.at(x, y); }
};

struct MeasureActivity {
  Channels from;
  Plane to;
  __device__ void operator()(int32_t x, int32_t y) const {
    to.at(x, y) = activity(tensor_at(from.of, from.count, x, y));
  }
};
struct Smooth {
  Plane from, to;
  __device__ void operator()(int32_t x, int32_t y) const { to.at(x, y) = smoothed(from, x, y); }
};
struct Limit {
  int64_t threshold;
  Plane surround, to;
  __device__ void operator()(int32_t x, int32_t y) const {
    to.at(x, y) = limit(threshold, surround.at(x, y));
  }
};

struct MeasureStrength {
  Channels from;
  Plane strengths, octants;
  __device__ void operator()(int32_t x, int32_t y) const {
    const Tensor j = tensor_at(from.of, from.count, x, y);
    strengths.at(x, y) = strength(j);
    octants.at(x, y) = octant(j);
  }
};

struct Narrow {  // to 64ths
  Plane from, to;
  __device__ void operator()(int32_t x, int32_t y) const { to.at(x, y) = from.at(x, y) >> 6; }
};
struct MeasureTensor {
  Channels from;
  Plane xx, yy, xy;
  __device__ void operator()(int32_t x, int32_t y) const {
    const Tensor j = tensor_at(from.of, from.count, x, y);
    xx.at(x, y) = j.xx;
    yy.at(x, y) = j.yy;
    xy.at(x, y) = j.xy;
  }
};
struct MeasureDetail {
  Plane fine, coarse, to;
  __device__ void operator()(int32_t x, int32_t y) const {
    const int32_t difference = fine.at(x, y) - expanded(coarse, x, y);
    to.at(x, y) = difference < 0 ? -difference : difference;
  }
};
struct MeasureGrain {
  Plane from, to;
  __device__ void operator()(int32_t x, int32_t y) const {
    const Gradient g = gradient_at(from, x, y);
    to.at(x, y) = (g.x < 0 ? -g.x : g.x) - (g.y < 0 ? -g.y : g.y);
  }
};
struct Score {
  CueMaps<Plane, Plane> maps;
  const Totals* totals;
  int64_t samples;
  Plane to;
  __device__ void operator()(int32_t x, int32_t y) const {
    CueMaps<Plane, Plane> own = maps;
    own.mean_strength = int32_t(int64_t(totals->strength) / samples);
    own.mean_activity = int32_t(int64_t(totals->activity) / samples);
    own.max_surround = totals->surround;
    to.at(x, y) = score_of(CueReader(own, x, y).read());
  }
};

struct MarkScored {
  Plane strengths, octants, least, scores;
  ScoreLimits limits;
  ImageView<uint8_t, Space::device> marks;
  __device__ void operator()(int32_t x, int32_t y) const {
    marks.at(x, y) = scored_mark_at(strengths, octants, least, scores, limits, x, y);
  }
};
struct MarkMaxima {
  Plane strengths, octants, limits;
  ImageView<uint8_t, Space::device> marks;
  __device__ void operator()(int32_t x, int32_t y) const {
    marks.at(x, y) = mark_at(strengths, octants, limits, x, y);
  }
};
static_assert(uint8_t(none) == cuda::no_mark && uint8_t(candidate) == cuda::candidate_mark &&
              uint8_t(strong) == cuda::strong_mark);

// ---- the order of the stages

class Stages {
 public:
  Stages(const BoundariesArgs& args, Call& call) : args_(args), call_(call) {}

  void run() {
    call_.stage("pyramid");
    const bool high = args_.options.quality == BoundaryQuality::high;
    const Channels first = responses_of_source();
    Channels second{first.count}, third{first.count}, sums{first.count};
    for (int32_t c = 0; c < first.count; ++c) {
      second.of[c] = level_above(first.of[c]);
      third.of[c] = level_above(second.of[c]);
      const Plane doubled = like(third.of[c]);
      each(doubled, Double{third.of[c], doubled});
      sums.of[c] = added(first.of[c], added(second.of[c], doubled));
    }
    call_.stage("surround");
    const Plane active = like(first.of[0]);
    each(active, MeasureActivity{first, active});
    const Plane around = surround(active), limits = like(around);
    const int64_t threshold = fixed_threshold(high ? scored : args_.options);
    each(limits, Limit{threshold, around, limits});
    call_.stage("strength");
    const Plane half_strengths = like(first.of[0]), octants = like(first.of[0]);
    each(octants, MeasureStrength{sums, half_strengths, octants});
    const Plane strengths = plane(args_.src.width, args_.src.height);
    each(strengths, Expand{half_strengths, strengths});
    Plane scores;
    if (high) {
      call_.stage("score");
      scores = scores_of(first, second, third, sums, half_strengths, active, around);
    }
    call_.stage("suppression");
    const auto marks =
        call_.scratch().image<uint8_t, Space::device>(args_.src.width, args_.src.height);
    if (high)
      each(strengths,
           MarkScored{strengths, octants, limits, scores, score_limits(args_.options), marks});
    else
      each(strengths, MarkMaxima{strengths, octants, limits, marks});
    call_.stage("hysteresis");
    cuda::join_marks("boundaries", marks, args_.dst.as<uint8_t, Space::device>(), false, call_);
  }

 private:
  template <class Body>
  void each(const Plane& of, const Body& body) {
    cuda::for_each_pixel("boundaries", of.width, of.height, body, call_);
  }
  Plane plane(int32_t width, int32_t height) {
    return call_.scratch().image<int32_t, Space::device>(width, height);
  }
  Plane like(const Plane& other) { return plane(other.width, other.height); }
  Plane level_above(const Plane& from) {
    const Plane to = plane(half(from.width), half(from.height));
    each(to, Reduce{from, to});
    return to;
  }
  Plane added(const Plane& fine, const Plane& coarse) {
    const Plane to = like(fine);
    each(to, AddExpanded{coarse, fine, to});
    return to;
  }

  Channels responses_of_source() {
    Channels to{args_.src.channels};
    for (int32_t c = 0; c < to.count; ++c)
      to.of[c] = plane(half(args_.src.width), half(args_.src.height));
    if (args_.src.type == PixelType::u8)
      respond<uint8_t>(to);
    else
      respond<uint16_t>(to);
    return to;
  }
  template <class T>
  void respond(const Channels& to) {
    each(to.of[0], Respond<T>{args_.src.as<T, Space::device>(), to, responses()});
  }

  Plane surround(Plane around) {
    for (int level = 1; level < 4; ++level) around = level_above(around);
    return smoothed_plane(smoothed_plane(around));
  }
  Plane smoothed_plane(const Plane& from) {
    const Plane to = like(from);
    each(to, Smooth{from, to});
    return to;
  }

  Plane scores_of(const Channels& first, const Channels& second, const Channels& third,
                  const Channels& sums, const Plane& strengths, const Plane& active,
                  const Plane& around) {
    CueMaps<Plane, Plane> maps;
    maps.strengths = strengths;
    fill_tensors(sums, maps);
    maps.brightness[0] = second.of[0];
    maps.brightness[1] = third.of[0];
    maps.has_colors = first.count == 3;
    if (maps.has_colors) {
      maps.red_green = first.of[1];
      maps.red_green_far = level_above(third.of[1]);
      maps.yellow_blue_far = third.of[2];
    }
    maps.activity = level_above(level_above(active));
    maps.surround = around;
    maps.texture = smoothed_plane(maps.activity);
    const Plane detail = like(strengths), grain = like(strengths);
    each(detail, MeasureDetail{first.of[0], second.of[0], detail});
    maps.detail = smoothed_plane(level_above(detail));
    each(grain, MeasureGrain{first.of[0], grain});
    maps.grain = smoothed_plane(level_above(grain));
    Totals* const totals = new_totals(call_);
    for_each_row(strengths.height, AddRow<Plane>{strengths, &totals->strength}, call_);
    for_each_row(active.height, AddRow<Plane>{active, &totals->activity}, call_);
    for_each_row(around.height, FindMost<Plane>{around, &totals->surround}, call_);
    const Plane scores = like(strengths);
    each(scores, Score{maps, totals, int64_t(strengths.width) * strengths.height, scores});
    return scores;
  }
  void fill_tensors(const Channels& sums, CueMaps<Plane, Plane>& maps) {
    for (Plane& one : maps.tensor) one = like(sums.of[0]);
    each(sums.of[0], MeasureTensor{sums, maps.tensor[0], maps.tensor[1], maps.tensor[2]});
    for (int32_t i = 0; i < 3; ++i) {
      const Plane narrow = like(sums.of[0]);
      each(narrow, Narrow{maps.tensor[i], narrow});
      maps.spread[0][i] = level_above(narrow);
      maps.spread[1][i] = level_above(maps.spread[0][i]);
      maps.spread[2][i] = level_above(maps.spread[1][i]);
    }
  }

  const BoundariesArgs& args_;
  Call& call_;
};

}  // namespace

void boundary_cuda::plain(const BoundariesArgs& args, Call& call) { Stages(args, call).run(); }

}  // namespace cuesta
