// Frames looked at N times smaller: means against their definition, and what is reported of the
// frame.
#include <gtest/gtest.h>

#include <random>

#include "core/bits.hpp"
#include "cuesta/cuesta.hpp"
#include "ops/motion/means.hpp"
#include "ops/motion/saved.hpp"
#include "support/allocations.hpp"
#include "support/errors.hpp"
#include "support/scene.hpp"
#include "verify/harness.hpp"

namespace cuesta {
namespace {

TEST(Means, AreRoundedAndOfWhatThereIs) {
  Image<uint8_t> frame(5, 3);
  const uint8_t values[3][5] = {{0, 1, 255, 255, 7}, {0, 1, 255, 254, 8}, {9, 10, 0, 1, 3}};
  for (int32_t y = 0; y < 3; ++y) std::copy_n(values[y], 5, frame.row(y));
  Image<uint8_t> small(motion::downscaled(frame.size(), 2));
  ASSERT_EQ(small.size(), (Size{3, 2}));
  motion::means_reference(frame, small, 2, 0, 2);
  const uint8_t expected[2][3] = {{1, 255, 8}, {10, 1, 3}};  // 2/4, 1019/4, 15/2; 19/2, 1/2, 3/1
  for (int32_t y = 0; y < 2; ++y)
    for (int32_t x = 0; x < 3; ++x) EXPECT_EQ(small.at(x, y), expected[y][x]) << x << " " << y;
}

// Vectors against the definition: every factor, drawn sizes, both types, every layout, whole range.
TEST(Means, VectorsAreTheDefinition) {
  std::mt19937_64 random(13);
  const auto draw = [&](int32_t low, int32_t high) {
    return low + int32_t(random() % uint64_t(high - low + 1));
  };
  for (int32_t factor = 2; factor <= motion::max_downscale; ++factor) {
    for (int round = 0; round < 20; ++round) {
      const auto type = round % 2 ? PixelType::u16 : PixelType::u8;
      const auto layout = verify::Layout(round / 2 % verify::layout_count);
      // Also sizes below a factor, and wider than the tile of columns that is summed at a time.
      const int32_t width = round < 4 ? draw(1, 40) : round < 16 ? draw(1, 400) : draw(2000, 4600);
      const int32_t height = draw(1, 3 * factor + 1);
      const Size size = motion::downscaled({width, height}, factor);
      const auto pattern = round == 5    ? verify::Pattern::extremes
                           : round == 12 ? verify::Pattern::natural
                                         : verify::Pattern::noise;
      const auto make = [&](verify::Layout where, auto means) {
        verify::Harness made(where, uint8_t(17 + round));
        const ConstAnyView frame = made.input(type, width, height, 1, pattern, uint64_t(round) + 1);
        const AnyView small = made.output("small", type, size.width, size.height);
        made.begin();
        // In strips, as threads do it.
        const int32_t cut = size.height / 3;
        means(frame, small, factor, 0, cut);
        means(frame, small, factor, cut, size.height);
        made.finish();
        EXPECT_EQ(made.check_canaries(), "") << factor << ": " << width << " x " << height;
        return made;
      };
      const auto expected = make(verify::Layout::tight, motion::means_reference);
      EXPECT_EQ(make(layout, motion::means_simd).compare(expected, false), "")
          << factor << ": " << width << " x " << height << ", " << name_of(layout);
    }
  }
}

// Quotients of sums next to a multiple of the divisor, at both ends of what samples can be.
TEST(Means, QuotientsNextToIntegersAreExact) {
  for (int32_t factor = 2; factor <= motion::max_downscale; ++factor) {
    const int32_t count = factor * factor;
    Image<uint16_t> frame(factor * 64, factor);
    for (int32_t block = 0; block < 64; ++block) {
      // The mean's numerator is a multiple of the count, or one less or more.
      const int32_t level = block < 32 ? block : 65535 - 63 + block - 1;
      const int32_t extra = (count + 1) / 2 + block % 3 - 1;
      for (int32_t i = 0; i < count; ++i)
        frame.at(block * factor + i % factor, i / factor) = uint16_t(level + (i < extra));
    }
    Image<uint16_t> small(64, 1), expected(64, 1);
    motion::means_simd(frame, small, factor, 0, 1);
    motion::means_reference(frame, expected, factor, 0, 1);
    for (int32_t x = 0; x < 64; ++x) ASSERT_EQ(small.at(x, 0), expected.at(x, 0)) << factor;
  }
}

MotionOptions sharp_options() {
  MotionOptions options = MotionOptions::of(BackgroundModel::first);
  options.blur = 1;
  options.close = options.open = StructuringElement::rectangle(1, 1);
  return options;
}

Image<uint8_t> frame_with(int32_t width, int32_t height, Rect bright, int32_t channels = 1) {
  Image<uint8_t> frame(width, height, channels);
  for (int32_t y = 0; y < height; ++y)
    for (int32_t x = 0; x < width; ++x)
      for (int32_t c = 0; c < channels; ++c)
        frame.at(x, y, c) = x >= bright.x && y >= bright.y && x < bright.x + bright.width &&
                                    y < bright.y + bright.height
                                ? 200
                                : 40;
  return frame;
}

struct Pair {
  Downscale small;
  MotionDetector detector;
  Pair(int factor, const MotionOptions& options)
      : small(factor), detector(small.options_for(options)) {}
  std::span<const Detection> push(ConstAnyView frame) {
    return small.detections(detector.push(small.look(frame)));
  }
};

TEST(Downscale, BoxesAreasCentroidsAndMaskAreTheFrames) {
  for (const int factor : {1, 2, 3, 5, 16}) {
    for (const int32_t channels : {1, 3, 4}) {
      Pair pair(factor, sharp_options());
      const Rect rect{2 * factor, 3 * factor, 7 * factor, 4 * factor};
      // No multiple of the factor but for 1: the rest is there, too.
      const int32_t width = 20 * factor + factor / 2, height = 12 * factor + 1;
      EXPECT_TRUE(pair.push(frame_with(width, height, {}, channels)).empty());
      const auto found = pair.push(frame_with(width, height, rect, channels));
      ASSERT_EQ(found.size(), 1u) << factor;
      EXPECT_EQ(found[0],
                (Detection{rect, int64_t(rect.width) * rect.height, rect.x + (rect.width - 1) / 2.0,
                           rect.y + (rect.height - 1) / 2.0}));
      const ConstBitView mask = pair.small.mask(pair.detector.mask());
      ASSERT_EQ((Size{mask.width, mask.height}), (Size{width, height}));
      for (int32_t y = 0; y < height; ++y)
        for (int32_t x = 0; x < width; ++x)
          ASSERT_EQ(mask.at(x, y), x >= rect.x && y >= rect.y && x < rect.x + rect.width &&
                                       y < rect.y + rect.height);
      for (int32_t y = 0; y < height; ++y)
        ASSERT_EQ(mask.row(y)[mask.words() - 1] & ~last_word_mask(mask.width), 0u);
    }
  }
}

TEST(Downscale, WhatLiesOnTheRestIsCutOffAtTheRim) {
  MotionOptions options = sharp_options();
  options.min_area = 31;
  Pair pair(4, options);
  pair.push(frame_with(42, 30, {}));
  // The last column has two of four pixels, the last row two: 2 x 10 pixels of the frame.
  const auto found = pair.push(frame_with(42, 30, {40, 20, 2, 10}));
  EXPECT_TRUE(found.empty()) << "20 pixels are too few";
  const auto larger = pair.push(frame_with(42, 30, {40, 12, 2, 18}));
  ASSERT_EQ(larger.size(), 1u);
  EXPECT_EQ(larger[0].box, (Rect{40, 12, 2, 18}));
  EXPECT_EQ(larger[0].area, 36);
}

TEST(Downscale, LimitsOfAreaAreInTheFramesPixels) {
  MotionOptions options = sharp_options();
  options.min_area = 101;
  Pair pair(2, options);
  pair.push(frame_with(100, 80, {}));
  EXPECT_TRUE(pair.push(frame_with(100, 80, {10, 10, 10, 10})).empty());
  EXPECT_EQ(pair.push(frame_with(100, 80, {10, 10, 12, 10})).size(), 1u);
}

TEST(Downscale, OptionsAreInTheFramesPixels) {
  const auto cells_of = [](const StructuringElement& element) {
    return std::vector<uint8_t>(element.cells().begin(), element.cells().end());
  };
  const auto at = [](int factor, MotionOptions options) {
    return Downscale(factor).options_for(std::move(options));
  };
  const auto disk = [&](int diameter) { return cells_of(StructuringElement::disk(diameter)); };
  const MotionOptions usual, paper = MotionOptions::of(BackgroundModel::first);
  EXPECT_EQ(cells_of(at(2, usual).close), disk(5));
  EXPECT_EQ(cells_of(at(2, usual).open), disk(3));
  EXPECT_EQ(cells_of(at(4, usual).close), disk(3));
  EXPECT_EQ(cells_of(at(4, usual).open), disk(1));
  EXPECT_EQ(at(2, paper).close.width(), 7);
  EXPECT_EQ(cells_of(at(1, paper).close), disk(15));
  EXPECT_EQ(at(2, usual).blur, 3);
  EXPECT_EQ(at(2, paper).blur, 9);
  EXPECT_EQ(at(16, paper).blur, 3);
  EXPECT_EQ(at(3, usual).steady, 6);
  EXPECT_EQ(at(3, paper).steady, 0);
  MotionOptions options = sharp_options();
  options.blur_sigma = 3;
  // Without symmetry: (-3, -1), (2, 0) and (3, 1) from the anchor.
  std::vector<uint8_t> cells(21);
  cells[0] = cells[12] = cells[20] = 1;
  options.close = StructuringElement(7, 3, cells);
  const MotionOptions small = at(2, options);
  EXPECT_EQ(small.blur, 1);
  EXPECT_EQ(small.blur_sigma, 1.5);
  EXPECT_EQ(small.close.height(), 1);
  EXPECT_EQ(cells_of(small.close), (std::vector<uint8_t>{1, 0, 1}));
  options.blur = 4;
  EXPECT_EQ(test::error_of(ErrorCode::invalid_argument, [&] { at(2, options); }),
            "motion: blur is 4; it must be odd, 1 to 255");
}

// The scores are of the frame's pixels; what a detector of the whole frame has stands beside.
TEST(Downscale, FindsAStreetsTraffic) {
  test::SceneOptions scene;
  scene.width = 480, scene.height = 360, scene.noise = 3;
  scene.objects = test::traffic(scene.width, scene.height, 120, 3);
  std::vector<double> scores;
  for (const int factor : {1, 2}) {
    test::Scene made(scene);
    Pair pair(factor, MotionOptions());
    test::Score score;
    for (int64_t t = 0; t < 120; ++t) {
      pair.push(made.next());
      if (pair.detector.states().back().warming_up) continue;
      score.add(pair.small.mask(pair.detector.mask()), made.truth());
    }
    scores.push_back(score.f());
    RecordProperty("F at 1/" + std::to_string(factor), std::to_string(score.f()));
  }
  EXPECT_GT(scores[0], 0.8);
  EXPECT_GT(scores[1], scores[0] - 0.05);
}

TEST(Downscale, MovesOfTheCameraAreToldInTheFramesPixels) {
  test::SceneOptions scene;
  scene.width = 384, scene.height = 288, scene.shake = 8;
  Pair pair(2, MotionOptions());
  EXPECT_EQ(pair.detector.options().steady, 8);
  test::Scene made(scene), again(scene);
  again.next();
  const int32_t x0 = again.shift_x(), y0 = again.shift_y();
  pair.push(made.next());
  int32_t moved = 0;
  for (size_t t = 1; t < 60; ++t) {
    pair.push(made.next());
    again.next();
    const FrameState state = pair.small.state(pair.detector.states().back());
    EXPECT_NEAR(16 * state.shift_x, -(again.shift_x() - x0), 40) << t;
    EXPECT_NEAR(16 * state.shift_y, -(again.shift_y() - y0), 40) << t;
    moved = std::max(moved, std::abs(state.shift_x));
  }
  EXPECT_GT(moved, 4);
}

TEST(Downscale, SavedStatesGoOn) {
  for (const int32_t after : {3, 20}) {  // in the warm-up, and later
    MotionOptions options;
    options.warm_up = 5;
    Pair one(3, options), other(3, options);
    size_t objects = 0;
    for (int32_t t = 0; t < 30; ++t) {
      const auto frame = frame_with(250, 128, {8 * t, 40, 48, 48});
      if (t == after) other.small.load(other.detector, one.small.save(one.detector));
      const auto expected = one.push(frame);
      if (t < after) continue;
      const auto found = other.push(frame);
      objects += found.size();
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), found.begin(), found.end())) << t;
    }
    EXPECT_GT(objects, 5u);
    EXPECT_EQ(test::error_of(ErrorCode::input, [&] { other.push(frame_with(251, 128, {})); }),
              "motion: frame is 251 x 128 after frames of 250 x 128; call reset() before changing "
              "the size");
  }
}

