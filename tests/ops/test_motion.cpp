#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cuesta/downscale.hpp"
#include "ops/motion/options.hpp"
#include "ops/motion/reference.hpp"
#include "support/allocations.hpp"
#include "support/errors.hpp"
#include "support/planted.hpp"
#include "support/strategies.hpp"

namespace cuesta {
namespace {

// Runs the reference with options that `change` has altered.
template <class Change>
void run_altered(const MotionArgs& args, Call& call, Change&& change) {
  MotionOptions options = *args.options;
  change(options);
  MotionArgs wrong = args;
  wrong.options = &options;
  motion_serial(wrong, call);
}

TEST(MotionFaults, AreCaught) {
  verify::expect_caught<MotionArgs>(
      [](const MotionArgs& args, Call& call) {
        run_altered(args, call, [](MotionOptions& o) { o.threshold.level += 1; });
      },
      "a threshold one off");
  verify::expect_caught<MotionArgs>(
      [](const MotionArgs& args, Call& call) {
        run_altered(args, call, [](MotionOptions& o) { std::swap(o.close, o.open); });
      },
      "elements that have changed places");
  verify::expect_caught<MotionArgs>(
      [](const MotionArgs& args, Call& call) {
        run_altered(args, call, [](MotionOptions& o) { o.connectivity = 12 - o.connectivity; });
      },
      "the other connectivity");
  verify::expect_caught<MotionArgs>(
      [](const MotionArgs& args, Call& call) {
        run_altered(args, call, [](MotionOptions& o) { o.blur += 2; });
      },
      "a wider blur");
  verify::expect_caught<MotionArgs>(
      [](const MotionArgs& args, Call& call) {
        run_altered(args, call, [](MotionOptions& o) { o.threshold.otsu = !o.threshold.otsu; });
      },
      "Otsu where it is not wanted");
}

// A frame of 40 with a square of `side` pixels of 200 at (x, y).
Image<uint8_t> frame_with_square(int32_t width, int32_t height, int32_t x, int32_t y, int32_t side,
                                 int32_t channels = 1) {
  Image<uint8_t> frame(width, height, channels);
  for (int32_t j = 0; j < height; ++j)
    for (int32_t i = 0; i < width; ++i)
      for (int32_t c = 0; c < channels; ++c)
        frame.at(i, j, c) = i >= x && j >= y && i < x + side && j < y + side ? 200 : 40;
  return frame;
}

MotionOptions sharp_options() {
  MotionOptions options = MotionOptions::of(BackgroundModel::first);
  options.blur = 1;
  options.close = options.open = StructuringElement::rectangle(3, 3);
  return options;
}

TEST(Motion, FindsAMovingSquareExactly) {
  for (const int32_t channels : {1, 3, 4}) {
    auto strategies = test::host_strategies<MotionArgs>();
    strategies.emplace_back();  // the automatic choice
    for (const std::string& strategy : strategies) {
      const Exec exec{.strategy = strategy};
      MotionDetector detector(sharp_options());
      EXPECT_TRUE(detector.push(frame_with_square(150, 90, 0, 0, 0, channels), exec).empty());
      for (const auto& [x, y] : {std::pair{0, 0}, {10, 20}, {63, 40}, {130, 70}}) {
        const auto found = detector.push(frame_with_square(150, 90, x, y, 20, channels), exec);
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(found[0], (Detection{{x, y, 20, 20}, 400, x + 9.5, y + 9.5}));
        for (int32_t j = 0; j < 90; ++j)
          for (int32_t i = 0; i < 150; ++i)
            ASSERT_EQ(detector.mask().at(i, j), i >= x && j >= y && i < x + 20 && j < y + 20);
      }
      EXPECT_EQ(detector.threshold(), 25);
    }
  }
}

TEST(Motion, DropsSmallObjects) {
  MotionOptions options = sharp_options();
  options.min_area = 101;
  MotionDetector detector(options);
  detector.push(frame_with_square(100, 80, 0, 0, 0));
  EXPECT_TRUE(detector.push(frame_with_square(100, 80, 10, 10, 10)).empty());
  EXPECT_TRUE(detector.mask().at(12, 12)) << "the mask keeps them";
  EXPECT_EQ(detector.push(frame_with_square(100, 80, 10, 10, 11)).size(), 1u);
}

TEST(Motion, AutomaticThresholdIsNeverBelowTheGivenOne) {
  MotionOptions options = sharp_options();
  EXPECT_EQ(DifferenceThreshold::automatic().level, DifferenceThreshold().level);
  options.threshold = DifferenceThreshold::automatic(25);
  MotionDetector detector(options);
  Image<uint8_t> frame = frame_with_square(100, 80, 0, 0, 0);
  detector.push(frame);
  frame.at(50, 50) = 50;  // Otsu alone would split 0 from 10
  EXPECT_TRUE(detector.push(frame).empty());
  EXPECT_EQ(detector.threshold(), 25);
  frame = frame_with_square(100, 80, 10, 10, 30);
  for (int32_t y = 60; y < 70; ++y)
    for (int32_t x = 60; x < 70; ++x) frame.at(x, y) = 80;  // a shadow, 40 above the background
  EXPECT_EQ(detector.push(frame).size(), 1u);
  EXPECT_GE(detector.threshold(), 40);
}

// Of each pixel: `left` up to the middle, then `right`.
Image<float> two_thresholds(int32_t width, int32_t height, float left, float right) {
  Image<float> levels(width, height);
  for (int32_t y = 0; y < height; ++y)
    for (int32_t x = 0; x < width; ++x) levels.at(x, y) = x < width / 2 ? left : right;
  return levels;
}

template <class T>
void expect_thresholds_of_pixels(const std::string& strategy) {
  constexpr int gray = sizeof(T) == 1 ? 1 : 256;
  const auto frame_of = [](int level) {
    Image<T> frame(150, 90);
    for (int32_t y = 0; y < 90; ++y) std::fill_n(frame.row(y), 150, T(level * gray));
    return frame;
  };
  const Rect left{0, 0, 75, 90}, all{0, 0, 150, 90};
  const Exec exec{.strategy = strategy};
  const auto boxes = [](std::span<const Detection> found) {
    std::vector<Rect> all_boxes;
    for (const Detection& one : found) all_boxes.push_back(one.box);
    return all_boxes;
  };
  for (const bool automatic : {false, true}) {
    for (const auto model : {BackgroundModel::first, BackgroundModel::samples}) {
      MotionOptions options = sharp_options();
      options.background.model = model;
      options.threshold = 70;  // which the pixels' replace
      options.threshold.otsu = automatic;
      MotionDetector detector(options);
      detector.set_thresholds(two_thresholds(150, 90, 16, 50));
      const auto saw = fmt::format("{} {} {}", strategy, name_of(model), automatic);
      detector.push(frame_of(40), exec);
      // A restless pixel of samples needs more, so the steps are large.
      const bool is_exact = model == BackgroundModel::first;
      EXPECT_TRUE(detector.push(frame_of(is_exact ? 56 : 50), exec).empty()) << saw;
      if (!automatic) {  // Otsu of one level is no level between two
        EXPECT_EQ(boxes(detector.push(frame_of(is_exact ? 57 : 75), exec)), std::vector{left})
            << saw;
        EXPECT_EQ(boxes(detector.push(frame_of(is_exact ? 90 : 80), exec)), std::vector{left})
            << saw;
        EXPECT_EQ(detector.threshold(), 16);
        EXPECT_EQ(boxes(detector.push(frame_of(is_exact ? 91 : 110), exec)), std::vector{all})
            << saw;
      }
      detector.set_thresholds({});
      EXPECT_TRUE(detector.push(frame_of(110), exec).empty()) << saw;
      EXPECT_EQ(detector.threshold(), 70) << saw;
    }
  }
}

TEST(Motion, PixelsMayHaveThresholdsOfTheirOwn) {
  auto strategies = test::host_strategies<MotionArgs>();
  strategies.emplace_back();  // the automatic choice
  for (const std::string& strategy : strategies) {
    expect_thresholds_of_pixels<uint8_t>(strategy);
    expect_thresholds_of_pixels<uint16_t>(strategy);
  }
}

TEST(Motion, EqualThresholdsOfPixelsAreTheOption) {
  for (const bool automatic : {false, true}) {
    for (const auto model : {BackgroundModel::first, BackgroundModel::mean, BackgroundModel::median,
                             BackgroundModel::mixture, BackgroundModel::samples}) {
      MotionOptions options = MotionOptions::of(model);
      options.warm_up = 1;
      options.threshold = 12.5;
      options.threshold.otsu = automatic;
      MotionDetector plain(options), of_pixels(options);
      of_pixels.set_thresholds(two_thresholds(150, 90, 12.5, 12.5));
      for (int32_t t = 0; t < 8; ++t) {
        const Image<uint8_t> frame = frame_with_square(150, 90, 9 * t, 5 * t, t ? 25 : 0);
        const auto a = plain.push(frame), b = of_pixels.push(frame);
        ASSERT_TRUE(std::ranges::equal(a, b)) << name_of(model);
        ASSERT_EQ(plain.threshold(), of_pixels.threshold()) << name_of(model);
        for (int32_t y = 0; y < 90; ++y)
          for (int32_t x = 0; x < 150; ++x)
            ASSERT_EQ(plain.mask().at(x, y), of_pixels.mask().at(x, y)) << name_of(model);
      }
    }
  }
}

TEST(Motion, ThresholdsOfPixelsStayWithTheDetector) {
  const auto frame = [](int32_t side) { return frame_with_square(100, 80, 60, 20, side); };
  MotionDetector detector(sharp_options()), other(sharp_options());
  detector.set_thresholds(two_thresholds(100, 80, 0, 161));
  detector.push(frame(0));
  EXPECT_TRUE(detector.push(frame(20)).empty());
  other.push(frame(0));
  detector.load(other.save());
  EXPECT_TRUE(detector.push(frame(20)).empty()) << "after load()";
  detector.reset();
  detector.push(frame(0));
  EXPECT_TRUE(detector.push(frame(20)).empty()) << "after reset()";
  detector.reset();
  using enum ErrorCode;
  EXPECT_EQ(test::error_of(input, [&] { detector.push(frame_with_square(99, 80, 0, 0, 0)); }),
            "motion: frame is 99 x 80 and the thresholds are of 100 x 80; they must have the "
            "frame's size");
  Image<float> levels = two_thresholds(100, 80, 1, 2);
  levels.at(3, 5) = -1;
  EXPECT_EQ(test::error_of(invalid_argument, [&] { detector.set_thresholds(levels); }),
            "motion: the threshold of pixel (3, 5) is -1; it must be finite, 0 or more");
  EXPECT_EQ(test::error_of(invalid_argument, [&] { detector.set_thresholds(frame(0)); }),
            "motion: levels is u8; it must be f32");
  EXPECT_EQ(
      test::error_of(invalid_argument, [&] { detector.set_thresholds(Image<float>(100, 80, 3)); }),
      "motion: levels has 3 channels; it must have 1");
  detector.push(frame(0));
  EXPECT_TRUE(detector.push(frame(20)).empty()) << "after what was refused";
}

TEST(Motion, ReducedPixelsHaveTheLowestThresholdOfTheirPixels) {
  Image<float> levels = two_thresholds(100, 79, 20, 40);
  levels.at(99, 78) = 3;
  const Image<float> reduced = Downscale(4).thresholds(levels);
  EXPECT_EQ(reduced.size(), (Size{25, 20}));
  EXPECT_EQ(reduced.at(12, 0), 20) << "half of its pixels are left of the middle";
  EXPECT_EQ(reduced.at(13, 0), 40);
  EXPECT_EQ(reduced.at(24, 19), 3);
}

TEST(Motion, ABatchIsFrameAfterFrame) {
  constexpr int32_t width = 150, height = 90, count = 7;
  Image<uint8_t> all(width, height * count);  // below each other
  for (int32_t i = 0; i < count; ++i) {
    const Image<uint8_t> frame = frame_with_square(width, height, 15 * i, 9 * i, i ? 20 : 0);
    for (int32_t y = 0; y < height; ++y) std::copy_n(frame.row(y), width, all.row(i * height + y));
  }
  const auto frame = [&](int32_t i) { return all.view().region({0, i * height, width, height}); };
  auto strategies = test::host_strategies<MotionArgs>();
  strategies.emplace_back();  // the automatic choice
  for (const std::string& strategy : strategies) {
    const Exec exec{.strategy = strategy};
    MotionDetector alone(sharp_options()), together(sharp_options());
    int32_t begin = 0;
    for (const int32_t n : {2, 1, 4}) {
      const auto found =
          together.push(ConstBatch(frame(begin), n, height * all.view().stride_bytes), exec);
      ASSERT_EQ(found.size(), size_t(n));
      for (int32_t i = 0; i < n; ++i) {
        const auto expected = alone.push(frame(begin + i), exec);
        EXPECT_EQ(expected.size(), begin + i > 0 ? 1u : 0u);
        EXPECT_EQ(found[size_t(i)], std::vector(expected.begin(), expected.end())) << begin + i;
      }
      begin += n;
      EXPECT_EQ(together.threshold(), alone.threshold());
      for (int32_t y = 0; y < height; ++y)
        for (int32_t x = 0; x < width; ++x)
          ASSERT_EQ(together.mask().at(x, y), alone.mask().at(x, y));
    }
  }
}

TEST(Motion, FramesOfSeveralCamerasAreFrameByFrame) {
  auto strategies = test::host_strategies<MotionArgs>();
  strategies.emplace_back();  // the automatic choice
  for (const std::string& strategy : strategies) {
    const Exec exec{.strategy = strategy};
    MotionOptions other = sharp_options();
    other.background.model = BackgroundModel::mean;
    other.threshold = DifferenceThreshold::automatic();
    other.min_area = 401;
    MotionDetector alone[] = {MotionDetector(sharp_options()), MotionDetector(other)};
    MotionDetector together[] = {MotionDetector(sharp_options()), MotionDetector(other)};
    MotionDetector* const both[] = {&together[0], &together[1]};
    for (int32_t t = 0; t < 4; ++t) {
      const Image<uint8_t> frames[] = {frame_with_square(150, 90, 15 * t, 9 * t, t ? 20 : 0),
                                       frame_with_square(70, 101, 9 * t, 15 * t, t ? 21 : 0, 3)};
      const ConstAnyView views[] = {frames[0], frames[1]};
      const auto found = MotionDetector::push(both, views, exec);
      ASSERT_EQ(found.size(), 2u);
      for (int i = 0; i < 2; ++i) {
        const auto expected = alone[i].push(views[i], exec);
        EXPECT_EQ(expected.size(), t ? 1u : 0u);
        EXPECT_TRUE(std::equal(found[size_t(i)].begin(), found[size_t(i)].end(), expected.begin(),
                               expected.end()));
        EXPECT_EQ(together[i].threshold(), alone[i].threshold());
        for (int32_t y = 0; y < views[i].height; ++y)
          for (int32_t x = 0; x < views[i].width; ++x)
            ASSERT_EQ(together[i].mask().at(x, y), alone[i].mask().at(x, y));
      }
    }
  }
}

// Samples of fewer bits stand highest in u16, so bytes may, too.
Image<uint16_t> deepened(ConstAnyView bytes) {
  Image<uint16_t> deep(bytes.width, bytes.height, bytes.channels);
  for (int32_t y = 0; y < bytes.height; ++y) {
    const uint8_t* from = bytes.as<uint8_t>().row(y);
    std::transform(from, from + ptrdiff_t(bytes.width) * bytes.channels, deep.row(y),
                   [](uint8_t v) { return uint16_t(v << 8); });
  }
  return deep;
}

// By the models whose background is not known below a gray level.
TEST(Motion, ShiftedBytesAreFoundAlike) {
  using enum BackgroundModel;
  for (const auto model : {first, median, samples}) {
    for (const bool automatic : {false, true}) {
      MotionOptions options = MotionOptions::of(model);
      options.blur = 1;  // a blur of u16 keeps what one of bytes rounds away
      options.warm_up = 5;
      options.relearn = 60, options.steady = 16;
      if (automatic) options.threshold = DifferenceThreshold::automatic(12);
      MotionDetector bytes(options), words(options);
      size_t found = 0, changes = 0;
      for (int32_t t = 0; t < 40; ++t) {
        Image<uint8_t> frame = frame_with_square(160, 96, 4 * t - 40, 30, 24);
        for (int32_t y = 0; y < 96; ++y)  // the foreground off its place and back, and a lamp
          for (int32_t x = 0; x < 160; ++x)
            frame.at(x, y) =
                uint8_t(frame.at(x, y) + ((x + t % 3) * 7 ^ y * 5) % 31 + (t < 30 ? 0 : 20));
        const auto expected = bytes.push(frame), deep = words.push(deepened(frame));
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), deep.begin(), deep.end()))
            << name_of(model) << " frame " << t;
        ASSERT_EQ(bytes.states()[0], words.states()[0]) << t;
        ASSERT_NEAR(bytes.threshold(), words.threshold(), 1) << t;
        found += expected.size(), changes += bytes.states()[0].changed;
      }
      EXPECT_GT(found, 10u) << name_of(model);
      EXPECT_EQ(changes, 1u) << name_of(model);
    }
  }
}

