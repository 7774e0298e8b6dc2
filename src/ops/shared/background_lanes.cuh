// What a thread does of several pixels of a row: their state in registers, as words, and the
// recurrences of ops/shared/background_models.hpp on them, the same integers by fewer operations:
// levels and differences are words of four pixels, `median` works on pairs of 16 bits, `mixture`
// chooses where the definition branches.
#pragma once

#include "ops/shared/background_models.hpp"

namespace cuesta::background_cuda {

/// Bit i: whether byte i of `differences` is above limit, -1 .. 255.
__device__ __forceinline__ uint32_t above(uint32_t differences, int32_t limit) {
  const uint32_t add = uint32_t(255 - limit) * 0x00010001u;  // bit 8 of a half: above
  const uint32_t even = (differences & 0x00FF00FFu) + add;
  const uint32_t odd = (differences >> 8 & 0x00FF00FFu) + add;
  const uint32_t pairs = (even >> 8 & 0x00010001u) | (odd >> 7 & 0x00020002u);
  return (pairs | pairs >> 14) & 15;
}

/// Byte 1 of each of four words.
__device__ __forceinline__ uint32_t second_bytes(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return __byte_perm(__byte_perm(a, b, 0x0051), __byte_perm(c, d, 0x0051), 0x5410);
}

/// Four pixels of a model: `words` of each plane's samples, the frame's bytes v. learn() gives the
/// background and the difference of each and leaves what is learned.
template <class Model>
struct Lanes;

template <>
struct Lanes<background::First> {
  static constexpr int words = 1;
  static __device__ __forceinline__ void learn(uint32_t* const (&state)[1], uint32_t v, int32_t,
                                               int32_t, uint32_t& level, uint32_t& difference) {
    level = *state[0];
    difference = __vabsdiffu4(v, level);
  }
};

template <>
struct Lanes<background::Mean> {
  static constexpr int words = 2;
  static __device__ __forceinline__ void learn(uint32_t* const (&state)[1], uint32_t v,
                                               int32_t rate, int32_t dither, uint32_t& level,
                                               uint32_t& difference) {
    uint32_t rounded[4];
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      uint32_t& both = state[0][i / 2];
      int32_t next[2];
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const auto m = int32_t(k ? both >> 16 : both & 0xFFFF);
        const auto wanted = int32_t(__byte_perm(v, 0, 0x4404 | (i + k) << 4));  // v << 8
        rounded[i + k] = uint32_t(min(m + 128, 65535));
        next[k] = m + ((wanted - m + dither) >> rate);
      }
      both = __byte_perm(uint32_t(next[0]), uint32_t(next[1]), 0x5410);
    }
    level = second_bytes(rounded[0], rounded[1], rounded[2], rounded[3]);
    difference = __vabsdiffu4(v, level);
  }
};

template <>
struct Lanes<background::Median> {
  static constexpr int words = 1;
  static __device__ __forceinline__ void learn(uint32_t* const (&state)[2], uint32_t v, int32_t,
                                               int32_t, uint32_t& level, uint32_t& difference) {
    const uint32_t m = level = *state[0], spread = *state[1];
    const uint32_t apart = __vabsdiffu4(v, m);
    uint32_t next[2], deviation[2], unexplained[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {  // pixels 0 and 2, then 1 and 3
      const auto pick = [&](uint32_t bytes) { return bytes >> (8 * half) & 0x00FF00FFu; };
      // Steps are 256 higher, so that no half borrows.
      constexpr uint32_t none = 0x01000100u;
      const uint32_t v2 = pick(v), m2 = pick(m), s2 = pick(spread), a2 = pick(apart);
      const uint32_t towards =
          __vminu2(__vmaxu2(v2 + none - m2, none - 0x00010001u), none + 0x00010001u);
      next[half] = m2 + towards - none;
      const uint32_t target = __vminu2(a2 * 2, 0x00FF00FFu), most = __vminu2(a2, 0x00010001u);
      const uint32_t spreads = __vminu2(__vmaxu2(target + none - s2, none - most), none + most);
      deviation[half] =
          __vmaxu2(s2 + spreads - none, uint32_t(background::min_deviation) * 0x00010001u);
      const uint32_t reaches = (a2 + none - s2) >> 8 & 0x00010001u;  // apart >= spread
      unexplained[half] = a2 & (reaches * 0xFF);
    }
    *state[0] = next[0] | next[1] << 8;
    *state[1] = deviation[0] | deviation[1] << 8;
    difference = unexplained[0] | unexplained[1] << 8;
  }
};

template <>
struct Lanes<background::Mixture> {
  static constexpr int words = 2;

