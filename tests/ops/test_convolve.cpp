// Filters: their properties, what they refuse, and planted faults.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "cuesta/error.hpp"
#include "ops/convolve/cpu/plan.hpp"
#include "ops/convolve/reference.hpp"
#include "support/planted.hpp"

namespace cuesta {
namespace {

using verify::Pattern;

template <class T>
Image<T> picture(int width, int height, int channels, Pattern pattern, uint64_t seed) {
  Image<T> image(width, height, channels);
  verify::fill(image, pattern, seed);
  return image;
}

Stencil any_stencil(int largest_tap) {
  const int width = *rc::gen::inRange(1, 8), height = *rc::gen::inRange(1, 8);
  std::vector<int32_t> taps;
  for (int i = 0; i < width * height; ++i)
    taps.push_back(*rc::gen::inRange(-largest_tap, largest_tap + 1));
  return Stencil::integers(width, height, taps, *rc::gen::inRange(1, 40));
}

BorderMode any_border() { return BorderMode(*rc::gen::inRange(0, 6)); }

template <class T>
Image<T> transposed(const Image<T>& image) {
  Image<T> out(image.height(), image.width());
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) out.at(y, x) = image.at(x, y);
  return out;
}

template <class T>
bool equal(const Image<T>& a, const Image<T>& b) {
  for (int y = 0; y < a.height(); ++y)
    for (int i = 0; i < a.width() * a.channels(); ++i)
      if (a.row(y)[i] != b.row(y)[i]) return false;
  return a.width() == b.width() && a.height() == b.height();
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "no error";
}

RC_GTEST_PROP(Convolve, ImpulseReturnsTheTaps, ()) {
  const Stencil stencil = any_stencil(1000);
  const Stencil undivided =
      Stencil::integers(stencil.width(), stencil.height(), stencil.integer_taps());
  Image<uint8_t> src(40, 30);
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 40; ++x) src.at(x, y) = x == 19 && y == 14;
  Image<int16_t> dst(40, 30);
  convolve(src, dst, undivided);
  for (int y = 0; y < 30; ++y) {
    for (int x = 0; x < 40; ++x) {
      // Convolution writes the taps as they stand, the anchor's mirror image over the impulse.
      const int i = x - 19 + stencil.width() / 2, j = y - 14 + stencil.height() / 2;
      const bool inside = i >= 0 && j >= 0 && i < stencil.width() && j < stencil.height();
      RC_ASSERT(double(dst.at(x, y)) == (inside ? undivided.tap(i, j) : 0));
    }
  }
}

RC_GTEST_PROP(Convolve, ConstantsVanishUnderDerivatives, ()) {
  const auto value = *rc::gen::arbitrary<uint8_t>();
  Image<uint8_t> src(33, 17, 3);
  for (int y = 0; y < 17; ++y) std::fill_n(src.row(y), 99, value);
  Image<int16_t> dst(33, 17, 3);
  for (const Stencil& stencil :
       {stencils::laplacian(), stencils::log(), stencils::sobel(1, 0, 5), stencils::scharr(0, 1),
        stencils::prewitt(1, 0), stencils::sobel(0, 1, 1)}) {
    correlate(src, dst, stencil);
    for (int y = 0; y < 17; ++y)
      for (int i = 0; i < 99; ++i) RC_ASSERT(dst.row(y)[i] == 0);
  }
  Image<uint8_t> same(33, 17, 3);
  for (const Stencil& stencil :
       {stencils::average(4), stencils::sharpen(5), stencils::unsharp(3), stencils::gaussian(7)}) {
    correlate(src, same, stencil);
    RC_ASSERT(equal(src, same));
  }
}

RC_GTEST_PROP(Convolve, ShiftsWithThePicture, ()) {
  const Stencil stencil = any_stencil(200);
  const auto large = picture<uint16_t>(60, 50, 1, Pattern::noise, *rc::gen::arbitrary<uint32_t>());
  const int dx = *rc::gen::inRange(0, 12), dy = *rc::gen::inRange(0, 12);
  Image<int16_t> whole(60, 50), part(48, 38);
  const FilterOptions options{.border = {any_border()}};
  correlate(large, whole, stencil, options);
  correlate(large.view().region({dx, dy, 48, 38}), part, stencil, options);
  for (int y = 8; y < 30; ++y)
    for (int x = 8; x < 40; ++x) RC_ASSERT(part.at(x, y) == whole.at(x + dx, y + dy));
}

