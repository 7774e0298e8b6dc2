// One lane of the production gradient and suppression of canny on CUDA: what it keeps and each
// thing it does with it. Host and device. cuda/nms_march.hpp has the order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuesta/edges.hpp"
#include "ops/canny/cuda/packed.hpp"
#include "ops/canny/threshold_rules.hpp"
#include "ops/shared/gradient.hpp"

#ifdef __CUDACC__
#define CUESTA_NOT_INLINE __host__ __device__ __noinline__
#else
#define CUESTA_NOT_INLINE inline
#endif

namespace cuesta::canny_nms {

inline constexpr int lanes = 32, lane_pixels = 8;
/// The widest smoothing window that is fused, as its half. Apron: 2 + 7 / 2 + 1 <= lane_pixels.
inline constexpr int fused_half = 2, fused_window = 2 * fused_half + 1;

/// The request of a picture, the first of a batch, as the kernel gets it by value.
struct Job {
  const uint8_t* src = nullptr;
  ptrdiff_t src_stride = 0;
  const uint8_t* mask = nullptr;  // of the picture; null: everywhere
  ptrdiff_t mask_stride = 0;
  ptrdiff_t src_step = 0, mask_step = 0;  // bytes from picture to picture
  int32_t width = 0, height = 0;
  uint32_t taps[fused_half + 1] = {};      // in 1/256, from the outside in
  uint32_t above_low = 0, above_high = 0;  // the least magnitude of a candidate, a strong pixel

  /// Picture i of the batch.
  CUESTA_HOST_DEVICE Job picture(uint32_t i) const {
    Job job = *this;
    job.src += ptrdiff_t(i) * src_step;
    if (mask) job.mask += ptrdiff_t(i) * mask_step;
    return job;
  }
};

/// above_low and above_high of the pictures of a launch, an argument too: 2 KB of the 4 that a
/// kernel takes, no memory that must outlive the call. Or what the device found.
struct LimitTable {
  static constexpr int32_t max_pictures = 256;
  const FoundLimits* found = nullptr;  // on the device, of each picture: instead of the others
  int32_t max_limit = 0;               // of these
  bool shared = true;                  // all have the first one's
  uint32_t low[max_pictures] = {}, high[max_pictures] = {};

  /// The least magnitude above a limit.
  static CUESTA_HOST_DEVICE uint32_t above(int64_t limit, int32_t max_limit) {
    return uint32_t(limit < 0 ? 0 : limit < max_limit ? int32_t(limit) : max_limit) + 1;
  }
  CUESTA_HOST_DEVICE uint32_t above_low(uint32_t picture) const {
    return found ? above(found[picture].whole.low, max_limit) : low[shared ? 0 : picture];
  }
  CUESTA_HOST_DEVICE uint32_t above_high(uint32_t picture) const {
    return found ? above(found[picture].whole.high, max_limit) : high[shared ? 0 : picture];
  }
  /// `job`, picture i of the launch, with its own.
  CUESTA_HOST_DEVICE Job with(Job job, uint32_t i) const {
    job.above_low = above_low(i);
    job.above_high = above_high(i);
    return job;
  }
};

/// 8 bytes in flight from memory: three words; the first `shift` bits are others'.
struct Ahead {
  uint32_t words[3], shift;

  CUESTA_HOST_DEVICE uint32_t first() const {
    return packed::shift_pair(words[0], words[1], shift);
  }
  CUESTA_HOST_DEVICE uint32_t second() const {
    return packed::shift_pair(words[1], words[2], shift);
  }
};
/// The 8 bytes from x where some are outside the row, or words around them might.
template <BorderMode Mode>
CUESTA_NOT_INLINE Ahead bytes_apart(const uint8_t* row, int32_t width, int32_t x) {
  Ahead bytes{};
  for (int i = 0; i < lane_pixels; ++i)
    bytes.words[i / 4] |= uint32_t(row[map_index<Mode>(x + i, width)]) << (8 * (i % 4));
  return bytes;
}

/// Magnitudes of a row around a lane's 8 pixels.
template <Norm N>
struct Magnitudes {
  uint32_t even[4], odd[5];  // pairs from x + 2i, and from x + 2i − 1
};
template <>
struct Magnitudes<Norm::l2> {
  uint32_t at[10];  // from x − 1
};

/// What a lane keeps from row to row.
template <int K, int Half, Norm N>
struct Lane {
  static constexpr int r = K / 2;
  static constexpr int apron = K == 7 ? 2 : 1;  // pairs on either side that gradients read
  static constexpr int pairs = 4 + 2 * apron;
  // Added to derivatives down the columns, so that lanes stay positive: |Σ| is at most 255, 765,
  // 2,550.
  static constexpr uint32_t bias = K == 3 ? 256 : K == 5 ? 1024 : 4096;

