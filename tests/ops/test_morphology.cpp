// Structuring elements, the laws of morphology, and what the entry refuses. Strategies are held
// against the reference by test_verify.cpp.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <functional>

#include "cuesta/objects.hpp"
#include "ops/morphology/reference.hpp"
#include "support/planted.hpp"
#include "support/strategies.hpp"

namespace cuesta {
namespace {

using verify::Pattern;

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "nothing was thrown";
}

template <class T>
Image<T> filled(int32_t width, int32_t height, Pattern pattern, uint64_t seed) {
  Image<T> image(width, height);
  verify::fill(image, pattern, seed);
  return image;
}

template <class T>
bool same(const Image<T>& a, const Image<T>& b) {
  for (int32_t y = 0; y < a.height(); ++y)
    if (std::memcmp(a.row(y), b.row(y), size_t(a.width()) * sizeof(T)) != 0) return false;
  return true;
}

template <class T>
bool below(const Image<T>& a, const Image<T>& b) {
  for (int32_t y = 0; y < a.height(); ++y)
    for (int32_t x = 0; x < a.width(); ++x)
      if (a.at(x, y) > b.at(x, y)) return false;
  return true;
}

template <class T>
Image<T> apply(const Image<T>& src, Morph what, const StructuringElement& element) {
  Image<T> dst(src.width(), src.height());
  morphology(src, dst, what, element);
  return dst;
}

template <class T>
Image<T> negative(const Image<T>& src) {
  Image<T> dst(src.width(), src.height());
  for (int32_t y = 0; y < src.height(); ++y)
    for (int32_t x = 0; x < src.width(); ++x) dst.at(x, y) = T(~src.at(x, y));
  return dst;
}

StructuringElement any_element() {
  const int width = *rc::gen::inRange(1, 12), height = *rc::gen::inRange(1, 12);
  auto cells = *rc::gen::container<std::vector<uint8_t>>(size_t(width) * size_t(height),
                                                         rc::gen::inRange<uint8_t>(0, 2));
  cells[size_t(*rc::gen::inRange(0, width * height))] = 1;
  return {width, height, cells};
}

Pattern any_pattern() {
  return *rc::gen::element(Pattern::natural, Pattern::blobs, Pattern::extremes, Pattern::sparse,
                           Pattern::bands);
}

TEST(StructuringElement, CountsAndAnchors) {
  const auto disk = StructuringElement::disk(15), ellipse = StructuringElement::ellipse(15, 15);
  EXPECT_EQ(disk.count(), 149);
  EXPECT_EQ(ellipse.count(), 169);
  EXPECT_EQ(StructuringElement::disk(1).count(), 1);
  EXPECT_EQ(StructuringElement::disk(3).count(), 5);
  EXPECT_EQ(StructuringElement::rectangle(5, 3).count(), 15);
  EXPECT_EQ(StructuringElement::cross(5, 3).count(), 7);
  EXPECT_EQ(disk.anchor_x(), 7);
  EXPECT_EQ(StructuringElement::rectangle(4, 2).anchor_x(), 2);
  EXPECT_EQ(StructuringElement::rectangle(4, 2).anchor_y(), 1);
}

TEST(StructuringElement, ReflectionTurnsCellsAndAnchor) {
  const uint8_t cells[] = {1, 1, 0, 0, 0, 0, 1, 0};
  const StructuringElement element(4, 2, cells);
  const auto turned = element.reflected();
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 4; ++x) EXPECT_EQ(turned.contains(x, y), element.contains(3 - x, 1 - y));
  EXPECT_EQ(turned.anchor_x(), 1);
  EXPECT_EQ(turned.anchor_y(), 0);
}

TEST(StructuringElement, ParseKnowsItsForms) {
  const auto same_cells = [](const StructuringElement& a, const StructuringElement& b) {
    return a.width() == b.width() && a.height() == b.height() &&
           std::equal(a.cells().begin(), a.cells().end(), b.cells().begin());
  };
  EXPECT_TRUE(same_cells(StructuringElement::parse("disk:15"), StructuringElement::disk(15)));
  EXPECT_TRUE(
      same_cells(StructuringElement::parse("ellipse:9x5"), StructuringElement::ellipse(9, 5)));
  EXPECT_TRUE(
      same_cells(StructuringElement::parse("rect:5x3"), StructuringElement::rectangle(5, 3)));
  EXPECT_TRUE(same_cells(StructuringElement::parse("cross:3"), StructuringElement::cross(3, 3)));
  EXPECT_TRUE(same_cells(StructuringElement::parse("none"), StructuringElement::rectangle(1, 1)));
  for (const auto text : {"", "disk", "disk:", "disk:15x9", "ring:3", "rect:x3", "rect:3x",
                          "rect:3y3", "cross:+3", "cross: 3", "disk:99999999999"}) {
    EXPECT_NE(message_of([&] {
                StructuringElement::parse(text);
              }).find("disk:N, ellipse:N, rect:N or cross:N"),
              std::string::npos)
        << text;
  }
  EXPECT_EQ(message_of([] { StructuringElement::parse("disk:4"); }),
            "disk: diameter is 4; it must be odd, 1 to 255");
  EXPECT_EQ(
      message_of([] { StructuringElement::parse("rect:256x1"); }),
      "rectangle is 256 x 1; both sides must be 1 to 255 (for more, apply smaller ones in turn, "
      "or make the picture smaller first)");
  const uint8_t none[6] = {};
  EXPECT_NE(message_of([&] { StructuringElement(3, 2, none); }).find("no cell"), std::string::npos);
  EXPECT_NE(message_of([&] { StructuringElement(2, 2, none); }).find("has 6 cells; it must have 4"),
            std::string::npos);
}

