// The background models: the recurrences for one pixel, in integers, and the list of the models.
// Host and device. Every function is defined for every state, also for one that no video leads to.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cuesta/border.hpp"
#include "cuesta/motion.hpp"

namespace cuesta::background {

/// Frames are of u8 or of u16, whose gray level is 256: a model of T takes frames of T.
template <class T>
inline constexpr int32_t gray_level = sizeof(T) == 1 ? 1 : 256;
template <class T>
inline constexpr int32_t most = sizeof(T) == 1 ? 255 : 65535;
constexpr int32_t gray_level_of(PixelType frames) {
  return frames == PixelType::u16 ? gray_level<uint16_t> : gray_level<uint8_t>;
}

/// What a model says of a pixel before it learns it.
template <class T>
struct BasicVerdict {
  T background, difference;
};
using Verdict = BasicVerdict<uint8_t>;

CUESTA_HOST_DEVICE constexpr int32_t distance(int32_t a, int32_t b) {
  return a > b ? a - b : b - a;
}
CUESTA_HOST_DEVICE constexpr int32_t at_most(int32_t v, int32_t most) {
  return v < most ? v : most;
}

/// A sample of T in Q8 gray levels, in which means are kept; and back, rounded.
template <class T>
CUESTA_HOST_DEVICE constexpr int32_t to_q8(int32_t v) {
  return sizeof(T) == 1 ? v << 8 : v;
}
template <class T>
CUESTA_HOST_DEVICE constexpr int32_t from_q8(int32_t q8) {
  return sizeof(T) == 1 ? (q8 + 128) >> 8 : q8;
}

/// The dither of frame t: van der Corput's sequence, which visits each of 0 .. 2^rate − 1 once in
/// 2^rate frames. Added before a division by 2^rate that rounds down, it makes the mean over frames
/// exact, where rounding alone would stop learning below half a unit.
CUESTA_HOST_DEVICE constexpr int32_t dither_of(uint64_t t, int32_t rate) {
  int32_t reversed = 0;
  for (int32_t bit = 0; bit < rate; ++bit) reversed |= int32_t((t >> bit) & 1) << (rate - 1 - bit);
  return reversed;
}

/// Running mean in Q8: m += (v − m) / 2^rate.
template <class T>
CUESTA_HOST_DEVICE constexpr BasicVerdict<T> mean(uint16_t& m, int32_t v, int32_t rate,
                                                  int32_t dither) {
  const int32_t level = at_most(from_q8<T>(m), most<T>);
  m = uint16_t(m + ((to_q8<T>(v) - m + dither) >> rate));
  return {T(level), T(distance(v, level))};
}

/// v a gray level nearer to `target`, or there.
template <class T>
CUESTA_HOST_DEVICE constexpr int32_t stepped(int32_t v, int32_t target) {
  if constexpr (sizeof(T) == 1) {
    return v + (target > v) - (target < v);
  } else {
    const int32_t step = at_most(distance(v, target), gray_level<T>);
    return target > v ? v + step : v - step;
  }
}

/// Sigma-delta: the median steps one level towards the frame; the deviation steps towards twice the
/// difference and explains what it exceeds.
inline constexpr int32_t min_deviation = 2;
template <class T>
CUESTA_HOST_DEVICE constexpr BasicVerdict<T> median(T& m, T& deviation, int32_t v) {
  constexpr int32_t least = min_deviation * gray_level<T>, widest = 255 * gray_level<T>;
  const int32_t level = m, apart = distance(v, level), spread = deviation;
  if constexpr (sizeof(T) == 1)
    m = T(level + (v > level) - (v < level));
  else
    m = T(stepped<T>(level, v));
  const int32_t target = apart ? at_most(2 * apart, widest) : spread;
  const int32_t next = stepped<T>(spread, target);
  deviation = T(next < least ? least : next);
  return {T(level), T(apart < spread ? 0 : apart)};
}

/// The mixture's constants. Weights are Q15, means Q8, variances Q8 of squared gray levels.
namespace gaussians {
inline constexpr int32_t count = 3;
inline constexpr int32_t whole = 1 << 15;  // a weight of 1
inline constexpr int32_t lasting = 3277;   // a component is background above this weight, 0.1
inline constexpr int32_t learn_within = 9, explain_within = 16;  // squared standard deviations
inline constexpr int32_t first_variance = 15 << 8, min_variance = 4 << 8, max_variance = 75 << 8;
}  // namespace gaussians

/// Components are by falling weight: w[0], w[1], w[2], then means, then variances, `stride` samples
/// apart.
template <class T>
CUESTA_HOST_DEVICE constexpr BasicVerdict<T> mixture(uint16_t* state, ptrdiff_t stride, int32_t v,
                                                     int32_t rate, int32_t dither) {
  using namespace gaussians;
  int32_t w[count] = {}, m[count] = {}, s[count] = {};
  for (int k = 0; k < count; ++k) {
    w[k] = state[stride * k];
    m[k] = state[stride * (count + k)];
    s[k] = state[stride * (2 * count + k)];
  }
  int matched = -1;
  bool explained = false;
  int32_t nearest = most<T>;
  for (int k = 0; k < count; ++k) {
    const int32_t apart = distance(to_q8<T>(v), m[k]) >> 4;  // Q4, so that its square is Q8
    const bool present = w[k] > 0;
    if (matched < 0 && present && apart * apart <= learn_within * s[k]) matched = k;
    if (k > 0 && w[k] <= lasting) continue;
    explained |= present && apart * apart <= explain_within * s[k];
    nearest = at_most(nearest, distance(v, from_q8<T>(m[k])));
  }
  const BasicVerdict<T> verdict{T(at_most(from_q8<T>(m[0]), most<T>)), T(explained ? 0 : nearest)};

  for (int k = 0; k < count; ++k) {  // by constants, so that a GPU keeps all of it in registers
    if (k != matched) continue;
    // Mean and variance learn at the rate over the weight, rounded down to a power of two: a young
    // component learns fast.
    const int32_t log2_weight = 31 - std::countl_zero(uint32_t(w[k]));
    const int32_t shift = rate - 15 + log2_weight > 1 ? rate - 15 + log2_weight : 1;
    const int32_t finer = dither >> (rate - shift);
    const int32_t delta = to_q8<T>(v) - m[k];
    const int32_t apart = distance(to_q8<T>(v), m[k]) >> 4;
    m[k] += (delta + finer) >> shift;
    const int32_t variance = s[k] + ((apart * apart - s[k] + finer) >> shift);
    s[k] = at_most(variance < min_variance ? min_variance : variance, max_variance);
  }
  for (int k = 0; k < count; ++k)
    w[k] += k == matched ? (whole - w[k] + dither) >> rate : -((w[k] + dither) >> rate);
  if (matched < 0) {
    w[count - 1] = whole >> rate;
    m[count - 1] = to_q8<T>(v);
    s[count - 1] = first_variance;
  }
  for (int k = count - 1; k > 0; --k) {
    if (w[k] <= w[k - 1]) continue;
    const int32_t held[] = {w[k], m[k], s[k]};
    w[k] = w[k - 1], m[k] = m[k - 1], s[k] = s[k - 1];
    w[k - 1] = held[0], m[k - 1] = held[1], s[k - 1] = held[2];
  }
  for (int k = 0; k < count; ++k) {
    state[stride * k] = uint16_t(w[k]);
    state[stride * (count + k)] = uint16_t(m[k]);
    state[stride * (2 * count + k)] = uint16_t(s[k]);
  }
  return verdict;
}

/// The samples' constants. Distances are gray levels.
namespace sampled {
inline constexpr int32_t count = 12;            // samples of a pixel
inline constexpr int32_t max_radius = 16;       // two samples within the radius explain a frame
inline constexpr int32_t absorbed_after = 250;  // the age at which a pixel learns a frame
inline constexpr int32_t restless_step = 6, max_restless = 40;
inline constexpr int32_t max_displacement = 7;   // pixels whose samples may explain a pixel
inline constexpr int32_t displacement_step = 2;  // of them one in this many, across and down
inline constexpr int32_t age_plane = count, restless_plane = count + 1;
inline constexpr uint32_t learns_in = 8,
                          takes_in = 16;  // chances of one in this many, powers of two
inline constexpr uint32_t of_column = 0x9E3779B9u, of_row = 0x85EBCA77u, of_frame = 0xC2B2AE3Du;
}  // namespace sampled

/// How a frame is learned.
struct Step {
  int32_t rate = 1;    // at 2^-rate, 1..12
  int32_t dither = 0;  // added before dividing by 2^rate, 0..2^rate − 1
  uint64_t frame = 0;  // its number, which spatial models draw from
  // Of samples.
  int32_t ages = 1;  // sampled::ages_of()
  int32_t radius = sampled::max_radius;
};

namespace sampled {
/// 32 bits for what is counted: MurmurHash3's finaliser, a permutation.
CUESTA_HOST_DEVICE constexpr uint32_t mixed(uint32_t bits) {
  bits = (bits ^ (bits >> 16)) * 0x85EBCA6Bu;
  bits = (bits ^ (bits >> 13)) * 0xC2B2AE35u;
  return bits ^ (bits >> 16);
}

/// How much an unexplained pixel ages in frame t, so that it is `absorbed_after` old after `absorb`
/// frames: 0 to absorbed_after.
CUESTA_HOST_DEVICE constexpr int32_t ages_of(uint64_t t, int32_t absorb) {
  const auto within = uint64_t(absorb), all = uint64_t(absorbed_after);
  return int32_t((t % within + 1) * all / within - t % within * all / within);
}

/// A frame writes to one plane of samples and lets neighbours read another, in any order of pixels.
struct Turn {
  int32_t writes, reads;
  uint32_t key;
  int32_t ages, radius;
};
CUESTA_HOST_DEVICE constexpr Turn turn_of(const Step& step) {
  const uint64_t t = step.frame;
  const uint32_t key = mixed(uint32_t(t) * of_frame + uint32_t(t >> 32));
  const auto writes = int32_t(key % uint32_t(count));
  const auto ahead = int32_t(mixed(key) % uint32_t(count - 1));
  return {writes, (writes + 1 + ahead) % count, key, step.ages, step.radius};
}
/// The bits of a pixel in a turn.
CUESTA_HOST_DEVICE constexpr uint32_t bits_of(uint32_t key, int32_t x, int32_t y) {
  return mixed(key + uint32_t(y) * of_row + uint32_t(x) * of_column);
}
CUESTA_HOST_DEVICE constexpr bool learns(uint32_t bits) { return bits % learns_in == 0; }
CUESTA_HOST_DEVICE constexpr bool takes(uint32_t bits) { return bits / learns_in % takes_in == 0; }
/// Which neighbour is meant, 0 .. 7 in raster order.
CUESTA_HOST_DEVICE constexpr int32_t way_of(uint32_t bits) {
  return int32_t(bits / (learns_in * takes_in) % 8);
}
/// That neighbour's place; past the picture's edge the nearest inside.
struct Place {
  int32_t x, y;
};
CUESTA_HOST_DEVICE constexpr Place neighbour(int32_t way, int32_t x, int32_t y, int32_t width,
                                             int32_t height) {
  const int32_t cell = way + (way >= 4 ? 1 : 0);
  const int32_t nx = x + cell % 3 - 1, ny = y + cell / 3 - 1;
  return {nx < 0 ? 0 : at_most(nx, width - 1), ny < 0 ? 0 : at_most(ny, height - 1)};
}
/// What the neighbours that found a plane of samples are drawn from.
CUESTA_HOST_DEVICE constexpr uint32_t founding_key(int32_t plane) {
  return mixed(uint32_t(plane) * of_frame);
}
/// What the initialising frame writes to a plane of samples: the pixel itself, then neighbours of
/// it.
CUESTA_HOST_DEVICE constexpr Place founding(int32_t plane, int32_t x, int32_t y, int32_t width,
                                            int32_t height) {
  if (plane == 0) return {x, y};
  return neighbour(way_of(bits_of(founding_key(plane), x, y)), x, y, width, height);
}
}  // namespace sampled

// ---- the list: what the public class, the strategies and the checks know of a model

/// The state of one pixel: a sample of each plane.
template <class T>
struct Samples {
  T* first;
  ptrdiff_t stride;  // samples from plane to plane
  CUESTA_HOST_DEVICE constexpr T& operator[](int32_t plane) const { return first[stride * plane]; }
};

/// The size of a frame.
struct Extent {
  int32_t width, height;
};

/// A model of frames of T: its names; `planes` planes of `Sample`; `own_rate`, at which it learns
/// by default, `young` where its first frames weigh more (BackgroundSubtractor::push has how);
/// `learns` where a frame changes the state; found(), the state after an initialising frame of v;
/// learn(), the recurrence.
template <class T>
struct BasicFirst {
  static constexpr BackgroundModel id = BackgroundModel::first;
  static constexpr std::string_view name = "first";
  using Value = T;   // of frames, background and difference
  using Sample = T;  // the first frame
  static constexpr int32_t planes = 1, own_rate = 1;
  static constexpr bool young = false;
  static constexpr bool learns = false;

