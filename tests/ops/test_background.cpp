#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "ops/background/reference.hpp"
#include "ops/shared/background_models.hpp"
#include "support/errors.hpp"
#include "support/planted.hpp"

namespace cuesta {
namespace {

constexpr BackgroundModel models[] = {BackgroundModel::first, BackgroundModel::mean,
                                      BackgroundModel::median, BackgroundModel::mixture,
                                      BackgroundModel::samples};

TEST(BackgroundFaults, AreCaught) {
  verify::expect_caught<BackgroundArgs>(
      [](const BackgroundArgs& args, Call& call) {
        BackgroundArgs wrong = args;
        wrong.now.dither = args.now.dither ? args.now.dither - 1 : 1;
        background_serial(wrong, call);
      },
      "a dither one off");
  verify::expect_caught<BackgroundArgs>(
      [](const BackgroundArgs& args, Call& call) {
        BackgroundArgs wrong = args;
        wrong.now.rate = args.now.rate == 1 ? 2 : args.now.rate - 1;
        wrong.now.dither = args.now.dither & ((1 << wrong.now.rate) - 1);
        background_serial(wrong, call);
      },
      "a rate one off");
  verify::expect_caught<BackgroundArgs>(
      [](const BackgroundArgs& args, Call& call) {
        BackgroundArgs wrong = args;
        wrong.limit = std::ceil(args.limit) - 1;
        background_serial(wrong, call);
      },
      "a limit that is reached instead of exceeded");
  verify::expect_caught<BackgroundArgs>(
      [](const BackgroundArgs& args, Call&) {
        for (int32_t i = 0; i < args.count; ++i)
          background_reference_rows(args.one(i), 0, args.frame.height - 1);
      },
      "a last row that is not learned");
}

// The background after `frames` frames of one value upon an initialising frame of another, in a
// picture of one pixel.
int settled(BackgroundModel model, int rate_shift, uint8_t founding, uint8_t value, int frames) {
  BackgroundSubtractor subtractor({model, rate_shift});
  Image<uint8_t> frame(1, 1), background(1, 1);
  frame.at(0, 0) = founding;
  subtractor.push(frame);
  frame.at(0, 0) = value;
  for (int t = 0; t < frames; ++t) subtractor.push(frame);
  subtractor.push(frame, {.background = background});
  return background.at(0, 0);
}

TEST(Background, TheListOfModelsIsTheEnum) {
  std::vector<BackgroundModel> listed;
  background::for_each_model([&](auto model) {
    listed.push_back(model.id);
    EXPECT_EQ(name_of(model.id), model.name);
    EXPECT_EQ(background_model_from(model.name), model.id);
    EXPECT_TRUE(background::with_model(
        model.id, [&](auto other) { return std::is_same_v<decltype(other), decltype(model)>; }));
  });
  EXPECT_EQ(listed, std::vector(std::begin(models), std::end(models)));
  const auto bytes = [](BackgroundModel model) {
    const auto layout = background::layout_of(model, PixelType::u8);
    const auto deep = background::layout_of(model, PixelType::u16);
    EXPECT_EQ(deep.type, PixelType::u16);
    EXPECT_EQ(deep.planes, layout.planes);
    return layout.planes * bytes_per_sample(layout.type);
  };
  EXPECT_EQ(bytes(BackgroundModel::first), 1);
  EXPECT_EQ(bytes(BackgroundModel::mean), 2);
  EXPECT_EQ(bytes(BackgroundModel::median), 2);
  EXPECT_EQ(bytes(BackgroundModel::mixture), 18);
  EXPECT_EQ(bytes(BackgroundModel::samples), 14);
  EXPECT_EQ(test::error_of(ErrorCode::invalid_argument, [] { background_model_from("last"); }),
            "background is 'last'; it must be first, mean, median, mixture or samples");
}

// A state is as the list says: planes `stride` apart, nothing between them touched.
TEST(Background, ModelsTouchTheirOwnSamplesOnly) {
  const auto check = [](auto model) {
    using Model = decltype(model);
    using Sample = typename Model::Sample;
    using Value = typename Model::Value;
    constexpr ptrdiff_t stride = 5;
    std::vector<Sample> state(size_t(stride) * size_t(Model::planes), Sample(77));
    const background::Samples<Sample> samples{state.data() + 2, stride};
    if constexpr (background::is_spatial<Model>)
      Model::found(samples, [](int32_t) { return Value(100); });
    else
      Model::found(samples, 100);
    for (const int v : {100, 90, 255, 0}) {
      const auto verdict = [&] {
        if constexpr (background::is_spatial<Model>)
          return Model::learn(samples, Value(v),
                              background::sampled::turn_of({.frame = uint64_t(v)}), 0, 50);
        else
          return Model::learn(samples, Value(v), 3, 5);
      }();
      if (v == 100) {
        EXPECT_EQ(verdict.background, 100) << model.name;
        EXPECT_EQ(verdict.difference, 0) << model.name;
      }
    }
    for (size_t i = 0; i < state.size(); ++i) {
      if (i % size_t(stride) != 2) {
        EXPECT_EQ(state[i], Sample(77)) << model.name << ", sample " << i;
      }
    }
  };
  background::for_each_model(check);
  background::for_each_model(check, background::BasicModels<uint16_t>());
}

// Bytes shifted to the highest bits of u16 are the same video: what is reported of them differs by
// what a mean knows below a gray level.
TEST(Background, ShiftedBytesAreHeldAlike) {
  constexpr int32_t width = 75, height = 20;
  for (const auto model : models) {
    const bool rounds = model == BackgroundModel::mean || model == BackgroundModel::mixture;
    BackgroundSubtractor bytes({model}), words({model});
    Image<uint8_t> frame(width, height), level(width, height), difference(width, height);
    Image<uint16_t> deep(width, height), deep_level(width, height), deep_difference(width, height);
    BitImage mask(width, height), deep_mask(width, height);
    int64_t foreground = 0, apart = 0;
    for (uint64_t t = 0; t < 60; ++t) {
      verify::fill(frame, t % 7 == 6 ? verify::Pattern::noise : verify::Pattern::natural,
                   1 + t % 3);
      for (int32_t y = 0; y < height; ++y)
        std::transform(frame.row(y), frame.row(y) + width, deep.row(y),
                       [](uint8_t v) { return uint16_t(v << 8); });
      bytes.push(frame, {level, difference, mask}, 20);
      words.push(deep, {deep_level, deep_difference, deep_mask}, 20);
      for (int32_t y = 0; y < height; ++y) {
        for (int32_t x = 0; x < width; ++x) {
          const int32_t most = rounds ? 128 : 0;
          ASSERT_LE(std::abs(deep_level.at(x, y) - 256 * level.at(x, y)), most) << name_of(model);
          ASSERT_LE(std::abs(deep_difference.at(x, y) - 256 * difference.at(x, y)), most)
              << name_of(model) << " frame " << t;
          foreground += mask.view().at(x, y);
          apart += mask.view().at(x, y) != deep_mask.view().at(x, y);
        }
      }
    }
    EXPECT_GT(foreground, 1000) << name_of(model);
    EXPECT_LE(apart, rounds ? foreground / 20 : 0) << name_of(model);
  }
}

// Steps of u16 that bytes would round away are reported, to the last bit.
TEST(Background, FinerThanAGrayLevelIsSeen) {
  const std::pair<BackgroundModel, int32_t> steps[] = {
      {BackgroundModel::first, 64},       // a quarter of a level
      {BackgroundModel::mean, 64},        //
      {BackgroundModel::median, 513},     // above the least deviation, two levels
      {BackgroundModel::mixture, 3968},   // above four standard deviations of a new component
      {BackgroundModel::samples, 5633}};  // above the radius and a first restlessness, 22 levels
  for (const auto& [model, step] : steps) {
    BackgroundSubtractor subtractor({model});
    Image<uint16_t> frame(70, 2), difference(70, 2);
    BitImage mask(70, 2);
    const auto push = [&](int32_t v, double limit) {
      for (int32_t y = 0; y < 2; ++y) std::fill_n(frame.row(y), 70, uint16_t(v));
      subtractor.push(frame, {.difference = difference, .mask = mask}, limit);
    };
    push(25728, 0);
    push(25728 + step, double(step - 1) / 256);
    EXPECT_EQ(difference.at(69, 1), step) << name_of(model);
    EXPECT_TRUE(mask.view().at(69, 1)) << name_of(model);
    subtractor.reset();
    push(25728, 0);
    push(25728 + step, double(step) / 256);
    EXPECT_FALSE(mask.view().at(69, 1)) << name_of(model);
  }
}

// The mean settles between gray levels, where the median follows within one.
TEST(Background, MeansOfDeepFramesSettleBetweenLevels) {
  for (const auto model : {BackgroundModel::mean, BackgroundModel::median}) {
    BackgroundSubtractor subtractor({model, model == BackgroundModel::mean ? 3 : 0});
    Image<uint16_t> frame(1, 1), level(1, 1);
    frame.at(0, 0) = 100 << 8;
    subtractor.push(frame);
    frame.at(0, 0) = (110 << 8) + 100;
    for (int t = 0; t < 200; ++t) subtractor.push(frame, {.background = level});
    EXPECT_NEAR(level.at(0, 0), (110 << 8) + 100, 4) << name_of(model);
  }
}

TEST(Background, LearnsWhatStays) {
  EXPECT_EQ(settled(BackgroundModel::first, 0, 100, 200, 500), 100);
  EXPECT_EQ(settled(BackgroundModel::median, 0, 100, 200, 60), 160);
  EXPECT_EQ(settled(BackgroundModel::median, 0, 100, 200, 500), 200);
  // Down to the last level at the slowest rate, where rounding alone would rest 8 levels off.
  EXPECT_EQ(settled(BackgroundModel::mean, 12, 100, 104, 30000), 104);
  EXPECT_EQ(settled(BackgroundModel::mean, 12, 100, 96, 30000), 96);
  // A new component outweighs the initialising one after ln 2 · 2^9 = 355 frames.
  EXPECT_EQ(settled(BackgroundModel::mixture, 9, 100, 200, 340), 100);
  EXPECT_EQ(settled(BackgroundModel::mixture, 9, 100, 200, 370), 200);
}

// Frames of another level until the model explains it; `most` where it does not.
template <class T>
int absorbed_after(int absorb, int most, const char* strategy) {
  BackgroundSubtractor subtractor({.model = BackgroundModel::samples, .absorb = absorb});
  const auto level = [](int gray) { return T(gray * background::gray_level<T>); };
  Image<T> frame(70, 3), difference(70, 3);
  const auto push = [&](int gray) {
    for (int y = 0; y < 3; ++y) std::fill_n(frame.row(y), 70, level(gray));
    subtractor.push(frame, {.difference = difference}, 25, {.strategy = strategy});
    return std::any_of(difference.row(1), difference.row(1) + 70, [](T d) { return d > 0; });
  };
  for (int t = 0; t < 5; ++t) push(100);
  for (int t = 0; t < most; ++t)
    if (!push(200)) return t;
  return most;
}

TEST(Background, SamplesAbsorbWhatStandsAfterTheTimeThatIsSet) {
  for (const char* strategy : {"serial", "simd"}) {
    for (const int absorb : {1, 2, 40, 249, 250, 251, 600}) {
      // Two samples explain a pixel. Each frame writes one, which may be the same again.
      const int found = absorbed_after<uint8_t>(absorb, 900, strategy);
      EXPECT_GE(found, absorb) << strategy;
      EXPECT_LE(found, absorb + 20) << strategy;
      EXPECT_EQ(absorbed_after<uint16_t>(absorb, 900, strategy), found) << strategy;
    }
    EXPECT_EQ(absorbed_after<uint8_t>(0, 900, strategy),
              absorbed_after<uint8_t>(250, 900, strategy));
    EXPECT_EQ(absorbed_after<uint8_t>(1'000'000'000, 900, strategy), 900) << "hardly ever";
  }
}

TEST(Background, AgesAddUpToTheAgeAtWhichAPixelIsAbsorbed) {
  for (const int32_t absorb : {1, 3, 7, 250, 1000, 1'000'000'000}) {
    const auto frames = uint64_t(std::min(absorb, 5000));
    for (const uint64_t from : {uint64_t(0), uint64_t(absorb) * 3 + 1, ~uint64_t(0) - frames}) {
      int64_t sum = 0;
      for (uint64_t t = from; t < from + frames; ++t) {
        const int32_t ages = background::sampled::ages_of(t, absorb);
        ASSERT_TRUE(ages >= 0 && ages <= background::sampled::absorbed_after);
        sum += ages;
      }
      if (absorb <= 5000 && from < ~uint64_t(0) / 2) {
        EXPECT_EQ(sum, background::sampled::absorbed_after) << absorb;
      }
    }
  }
}

TEST(Background, MixtureExplainsTwoLevelsAtOnce) {
  // A pixel that flickers between 60 and 180, as leaves before the sky: the mean of both would call
  // every frame foreground.
  BackgroundSubtractor subtractor({BackgroundModel::mixture, 5});
  Image<uint8_t> frame(70, 2), difference(70, 2);
  const auto push = [&](uint8_t v) {
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 70; ++x) frame.at(x, y) = v;
    subtractor.push(frame, {.difference = difference});
    return difference.at(69, 1);
  };
  for (int t = 0; t < 100; ++t) push(t % 2 ? 60 : 180);
  EXPECT_EQ(push(60), 0);
  EXPECT_EQ(push(180), 0);
  EXPECT_EQ(push(120), 60) << "the distance to the nearer level";
}

TEST(Background, FoundingFrameHasNoDifference) {
  for (const auto model : models) {
    BackgroundSubtractor subtractor({model});
    Image<uint8_t> frame(65, 3), difference(65, 3), background(65, 3);
    BitImage mask(65, 3);
    verify::fill(frame, verify::Pattern::noise, 1);
    for (int round = 0; round < 2; ++round) {
      subtractor.push(frame, {background, difference, mask}, 0);
      for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 65; ++x) {
          ASSERT_EQ(background.at(x, y), frame.at(x, y));
          ASSERT_EQ(difference.at(x, y), 0);
          ASSERT_FALSE(mask.view().at(x, y));
        }
      verify::fill(frame, verify::Pattern::noise, 2);
      subtractor.push(frame);
      EXPECT_EQ(subtractor.frames(), 2);
      subtractor.reset();
      EXPECT_EQ(subtractor.frames(), 0);
    }
  }
}

TEST(Background, ABatchIsFrameAfterFrame) {
  constexpr int32_t width = 70, height = 5, count = 9;
  Image<uint8_t> all(width, height * count), levels(width, height * count);
  verify::fill(all, verify::Pattern::noise, 1);
  const ptrdiff_t step = height * all.view().stride_bytes;
  const auto part = [&](auto& picture, int32_t i) {
    return picture.view().region({0, i * height, width, height});
  };
  for (const auto model : models) {
    BackgroundSubtractor alone({model}), together({model});
    int32_t begin = 0;
    for (const int32_t n : {1, 3, 5}) {
      together.push(ConstBatch(part(all, begin), n, step),
                    {.background = Batch(part(levels, begin), n, step)});
      for (int32_t i = begin; i < begin + n; ++i) {
        Image<uint8_t> expected(width, height);
        alone.push(part(all, i), {.background = expected});
        for (int32_t y = 0; y < height; ++y)
          for (int32_t x = 0; x < width; ++x)
            ASSERT_EQ(part(levels, i).at(x, y), expected.at(x, y)) << name_of(model) << ' ' << i;
      }
      begin += n;
      EXPECT_EQ(together.frames(), alone.frames());
    }
  }
}

TEST(Background, BatchesThatDoNotFitAreRefused) {
  BackgroundSubtractor background({BackgroundModel::first});
  Image<uint8_t> frames(64, 40), masks(64, 40);
  const ptrdiff_t step = 10 * frames.view().stride_bytes;
  const auto first = [](auto& picture) { return picture.view().region({0, 0, 64, 10}); };
  const ConstBatch four(first(frames), 4, step);
  EXPECT_EQ(test::error_of(ErrorCode::invalid_argument,
                           [&] { background.push(four, {.mask = Batch(first(masks), 3, step)}); }),
            "background: frame has 4 pictures and background: mask has 3; the counts must match");
  EXPECT_NE(test::error_of(ErrorCode::invalid_argument,
                           [&] { background.push(four, {.mask = Batch(first(masks), 4, 0)}); }),
            "");
  EXPECT_EQ(background.frames(), 0);
}

TEST(Background, DitherVisitsEveryValueOnce) {
  for (int rate = 1; rate <= 12; ++rate) {
    std::vector<bool> seen(size_t(1) << rate);
    for (uint64_t t = 77; t < 77 + seen.size(); ++t)
      seen[size_t(background::dither_of(t, rate))] = true;
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), ptrdiff_t(seen.size()));
  }
}

RC_GTEST_PROP(BackgroundProperty, MeanStaysBetweenWhatItSaw, ()) {
  const int rate = *rc::gen::inRange(1, 13);
  const auto frames = *rc::gen::container<std::vector<uint8_t>>(rc::gen::inRange<uint8_t>(0, 255));
  uint8_t low = 255, high = 0;
  uint16_t m = 0;
  uint64_t t = 0;
  for (const uint8_t v : frames) {
    low = std::min(low, v), high = std::max(high, v);
    if (t == 0)
      m = uint16_t(v << 8);
    else
      background::mean<uint8_t>(m, v, rate, background::dither_of(t, rate));
    ++t;
    RC_ASSERT(m >= low << 8);
    RC_ASSERT(m <= high << 8);
  }
}

// Weights stay sorted, each at most 1, and sum to 1 at most but for what rounding adds, whatever
// the frames.
RC_GTEST_PROP(BackgroundProperty, MixtureWeightsStaySorted, ()) {
  using namespace background;
  const int rate = *rc::gen::inRange(1, 13);
  const auto frames = *rc::gen::container<std::vector<uint8_t>>(rc::gen::arbitrary<uint8_t>());
  uint16_t state[9] = {gaussians::whole, 0, 0, 128 << 8, 0, 0, gaussians::first_variance};
  uint64_t t = 0;
  for (const uint8_t v : frames) {
    ++t;
    mixture<uint8_t>(state, 1, v, rate, dither_of(t, rate));
    RC_ASSERT(state[0] >= state[1]);
    RC_ASSERT(state[1] >= state[2]);
    RC_ASSERT(state[0] <= gaussians::whole);
    RC_ASSERT(state[0] + state[1] + state[2] <= gaussians::whole + gaussians::whole / 64);
  }
}

TEST(BackgroundErrors, SayWhatIsWrong) {
  Image<uint8_t> frame(8, 4), larger(9, 4);
  Image<uint16_t> deep(9, 4);
  Image<float> real(9, 4);
  verify::fill(frame, verify::Pattern::natural, 1);
  verify::fill(larger, verify::Pattern::natural, 1);
  BackgroundSubtractor subtractor({BackgroundModel::mean});
  subtractor.push(frame);
  using enum ErrorCode;
  EXPECT_EQ(
      test::error_of(input, [&] { subtractor.push(larger); }),
      "background: frame is 9 x 4 after frames of 8 x 4; call reset() before changing the size");
  EXPECT_EQ(subtractor.frames(), 1);
  subtractor.reset();
  subtractor.push(larger);
  EXPECT_EQ(test::error_of(invalid_argument, [&] { subtractor.push(real); }),
            "background: frame is f32; it must be u8, u16");
  EXPECT_EQ(test::error_of(input, [&] { subtractor.push(deep); }),
            "background: frame is u16 after frames of u8; call reset() before changing the type");
  EXPECT_EQ(
      test::error_of(
          invalid_argument,
          [&] { subtractor.push(ConstAnyView(larger), BackgroundOutputs{.difference = deep}); }),
      "background: difference is u16; it must be u8");
  EXPECT_EQ(
      test::error_of(invalid_argument, [&] { subtractor.push(larger, {.background = frame}); }),
      "background: frame is 9 x 4 and background: background is 8 x 4; the sizes must match");
  EXPECT_EQ(test::error_of(invalid_argument, [&] { subtractor.push(larger, {}, std::nan("")); }),
            "background: limit is NaN; it must be a number");
  EXPECT_EQ(test::error_of(invalid_argument,
                           [] {
                             BackgroundSubtractor({BackgroundModel::mean, 13});
                           }),
            "background: rate_shift is 13; it must be 1 to 12, or 0 (mean 6, mixture 9)");
  const auto refused = [](BackgroundOptions options) {
    return test::error_of(invalid_argument, [&] { BackgroundSubtractor made(options); });
  };
  EXPECT_EQ(refused({.absorb = -1}),
            "background: absorb is -1; it must be 1 to 1000000000, or 0 (250)");
  for (const auto model : models) {
    const bool has_rate = model == BackgroundModel::mean || model == BackgroundModel::mixture;
    EXPECT_EQ(refused({.model = model, .rate_shift = 4}),
              has_rate ? "no error"
                       : fmt::format("background: rate_shift is 4 and the background is {}; only "
                                     "mean and mixture take it",
                                     name_of(model)));
    EXPECT_EQ(refused({.model = model, .absorb = 4}),
              model == BackgroundModel::samples
                  ? "no error"
                  : fmt::format("background: absorb is 4 and the background is {}; only samples "
                                "takes it",
                                name_of(model)));
  }
  EXPECT_EQ(test::error_of(invalid_argument, [] { background_model_from("mog"); }),
            "background is 'mog'; it must be first, mean, median, mixture or samples");
}

}  // namespace
}  // namespace cuesta