RC_GTEST_PROP(Convolve, TransposesWithItsStencil, ()) {
  const Stencil stencil = any_stencil(*rc::gen::element(3, 20, 5000));
  const auto src = picture<uint8_t>(*rc::gen::inRange(1, 50), *rc::gen::inRange(1, 50), 1,
                                    Pattern::noise, *rc::gen::arbitrary<uint32_t>());
  const FilterOptions options{.border = {any_border(), 9.0},
                              .absolute = *rc::gen::arbitrary<bool>(),
                              .offset = *rc::gen::inRange(-200, 200)};
  Image<uint8_t> straight(src.width(), src.height()), turned(src.height(), src.width());
  correlate(src, straight, stencil, options);
  correlate(transposed(src), turned, stencil.transposed(), options);
  RC_ASSERT(equal(transposed(straight), turned));
}

RC_GTEST_PROP(Convolve, ConvolvingIsCorrelatingTurned, ()) {
  const Stencil stencil = any_stencil(20);
  const auto src = picture<uint8_t>(37, 23, 2, Pattern::noise, *rc::gen::arbitrary<uint32_t>());
  Image<float> a(37, 23, 2), b(37, 23, 2);
  convolve(src, a, stencil);
  correlate(src, b, stencil.flipped());
  RC_ASSERT(equal(a, b));
}

RC_GTEST_PROP(Convolve, FactorsMultiplyOut, ()) {
  const auto column = *rc::gen::container<std::vector<int32_t>>(4, rc::gen::inRange(-300, 300));
  const auto row = *rc::gen::container<std::vector<int32_t>>(6, rc::gen::inRange(-300, 300));
  std::vector<int32_t> taps;
  for (const int32_t c : column)
    for (const int32_t r : row) taps.push_back(c * r);
  const Stencil stencil = Stencil::integers(6, 4, taps);
  const auto found = stencil.factors();
  const bool zero = std::all_of(taps.begin(), taps.end(), [](int32_t t) { return t == 0; });
  RC_ASSERT(found.has_value() == !zero);
  if (zero) return;
  for (size_t j = 0; j < 4; ++j)
    for (size_t i = 0; i < 6; ++i)
      RC_ASSERT(found->column_integers[j] * found->row_integers[i] == taps[j * 6 + i]);
  // One tap more or less, and the rank is 2.
  const auto at = size_t(*rc::gen::inRange(0, 24));
  const auto nonzero = std::count_if(taps.begin(), taps.end(), [](int32_t t) { return t != 0; });
  if (nonzero < 23) return;
  taps[at] += 1;
  RC_ASSERT(!Stencil::integers(6, 4, taps).factors());
}

TEST(Stencil, FloatFactors) {
  std::vector<float> taps;
  for (const double c : gaussian_taps(7, 1.3))
    for (const double r : gaussian_taps(5, 0.9)) taps.push_back(float(c * r));
  const auto found = Stencil::floats(5, 7, taps).factors();
  ASSERT_TRUE(found);
  for (size_t j = 0; j < 7; ++j)
    for (size_t i = 0; i < 5; ++i)
      EXPECT_NEAR(found->column_floats[j] * found->row_floats[i], taps[j * 5 + i], 1e-7);
  taps[3] *= 1.01f;
  EXPECT_FALSE(Stencil::floats(5, 7, taps).factors());
  EXPECT_FALSE(stencils::laplacian().factors());
}

TEST(Stencil, Makers) {
  const auto sum = [](const Stencil& s) {
    double total = 0;
    for (int y = 0; y < s.height(); ++y)
      for (int x = 0; x < s.width(); ++x) total += s.tap(x, y);
    return total;
  };
  EXPECT_EQ(stencils::sharpen(5).tap(2, 2), 25);
  EXPECT_EQ(stencils::sharpen(5).tap(0, 4), -1);
  EXPECT_EQ(sum(stencils::sharpen(5)), 1);
  EXPECT_NEAR(sum(stencils::unsharp(7)), 1, 1e-12);
  EXPECT_NEAR(sum(stencils::average(6)), 1, 1e-12);
  EXPECT_EQ(sum(stencils::gaussian(15)), 1);
  // The picture that follows the signs of LoG's taps drives its undivided sum to ±34,680 on u8.
  const Stencil log = stencils::log();
  int32_t positive = 0, negative = 0;
  for (const int32_t t : log.integer_taps()) (t > 0 ? positive : negative) += t;
  EXPECT_EQ(positive * 255, 34680);
  EXPECT_EQ(negative, -positive);
  EXPECT_EQ(gaussian_size(1.4), 9);
  EXPECT_EQ(gaussian_size(1.0), 7);
  EXPECT_EQ(gaussian_taps_q8(5, 0), (std::vector<int32_t>{16, 64, 96, 64, 16}));
}