RC_GTEST_PROP(Morphology, ErosionIsDilationOfTheNegative, ()) {
  const auto element = any_element();
  const int32_t width = *rc::gen::inRange(1, 150), height = *rc::gen::inRange(1, 40);
  const auto seed = *rc::gen::arbitrary<uint64_t>();
  const auto wide = filled<uint16_t>(width, height, any_pattern(), seed);
  RC_ASSERT(same(apply(wide, Morph::erode, element),
                 negative(apply(negative(wide), Morph::dilate, element))));
  const auto mask = filled<uint8_t>(width, height, any_pattern(), seed);
  RC_ASSERT(same(apply(mask, Morph::close, element),
                 negative(apply(negative(mask), Morph::open, element))));
}

RC_GTEST_PROP(Morphology, OpeningAndClosingAreFiltersOfAnyElement, ()) {
  const auto element = any_element();
  const auto src = filled<uint8_t>(*rc::gen::inRange(1, 150), *rc::gen::inRange(1, 40),
                                   any_pattern(), *rc::gen::arbitrary<uint64_t>());
  const auto opened = apply(src, Morph::open, element), closed = apply(src, Morph::close, element);
  RC_ASSERT(below(opened, src));
  RC_ASSERT(below(src, closed));
  RC_ASSERT(same(apply(opened, Morph::open, element), opened));
  RC_ASSERT(same(apply(closed, Morph::close, element), closed));
}

RC_GTEST_PROP(Morphology, IsMonotone, ()) {
  const auto element = any_element();
  const int32_t width = *rc::gen::inRange(1, 100), height = *rc::gen::inRange(1, 40);
  const auto a = filled<uint8_t>(width, height, any_pattern(), 1);
  auto more = filled<uint8_t>(width, height, any_pattern(), 2);
  for (int32_t y = 0; y < height; ++y)
    for (int32_t x = 0; x < width; ++x) more.at(x, y) = std::max(more.at(x, y), a.at(x, y));
  for (const Morph what : {Morph::erode, Morph::dilate, Morph::open, Morph::close})
    RC_ASSERT(below(apply(a, what, element), apply(more, what, element)));
}

RC_GTEST_PROP(Morphology, OfAnImpulseIsTheElement, ()) {
  const auto element = any_element();
  auto src = filled<uint8_t>(41, 37, Pattern::constant, 0);
  for (int32_t y = 0; y < 37; ++y) std::memset(src.row(y), 0, 41);
  src.at(20, 18) = 200;
  const auto dilated = apply(src, Morph::dilate, element);
  // src(x + i - ax) is the impulse for the outputs x = 20 - i + ax: the element turned.
  for (int j = 0; j < element.height(); ++j)
    for (int i = 0; i < element.width(); ++i)
      RC_ASSERT(dilated.at(20 - i + element.anchor_x(), 18 - j + element.anchor_y()) ==
                (element.contains(i, j) ? 200 : 0));
}

TEST(Morphology, BitsPastTheWidthAreIgnoredAndClearedOnOutput) {
  for (const int32_t width : {1, 5, 63, 64, 65, 100}) {
    BitImage clean(width, 20), dirty(width, 20), a(width, 20), b(width, 20);
    verify::fill(clean, Pattern::extremes, 3);
    for (int32_t y = 0; y < 20; ++y) {
      const int32_t words = clean.view().words();
      std::memcpy(dirty.view().row(y), clean.view().row(y), size_t(words) * 8);
      if (width % 64) dirty.view().row(y)[words - 1] |= ~uint64_t(0) << (width % 64);
    }
    for (const Morph what : {Morph::erode, Morph::dilate, Morph::open, Morph::close}) {
      for (const auto& strategy : test::host_strategies<MorphologyArgs>()) {
        morphology(clean, a, what, StructuringElement::disk(3), {}, {.strategy = "serial"});
        morphology(dirty, b, what, StructuringElement::disk(3), {}, {.strategy = strategy});
        for (int32_t y = 0; y < 20; ++y)
          EXPECT_EQ(std::memcmp(a.view().row(y), b.view().row(y), size_t(a.view().words()) * 8), 0)
              << strategy << " width " << width;
      }
    }
  }
}