  CUESTA_HOST_DEVICE static constexpr void found(Samples<T> state, T v) { state[0] = v; }
  CUESTA_HOST_DEVICE static constexpr BasicVerdict<T> learn(Samples<T> state, T v, int32_t,
                                                            int32_t) {
    return {state[0], T(distance(v, state[0]))};
  }
};
using First = BasicFirst<uint8_t>;

template <class T>
struct BasicMean {
  static constexpr BackgroundModel id = BackgroundModel::mean;
  static constexpr std::string_view name = "mean";
  using Value = T;
  using Sample = uint16_t;  // Q8
  static constexpr int32_t planes = 1, own_rate = 6;
  static constexpr bool young = true;
  static constexpr bool learns = true;

  CUESTA_HOST_DEVICE static constexpr void found(Samples<uint16_t> state, T v) {
    state[0] = uint16_t(to_q8<T>(v));
  }
  CUESTA_HOST_DEVICE static constexpr BasicVerdict<T> learn(Samples<uint16_t> state, T v,
                                                            int32_t rate, int32_t dither) {
    return mean<T>(state[0], v, rate, dither);
  }
};
using Mean = BasicMean<uint8_t>;

template <class T>
struct BasicMedian {
  static constexpr BackgroundModel id = BackgroundModel::median;
  static constexpr std::string_view name = "median";
  using Value = T;
  using Sample = T;  // median, deviation
  static constexpr int32_t planes = 2, own_rate = 1;
  static constexpr bool young = false;
  static constexpr bool learns = true;

