// The laws of boundaries, its constants, the reference's stages against sums written out here, and
// what the entry refuses. Strategies are held against the reference by test_verify.cpp.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "cuesta/boundaries.hpp"
#include "cuesta/objects.hpp"
#include "ops/boundaries/arithmetic.hpp"
#include "ops/boundaries/reference.hpp"
#include "support/errors.hpp"
#include "support/pictures.hpp"
#include "support/planted.hpp"

namespace cuesta {
namespace {

using test::equal;
using verify::Pattern;

template <class T>
Image<uint8_t> found(const Image<T>& src, const BoundaryOptions& options = {}) {
  Image<uint8_t> dst(src.width(), src.height());
  boundaries(src, dst, options);
  return dst;
}
int64_t count_of(const Image<uint8_t>& edges) {
  int64_t count = 0;
  for (int32_t y = 0; y < edges.height(); ++y)
    count += std::count(edges.row(y), edges.row(y) + edges.width(), uint8_t(255));
  return count;
}

// ---- the definition once more, with loops over whole arrays and floating point where that is
// exact

struct Array {
  int width, height;
  std::vector<double> at;
  Array(int w, int h) : width(w), height(h), at(size_t(w) * size_t(h)) {}
  double& put(int x, int y) { return at[size_t(y) * size_t(width) + size_t(x)]; }
  double operator()(int x, int y) const {
    x = std::clamp(x, 0, width - 1), y = std::clamp(y, 0, height - 1);
    return at[size_t(y) * size_t(width) + size_t(x)];
  }
};

// The 4 x 4 of binomial weights, in the spread-out form.
Array up(const Array& a, double divisor) {
  Array out((a.width + 1) / 2, (a.height + 1) / 2);
  const double w[4][4] = {{1, 3, 3, 1}, {3, 9, 9, 3}, {3, 9, 9, 3}, {1, 3, 3, 1}};
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) {
      double sum = 0;
      for (int j = 0; j < 4; ++j)
        for (int i = 0; i < 4; ++i) sum += w[j][i] * a(2 * x + i - 1, 2 * y + j - 1);
      out.put(x, y) = std::floor(sum / divisor + 0.5);
    }
  }
  return out;
}
double quarter(double near, double far) { return std::floor((3 * near + far) / 4 + 0.5); }
Array down(const Array& a, int width, int height) {
  Array tall(a.width, height), out(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < a.width; ++x)
      tall.put(x, y) = quarter(a(x, y / 2), a(x, y / 2 + (y % 2 ? 1 : -1)));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      out.put(x, y) = quarter(tall(x / 2, y), tall(x / 2 + (x % 2 ? 1 : -1), y));
  return out;
}

struct J {
  double xx = 0, yy = 0, xy = 0;
};
J tensor(const std::vector<Array>& channels, int x, int y) {
  J sum;
  for (const Array& a : channels) {
    double gx = 0, gy = 0;
    for (int k = -1; k <= 1; ++k) {
      const int w = 2 - std::abs(k);
      gx += w * (a(x + 1, y + k) - a(x - 1, y + k));
      gy += w * (a(x + k, y + 1) - a(x + k, y - 1));
    }
    gx = std::floor(gx / 8 + 0.5), gy = std::floor(gy / 8 + 0.5);
    sum.xx += gx * gx, sum.yy += gy * gy, sum.xy += gx * gy;
  }
  return sum;
}