  int32_t x;                                          // of the first pixel; may be outside
  uint32_t to_left, to_right, from_left, from_right;  // what neighbours exchange
  Ahead next;                                         // the row read ahead
  uint32_t raw[2 * Half + 1][4];                      // pairs of the last rows read
  uint32_t sums[4];
  uint32_t bytes[2];                // the smoothed row
  uint32_t smooth[K][pairs];        // the last smoothed rows
  uint32_t ax[4], ay[4], falls[4];  // |gx|, |gy|; lanes of `falls` are ones where signs differ
  uint32_t valid[4];                // ones inside picture and mask
  // Of the row whose maxima are next: ones where the gradient is horizontal, is not vertical, is
  // along /.
  uint32_t level[4], gentle[4], rising[4];
  Magnitudes<N> rows[3];

  // ---- reading

  /// The 8 bytes from x of a row, as aligned words: those from x − 3 to x + 11 at most, all inside.
  CUESTA_HOST_DEVICE void read_inside(const uint8_t* row, Ahead& to) const {
    const auto address = reinterpret_cast<uintptr_t>(row + x);
    const auto* words = reinterpret_cast<const uint32_t*>(address & ~uintptr_t(3));
    to = {{packed::load(words), packed::load(words + 1), packed::load(words + 2)},
          uint32_t(address & 3) * 8};
  }
  /// The same of a row whose border is written out by Mode.
  template <BorderMode Mode>
  CUESTA_HOST_DEVICE void read(const uint8_t* row, int32_t width, Ahead& to) const {
    if (x >= 3 && x + 12 <= width)
      read_inside(row, to);
    else
      to = bytes_apart<Mode>(row, width, x);
  }

  // ---- smoothing

  CUESTA_HOST_DEVICE void push_raw() {
    if constexpr (Half == 0) {
      bytes[0] = next.first();
      bytes[1] = next.second();
    } else {
      for (int j = 0; j < 2 * Half; ++j)
        for (int i = 0; i < 4; ++i) raw[j][i] = raw[j + 1][i];
      for (int i = 0; i < 2; ++i) {
        const uint32_t four = i == 0 ? next.first() : next.second();
        raw[2 * Half][2 * i] = packed::permute_bytes<0x4140>(four, 0);
        raw[2 * Half][2 * i + 1] = packed::permute_bytes<0x4342>(four, 0);
      }
    }
  }
  /// Sums down the columns, at most 255 · 256 in a lane of 16 bits.
  CUESTA_HOST_DEVICE void sum(const Job& job) {
    for (int i = 0; i < 4; ++i) {
      sums[i] = raw[Half][i] * job.taps[Half];
      for (int j = 0; j < Half; ++j) sums[i] += (raw[j][i] + raw[2 * Half - j][i]) * job.taps[j];
    }
    to_left = sums[0];
    to_right = sums[3];
  }
  /// Sums across and the rounding: (v + 2^15) >> 16, which is the third byte. Taps fit a byte.
  CUESTA_HOST_DEVICE void smooth_across(const Job& job) {
    static_assert(Half == 0 || Half == 2);
    const uint32_t t0 = job.taps[0], t1 = job.taps[1], t2 = job.taps[2], half = 1u << 15;
    const uint32_t p[6] = {from_left, sums[0], sums[1], sums[2], sums[3], from_right};
    uint32_t v[8];
    for (int i = 0; i < 4; ++i) {
      v[2 * i] = packed::dot(p[i], t1 << 8 | t0,
                             packed::dot(p[i + 1], t1 << 8 | t2, packed::dot(p[i + 2], t0, half)));
      v[2 * i + 1] = packed::dot(
          p[i], t0 << 8,
          packed::dot(p[i + 1], t2 << 8 | t1, packed::dot(p[i + 2], t0 << 8 | t1, half)));
    }
    for (int i = 0; i < 2; ++i) {
      bytes[i] =
          packed::permute_bytes<0x5410>(packed::permute_bytes<0x0062>(v[4 * i], v[4 * i + 1]),
                                        packed::permute_bytes<0x0062>(v[4 * i + 2], v[4 * i + 3]));
    }
  }
  /// Bytes left of the picture, and those right of it, become `value`'s.
  CUESTA_HOST_DEVICE void replicate_left(uint32_t value) {
    if (x < 0) bytes[0] = bytes[1] = value;
  }
  CUESTA_HOST_DEVICE void replicate_right(uint32_t value, int32_t width) {
    for (int i = 0; i < 2; ++i) {
      const int32_t kept = width - (x + 4 * i);  // pixels of this word inside
      const uint32_t keep = kept >= 4 ? ~0u : kept <= 0 ? 0 : (1u << (8 * kept)) - 1;
      bytes[i] = (bytes[i] & keep) | (value & ~keep);
    }
  }
  CUESTA_HOST_DEVICE void offer_bytes() {
    to_left = bytes[0];
    to_right = bytes[1];
  }
  /// The row's pairs, and those of the neighbours, become the last smoothed row.
  CUESTA_HOST_DEVICE void push_smooth() {
    for (int j = 0; j + 1 < K; ++j)
      for (int i = 0; i < pairs; ++i) smooth[j][i] = smooth[j + 1][i];
    uint32_t* row = smooth[K - 1];
    if constexpr (apron == 2) row[0] = packed::permute_bytes<0x4140>(from_left, 0);
    row[apron - 1] = packed::permute_bytes<0x4342>(from_left, 0);
    for (int i = 0; i < 2; ++i) {
      row[apron + 2 * i] = packed::permute_bytes<0x4140>(bytes[i], 0);
      row[apron + 2 * i + 1] = packed::permute_bytes<0x4342>(bytes[i], 0);
    }
    row[apron + 4] = packed::permute_bytes<0x4140>(from_right, 0);
    if constexpr (apron == 2) row[apron + 5] = packed::permute_bytes<0x4342>(from_right, 0);
  }