  CUESTA_HOST_DEVICE static constexpr void found(Samples<T> state, T v) {
    state[0] = v;
    state[1] = min_deviation * gray_level<T>;
  }
  CUESTA_HOST_DEVICE static constexpr BasicVerdict<T> learn(Samples<T> state, T v, int32_t,
                                                            int32_t) {
    return median(state[0], state[1], v);
  }
};
using Median = BasicMedian<uint8_t>;

template <class T>
struct BasicMixture {
  static constexpr BackgroundModel id = BackgroundModel::mixture;
  static constexpr std::string_view name = "mixture";
  using Value = T;
  using Sample = uint16_t;  // weights, means, variances
  static constexpr int32_t planes = 3 * gaussians::count, own_rate = 9;
  // A young mixture's weights must not follow fast: what passes by at once would be taken for
  // background.
  static constexpr bool young = false;
  static constexpr bool learns = true;

  CUESTA_HOST_DEVICE static constexpr void found(Samples<uint16_t> state, T v) {
    using namespace gaussians;
    for (int k = 0; k < count; ++k) {
      state[k] = uint16_t(k == 0 ? whole : 0);
      state[count + k] = uint16_t(k == 0 ? to_q8<T>(v) : 0);
      state[2 * count + k] = first_variance;
    }
  }
  CUESTA_HOST_DEVICE static constexpr BasicVerdict<T> learn(Samples<uint16_t> state, T v,
                                                            int32_t rate, int32_t dither) {
    return mixture<T>(state.first, state.stride, v, rate, dither);
  }
};
using Mixture = BasicMixture<uint8_t>;

/// A dozen samples of what was seen, as ViBe (Barnich & Van Droogenbroeck 2011). A frame is
/// explained where two samples are near it. How often that changes is the pixel's restlessness,
/// which widens "near" (as SuBSENSE's feedback: St-Charles et al. 2015).
template <class T>
struct BasicSampled {
  static constexpr BackgroundModel id = BackgroundModel::samples;
  static constexpr std::string_view name = "samples";
  // Samples; the age of a pixel that is not explained; restlessness, and in bit 7 whether
  // the last frame was far from the samples.
  using Value = T;
  using Sample = T;
  static constexpr int32_t planes = sampled::count + 2, own_rate = 1;
  static constexpr bool young = false;
  static constexpr bool learns = true;
  static constexpr bool spatial = true;