  /// One pixel: weights, means and variances in, and what is learned out; the background is the
  /// returned word's byte 1, its difference `difference`.
  static __device__ __forceinline__ uint32_t learn_one(int32_t (&w)[3], int32_t (&m)[3],
                                                       int32_t (&s)[3], int32_t v, int32_t rate,
                                                       int32_t dither, int32_t& difference) {
    using namespace background::gaussians;
    const int32_t wanted = v << 8;
    int32_t q[3];
    bool matches[3], explained = false;
    int32_t nearest = 255;
    const auto rounded = uint32_t(min(m[0] + 128, 65535));
#pragma unroll
    for (int k = 0; k < count; ++k) {
      const int32_t apart = abs(wanted - m[k]) >> 4;  // Q4, so that its square is Q8
      q[k] = apart * apart;
      matches[k] = w[k] > 0 && q[k] <= learn_within * s[k];
      const bool lasts = k == 0 || w[k] > lasting;
      const bool present = k > 0 || w[k] > 0;
      explained = explained || (lasts && present && q[k] <= explain_within * s[k]);
      const int32_t off = abs(v - ((m[k] + 128) >> 8));
      nearest = lasts ? min(nearest, off) : nearest;
    }
    difference = explained ? 0 : nearest;

    matches[1] = matches[1] && !matches[0];
    matches[2] = matches[2] && !matches[1] && !matches[0];
    const bool matched = matches[0] || matches[1] || matches[2];
    const auto of_match = [&](const int32_t(&values)[3]) {
      return matches[0] ? values[0] : matches[1] ? values[1] : values[2];
    };
    const int32_t log2_weight = 31 - __clz(of_match(w));
    const int32_t shift = max(rate - 15 + log2_weight, 1);
    const int32_t finer = dither >> (rate - shift);
    const int32_t mean = of_match(m), variance = of_match(s);
    const int32_t next_mean = matched ? mean + ((wanted - mean + finer) >> shift) : wanted;
    const int32_t spread = variance + ((of_match(q) - variance + finer) >> shift);
    const int32_t next_variance =
        matched ? min(max(spread, min_variance), max_variance) : first_variance;
#pragma unroll
    for (int k = 0; k < count; ++k) {
      const bool learns = k == count - 1 ? !matches[0] && !matches[1] : matches[k];
      const int32_t step = ((matches[k] ? whole - w[k] : w[k]) + dither) >> rate;
      w[k] = matches[k] ? w[k] + step : w[k] - step;
      m[k] = learns ? next_mean : m[k];
      s[k] = learns ? next_variance : s[k];
    }
    w[count - 1] = matched ? w[count - 1] : whole >> rate;
#pragma unroll
    for (int k = count - 1; k > 0; --k) {
      const bool swaps = w[k] > w[k - 1];
      for (int32_t* of : {w, m, s}) {
        const int32_t first = of[k - 1], second = of[k];
        of[k - 1] = swaps ? second : first;
        of[k] = swaps ? first : second;
      }
    }
    return rounded;
  }

  static __device__ __forceinline__ void learn(uint32_t* const (&state)[9], uint32_t v,
                                               int32_t rate, int32_t dither, uint32_t& level,
                                               uint32_t& difference) {
    uint32_t rounded[4];
    int32_t differences[4];
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      int32_t pixel[2][3][3];
#pragma unroll
      for (int k = 0; k < 2; ++k) {
#pragma unroll
        for (int p = 0; p < 9; ++p) {
          const uint32_t both = state[p][i / 2];
          pixel[k][p / 3][p % 3] = int32_t(k ? both >> 16 : both & 0xFFFF);
        }
        const auto value = int32_t(v >> (8 * (i + k)) & 255);
        rounded[i + k] = learn_one(pixel[k][0], pixel[k][1], pixel[k][2], value, rate, dither,
                                   differences[i + k]);
      }
#pragma unroll
      for (int p = 0; p < 9; ++p)
        state[p][i / 2] =
            __byte_perm(uint32_t(pixel[0][p / 3][p % 3]), uint32_t(pixel[1][p / 3][p % 3]), 0x5410);
    }
    level = second_bytes(rounded[0], rounded[1], rounded[2], rounded[3]);
    difference = __byte_perm(
        __byte_perm(uint32_t(differences[0]), uint32_t(differences[1]), 0x0040),
        __byte_perm(uint32_t(differences[2]), uint32_t(differences[3]), 0x0040), 0x5410);
  }
};