TEST(Motion, ASensitivityChoosesThreeDefaultsOfEveryModel) {
  const auto values = [](BackgroundModel model, Sensitivity sensitivity) {
    const MotionOptions of = MotionOptions::of(model, sensitivity);
    return std::tuple(of.threshold.level, text_of(of.open), of.displacement);
  };
  using enum Sensitivity;
  using Values = std::tuple<double, std::string, int>;
  const BackgroundModel samples = BackgroundModel::samples;
  EXPECT_EQ(values(samples, low), Values(20, "disk:7", 5));
  EXPECT_EQ(values(samples, normal), Values(16, "disk:5", 3));
  EXPECT_EQ(values(samples, high), Values(6, "disk:5", 1));
  EXPECT_EQ(values(BackgroundModel::mixture, high), Values(6, "disk:5", 1));
  EXPECT_EQ(values(BackgroundModel::mean, high), Values(10, "disk:5", 1));
  EXPECT_EQ(values(BackgroundModel::first, low), Values(31.25, "disk:17", 5));
  EXPECT_EQ(values(BackgroundModel::first, high), Values(15.625, "disk:15", 1));
  for (const auto& model : background::model_names) {
    const MotionOptions usual = MotionOptions::of(model.value);
    for (const Sensitivity sensitivity : {low, high}) {
      MotionOptions of = MotionOptions::of(model.value, sensitivity);
      EXPECT_EQ(of.background.model, model.value);
      EXPECT_EQ(std::tuple(of.blur, of.min_area, of.warm_up, of.relearn, of.steady),
                std::tuple(usual.blur, usual.min_area, usual.warm_up, usual.relearn, usual.steady));
      MotionDetector takes_it(of);
    }
  }
  EXPECT_EQ(sensitivity_from("high"), high);
  EXPECT_EQ(name_of(low), "low");
  EXPECT_THROW(sensitivity_from("higher"), Error);
}