TEST(Morphology, WholeMaskWithoutBackgroundStaysWithoutIt) {
  BitImage mask(130, 40), out(130, 40);
  for (int32_t y = 0; y < 40; ++y)
    for (int32_t x = 0; x < 130; ++x) mask.view().row(y)[x / 64] |= uint64_t(1) << (x % 64);
  erode(mask, out, StructuringElement::disk(15));
  for (int32_t y = 0; y < 40; ++y)
    for (int32_t x = 0; x < 130; ++x) ASSERT_TRUE(ConstBitView(out).at(x, y));
}

TEST(Morphology, AllocatesNothingAfterTheFirstCallOfASize) {
  const auto src = filled<uint8_t>(300, 200, Pattern::blobs, 1);
  Image<uint8_t> dst(300, 200);
  Workspace workspace;
  const Exec exec{.threads = 2, .workspace = &workspace};
  const auto element = StructuringElement::disk(15);
  morph_close(src, dst, element, {}, exec);
  morph_close(src, dst, element, {}, exec);
  const size_t bytes = workspace.bytes();
  for (int i = 0; i < 3; ++i) morph_close(src, dst, element, {}, exec);
  EXPECT_EQ(workspace.bytes(), bytes);
}

// For ThreadSanitizer, and for strips of every height.
TEST(MorphologyThreads, AnyNumberGivesTheSameBytes) {
  const auto mask = filled<uint8_t>(110, 201, Pattern::blobs, 5);
  const auto gray = filled<uint8_t>(110, 201, Pattern::natural, 5);
  for (const auto* src : {&mask, &gray}) {
    Image<uint8_t> expected(110, 201), got(110, 201);
    morph_open(*src, expected, StructuringElement::disk(7), {}, {.threads = 1});
    for (const auto& strategy : test::held_strategies<MorphologyArgs>()) {
      for (const int threads : {1, 2, 3, 8, 99}) {
        morph_open(*src, got, StructuringElement::disk(7), {},
                   {.strategy = strategy, .threads = threads});
        EXPECT_TRUE(same(expected, got)) << strategy << " " << threads;
      }
    }
  }
}

TEST(Morphology, RefusesWithOneSentence) {
  Image<uint8_t> a(20, 10), b(20, 10), small(10, 10);
  Image<uint16_t> wide(20, 10);
  Image<float> real(20, 10);
  const auto element = StructuringElement::disk(3);
  EXPECT_EQ(message_of([&] { erode(a, wide, element); }), "erode: dst is u16; it must be u8");
  EXPECT_EQ(message_of([&] { erode(real, real, element); }),
            "erode: src is f32; it must be u8, u16, bit");
  EXPECT_NE(message_of([&] { erode(a, small, element); }).find("the sizes must match"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              erode(a.view().region({0, 0, 10, 10}), a.view().region({5, 0, 10, 10}), element);
            }).find("overlap in memory"),
            std::string::npos);
  EXPECT_NE(
      message_of([&] {
        morphology(a, b, Morph::erode, element, {.border = Border{BorderMode::constant, NAN}});
      }).find("finite"),
      std::string::npos);
}

void wrong(MorphologyArgs args, Call& call, const std::function<void(MorphologyArgs&)>& mutate) {
  mutate(args);
  morphology_serial(args, call);
}

TEST(MorphologyFaults, AreCaught) {
  using verify::expect_caught;
  expect_caught<MorphologyArgs>(
      [](const MorphologyArgs& args, Call& call) {
        wrong(args, call, [](auto& a) { a.options.border.reset(); });
      },
      "a border that is always neutral");
  expect_caught<MorphologyArgs>(
      [](const MorphologyArgs& args, Call& call) {
        wrong(args, call, [](auto& a) {
          if (a.options.border) a.options.border->value = 0;
        });
      },
      "a border value that is always 0");
  expect_caught<MorphologyArgs>(
      [](const MorphologyArgs& args, Call& call) {
        const StructuringElement turned = args.element->reflected();
        wrong(args, call, [&](auto& a) { a.element = &turned; });
      },
      "an element read turned by 180 degrees");
  expect_caught<MorphologyArgs>(
      [](const MorphologyArgs& args, Call& call) {
        // Open as erode, then dilate, the element not turned between.
        if (!args.two_steps()) return morphology_serial(args, call);
        wrong(args, call,
              [](auto& a) { a.what = a.what == Morph::open ? Morph::erode : Morph::dilate; });
        wrong(args, call, [](auto& a) {
          a.src = a.dst;
          a.what = a.what == Morph::open ? Morph::dilate : Morph::erode;
        });
      },
      "a second step that does not turn the element");
  expect_caught<MorphologyArgs>(
      [](const MorphologyArgs& args, Call& call) {
        wrong(args, call, [](auto& a) { --a.src.height, --a.dst.height; });
      },
      "a last row left out");
}

}  // namespace
}  // namespace cuesta