  // ---- gradient

  /// |gx|, |gy| and their signs in the middle of the last K rows.
  CUESTA_HOST_DEVICE void differentiate() {
    constexpr auto taps = gradient::taps(K);
    uint32_t s[pairs], d[pairs];  // smoothed and derived down the columns
    for (int i = 0; i < pairs; ++i) {
      s[i] = 0;
      d[i] = packed::both(bias);
      for (int j = 0; j < K; ++j) {
        s[i] += smooth[j][i] * uint32_t(taps.smoothing[j]);
        // Borrows between the lanes cancel: with the bias both end positive.
        d[i] += smooth[j][i] * uint32_t(taps.derivative[j]);
      }
    }
    if constexpr (K == 7)
      across_in_words(s, d);
    else
      across_in_pairs(s, d);
  }

  /// Apertures 3 and 5: every sum fits a lane. gx is right − left, gy is sum − its bias.
  CUESTA_HOST_DEVICE void across_in_pairs(const uint32_t* s, const uint32_t* d) {
    constexpr uint32_t zero = packed::both(bias << (K - 1));
    uint32_t s_odd[5], d_odd[5];  // from pixel 2i − 1
    for (int i = 0; i < 5; ++i) {
      s_odd[i] = packed::permute_bytes<0x5432>(s[i], s[i + 1]);
      d_odd[i] = packed::permute_bytes<0x5432>(d[i], d[i + 1]);
    }
    for (int i = 0; i < 4; ++i) {
      uint32_t left = s_odd[i], right = s_odd[i + 1], down = d_odd[i] + d_odd[i + 1];
      if constexpr (K == 3) {
        down += 2 * d[i + 1];
      } else {
        left = 2 * left + s[i];
        right = 2 * right + s[i + 2];
        down = 4 * down + 6 * d[i + 1] + d[i] + d[i + 2];
      }
      ax[i] = packed::larger(left, right) - packed::smaller(left, right);
      ay[i] = packed::larger(down, zero) - packed::smaller(down, zero);
      // A lane's sign bit stays where gx, or gy, is not negative.
      const uint32_t signs_x = right + packed::signs - left;
      const uint32_t signs_y = down + (packed::signs - zero);
      falls[i] = packed::permute_bytes<0xbb99>(signs_x ^ signs_y, 0);
    }
  }