TEST(Motion, AnObjectFinerThanAGrayLevelIsFound) {
  MotionOptions options = sharp_options();
  options.threshold = 0.5;
  auto strategies = test::host_strategies<MotionArgs>();
  strategies.emplace_back();
  for (const std::string& strategy : strategies) {
    MotionDetector detector(options);
    Image<uint16_t> frame(100, 80);
    for (int32_t y = 0; y < 80; ++y) std::fill_n(frame.row(y), 100, uint16_t(40 << 8));
    detector.push(frame, {.strategy = strategy});
    for (int32_t y = 30; y < 50; ++y) std::fill_n(frame.row(y) + 20, 30, uint16_t((40 << 8) + 192));
    const auto found = detector.push(frame, {.strategy = strategy});
    ASSERT_EQ(found.size(), 1u) << strategy;
    EXPECT_EQ(found[0].box, (Rect{20, 30, 30, 20}));
    EXPECT_EQ(detector.threshold(), 0.5);
  }
}

TEST(Motion, SavedStatesOfDeepFramesGoOn) {
  for (const int32_t after : {3, 20}) {  // in the warm-up, and later
    MotionOptions options;
    options.warm_up = 5;
    MotionDetector one(options), other(options);
    for (int32_t t = 0; t < 30; ++t) {
      const Image<uint16_t> frame = deepened(frame_with_square(120, 64, 4 * t, 20, 24));
      if (t == after) other.load(one.save());
      const auto expected = one.push(frame);
      if (t < after) continue;
      const auto found = other.push(frame);
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), found.begin(), found.end())) << t;
    }
    EXPECT_EQ(
        test::error_of(ErrorCode::input, [&] { other.push(frame_with_square(120, 64, 0, 0, 0)); }),
        "motion: frame is u8 after frames of u16; call reset() before changing the type");
  }
}