Image<uint8_t> by_the_book(const Image<uint8_t>& src, double threshold) {
  const int width = src.width(), height = src.height();
  std::vector<Array> half;
  for (int c = 0; c < 3; ++c) {
    Array eye(width, height);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const double v = src.at(x, y, c % src.channels());
        eye.put(x, y) = std::floor(255 * std::log((v + 96) / 96) / std::log(351.0 / 96) + 0.5);
      }
    }
    half.push_back(up(eye, 32));
  }
  std::vector<Array> first = half, sums;
  for (size_t i = 0; i < half[0].at.size(); ++i) {
    const double r = half[0].at[i], g = half[1].at[i], b = half[2].at[i];
    first[0].at[i] = r + g + b;
    first[1].at[i] = 6 * (r - g);
    first[2].at[i] = 3 * (r + g - 2 * b);
  }
  const int w1 = first[0].width, h1 = first[0].height;
  for (const Array& one : first) {
    const Array two = up(one, 64);
    Array three = up(two, 64);
    for (double& v : three.at) v *= 2;
    Array middle = down(three, two.width, two.height);
    for (size_t i = 0; i < middle.at.size(); ++i) middle.at[i] += two.at[i];
    Array all = down(middle, w1, h1);
    for (size_t i = 0; i < all.at.size(); ++i) all.at[i] += one.at[i];
    sums.push_back(all);
  }

  Array around(w1, h1), strength(w1, h1), octant(w1, h1);
  for (int y = 0; y < h1; ++y) {
    for (int x = 0; x < w1; ++x) {
      const J fine = tensor(first, x, y), j = tensor(sums, x, y);
      around.put(x, y) = std::min(4095.0, std::floor(std::sqrt(fine.xx + fine.yy)));
      const double a = j.xx - j.yy, b = 2 * j.xy, s = std::abs(a) + std::abs(b);
      const double r =
          std::max({std::abs(a), std::abs(b), s - std::floor(s / 4) - std::floor(s / 32)});
      strength.put(x, y) =
          std::min(16383.0, std::floor(std::sqrt(std::floor((j.xx + j.yy + r) / 2))));
      octant.put(x, y) = a > std::abs(b) ? 0 : -a > std::abs(b) ? 2 : b < 0 ? 3 : 1;
    }
  }
  for (int level = 0; level < 3; ++level) around = up(around, 64);
  for (int time = 0; time < 2; ++time) {
    const Array from = around;
    for (int y = 0; y < from.height; ++y) {
      for (int x = 0; x < from.width; ++x) {
        double sum = 0;
        for (int j = -1; j <= 1; ++j)
          for (int i = -1; i <= 1; ++i)
            sum += (2 - std::abs(i)) * (2 - std::abs(j)) * from(x + i, y + j);
        around.put(x, y) = std::floor(sum / 16 + 0.5);
      }
    }
  }
  const double fixed = std::floor(threshold * 65536 + 0.5);
  for (double& v : around.at) {
    const double s = v + 48;
    const double root = std::floor(std::sqrt(s * 65536));
    const double power = std::floor(std::sqrt(s * root * 256));
    v = std::min(32767.0, std::floor(fixed * power / 16777216));
  }

  const Array m = down(strength, width, height), limits = around;
  std::vector<int> marks(size_t(width) * size_t(height));
  const auto mark = [&](int x, int y) -> int& {
    return marks[size_t(y) * size_t(width) + size_t(x)];
  };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      static constexpr int right[] = {1, 1, 0, -1}, below[] = {0, 1, 1, 1};
      const int o = int(octant(x / 2, y / 2));
      const auto at = [&](int u, int v) {
        return u < 0 || v < 0 || u >= width || v >= height ? 0.0 : m(u, v);
      };
      const double here = m(x, y);
      if (here <= at(x - right[o], y - below[o]) || here < at(x + right[o], y + below[o])) continue;
      const double px = (x - 7.5) / 16, py = (y - 7.5) / 16;
      const int i = int(std::floor(px)), k = int(std::floor(py));
      const double fx = px - i, fy = py - k;
      const double limit =
          std::floor((limits(i, k) * (1 - fx) + limits(i + 1, k) * fx) * (1 - fy) +
                     (limits(i, k + 1) * (1 - fx) + limits(i + 1, k + 1) * fx) * fy + 0.5);
      mark(x, y) = here > limit ? 2 : here > std::floor(limit / 2) ? 1 : 0;
    }
  }
  for (bool gained = true; gained;) {
    gained = false;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        if (mark(x, y) != 1) continue;
        for (int v = std::max(0, y - 1); v <= std::min(height - 1, y + 1); ++v)
          for (int u = std::max(0, x - 1); u <= std::min(width - 1, x + 1); ++u)
            if (mark(x, y) == 1 && mark(u, v) == 2) mark(x, y) = 2, gained = true;
      }
    }
  }
  Image<uint8_t> out(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) out.at(x, y) = mark(x, y) == 2 ? 255 : 0;
  return out;
}

TEST(Boundaries, AreTheFormula) {
  int64_t edges = 0;
  for (const auto& [width, height] :
       {std::pair(1, 1), {2, 1}, {1, 5}, {7, 6}, {33, 31}, {64, 40}, {129, 67}}) {
    for (const int channels : {1, 3}) {
      for (const Pattern pattern : {Pattern::natural, Pattern::noise, Pattern::extremes}) {
        Image<uint8_t> src(width, height, channels);
        verify::fill(src, pattern, uint64_t(width + channels));
        for (const double threshold : {9.0, 3.7, 0.0}) {
          Image<uint8_t> dst(width, height);
          boundaries(src, dst, {threshold}, {.strategy = "serial"});
          edges += count_of(dst);
          ASSERT_TRUE(equal(dst, by_the_book(src, threshold)))
              << width << "x" << height << "x" << channels << " " << verify::name_of(pattern)
              << " threshold " << threshold;
        }
      }
    }
  }
  EXPECT_GT(edges, 5000);
}

