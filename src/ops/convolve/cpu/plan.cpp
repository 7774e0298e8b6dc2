#include "ops/convolve/cpu/plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace cuesta {
namespace {

// Offsets up to here keep their meaning beside quotients that are cut at ±2^20.
constexpr int32_t largest_offset = 1 << 17;

int64_t common_factor(std::span<const int32_t> taps, int64_t divisor) {
  for (const int32_t t : taps) divisor = std::gcd(divisor, int64_t(t));
  return divisor;
}

// Sums of the positive and of the negative taps, over `scale`.
struct Sums {
  int64_t positive = 0, negative = 0;
  int64_t magnitude() const { return positive - negative; }
};
Sums sums_of(std::span<const int32_t> taps, int64_t scale) {
  Sums s;
  for (const int32_t t : taps) (t > 0 ? s.positive : s.negative) += t / scale;
  return s;
}

// floats stay exact where the sum has 24 bits and the quotient's rounding cannot reach a tie:
// |sum| < 2^23, or any where dividing is exact.
bool exact_in(const Plan& plan, int bits) {
  const int64_t largest = std::max(-plan.least, plan.most);
  const bool shift = exact_log2(plan.divisor) >= 0;
  const int64_t half = shift ? plan.divisor / 2 : 0;  // half_up adds it first
  const int64_t limit = int64_t(1) << (shift ? bits : bits - 1);
  return largest <= limit - half && plan.divisor <= (int64_t(1) << bits);
}

// u8 data is shifted to s8, taps are u8: each pair of products and their sum must fit s16.
bool fits_dense(const ConvolveArgs& args, const Plan& plan) {
  if (!args.integers.separable() || args.src.type != PixelType::u8 ||
      args.dst.type != PixelType::u8)
    return false;
  const auto row_tap = [&](size_t i) {
    return i < args.integers.row.size() ? args.integers.row[i] / plan.row_scale : 0;
  };
  int64_t row_sum = 0, column_sum = 0;
  for (size_t i = 0; i < args.integers.row.size(); ++i) {
    if (row_tap(i) < 0 || row_tap(i) > 255) return false;
    row_sum += row_tap(i);
  }
  for (const int32_t tap : args.integers.column) {
    const int64_t t = tap / plan.column_scale;
    if (t < 0 || t > 32767) return false;
    column_sum += t;
  }
  // Sums are kept 128 · row_sum · column_sum too low; two more bits leave room for rounding.
  const bool in_32_bits = plan.most < (1 << 29);
  return row_sum <= 256 && column_sum <= 65535 && in_32_bits &&
         (exact_log2(plan.divisor) >= 0 || exact_in(plan, 24));
}

// Whether all taps are equal, but perhaps that at the anchor: plan.every and plan.extra.
bool has_equal_taps(const ConvolveArgs& args, Plan& plan) {
  const auto& [window, column, row] = args.integers;
  if (args.integers.separable())
    return one_value(row) == plan.row_scale && one_value(column) == plan.column_scale;
  const auto anchor = args.anchor_index();
  const auto value = one_value_but_at(window, anchor);
  if (!value || *value == 0) return false;
  plan.every = *value / plan.window_scale;
  plan.extra = window[anchor] / plan.window_scale - plan.every;
  return true;
}

// Equal taps: sums that run, each below 2^32. They are divided in floats where those are exact: a
// mean of bytes is below 256, where a float is 2^-17 off at most, and it is 1 / (2 · 65,025) from
// the next tie or further.
bool fits_box(const ConvolveArgs& args, Plan& plan, int64_t largest_sample) {
  if (args.src.type == PixelType::f32 || args.rounding != Rounding::half_even ||
      int64_t(args.width) * args.height * largest_sample > UINT32_MAX ||
      !has_equal_taps(args, plan))
    return false;
  const bool mean = plan.is_mean() && plan.divisor == int64_t(args.width) * args.height;
  plan.in_doubles =
      args.src.type == PixelType::u16 || !(exact_in(plan, 24) || (mean && plan.divisor <= 65025));
  return !plan.in_doubles || exact_in(plan, 53);
}
// From here on they are faster than sums of products.
bool is_large_box(const ConvolveArgs& args) {
  const bool bytes = args.src.type == PixelType::u8;
  if (!args.integers.separable()) return args.width * args.height >= (bytes ? 81 : 25);
  return args.width + args.height >= (bytes ? 30 : 10);
}

// u16 data whose sums down are below 2^24, and those across of their upper 16 and lower 8 bits too;
// the whole sum and half the divisor fit 32 bits.
bool fits_halves(const ConvolveArgs& args, const Plan& plan) {
  if (!args.integers.separable() || args.src.type != PixelType::u16 ||
      args.dst.type != PixelType::u16 || args.rounding != Rounding::half_up || args.offset != 0)
    return false;
  const Sums row = sums_of(args.integers.row, plan.row_scale);
  const Sums column = sums_of(args.integers.column, plan.column_scale);
  const int shift = exact_log2(plan.divisor);
  return row.negative == 0 && column.negative == 0 && row.positive <= 256 &&
         column.positive <= 256 && shift > 0 && shift < 32 &&
         plan.most + plan.divisor / 2 <= UINT32_MAX && plan.most >> shift <= 65535;
}

// u8 data, s8 taps, two rows at once; either row of a pair may come first.
bool fits_pairs(const ConvolveArgs& args, const Plan& plan) {
  if (args.src.type != PixelType::u8 || plan.most - plan.least > 65535) return false;
  const auto tap = [&](int32_t i, int32_t j) {
    return j < 0 || j >= args.height ? 0 : args.integers.at(i, j, args.width) / plan.window_scale;
  };
  for (int32_t i = 0; i < args.width; ++i) {
    for (int32_t j = 0; j <= args.height; ++j) {
      const int64_t a = tap(i, j - 1), b = tap(i, j);
      if (a < -128 || a > 127) return false;
      if (std::max<int64_t>(a, 0) + std::max<int64_t>(b, 0) > 128) return false;
      if (std::min<int64_t>(a, 0) + std::min<int64_t>(b, 0) < -128) return false;
    }
  }
  return exact_in(plan, 24);
}

}  // namespace