  /// `value(plane)`: what the initialising frame has at sampled::initialising().
  template <class Drawn>
  CUESTA_HOST_DEVICE static constexpr void found(Samples<T> state, Drawn&& value) {
    for (int32_t k = 0; k < sampled::count; ++k) state[k] = value(k);
    state[sampled::age_plane] = state[sampled::restless_plane] = 0;
  }
  /// `taken`: the neighbour's sample of plane turn.reads.
  CUESTA_HOST_DEVICE static constexpr BasicVerdict<T> learn(Samples<T> state, T v,
                                                            const sampled::Turn& turn,
                                                            uint32_t bits, T taken) {
    using namespace sampled;
    int32_t nearest = most<T>, second = most<T>;
    for (int32_t k = 0; k < count; ++k) {
      const int32_t apart = distance(v, state[k]);
      second = at_most(second, apart > nearest ? apart : nearest);
      nearest = at_most(nearest, apart);
    }
    const T level = state[0];
    // Of random bits, too: those above the eighth are none's.
    const int32_t known = state[restless_plane] & 255, calm = known & 127;
    const bool far = second > turn.radius * gray_level<T>;
    const int32_t restless =
        far != (known >= 128) ? at_most(calm + restless_step, max_restless) : calm - (calm > 0);
    const bool explained = second <= (turn.radius + restless) * gray_level<T>;
    const int32_t age = state[age_plane];
    const int32_t older =
        explained ? (age > 2 * turn.ages ? age - 2 * turn.ages : 0) : at_most(age + turn.ages, 255);
    const bool learned = older >= absorbed_after ||
                         (explained && (older >= absorbed_after / 2 || sampled::learns(bits)));
    // What does not age keeps its samples, or neighbours would absorb it.
    if (learned || (takes(bits) && (explained || turn.ages > 0))) {
      for (int32_t k = 0; k < count; ++k)  // by constants, so that a GPU keeps all in registers
        if (k == turn.writes) state[k] = learned ? v : taken;
    }
    state[age_plane] = T(older);
    state[restless_plane] = T(restless | (far ? 128 : 0));
    return {level, T(explained ? 0 : second)};
  }
  /// Whether two samples of the pixel are near v, those of the plane aside that this frame writes:
  /// so the answer is the same before, while and after the pixel learns the frame.
  CUESTA_HOST_DEVICE static constexpr bool matches(Samples<T> state, T v,
                                                   const sampled::Turn& turn) {
    int32_t near = 0;
    for (int32_t k = 0; k < sampled::count; ++k)
      near += k != turn.writes && distance(v, state[k]) <= turn.radius * gray_level<T>;
    return near >= 2;
  }
  /// Whether v matches a pixel that is −reach, −reach + 2 .. reach away from (x, y), across and
  /// down; past the picture's edge the nearest inside. `at(x, y)` returns the Samples of a pixel.
  template <class At>
  CUESTA_HOST_DEVICE static constexpr bool matches_near(T v, int32_t x, int32_t y, Extent size,
                                                        int32_t reach, const sampled::Turn& turn,
                                                        At&& at) {
    for (int32_t dy = -reach; dy <= reach; dy += sampled::displacement_step) {
      const int32_t row = y + dy < 0 ? 0 : at_most(y + dy, size.height - 1);
      for (int32_t dx = -reach; dx <= reach; dx += sampled::displacement_step) {
        const int32_t column = x + dx < 0 ? 0 : at_most(x + dx, size.width - 1);
        if (matches(at(column, row), v, turn)) return true;
      }
    }
    return false;
  }
};
using Sampled = BasicSampled<uint8_t>;

/// Models whose pixels look beside them, at the state of others.
template <class Model>
inline constexpr bool is_spatial = requires { Model::spatial; };

template <class... Model>
struct ModelList {};
template <class T>
using BasicModels =
    ModelList<BasicFirst<T>, BasicMean<T>, BasicMedian<T>, BasicMixture<T>, BasicSampled<T>>;
using Models = BasicModels<uint8_t>;

/// Calls each(model) for every model, in the order of the list.
template <class Each, class... Model>
constexpr void for_each_model(Each&& each, ModelList<Model...>) {
  (each(Model()), ...);
}
template <class Each>
constexpr void for_each_model(Each&& each) {
  for_each_model(each, Models());
}

/// What take(model) returns for the model `id`.
template <class Take, class Model, class... Others>
constexpr auto with_model(BackgroundModel id, Take&& take, ModelList<Model, Others...>) {
  if constexpr (sizeof...(Others) > 0) {
    if (id != Model::id) return with_model(id, take, ModelList<Others...>());
  }
  return take(Model());
}
template <class Take>
constexpr auto with_model(BackgroundModel id, Take&& take) {
  return with_model(id, take, Models());
}
/// The same for the model of frames of this type.
template <class Take>
constexpr auto with_model(BackgroundModel id, PixelType frames, Take&& take) {
  return frames == PixelType::u16 ? with_model(id, take, BasicModels<uint16_t>())
                                  : with_model(id, take, Models());
}

/// Of frame t, the initialising one being 0. `rate_shift` and `absorb` as in BackgroundOptions.
template <class Model>
CUESTA_HOST_DEVICE constexpr Step step_of(Model, int32_t rate_shift, uint64_t t, int32_t absorb = 0,
                                          int32_t radius = sampled::max_radius) {
  int32_t rate = rate_shift ? rate_shift : Model::own_rate;
  if constexpr (Model::young) {
    // Frame t of a young mean weighs 2^-floor(log2(t + 1)), so that the mean is of all frames so
    // far, not of the initialising one.
    int32_t log2 = 0;
    while (log2 < rate && (t + 1) >> (log2 + 1)) ++log2;
    rate = log2 > 1 ? log2 : 1;
  }
  return {rate, dither_of(t, rate), t, absorb ? sampled::ages_of(t, absorb) : 1, radius};
}

/// The state of a model: planes of one sample a pixel.
struct Layout {
  PixelType type;
  int32_t planes;
};
constexpr Layout layout_of(BackgroundModel id, PixelType frames) {
  return with_model(id, frames, [](auto model) {
    using Model = decltype(model);
    return Layout{pixel_type_of<typename Model::Sample>(), Model::planes};
  });
}

}  // namespace cuesta::background