  /// Aperture 7: sums reach 163,200; the quotients by 16 fit a lane.
  CUESTA_HOST_DEVICE void across_in_words(const uint32_t* s, const uint32_t* d) {
    for (int i = 0; i < 4; ++i) {
      uint32_t x2[2], y2[2], signs2[2];
      for (int k = 0; k < 2; ++k) {
        // Taps of the pairs i to i + 3, one pair further for the odd pixel.
        constexpr uint32_t derive[2][4] = {{0xff00, 0xfbfc, 0x0500, 0x0104},
                                           {0xfcff, 0x00fb, 0x0405, 0x0001}};
        constexpr uint32_t weigh[2][4] = {{0x0100, 0x0f06, 0x0f14, 0x0106},
                                          {0x0601, 0x140f, 0x060f, 0x0001}};
        uint32_t gx = 0, gy = 0u - 64 * bias;
        for (int n = 0; n < 4; ++n) {
          gx = packed::dot_signed(s[i + k + n], derive[k][n], gx);
          gy = packed::dot_signed(d[i + k + n], weigh[k][n], gy);
        }
        gx = sixteenth(gx);
        gy = sixteenth(gy);
        const uint32_t sx = packed::shift_signed(gx, 31), sy = packed::shift_signed(gy, 31);
        x2[k] = (gx ^ sx) - sx;
        y2[k] = (gy ^ sy) - sy;
        signs2[k] = sx ^ sy;
      }
      ax[i] = packed::permute_bytes<0x5410>(x2[0], x2[1]);
      ay[i] = packed::permute_bytes<0x5410>(y2[0], y2[1]);
      falls[i] = packed::permute_bytes<0x5410>(signs2[0], signs2[1]);
    }
  }
  /// Rounded half to even.
  CUESTA_HOST_DEVICE static uint32_t sixteenth(uint32_t g) {
    return packed::shift_signed(g + 7 + (g >> 4 & 1), 4);
  }

  // ---- magnitude

  /// `valid` inside the picture; with a mask, where that is not 0.
  CUESTA_HOST_DEVICE void find_valid(const uint8_t* mask_row, int32_t width) {
    for (int i = 0; i < 4; ++i) {
      const auto in = [&](int32_t at) { return uint32_t(at) < uint32_t(width) ? 0xffffu : 0u; };
      valid[i] = in(x + 2 * i + 1) << 16 | in(x + 2 * i);
    }
    if (!mask_row) return;
    Ahead samples;
    read<BorderMode::replicate>(mask_row, width, samples);
    for (int i = 0; i < 2; ++i) {
      const uint32_t v = i == 0 ? samples.first() : samples.second();
      const uint32_t nonzero = ((v & 0x7f7f7f7fu) + 0x7f7f7f7fu) | v;  // in every byte's sign
      valid[2 * i] &= packed::permute_bytes<0x9988>(nonzero, 0);
      valid[2 * i + 1] &= packed::permute_bytes<0xbbaa>(nonzero, 0);
    }
  }
  CUESTA_HOST_DEVICE void all_valid() {
    for (int i = 0; i < 4; ++i) valid[i] = ~0u;
  }
  CUESTA_HOST_DEVICE void push_rows() {
    rows[0] = rows[1];
    rows[1] = rows[2];
  }
  CUESTA_HOST_DEVICE void clear_row() { rows[2] = {}; }
  /// The last row of magnitudes, but for the neighbours' pixels.
  CUESTA_HOST_DEVICE void measure() {
    Magnitudes<N>& row = rows[2];
    if constexpr (N == Norm::l1) {
      for (int i = 0; i < 4; ++i) row.even[i] = ax[i] + ay[i];
    } else {
      for (int i = 0; i < 4; ++i) {
        const uint32_t x0 = ax[i] & 0xffff, x1 = ax[i] >> 16;
        const uint32_t y0 = ay[i] & 0xffff, y1 = ay[i] >> 16;
        row.at[2 * i + 1] = x0 * x0 + y0 * y0;
        row.at[2 * i + 2] = x1 * x1 + y1 * y1;
      }
    }
  }
  CUESTA_HOST_DEVICE void clear_invalid() {
    Magnitudes<N>& row = rows[2];
    for (int i = 0; i < 4; ++i) {
      if constexpr (N == Norm::l1) {
        row.even[i] &= valid[i];
      } else {
        row.at[2 * i + 1] &= packed::permute_bytes<0x9999>(valid[i], 0);
        row.at[2 * i + 2] &= packed::permute_bytes<0xbbbb>(valid[i], 0);
      }
    }
  }
  CUESTA_HOST_DEVICE void offer_magnitudes() {
    const Magnitudes<N>& row = rows[2];
    if constexpr (N == Norm::l1) {
      to_left = row.even[0];
      to_right = row.even[3];
    } else {
      to_left = row.at[1];
      to_right = row.at[8];
    }
  }
  CUESTA_HOST_DEVICE void take_neighbours() {
    Magnitudes<N>& row = rows[2];
    if constexpr (N == Norm::l1) {
      row.odd[0] = packed::permute_bytes<0x5432>(from_left, row.even[0]);
      for (int i = 1; i < 4; ++i)
        row.odd[i] = packed::permute_bytes<0x5432>(row.even[i - 1], row.even[i]);
      row.odd[4] = packed::permute_bytes<0x5432>(row.even[3], from_right);
    } else {
      row.at[0] = from_left;
      row.at[9] = from_right;
    }
  }
  /// Pixel i of the last row.
  CUESTA_HOST_DEVICE uint32_t magnitude(int i) const {
    if constexpr (N == Norm::l1)
      return i % 2 ? rows[2].even[i / 2] >> 16 : rows[2].even[i / 2] & 0xffff;
    else
      return rows[2].at[i + 1];
  }