std::string_view make_plan(const ConvolveArgs& args, Plan& plan) {
  if (args.offset < -largest_offset || args.offset > largest_offset)
    return "an offset beyond 131,072 either way";
  if (args.src.type == PixelType::f32) {
    if (args.equal) plan.lanes = Lanes::pairwise;
    plan.two_pass = args.equal || args.floats.separable();
    return {};
  }
  const auto& taps = args.integers;
  const int64_t largest_sample = args.src.type == PixelType::u8 ? 255 : 65535;
  plan.divisor = args.divisor;
  Sums sums;
  if (taps.separable()) {
    plan.row_scale = common_factor(taps.row, plan.divisor);
    plan.divisor /= plan.row_scale;
    plan.column_scale = common_factor(taps.column, plan.divisor);
    plan.divisor /= plan.column_scale;
    plan.window_scale = plan.row_scale * plan.column_scale;
    const Sums r = sums_of(taps.row, plan.row_scale), c = sums_of(taps.column, plan.column_scale);
    if (r.magnitude() > (int64_t(1) << 52) / largest_sample / std::max<int64_t>(c.magnitude(), 1))
      return "sums above 52 bits";
    sums.positive = r.positive * c.positive + r.negative * c.negative;
    sums.negative = r.positive * c.negative + r.negative * c.positive;
  } else {
    plan.window_scale = common_factor(taps.window, plan.divisor);
    plan.divisor /= plan.window_scale;
    sums = sums_of(taps.window, plan.window_scale);
    if (sums.magnitude() > (int64_t(1) << 52) / largest_sample) return "sums above 52 bits";
  }
  if (plan.divisor > (int64_t(1) << 53)) return "a divisor above 53 bits";
  plan.most = sums.positive * largest_sample;
  plan.least = sums.negative * largest_sample;

  if (is_large_box(args) && fits_box(args, plan, largest_sample)) {
    plan.lanes = Lanes::box;
    return {};
  }
  if (fits_dense(args, plan)) {
    plan.lanes = Lanes::dense;
    plan.two_pass = true;
    return {};
  }
  // Operations on 64 pixels: 2 a tap in pairs, 4 a tap and pass in floats, and their conversions.
  const int64_t area = int64_t(args.width) * args.height;
  const int64_t side = int64_t(args.width) + args.height;
  if (fits_pairs(args, plan) && (!taps.separable() || 2 * area < 4 * side + 64)) {
    plan.lanes = Lanes::pairs;
    return {};
  }
  plan.two_pass = taps.separable() && side + 2 < area;
  plan.lanes = Lanes::f32;
  if (exact_in(plan, 24)) return {};
  if (fits_halves(args, plan)) {
    plan.lanes = Lanes::halves;
    plan.two_pass = true;
    return {};
  }
  plan.lanes = Lanes::f64;
  return exact_in(plan, 53) ? "" : "sums above 52 bits";
}

}  // namespace cuesta