TEST(Stencil, TurnsWithItsAnchor) {
  const Stencil even = Stencil::integers(4, 2, std::array{1, 2, 3, 4, 5, 6, 7, 8}, 3);
  EXPECT_EQ(even.anchor_x(), 2);
  EXPECT_EQ(even.flipped().anchor_x(), 1);
  EXPECT_EQ(even.flipped().anchor_y(), 0);
  EXPECT_EQ(even.flipped().tap(0, 0), 8.0 / 3);
  EXPECT_EQ(even.transposed().width(), 2);
  EXPECT_EQ(even.transposed().tap(1, 3), 8.0 / 3);
  EXPECT_EQ(even.transposed().tap(0, 1), 2.0 / 3);
}

TEST(Stencil, Parses) {
  const Stencil whole = Stencil::parse(" 1 2,1;\t2 4 +2\n1 2 1\r\n/ 16\n");
  EXPECT_TRUE(whole.is_integer());
  EXPECT_EQ(whole.width(), 3);
  EXPECT_EQ(whole.height(), 3);
  EXPECT_EQ(whole.divisor(), 16);
  EXPECT_EQ(whole.tap(1, 1), 0.25);
  const Stencil real = Stencil::parse("0.5 -1e-1; 1 2;");
  EXPECT_FALSE(real.is_integer());
  EXPECT_FLOAT_EQ(float(real.tap(1, 0)), -0.1f);
  EXPECT_EQ(Stencil::parse("-7").tap(0, 0), -7);
}

TEST(Stencil, RefusesBadText) {
  const std::map<std::string, std::string> wanted = {
      {"", "has no taps"},
      {" ;; \n", "has no taps"},
      {"1 2;3", "row 2 has 1 taps; every row must have 2"},
      {"1 x 3", "tap 'x' in row 1"},
      {"1 2 nan", "tap 'nan' in row 1"},
      {"1 1e99", "tap '1e99'"},
      {"1 2 3 / 0", "divisor is 0"},
      {"1 2 3 / -4", "divisor is -4"},
      {"1 2 3 / 4 5", "it must be one whole number"},
      {"1 2 3 / 2.5", "it must be one whole number"},
      {"1 2 3 /", "has no divisor after '/'"},
      {"0.5 1 / 2", "whole numbers"},
      {"1/9 1/9", "it must be one whole number"},
      {std::string(600, '1'), "tap '111"},
  };
  for (const auto& entry : wanted) {
    const std::string said = message_of([&] { (void)Stencil::parse(entry.first); });
    EXPECT_NE(said.find(entry.second), std::string::npos) << "'" << entry.first << "': " << said;
  }
  std::string wide;
  for (int i = 0; i < 256; ++i) wide += "1 ";
  EXPECT_NE(message_of([&] { (void)Stencil::parse(wide); }).find("256 x 1"), std::string::npos);
  std::string tall;
  for (int i = 0; i < 256; ++i) tall += "1;";
  EXPECT_NE(message_of([&] { (void)Stencil::parse(tall); }).find("1 x 256"), std::string::npos);
}

TEST(Stencil, RefusesBadArguments) {
  EXPECT_NE(message_of([] { (void)Stencil::integers(0, 3, {}); }).find("0 x 3"), std::string::npos);
  EXPECT_NE(message_of([] {
              (void)Stencil::integers(2, 2, std::array{1, 2, 3});
            }).find("must have 4"),
            std::string::npos);
  EXPECT_NE(message_of([] { (void)Stencil::floats(1, 1, std::array{NAN}); }).find("must be finite"),
            std::string::npos);
  EXPECT_NE(message_of([] { (void)stencils::sharpen(4); }).find("must be odd"), std::string::npos);
  EXPECT_NE(message_of([] { (void)stencils::sobel(1, 1); }).find("(1, 1)"), std::string::npos);
  EXPECT_NE(message_of([] { (void)stencils::sobel(1, 0, 9); }).find("aperture is 9"),
            std::string::npos);
  EXPECT_NE(message_of([] { (void)gaussian_size(43); }).find("sigma is 43"), std::string::npos);
  EXPECT_NE(message_of([] { (void)gaussian_taps(6, 1); }).find("ksize is 6"), std::string::npos);
}