/// `Pixels` pixels of a row of a model's state, a multiple of 4.
template <class Model, int Pixels>
class LaneState {
 public:
  using Sample = typename Model::Sample;
  static constexpr int planes = Model::planes;
  static constexpr int words = Pixels * int(sizeof(Sample)) / 4;  // of a plane

  /// The state after an initialising frame.
  __device__ __forceinline__ void found(const uint32_t (&v)[Pixels / 4]) {
#pragma unroll
    for (int i = 0; i < Pixels; ++i) {
      Sample held[planes];
      Model::found(background::Samples<Sample>{held, 1}, uint8_t(v[i / 4] >> (i % 4 * 8)));
#pragma unroll
      for (int p = 0; p < planes; ++p) set(p, i, held[p]);
    }
  }
  __device__ __forceinline__ void learn(const uint32_t (&v)[Pixels / 4], int32_t rate,
                                        int32_t dither, uint32_t (&levels)[Pixels / 4],
                                        uint32_t (&differences)[Pixels / 4]) {
#pragma unroll
    for (int i = 0; i < Pixels / 4; ++i) {
      uint32_t* of[planes];
#pragma unroll
      for (int p = 0; p < planes; ++p) of[p] = &held_[p][i * Lanes<Model>::words];
      Lanes<Model>::learn(of, v[i], rate, dither, levels[i], differences[i]);
    }
  }

  /// From and to row y of the picture at column x0; of these `left` are the picture's. `wide`: rows
  /// may be read and written in words of 16 bytes.
  __device__ __forceinline__ void read(const AnyView& state, bool wide, int32_t x0, int32_t y,
                                       int32_t left) {
#pragma unroll
    for (int p = 0; p < planes; ++p) {
      const Sample* row = state.as<Sample, Space::device>().row(y * planes + p) + x0;
      if (wide && left >= Pixels) {
#pragma unroll
        for (int i = 0; i < words; i += vector_words) {
          const Vector four =
              *reinterpret_cast<const Vector*>(reinterpret_cast<const uint32_t*>(row) + i);
          take(p, i, four);
        }
        continue;
      }
#pragma unroll
      for (int i = 0; i < Pixels; ++i) set(p, i, i < left ? row[i] : Sample(0));
    }
  }
  __device__ __forceinline__ void write(const AnyView& state, bool wide, int32_t x0, int32_t y,
                                        int32_t left) const {
#pragma unroll
    for (int p = 0; p < planes; ++p) {
      Sample* row = state.as<Sample, Space::device>().row(y * planes + p) + x0;
      if (wide && left >= Pixels) {
#pragma unroll
        for (int i = 0; i < words; i += vector_words)
          *reinterpret_cast<Vector*>(reinterpret_cast<uint32_t*>(row) + i) = vector(p, i);
        continue;
      }
#pragma unroll
      for (int i = 0; i < Pixels; ++i)
        if (i < left) row[i] = get(p, i);
    }
  }

 private:
  static constexpr int per_word = 4 / int(sizeof(Sample)), bits = 8 * int(sizeof(Sample));
  static constexpr int vector_words = words % 4 == 0 ? 4 : words % 2 == 0 ? 2 : 1;
  using Vector = std::conditional_t<vector_words == 4, uint4,
                                    std::conditional_t<vector_words == 2, uint2, uint32_t>>;

  __device__ __forceinline__ void take(int p, int i, const uint4& v) {
    held_[p][i] = v.x, held_[p][i + 1] = v.y, held_[p][i + 2] = v.z, held_[p][i + 3] = v.w;
  }
  __device__ __forceinline__ void take(int p, int i, const uint2& v) {
    held_[p][i] = v.x, held_[p][i + 1] = v.y;
  }
  __device__ __forceinline__ void take(int p, int i, uint32_t v) { held_[p][i] = v; }
  __device__ __forceinline__ Vector vector(int p, int i) const {
    if constexpr (vector_words == 4)
      return make_uint4(held_[p][i], held_[p][i + 1], held_[p][i + 2], held_[p][i + 3]);
    else if constexpr (vector_words == 2)
      return make_uint2(held_[p][i], held_[p][i + 1]);
    else
      return held_[p][i];
  }
  __device__ __forceinline__ void set(int p, int i, Sample v) {
    const int at = i % per_word * bits;
    const uint32_t others = i % per_word == 0 ? 0 : held_[p][i / per_word];
    held_[p][i / per_word] = others | uint32_t(v) << at;
  }
  __device__ __forceinline__ Sample get(int p, int i) const {
    return Sample(held_[p][i / per_word] >> (i % per_word * bits));
  }

  uint32_t held_[planes][words];
};

}  // namespace cuesta::background_cuda
