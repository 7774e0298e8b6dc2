// Windows of bytes: exact sums of u8 pictures in 16 bits, two output rows at a time. Included as
// cpu/simd-inl.hpp is.
#if defined(CUESTA_CONVOLVE_BYTES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_CONVOLVE_BYTES_INL_HPP
#undef CUESTA_CONVOLVE_BYTES_INL_HPP
#else
#define CUESTA_CONVOLVE_BYTES_INL_HPP
#endif

#include "cpu/extended_row.hpp"
#include "ops/convolve/cpu/finish-inl.hpp"
#include "ops/convolve/cpu/pairs-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

// Source rows go by pairs: pair p of a strip has rows first + 2p and first + 2p + 1, and output
// rows 2p and 2p + 1 of the strip both want pairs p .. p + height / 2. For the first of them a pair
// meets window rows (2m, 2m + 1), for the second (2m - 1, 2m).
constexpr int32_t pair_count(int32_t window_height) { return window_height / 2 + 1; }

// ---- Any taps within a byte: rows of a pair interleaved, so that one instruction takes both.

// Two taps as the two signed bytes that meet (upper row, lower row).
constexpr int16_t byte_pair(int64_t upper, int64_t lower) {
  return int16_t(uint16_t(uint8_t(upper)) | uint16_t(uint8_t(lower)) << 8);
}

struct PairTaps {
  // [pair · width + column], for the first and the second output row.
  int16_t *first, *second;
  int32_t width, pairs, step;
  int16_t start;  // s16 arithmetic is modulo 2^16: sums begin here, so that they end inside
};

PairTaps pair_taps(const ConvolveArgs& args, const Plan& plan, Scratch& scratch) {
  const int32_t pairs = pair_count(args.height);
  const size_t count = size_t(pairs) * size_t(args.width);
  PairTaps taps{scratch.take<int16_t>(count),
                scratch.take<int16_t>(count),
                args.width,
                pairs,
                args.src.channels,
                0};
  const auto tap = [&](int32_t i, int32_t j) -> int64_t {
    if (j < 0 || j >= args.height) return 0;
    return args.integers.at(i, j, args.width) / plan.window_scale;
  };
  for (int32_t m = 0; m < pairs; ++m) {
    for (int32_t i = 0; i < args.width; ++i) {
      taps.first[m * args.width + i] = byte_pair(tap(i, 2 * m), tap(i, 2 * m + 1));
      taps.second[m * args.width + i] = byte_pair(tap(i, 2 * m - 1), tap(i, 2 * m));
    }
  }
  if (plan.least < -32768 || plan.most > 32767)
    taps.start = int16_t(-32768 - plan.least);  // most - least is at most 65,535
  return taps;
}

/// Sums of two output rows from `pairs` interleaved rows. Reads and writes up to 2 vectors past the
/// end.
void sum_pairs(const uint8_t* const* pairs, const PairTaps& taps, int16_t* HWY_RESTRICT first,
               int16_t* HWY_RESTRICT second, ptrdiff_t count) {
  const Words d;
  const Bytes d8;
  const SignedBytes ds;
  const auto n = ptrdiff_t(hn::Lanes(d));
  for (ptrdiff_t x = 0; x < count; x += 2 * n) {
    auto a0 = hn::Set(d, taps.start), a1 = a0, b0 = a0, b1 = a0;
    const int16_t *tap_a = taps.first, *tap_b = taps.second;
    for (int32_t m = 0; m < taps.pairs; ++m) {
      const uint8_t* from = pairs[m] + 2 * x;
      for (int32_t i = 0; i < taps.width; ++i, from += 2 * taps.step) {
        const auto v0 = hn::LoadU(d8, from), v1 = hn::LoadU(d8, from + 2 * n);
        const auto ta = hn::BitCast(ds, hn::Set(d, *tap_a++));
        const auto tb = hn::BitCast(ds, hn::Set(d, *tap_b++));
        a0 = hn::Add(a0, multiply_pairs(v0, ta));
        a1 = hn::Add(a1, multiply_pairs(v1, ta));
        b0 = hn::Add(b0, multiply_pairs(v0, tb));
        b1 = hn::Add(b1, multiply_pairs(v1, tb));
      }
    }
    hn::StoreU(a0, d, first + x);
    hn::StoreU(a1, d, first + x + n);
    hn::StoreU(b0, d, second + x);
    hn::StoreU(b1, d, second + x + n);
  }
}

void interleave(const uint8_t* HWY_RESTRICT upper, const uint8_t* HWY_RESTRICT lower,
                uint8_t* HWY_RESTRICT to, ptrdiff_t count) {
  const Bytes d;
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d)))
    hn::StoreInterleaved2(hn::LoadU(d, upper + x), hn::LoadU(d, lower + x), d, to + 2 * x);
}

void pairs_strips(const ConvolveArgs& args, const Plan& plan, Call& call) {
  const int32_t c = args.src.channels, pairs = pair_count(args.height);
  const int32_t left = args.anchor_x, right = args.width - 1 - left, top = args.anchor_y;
  const int32_t tile = tile_pixels(args.src.width, size_t(pairs) * size_t(c) * 2);
  const Strips strips(args.src.height, call.threads(), std::max(16, args.height));
  const ptrdiff_t stride = (ptrdiff_t(tile + args.width - 1) * c + 63) / 64 * 64 + 128;
  Scratch& scratch = call.scratch();
  const auto strip_count = size_t(strips.count);
  uint8_t* const rings = scratch.take<uint8_t>(size_t(stride) * 2 * size_t(pairs) * strip_count);
  uint8_t* const rows = scratch.take<uint8_t>(size_t(stride) * 2 * strip_count);
  int16_t* const sums = scratch.take<int16_t>(size_t(stride) * 2 * strip_count);
  const PairTaps taps = pair_taps(args, plan, scratch);
  Finish finish(args, plan);
  finish.bias = taps.start;
  const auto src = args.src.as<uint8_t>();

  parallel_tasks(strips.count, call.threads(), [&](int s) {
    uint8_t* const ring = rings + stride * 2 * pairs * s;
    uint8_t *const upper = rows + stride * 2 * s, *const lower = upper + stride;
    int16_t *const first = sums + stride * 2 * s, *const second = first + stride;
    const int32_t begin = strips.begin(s), stop = strips.end(s);
    for (int32_t x = 0; x < args.src.width; x += tile) {
      const int32_t end = std::min(x + tile, args.src.width);
      const ptrdiff_t count = ptrdiff_t(end - x) * c;
      const ptrdiff_t extended = ptrdiff_t(end - x + args.width - 1) * c;
      const auto slot = [&](int32_t p) { return ring + stride * 2 * (p % pairs); };
      const auto make_pair = [&](int32_t p) {
        const int32_t y = begin - top + 2 * p;
        cpu::extend_span(src, y, args.border, x - left, end + right, upper);
        cpu::extend_span(src, y + 1, args.border, x - left, end + right, lower);
        interleave(upper, lower, slot(p), extended);
      };
      const uint8_t* window[pair_count(Stencil::max_size)];
      for (int32_t p = 0; p + 1 < pairs; ++p) make_pair(p);
      for (int32_t y = begin, p = 0; y < stop; y += 2, ++p) {
        make_pair(p + pairs - 1);
        for (int32_t m = 0; m < pairs; ++m) window[m] = slot(p + m);
        sum_pairs(window, taps, first, second, count);
        finish_row(args, first, finish, x, y, count);
        if (y + 1 < stop) finish_row(args, second, finish, x, y + 1, count);
      }
    }
  });
}

}  // namespace
}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