TEST(Convolve, RefusesBadArguments) {
  Image<uint8_t> src(9, 9), dst(9, 9), small(8, 9), color(9, 9, 3);
  Image<uint16_t> wide(9, 9);
  Image<float> real(9, 9);
  const auto said = [&](const std::function<void()>& call, const std::string& words) {
    const std::string text = message_of(call);
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  const Stencil laplace = stencils::laplacian();
  said([&] { correlate(src, small, laplace); }, "correlate: dst is 8 x 9");
  said([&] { correlate(src, color, laplace); }, "correlate: dst has 3 channels");
  said([&] { correlate(src, wide, laplace); }, "correlate: dst is u16");
  said([&] { correlate(real, dst, laplace); }, "correlate: dst is u8");
  said([&] { correlate(src, src, laplace); }, "overlap in memory");
  said([&] { convolve(src, dst, Stencil()); }, "convolve: the stencil has no taps");
  said([&] { correlate(src, dst, Stencil::floats(1, 1, std::array{40000.f})); }, "±32767");
  said(
      [&] {
        correlate(src, dst, laplace, {.border = {BorderMode::constant, NAN}});
      },
      "border is constant:nan");
  said([&] { gaussian(src, dst, {.ksize = 4}); }, "gaussian: ksize is 4");
  said([&] { gaussian(src, dst, {}); }, "sigma is 0 and ksize is 0; give one");
  said([&] { gaussian(src, dst, {.sigma = -1, .ksize = 5}); }, "sigma is -1");
  said([&] { gaussian(src, real, {.ksize = 5}); }, "gaussian: dst is f32");
  said([&] { box(src, dst, {.n = 256}); }, "box: n is 256");
  said([&] { sharpen(src, dst, {.n = 2}); }, "sharpen: n is 2");
}

TEST(Convolve, RoundsHalfToEven) {
  Image<uint8_t> src(4, 1);
  Image<int16_t> dst(4, 1);
  for (int x = 0; x < 4; ++x) src.at(x, 0) = uint8_t(2 * x + 1);  // 1 3 5 7
  correlate(src, dst, Stencil::integers(1, 1, std::array{1}, 2));
  EXPECT_EQ(std::vector<int>(dst.row(0), dst.row(0) + 4), (std::vector<int>{0, 2, 2, 4}));
  correlate(src, dst, Stencil::integers(1, 1, std::array{-3}, 6), {.absolute = true, .offset = -1});
  EXPECT_EQ(std::vector<int>(dst.row(0), dst.row(0) + 4), (std::vector<int>{-1, 1, 1, 3}));
  correlate(src, dst, Stencil::floats(1, 1, std::array{0.5f}));
  EXPECT_EQ(std::vector<int>(dst.row(0), dst.row(0) + 4), (std::vector<int>{0, 2, 2, 4}));
}

// The README's bound: (taps a pass, added) · 2^-24 · Σ|tap · sample|.
TEST(Convolve, FloatsStayWithinTheBound) {
  const auto src = picture<float>(61, 47, 1, Pattern::noise, 21);
  Image<float> dst(61, 47);
  verify::Random random(5);
  std::vector<float> taps(9 * 9);
  for (float& t : taps) t = float(random.below(2000)) / 1000 - 1;
  std::vector<float> smooth;
  for (const double c : gaussian_taps(9, 1.7))
    for (const double r : gaussian_taps(9, 1.7)) smooth.push_back(float(c * r));
  for (const Stencil& stencil :
       {Stencil::floats(9, 9, taps), Stencil::floats(9, 9, smooth), stencils::average(9)}) {
    correlate(src, dst, stencil, {.border = {BorderMode::wrap}});
    const bool two_pass = stencil.factors().has_value();
    for (int y = 0; y < 47; ++y) {
      for (int x = 0; x < 61; ++x) {
        double sum = 0, magnitude = 0, samples = 0;
        for (int j = 0; j < 9; ++j) {
          for (int i = 0; i < 9; ++i) {
            const double v = src.at((x + i - 4 + 61) % 61, (y + j - 4 + 47) % 47);
            sum += stencil.tap(i, j) * v;
            magnitude += std::abs(stencil.tap(i, j) * v);
            samples += std::abs(v);
          }
        }
        const double bound = two_pass
                                 ? 22 * 0x1p-24 * magnitude + 1e-6 * stencil.tap(4, 4) * samples
                                 : 82 * 0x1p-24 * magnitude;
        ASSERT_NEAR(dst.at(x, y), sum, bound) << x << ", " << y;
      }
    }
  }
}

// Floats that hold the whole numbers of bytes: sums below 2^24 are exact in any order, and one
// division follows, so the results are those of the bytes.
TEST(Convolve, LargeBoxesOfWholeFloatsAreThoseOfBytes) {
  const auto bytes = picture<uint8_t>(70, 41, 3, Pattern::noise, 5);
  Image<float> floats(70, 41, 3), of_bytes(70, 41, 3), of_floats(70, 41, 3);
  for (int y = 0; y < 41; ++y) std::copy_n(bytes.row(y), 210, floats.row(y));
  for (const int n : {16, 31, 64, 101, 255}) {
    box(bytes, of_bytes, {.n = n});
    box(floats, of_floats, {.n = n});
    EXPECT_TRUE(equal(of_bytes, of_floats)) << "box of " << n;
  }
  for (const int n : {11, 31, 101, 255}) {
    sharpen(bytes, of_bytes, {.n = n});
    sharpen(floats, of_floats, {.n = n});
    EXPECT_TRUE(equal(of_bytes, of_floats)) << "sharpening by " << n;
  }
}

// As the README has it, sample by sample, beside every way to ask for such a window.
float pairwise(const std::vector<float>& values, size_t begin, size_t count) {
  if (count == 1) return values[begin];
  size_t half = 1;
  while (2 * half < count) half *= 2;
  return pairwise(values, begin, half) + pairwise(values, begin + half, count - half);
}
TEST(Convolve, LargeWindowsOfEqualFloatsAddPairwise) {
  const auto src = picture<float>(41, 33, 1, Pattern::noise, 8);
  for (const auto& [width, height] : {std::pair{17, 16}, {226, 1}, {13, 21}, {1, 240}, {31, 31}}) {
    const int area = width * height, anchor_x = width / 2, anchor_y = height / 2;
    const std::vector<int32_t> ones(size_t(area), 1);
    std::vector<float> halves(size_t(area), 0.5f);
    halves[size_t(anchor_y * width + anchor_x)] = 3;
    Image<float> mean(41, 33), raised(41, 33), boxed(41, 33);
    const FilterOptions options{.border = {BorderMode::constant, -2}};
    correlate(src, mean, Stencil::integers(width, height, ones, area), options);
    correlate(src, raised, Stencil::floats(width, height, halves), options);
    if (width == height) {
      box(src, boxed, {.n = width, .border = options.border});
      EXPECT_TRUE(equal(boxed, mean));
    }
    for (int y = 0; y < 33; ++y) {
      for (int x = 0; x < 41; ++x) {
        std::vector<float> columns;
        for (int i = 0; i < width; ++i) {
          std::vector<float> column;
          for (int j = 0; j < height; ++j) {
            const int sx = x + i - anchor_x, sy = y + j - anchor_y;
            const bool inside = sx >= 0 && sy >= 0 && sx < 41 && sy < 33;
            column.push_back(inside ? src.at(sx, sy) : -2);
          }
          columns.push_back(pairwise(column, 0, column.size()));
        }
        const float sum = pairwise(columns, 0, columns.size());
        ASSERT_EQ(mean.at(x, y), sum / float(area)) << width << " x " << height;
        ASSERT_EQ(raised.at(x, y), std::fma(2.5f, src.at(x, y), 0.5f * sum));
      }
    }
  }
}

// A tap of 0 at the anchor leaves its sample out: such windows keep the window's order.
TEST(Convolve, AZeroAmongEqualFloatsIsLeftOut) {
  Image<float> src(31, 31), dst(31, 31);
  for (int y = 0; y < 31; ++y) std::fill_n(src.row(y), 31, 1.0f);
  src.at(15, 15) = std::numeric_limits<float>::infinity();
  std::vector<int32_t> taps(11 * 11, 1);
  taps[60] = 0;
  correlate(src, dst, Stencil::integers(11, 11, taps));
  EXPECT_EQ(dst.at(15, 15), 120);
  EXPECT_EQ(dst.at(14, 15), std::numeric_limits<float>::infinity());
  EXPECT_EQ(dst.at(3, 3), 120);
}

TEST(Convolve, LargeSharpeningOfFloatsStaysWithinTheBound) {
  const auto src = picture<float>(40, 40, 1, Pattern::noise, 3);
  Image<float> dst(40, 40);
  for (const int n : {11, 25, 39}) {
    sharpen(src, dst, {.n = n, .border = {BorderMode::replicate}});
    for (int y = 0; y < 40; ++y) {
      for (int x = 0; x < 40; ++x) {
        double sum = (double(n) * n + 1) * src.at(x, y), magnitude = std::abs(sum);
        for (int j = -n / 2; j <= n / 2; ++j) {
          for (int i = -n / 2; i <= n / 2; ++i) {
            const double v = src.at(std::clamp(x + i, 0, 39), std::clamp(y + j, 0, 39));
            sum -= v, magnitude += std::abs(v);
          }
        }
        const double additions = 2 * std::ceil(std::log2(n)) + 4;
        ASSERT_NEAR(dst.at(x, y), sum, additions * 0x1p-24 * magnitude) << n;
      }
    }
  }
}

// Every kind of lane is met, in one pass and in two, and so is every refusal.
TEST(ConvolveCases, MeetEveryPlan) {
  std::map<std::pair<Lanes, bool>, int> met;
  std::map<std::string_view, int> refused;
  for (const auto& c : ConvolveArgs::cases(verify::Level::quick)) {
    verify::Harness harness(verify::Layout::tight, 0);
    const ConvolveArgs args = c.make(harness);
    Plan plan;
    const auto why = make_plan(args, plan);
    if (why.empty())
      ++met[{plan.lanes, plan.two_pass}];
    else
      ++refused[why];
  }
  for (const auto& [lanes, two_pass] : {std::pair{Lanes::dense, true},
                                        {Lanes::pairs, false},
                                        {Lanes::box, false},
                                        {Lanes::halves, true},
                                        {Lanes::f32, false},
                                        {Lanes::f32, true},
                                        {Lanes::pairwise, true},
                                        {Lanes::f64, false},
                                        {Lanes::f64, true}}) {
    const int least = lanes == Lanes::f64 && two_pass ? 1 : 5;  // boxes and halves take most
    EXPECT_GT((met[{lanes, two_pass}]), least)
        << "lanes " << int(lanes) << " two passes " << two_pass;
  }
  EXPECT_EQ(refused.size(), 3u);
}

template <auto Mutate>
void mutated(const ConvolveArgs& args, Call& call) {
  ConvolveArgs wrong = args;
  Mutate(wrong);
  convolve_serial(wrong, call);
}

TEST(ConvolveFaults, AreCaught) {
  using verify::expect_caught;
  expect_caught<ConvolveArgs>(
      mutated<[](ConvolveArgs& a) { a.border.mode = BorderMode::replicate; }>,
      "a border that always replicates");
  expect_caught<ConvolveArgs>(mutated<[](ConvolveArgs& a) { a.rounding = Rounding::half_even; }>,
                              "a Gaussian that rounds half to even");
  expect_caught<ConvolveArgs>(mutated<[](ConvolveArgs& a) { a.rounding = Rounding::half_up; }>,
                              "a stencil that rounds half up");
  expect_caught<ConvolveArgs>(mutated<[](ConvolveArgs& a) { a.anchor_x = a.width / 2; }>,
                              "an anchor that is not turned");
  expect_caught<ConvolveArgs>(mutated<[](ConvolveArgs& a) { a.absolute = false; }>,
                              "a forgotten absolute value");
  expect_caught<ConvolveArgs>(mutated<[](ConvolveArgs& a) { a.offset = std::min(a.offset, 127); }>,
                              "an offset of 127 instead of 128");
  expect_caught<ConvolveArgs>([](const ConvolveArgs& args,
                                 Call&) { convolve_reference_rows(args, 0, args.src.height - 1); },
                              "a last row left out");
}

}  // namespace
}  // namespace cuesta