TEST(Downscale, WrongStatesAreRefused) {
  Pair two(2, MotionOptions()), three(3, MotionOptions()), whole(1, MotionOptions());
  for (Pair* pair : {&two, &three, &whole}) pair->push(frame_with(96, 96, {}));
  const auto saved = two.small.save(two.detector), plain = whole.small.save(whole.detector);
  const auto refused = [](Pair& pair, const std::vector<uint8_t>& bytes) {
    const auto before = pair.small.save(pair.detector);
    const auto why =
        test::error_of(ErrorCode::input, [&] { pair.small.load(pair.detector, bytes); });
    EXPECT_EQ(pair.small.save(pair.detector), before);
    return why;
  };
  EXPECT_EQ(refused(three, saved),
            "motion: the saved state has downscale 2 and this detector has 3");
  EXPECT_EQ(refused(whole, saved),
            "motion: the saved state has downscale 2 and this detector has 1");
  EXPECT_EQ(refused(two, plain), "motion: the saved state has downscale 1 and this detector has 2");
  EXPECT_EQ(refused(two, {}), "motion: the saved state is cut off");
  EXPECT_EQ(refused(two, {saved.begin(), saved.end() - 1}), "motion: the saved state is cut off");
  EXPECT_EQ(refused(two, std::vector<uint8_t>(99, 7)),
            "motion: the saved state does not begin as one does; it is damaged, or has another "
            "byte order");
  auto damaged = saved;
  damaged[sizeof(motion::SavedSeal) + 7] = 0x80;  // a negative width
  EXPECT_EQ(refused(two, damaged),
            "motion: the saved state is damaged: its checksum does not match");
  motion::SavedSeal::close(motion::SavedSeal::of_downscale, damaged);
  EXPECT_EQ(refused(two, damaged), "motion: the saved state is damaged");
}