  // ---- suppression

  /// The directions of the last row, from |gx| and |gy|. |gx| · tan 22.5° and |gx| · tan 67.5° =
  /// |gx| · (2 + tan 22.5°), both floored, are never integers unless |gx| is 0: "not above" is
  /// "below".
  CUESTA_HOST_DEVICE void find_directions() {
    for (int i = 0; i < 4; ++i) {
      constexpr uint32_t tan = 2 * gradient::tan_22_5;  // in 2^-16
      const uint32_t flat =
          packed::permute_bytes<0x7632>((ax[i] & 0xffff) * tan, (ax[i] >> 16) * tan);
      const uint32_t steep = flat + 2 * ax[i];
      level[i] = packed::permute_bytes<0xbb99>(flat + packed::signs - ay[i], 0);
      gentle[i] = packed::permute_bytes<0xbb99>(steep + packed::signs - ay[i], 0);
      rising[i] = falls[i];
    }
  }

  CUESTA_HOST_DEVICE static uint32_t choose(uint32_t mask, uint32_t a, uint32_t b) {
    return (a & mask) | (b & ~mask);
  }

  /// Bit i: pixel i of the row before the last is a maximum and at least `above_low`, or
  /// `above_high`. m >= n, m > n are m >= n, m >= n + 1; the sign bit of m + sign − n says so.
  CUESTA_HOST_DEVICE void find_maxima(const Job& job, uint32_t& candidates,
                                      uint32_t& strong) const {
    if constexpr (N == Norm::l1) {
      const uint32_t lows = packed::both(job.above_low), highs = packed::both(job.above_high);
      const uint32_t one = packed::both(1);
      const auto &up = rows[0], &row = rows[1], &down = rows[2];
      uint32_t c = 0, s = 0;
      for (int i = 0; i < 4; ++i) {
        uint32_t before = choose(rising[i], up.odd[i + 1], up.odd[i]);
        uint32_t after = choose(rising[i], down.odd[i], down.odd[i + 1]) + one;
        before = choose(gentle[i], before, up.even[i]);
        after = choose(gentle[i], after, down.even[i]);
        before = choose(level[i], row.odd[i], before) + one;
        after = choose(level[i], row.odd[i + 1], after);
        const uint32_t least = packed::larger(before, after), m = row.even[i] + packed::signs;
        // Lanes' sign bits 15 and 31 to bits 2i and 16 + 2i.
        c |= (m - packed::larger(least, lows)) >> (15 - 2 * i) & 0x10001u << (2 * i);
        s |= (m - packed::larger(least, highs)) >> (15 - 2 * i) & 0x10001u << (2 * i);
      }
      candidates = (c | c >> 15) & 255;
      strong = (s | s >> 15) & 255;
    } else {
      constexpr uint32_t sign = 1u << 31;
      const auto &up = rows[0].at, &row = rows[1].at, &down = rows[2].at;
      candidates = strong = 0;
      for (int i = 0; i < 8; ++i) {
        const auto wide = [&](const uint32_t* lanes2) {
          return i % 2 ? packed::permute_bytes<0xbbbb>(lanes2[i / 2], 0)
                       : packed::permute_bytes<0x9999>(lanes2[i / 2], 0);
        };
        const uint32_t to_rise = wide(rising), to_level = wide(level), to_gentle = wide(gentle);
        uint32_t before = choose(to_rise, up[i + 2], up[i]);
        uint32_t after = choose(to_rise, down[i], down[i + 2]) + 1;
        before = choose(to_gentle, before, up[i + 1]);
        after = choose(to_gentle, after, down[i + 1]);
        before = choose(to_level, row[i], before) + 1;
        after = choose(to_level, row[i + 2], after);
        const uint32_t least = packed::larger_word(before, after), m = row[i + 1] + sign;
        candidates |= (m - packed::larger_word(least, job.above_low)) >> 31 << i;
        strong |= (m - packed::larger_word(least, job.above_high)) >> 31 << i;
      }
    }
  }
};

}  // namespace cuesta::canny_nms