// ---- constants

// The one table that is made of logarithms: another library's must round as ours did.
TEST(Boundaries, ResponsesAreThese) {
  const auto& table = boundary::responses();
  EXPECT_EQ(table[0], 0);
  EXPECT_EQ(table[1], 2);
  EXPECT_EQ(table[10], 19);
  EXPECT_EQ(table[96], 136);
  EXPECT_EQ(table[128], 167);
  EXPECT_EQ(table[255], 255);
  EXPECT_TRUE(std::is_sorted(table.begin(), table.end()));
  uint32_t hash = 2166136261u;
  for (const uint8_t v : table) hash = (hash ^ v) * 16777619u;
  EXPECT_EQ(hash, 0x03c9439cu);
}

TEST(Boundaries, LevelsOfWordsAreTheNearest) {
  for (int v = 0; v < 65536; ++v)
    ASSERT_EQ(boundary::level_of(uint16_t(v)), std::lround(v / 257.0)) << v;
}

TEST(Boundaries, LimitsAreThePowerOfTheSurround) {
  for (const int32_t surround : {0, 1, 33, 500, 4095}) {
    const double exact = 9 * std::pow(surround + 48, 0.75);
    EXPECT_NEAR(boundary::limit(9 * 65536, surround), exact, 1.1) << surround;
  }
  EXPECT_EQ(boundary::limit(0, 4095), 0);
  EXPECT_EQ(boundary::limit(int64_t(10000) << 16, 4095), boundary::largest_limit);
}

TEST(Boundaries, StrengthIsTheRootOfTheLargestEigenvalueWithinTwoPercent) {
  for (int degree = 0; degree < 180; ++degree) {
    const double angle = degree * std::acos(-1) / 180;
    boundary::Tensor j;
    j.add(int32_t(std::lround(3000 * std::cos(angle))),
          int32_t(std::lround(3000 * std::sin(angle))));
    EXPECT_NEAR(boundary::strength(j), 3000, 60) << degree;
  }
}

// The largest gradients that any picture has leave every sum within its bits: no sum of stages is
// anywhere near the sanitizers' limits, and rows and words agree with the reference (verify's
// extremes).
TEST(Boundaries, LargestTensorFits) {
  boundary::Tensor j;
  j.add(3060, 3060);
  j.add(12240, 12240);
  j.add(12240, -12240);
  EXPECT_EQ(boundary::strength(j), boundary::largest_strength);
}

// ---- laws

Image<uint8_t> any_picture(int32_t channels) {
  Image<uint8_t> out(*rc::gen::inRange(1, 150), *rc::gen::inRange(1, 90), channels);
  verify::fill(out, *rc::gen::element(Pattern::natural, Pattern::noise, Pattern::blobs),
               *rc::gen::arbitrary<uint32_t>());
  return out;
}

RC_GTEST_PROP(Boundaries, OfGrayInThreeChannelsAreThoseOfOne, ()) {
  const auto gray = any_picture(1);
  Image<uint8_t> color(gray.width(), gray.height(), 3);
  for (int32_t y = 0; y < gray.height(); ++y)
    for (int32_t x = 0; x < gray.width(); ++x)
      for (int32_t c = 0; c < 3; ++c) color.at(x, y, c) = gray.at(x, y);
  RC_ASSERT(equal(found(color), found(gray)));
}

RC_GTEST_PROP(Boundaries, OfWordsAreThoseOfBytes, ()) {
  const auto bytes = any_picture(*rc::gen::element(1, 3));
  Image<uint16_t> words(bytes.width(), bytes.height(), bytes.channels());
  for (int32_t y = 0; y < bytes.height(); ++y)
    for (int32_t x = 0; x < bytes.width() * bytes.channels(); ++x)
      words.row(y)[x] = uint16_t(257 * bytes.row(y)[x]);
  RC_ASSERT(equal(found(words), found(bytes)));
}

// Fewer where the threshold is higher, and every one of them there too.
RC_GTEST_PROP(Boundaries, OfAHigherThresholdAreAmongThoseOfALower, ()) {
  const auto src = any_picture(3);
  const double low = *rc::gen::inRange(0, 12);
  const auto many = found(src, {low}), few = found(src, {low + *rc::gen::inRange(1, 9)});
  for (int32_t y = 0; y < src.height(); ++y)
    for (int32_t x = 0; x < src.width(); ++x) RC_ASSERT(!few.at(x, y) || many.at(x, y));
}