TEST(Motion, ResetFoundsAnew) {
  MotionDetector detector(sharp_options());
  detector.push(frame_with_square(100, 80, 0, 0, 0));
  EXPECT_EQ(detector.push(frame_with_square(100, 80, 30, 30, 20)).size(), 1u);
  detector.reset();
  EXPECT_TRUE(detector.push(frame_with_square(100, 80, 30, 30, 20)).empty());
  EXPECT_EQ(detector.push(frame_with_square(100, 80, 0, 0, 0)).size(), 1u)
      << "where the square was";
  detector.reset();
  EXPECT_TRUE(detector.push(frame_with_square(64, 48, 0, 0, 0)).empty());
  EXPECT_EQ(detector.mask().width, 64);
}

TEST(Motion, MovedDetectorsGoOn) {
  MotionDetector first(sharp_options());
  first.push(frame_with_square(100, 80, 0, 0, 0));
  MotionDetector second = std::move(first);
  EXPECT_EQ(second.push(frame_with_square(100, 80, 30, 30, 20)).size(), 1u);
}

TEST(Motion, ThreadsDoNotMatter) {
  for (const int threads : {1, 2, 3, 8, 99}) {
    const MotionOptions options = MotionOptions::of(BackgroundModel::first);
    MotionDetector one(options), many(options);
    Image<uint8_t> frame(320, 240);
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      verify::fill(frame, verify::Pattern::natural, seed);
      const auto a = one.push(frame, {.threads = 1}), b = many.push(frame, {.threads = threads});
      ASSERT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << threads;
    }
  }
}