TEST(Downscale, WhatCannotBeIsRefused) {
  for (const int factor : {0, -1, 17}) {
    EXPECT_EQ(test::error_of(ErrorCode::invalid_argument, [&] { Downscale small(factor); }),
              "motion: downscale is " + std::to_string(factor) + "; it must be 1 to 16");
  }
  Downscale small(2);
  EXPECT_EQ(
      test::error_of(ErrorCode::invalid_argument, [&] { small.look(Image<uint8_t>(8, 8, 2)); }),
      "motion: frame has 2 channels; it must have 1 (gray), 3 (color) or 4 (color and alpha)");
  AnyView there = frame_with(8, 8, {}).view();
  there.space = Space::device;
  EXPECT_EQ(test::error_of(ErrorCode::unsupported, [&] { small.look(there); }),
            "motion: downscaling frames on the GPU is not supported; pass host frames or set "
            "downscale to 1");
}

TEST(Downscale, NothingAllocatesAfterTheFirstFrame) {
  Downscale small(3);
  const auto frame = frame_with(640, 400, {}, 3);
  const std::vector<Detection> seen{{{1, 2, 3, 4}, 12, 2, 3}};
  BitImage mask(motion::downscaled(frame.size(), 3));
  const auto all = [&] {
    small.look(frame, {.threads = 1});
    small.detections(seen);
    small.mask(mask);
  };
  all();
  const int64_t before = test::allocations();
  all();
  EXPECT_EQ(test::allocations(), before);
}

}  // namespace
}  // namespace cuesta