TEST(Boundaries, SeeColorsOfEqualBrightness) {
  Image<uint8_t> src(96, 64, 3), gray(96, 64);
  for (int32_t y = 0; y < 64; ++y) {
    for (int32_t x = 0; x < 96; ++x) {
      const bool left = x < 48;
      src.at(x, y, 0) = left ? 160 : 60;
      src.at(x, y, 1) = left ? 80 : 131;
      src.at(x, y, 2) = 90;
    }
  }
  to_gray(src, gray);
  EXPECT_EQ(gray.at(10, 10), gray.at(90, 10));
  EXPECT_EQ(count_of(found(gray)), 0);
  const auto edges = found(src);
  for (int32_t y = 0; y < 64; ++y) {
    EXPECT_EQ(std::count(edges.row(y), edges.row(y) + 96, uint8_t(255)), 1) << y;
    EXPECT_EQ(std::count(edges.row(y) + 46, edges.row(y) + 50, uint8_t(255)), 1) << y;
  }
}

// A step that stands alone is found; the same step within stripes as strong as itself is not.
TEST(Boundaries, LeaveTextureOut) {
  Image<uint8_t> src(256, 128);
  for (int32_t y = 0; y < 128; ++y)
    for (int32_t x = 0; x < 256; ++x)
      src.at(x, y) = uint8_t(x < 64 ? 90 : x < 128 ? 130 : (x / 3 + y / 3) % 2 ? 90 : 130);
  const auto edges = found(src);
  int64_t step = 0, texture = 0;
  for (int32_t y = 0; y < 128; ++y) {
    step += std::count(edges.row(y) + 60, edges.row(y) + 68, uint8_t(255));
    texture += std::count(edges.row(y) + 150, edges.row(y) + 256, uint8_t(255));
  }
  EXPECT_GE(step, 120);
  EXPECT_EQ(texture, 0);
}

TEST(Boundaries, ABatchIsItsPictures) {
  Image<uint8_t> src(70, 3 * 50, 3), all(70, 3 * 50), one(70, 3 * 50);
  verify::fill(src, Pattern::natural, 5);
  const auto part = [](auto view, int32_t i) { return view.region({0, 50 * i, 70, 50}); };
  const ConstAnyView from = src;
  const AnyView to = all, each = one;
  boundaries(ConstBatch(part(from, 0), 3, 50 * from.stride_bytes),
             Batch(part(to, 0), 3, 50 * to.stride_bytes));
  for (int32_t i = 0; i < 3; ++i) boundaries(part(from, i), part(each, i));
  EXPECT_TRUE(equal(all, one));
  EXPECT_GT(count_of(all), 30);
}

TEST(Boundaries, RefuseInWords) {
  const auto refused = [](ConstAnyView src, AnyView dst, const BoundaryOptions& options) {
    return test::error_of(ErrorCode::invalid_argument, [&] { boundaries(src, dst, options); });
  };
  Image<uint8_t> src(8, 8), dst(8, 8), two(8, 8, 2), small(7, 8);
  Image<float> floats(8, 8);
  EXPECT_EQ(refused(two, dst, {}),
            "boundaries: src has 2 channels; it must have 1 (gray) or 3 (RGB)");
  EXPECT_NE(refused(floats, dst, {}).find("boundaries: src is f32"), std::string::npos);
  EXPECT_NE(refused(src, floats, {}).find("boundaries: dst is f32"), std::string::npos);
  EXPECT_NE(refused(src, small, {}).find("boundaries: dst"), std::string::npos);
  EXPECT_NE(refused(src, src, {}).find("overlap in memory"), std::string::npos);
  for (const double wrong : {-1.0, 10001.0, double(NAN)})
    EXPECT_NE(refused(src, dst, {wrong}).find("boundaries: threshold is"), std::string::npos);
}

// -- Planted faults -------------------------------------------------------------------------------

void another_threshold(const BoundariesArgs& args, Call& call) {
  auto wrong = args;
  wrong.options.threshold += 0.25;
  boundaries_simd(wrong, call);
}
void leaves_the_last_row(const BoundariesArgs& args, Call& call) {
  auto wrong = args;
  wrong.dst.height = wrong.src.height = std::max(1, args.src.height - 1);
  boundaries_simd(wrong, call);
}

TEST(Boundaries, PlantedFaultsAreCaught) {
  verify::expect_caught<BoundariesArgs>(another_threshold, "another threshold");
  verify::expect_caught<BoundariesArgs>(leaves_the_last_row, "a row that is not written");
}

}  // namespace
}  // namespace cuesta