class MotionMemory : public testing::TestWithParam<BackgroundModel> {};

TEST_P(MotionMemory, NothingAllocatesAfterTheSecondFrame) {
  for (const bool automatic : {false, true}) {
    for (const int32_t channels : {1, 3}) {
      Workspace workspace;
      MotionOptions options = MotionOptions::of(BackgroundModel::first);
      options.background.model = GetParam();
      options.threshold.otsu = automatic;
      const Exec exec{.threads = 1, .workspace = &workspace};
      MotionDetector detector(options);
      std::vector<Image<uint8_t>> frames;
      for (uint64_t seed = 0; seed < 12; ++seed) {
        frames.emplace_back(320, 240, channels);
        // The first are empty, so that later ones hold more components than any before.
        verify::fill(frames.back(), seed < 2 ? verify::Pattern::constant : verify::Pattern::natural,
                     seed);
      }
      detector.push(frames[0], exec);
      detector.push(frames[1], exec);
      const size_t bytes = workspace.bytes();
      size_t objects = 0;
      for (size_t t = 2; t < frames.size(); ++t) {
        const int64_t before = test::allocations();
        objects += detector.push(frames[t], exec).size();
        EXPECT_EQ(test::allocations() - before, 0) << "in frame " << t;
        EXPECT_EQ(workspace.bytes(), bytes) << "in frame " << t;
      }
      EXPECT_GT(objects, 0u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, MotionMemory,
                         testing::Values(BackgroundModel::first, BackgroundModel::mean,
                                         BackgroundModel::median, BackgroundModel::mixture,
                                         BackgroundModel::samples),
                         [](const auto& parameter) {
                           return std::string(name_of(parameter.param));
                         });

TEST(MotionErrors, SayWhatIsWrong) {
  using enum ErrorCode;
  MotionDetector detector(sharp_options());
  detector.push(frame_with_square(100, 80, 0, 0, 0));
  EXPECT_EQ(
      test::error_of(input, [&] { detector.push(frame_with_square(100, 81, 0, 0, 0)); }),
      "motion: frame is 100 x 81 after frames of 100 x 80; call reset() before changing the size");
  EXPECT_EQ(detector.push(frame_with_square(100, 80, 30, 30, 20)).size(), 1u)
      << "and the right size goes on";
  EXPECT_EQ(
      test::error_of(invalid_argument,
                     [&] { detector.push(frame_with_square(100, 80, 0, 0, 0, 2)); }),
      "motion: frame has 2 channels; it must have 1 (gray), 3 (color) or 4 (color and alpha)");
  Image<uint16_t> deep(100, 80);
  Image<float> real(100, 80);
  EXPECT_EQ(test::error_of(input, [&] { detector.push(deep); }),
            "motion: frame is u16 after frames of u8; call reset() before changing the type");
  EXPECT_EQ(test::error_of(invalid_argument, [&] { detector.push(real); }),
            "motion: frame is f32; it must be u8, u16");
  EXPECT_EQ(test::error_of(invalid_argument, [&] { detector.push(ConstAnyView()); }),
            "motion: frame has no data; its pointer must not be null");

  MotionDetector second(sharp_options());
  const Image<uint8_t> frame = frame_with_square(100, 80, 0, 0, 0);
  const std::vector<ConstAnyView> frames(2, ConstAnyView(frame));
  const auto refused_cameras = [&](std::vector<MotionDetector*> detectors) {
    return test::error_of(invalid_argument, [&] { MotionDetector::push(detectors, frames); });
  };
  EXPECT_EQ(refused_cameras({&detector}),
            "motion: there are 1 detectors and 2 frames; the counts must match and be at least 1");
  EXPECT_EQ(refused_cameras({&detector, nullptr}),
            "motion: detectors[1] is null; each frame requires a detector");
  EXPECT_EQ(
      refused_cameras({&second, &second}),
      "motion: detectors[1] is listed twice; pass consecutive frames of one camera as a batch");

  const auto refused = [&](auto&& change) {
    MotionOptions options = MotionOptions::of(BackgroundModel::first);
    change(options);
    return test::error_of(invalid_argument, [&] { MotionDetector made(options); });
  };
  EXPECT_EQ(refused([](MotionOptions& o) { o.blur = 4; }),
            "motion: blur is 4; it must be odd, 1 to 255");
  EXPECT_EQ(refused([](MotionOptions& o) { o.blur_sigma = -1; }),
            "motion: blur_sigma is -1; it must be 0 or more");
  EXPECT_EQ(refused([](MotionOptions& o) { o.threshold = std::nan(""); }),
            "motion: threshold is nan; it must be finite, 0 or more");
  EXPECT_EQ(refused([](MotionOptions& o) { o.connectivity = 6; }),
            "motion: connectivity is 6; it must be 4 or 8");
  EXPECT_EQ(refused([](MotionOptions& o) { o.min_area = -1; }),
            "motion: min_area is -1; it must be 0 or more");
  EXPECT_EQ(refused([](MotionOptions& o) { o.background.rate_shift = -1; }),
            "motion: rate_shift is -1; it must be 1 to 12, or 0 (mean 6, mixture 9)");
  EXPECT_EQ(refused([](MotionOptions& o) { o.background.absorb = 100; }),
            "motion: absorb is 100 and the background is first; only samples takes it");
}

}  // namespace
}  // namespace cuesta
