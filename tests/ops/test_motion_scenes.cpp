// Precision and recall of every model on made scenes whose truth is known, and what a detector
// reports light, cuts and a camera that moves.
#include <gtest/gtest.h>

#include <algorithm>

#include "ops/shared/background_models.hpp"
#include "support/scene.hpp"

namespace cuesta {
namespace {

using namespace test;

constexpr int64_t frames = 250;

SceneOptions street() {
  SceneOptions scene;
  scene.objects = traffic(scene.width, scene.height, frames, 3);
  return scene;
}

// What a detector makes of a scene, scored where it looks for objects; detections of all frames.
struct Told {
  Score score;
  int64_t found = 0, huge = 0;  // detections, and those of more than a third of the picture
  int64_t warming = 0, changes = 0;
  std::vector<std::vector<Detection>> detections;
  std::vector<FrameState> states;
};
Told run(const SceneOptions& options, const MotionOptions& wanted, int64_t count = frames) {
  Scene scene(options);
  MotionDetector detector(wanted);
  Told out;
  for (int64_t t = 0; t < count; ++t) {
    const auto found = detector.push(scene.next());
    const FrameState state = detector.states().back();
    out.states.push_back(state);
    out.detections.emplace_back(found.begin(), found.end());
    out.warming += state.warming_up, out.changes += state.changed;
    out.found += int64_t(found.size());
    for (const Detection& d : found)
      out.huge += 3 * int64_t(d.box.width) * d.box.height > int64_t(options.width) * options.height;
    if (!state.warming_up) out.score.add(detector.mask(), scene.truth());
  }
  return out;
}
Told run(const SceneOptions& options, BackgroundModel model) {
  return run(options, MotionOptions::of(model));
}

TEST(Scenes, AreTheSameEachTime) {
  SceneOptions options = street();
  options.shake = 3, options.sway = 4, options.coder = 8, options.shadow = 200;
  Scene one(options), other(options);
  uint64_t sum = 0;
  for (int t = 0; t < 30; ++t) {
    const auto& frame = one.next();
    const auto& again = other.next();
    for (int32_t y = 0; y < options.height; ++y) {
      ASSERT_TRUE(std::equal(frame.row(y), frame.row(y) + options.width, again.row(y)));
      for (int32_t x = 0; x < options.width; ++x) sum = sum * 31 + frame.at(x, y);
    }
  }
  EXPECT_NE(sum, 0u);
}

TEST(Scenes, ScoresCountPixels) {
  Image<uint8_t> is(66, 1);
  BitImage mask(66, 1);
  for (int32_t x = 0; x < 66; ++x) is.at(x, 0) = truth::still;
  is.at(0, 0) = is.at(1, 0) = is.at(65, 0) = truth::moving;
  is.at(2, 0) = truth::unknown, is.at(3, 0) = truth::shadow;
  mask.view().row(0)[0] = 0b1111;  // two hits, one unknown, a shadow
  mask.view().row(0)[1] = 0;
  Score score;
  score.add(mask, is);
  EXPECT_EQ(score.hit, 2);
  EXPECT_EQ(score.false_alarm, 1);
  EXPECT_EQ(score.missed, 1);
  EXPECT_DOUBLE_EQ(score.precision(), 2. / 3);
  EXPECT_DOUBLE_EQ(score.recall(), 2. / 3);
  EXPECT_DOUBLE_EQ(score.f(), 2. / 3);
}

// Each model's worst allowed precision and recall on a street with a little noise.
TEST(MotionScenes, EveryModelFindsWhatMoves) {
  background::for_each_model([](auto model) {
    const Told of = run(street(), model.id);
    RecordProperty(std::string(model.name) + " F", std::to_string(of.score.f()));
    const bool coarse = model.id == BackgroundModel::first || model.id == BackgroundModel::mean;
    EXPECT_GT(of.score.precision(), coarse ? 0.7 : 0.9) << model.name;
    EXPECT_GT(of.score.recall(), 0.7) << model.name;
    EXPECT_EQ(of.changes, 0) << model.name;
  });
}

TEST(MotionScenes, TheDefaultStandsNoiseAndACoder) {
  SceneOptions scene = street();
  scene.noise = 4, scene.coder = 10;
  const Told of = run(scene, MotionOptions());
  EXPECT_GT(of.score.precision(), 0.95);
  EXPECT_GT(of.score.recall(), 0.7);
}

TEST(MotionScenes, TheDefaultStandsSwayingLeaves) {
  SceneOptions scene = street();
  scene.noise = 3, scene.sway = 8;
  const double usual = run(scene, MotionOptions()).score.f();
  const double first = run(scene, BackgroundModel::first).score.f();
  EXPECT_GT(usual, 0.7);
  EXPECT_GT(usual, first + 0.2);
}

// The leaves move by 8 pixels: what is displaced by less is no object.
TEST(MotionScenes, DisplacedLeavesAreNoObjects) {
  SceneOptions scene = street();
  scene.noise = 3, scene.sway = 8;
  MotionOptions still, any;
  still.min_area = any.min_area = 1;
  any.displacement = 0;
  const Told with = run(scene, still), without = run(scene, any);
  EXPECT_GT(with.score.f(), without.score.f());
  EXPECT_GT(with.score.precision(), without.score.precision());
  EXPECT_GT(with.score.recall(), without.score.recall() - 0.05);
  EXPECT_LT(2 * with.found, without.found);
}

// The mask has the pixels of what is reported, and no others.
TEST(MotionScenes, WhatIsDroppedLeavesTheMask) {
  SceneOptions options = street();
  options.sway = 8;
  Scene scene(options);
  MotionDetector detector({.min_area = 1});
  for (int64_t t = 0; t < 120; ++t) {
    int64_t area = 0, set = 0;
    for (const Detection& d : detector.push(scene.next())) area += d.area;
    for (int32_t y = 0; y < options.height; ++y)
      for (int32_t x = 0; x < options.width; ++x) set += detector.mask().at(x, y);
    ASSERT_EQ(area, set) << t;
  }
}

// Who stands there in the first frames leaves no box behind, in any model that learns.
TEST(MotionScenes, GhostsAreForgotten) {
  SceneOptions scene;
  // It stands through the warm-up, and goes.
  scene.objects = {{80, 60, 24, 40, 0, 0, 220, 0, 0, 60}};
  background::for_each_model([&](auto model) {
    const Told of = run(scene, MotionOptions::of(model.id), 120);
    if (model.id == BackgroundModel::first) {
      EXPECT_FALSE(of.detections[119].empty()) << "paper 004's background never learns";
      return;
    }
    EXPECT_FALSE(of.detections[60].empty()) << model.name;
    for (size_t t = 60 + 24; t < 120; ++t) EXPECT_TRUE(of.detections[t].empty()) << model.name << t;
  });
  MotionOptions options;
  options.relearn = 0;
  EXPECT_FALSE(run(scene, options, 120).detections[119].empty()) << "relearn 0: nothing at once";
}

// Frames with a detection that is on no object.
int64_t false_frames(const SceneOptions& options, const Told& of) {
  Scene scene(options);
  int64_t count = 0;
  for (const auto& detections : of.detections) {
    scene.next();
    count += std::ranges::any_of(detections, [&](const Detection& d) {
      int64_t on = 0;
      for (int32_t y = d.box.y; y < d.box.y + d.box.height; ++y)
        for (int32_t x = d.box.x; x < d.box.x + d.box.width; ++x)
          on += scene.truth().at(x, y) == truth::moving;
      return 10 * on < int64_t(d.box.width) * d.box.height;
    });
  }
  return count;
}

// A lamp that lights the left half for a while, who passes through its light, and who comes after.
TEST(MotionScenes, ALampInAPartOfThePictureIsNoObject) {
  SceneOptions scene;
  scene.lit = 96;
  scene.light = {{60, 340}, {150, 256}};
  scene.objects = {{-24, 60, 24, 40, 64, 0, 30, 80, INT64_MAX, 140},
                   {-24, 60, 24, 40, 64, 0, 220, 180, INT64_MAX, 240}};
  const Told of = run(scene, MotionOptions());
  EXPECT_EQ(of.changes, 0);
  EXPECT_LE(false_frames(scene, of), 5);
  for (size_t t = 90; t < 125; ++t) EXPECT_FALSE(of.detections[t].empty()) << t;
  for (size_t t = 190; t < 225; ++t) EXPECT_FALSE(of.detections[t].empty()) << t;
  MotionOptions off;
  off.relearn = 0;
  EXPECT_GT(false_frames(scene, run(scene, off)), 60);
}

TEST(MotionScenes, ADriftingShadowOfACloudIsNoObject) {
  SceneOptions scene;
  scene.cloud = 170;
  scene.objects = {{-24, 60, 24, 40, 48, 0, 230, 100, INT64_MAX, 180}};
  const Told of = run(scene, MotionOptions(), 400);
  EXPECT_EQ(of.changes, 0);
  EXPECT_LE(false_frames(scene, of), 12) << "3 % of 400 frames";
  int64_t missed = 0;
  for (size_t t = 108; t < 165; ++t) missed += of.detections[t].empty();
  EXPECT_LE(missed, 3);
}

// Snow falls, and somebody walks through it. Without snow, what is as small as flakes is found.
TEST(MotionScenes, SnowIsNoObject) {
  SceneOptions scene;
  scene.width = 384, scene.height = 288, scene.flakes = 70;
  scene.objects = {{-24, 100, 24, 60, 64, 0, 30, 60}};
  const Told of = run(scene, MotionOptions(), 120);
  EXPECT_LE(false_frames(scene, of), 8) << "until the first specks have gone, and a rare bunch";
  for (size_t t = 70; t < 120; ++t) EXPECT_FALSE(of.detections[t].empty()) << t;
  MotionOptions every;
  every.min_area = 1;
  EXPECT_GT(false_frames(scene, run(scene, every, 50)), 20);

  scene.flakes = 0;
  scene.objects = {{-8, 100, 8, 8, 24, 0, 240, 30}, {-8, 200, 6, 6, 24, 0, 240, 30}};
  const Told still = run(scene, MotionOptions(), 80);
  int64_t found = 0;
  for (size_t t = 40; t < 80; ++t) found += still.detections[t].size() == 2;
  EXPECT_GE(found, 38);
}

// What stops is learned after the time that is declared, not before.
TEST(MotionScenes, WhatStopsIsAbsorbedInTime) {
  SceneOptions scene;
  scene.objects = {{0, 60, 24, 40, 32, 0, 220, 30, 70, INT64_MAX}};
  const Told of = run(scene, MotionOptions(), 400);
  for (size_t t = 75; t < 70 + 200; ++t) EXPECT_FALSE(of.detections[t].empty()) << t;
  for (size_t t = 70 + 280; t < 400; ++t) EXPECT_TRUE(of.detections[t].empty()) << t;
}

TEST(MotionScenes, AStepOfLightIsToldAndNeverBoxed) {
  for (const int32_t gain : {294, 205, 330}) {  // + 15 %, − 20 %, + 29 %
    SceneOptions scene = street();
    scene.light = {{100, gain}};
    const Told of = run(scene, MotionOptions());
    EXPECT_EQ(of.changes, 1) << gain;
    EXPECT_TRUE(of.states[100].changed) << gain;
    EXPECT_EQ(of.huge, 0) << gain;
    EXPECT_FALSE(of.states[100 + 25].warming_up) << "relearned within 25 frames";
    EXPECT_EQ(of.warming, 50);
    EXPECT_GT(of.score.precision(), 0.9) << gain;
  }
}

TEST(MotionScenes, ACutIsToldAndNeverBoxed) {
  SceneOptions scene = street();
  scene.cuts = {90, 160};
  const Told of = run(scene, MotionOptions());
  EXPECT_EQ(of.changes, 2);
  EXPECT_TRUE(of.states[90].changed && of.states[160].changed);
  EXPECT_EQ(of.huge, 0);
}

// What comes near covers most of the picture, one part after the other: nobody is blinded.
TEST(MotionScenes, WhatComesNearIsNoChange) {
  SceneOptions scene;
  scene.objects = {{-170, 10, 170, 124, 64, 0, 220, 40}};
  const Told of = run(scene, MotionOptions(), 140);
  EXPECT_EQ(of.changes, 0);
  EXPECT_EQ(of.warming, 25);
  for (size_t t = 50; t < 110; ++t) EXPECT_FALSE(of.detections[t].empty()) << t;
}

TEST(MotionScenes, AFlashIsForgottenAtOnce) {
  SceneOptions scene = street();
  scene.light = {{100, 400}, {104, 256}};
  const Told of = run(scene, MotionOptions());
  EXPECT_EQ(of.changes, 1);
  EXPECT_TRUE(of.states[100].changed);
  EXPECT_FALSE(of.states[104].warming_up);
  EXPECT_EQ(of.warming, 25 + 4);
  EXPECT_EQ(of.huge, 0);
  EXPECT_GT(of.score.precision(), 0.9);
}

// What is saved between a change and the return, or before a ghost or light is known, continues as
// if nothing had been saved.
void expect_saved_states_to_continue(const SceneOptions& options) {
  Scene scene(options);
  MotionDetector whole, part;
  for (int64_t t = 0; t < 90; ++t) {
    const auto& frame = scene.next();
    const auto expected = whole.push(frame);
    const auto found = part.push(frame);
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end())) << t;
    EXPECT_EQ(part.states()[0], whole.states()[0]) << t;
    if (t % 3) continue;
    const auto saved = part.save();
    part = MotionDetector();
    part.load(saved);
  }
}
TEST(MotionScenes, AStateSavedInAFlashContinues) {
  SceneOptions options = street();
  options.light = {{60, 400}, {66, 256}};
  expect_saved_states_to_continue(options);
}
TEST(MotionScenes, AStateSavedBesideGhostsAndLampsContinues) {
  SceneOptions options = street();
  options.objects.push_back({80, 60, 24, 40, 0, 0, 220, 0, 0, 40});
  options.lit = 96, options.light = {{60, 340}};
  expect_saved_states_to_continue(options);
}

TEST(MotionScenes, AShakingCameraIsTakenBack) {
  SceneOptions scene = street();
  scene.shake = 8;
  const Told steadied = run(scene, MotionOptions());
  MotionOptions loose;
  loose.steady = 0;
  const Told shaken = run(scene, loose);
  EXPECT_EQ(steadied.changes, 0);
  EXPECT_GT(steadied.score.f(), 0.75);
  EXPECT_GT(steadied.score.precision(), shaken.score.precision());
  // The moves that are reported are the camera's, to a pixel and a quarter, against its first
  // place.
  Scene again(scene);
  again.next();
  const int32_t x0 = again.shift_x(), y0 = again.shift_y();
  for (size_t t = 1; t < 100; ++t) {
    again.next();
    const FrameState& state = steadied.states[t];
    EXPECT_NEAR(16 * state.shift_x, -(again.shift_x() - x0), 20) << t;
    EXPECT_NEAR(16 * state.shift_y, -(again.shift_y() - y0), 20) << t;
  }
}

// Boxes and mask are the frame's, where the camera looks elsewhere.
TEST(MotionScenes, BoxesAreOfTheFrameThatIsShown) {
  SceneOptions scene;
  scene.shake = 6, scene.noise = 1;
  scene.objects = {{40, 50, 30, 30, 16, 8, 230, 40}};
  Scene made(scene);
  MotionDetector detector;
  for (int64_t t = 0; t < 100; ++t) {
    const auto found = detector.push(made.next());
    if (t < 45) continue;
    ASSERT_EQ(found.size(), 1u) << t;
    Score score;
    score.add(detector.mask(), made.truth());
    EXPECT_GT(score.f(), 0.8) << t;
    int32_t left = scene.width;
    for (int32_t y = 0; y < scene.height; ++y)
      for (int32_t x = 0; x < scene.width; ++x)
        if (made.truth().at(x, y) == truth::moving) left = std::min(left, x);
    EXPECT_NEAR(found[0].box.x, left, 4) << t;
  }
}

void expect_batches_to_be_frame_after_frame(const SceneOptions& options) {
  constexpr int32_t count = 150;
  Scene scene(options);
  Image<uint8_t> all(options.width, options.height * count);
  for (int32_t i = 0; i < count; ++i) {
    const auto& frame = scene.next();
    for (int32_t y = 0; y < options.height; ++y)
      std::copy_n(frame.row(y), options.width, all.row(i * options.height + y));
  }
  const auto frame = [&](int32_t i) {
    return all.view().region({0, i * options.height, options.width, options.height});
  };
  MotionDetector alone, together;
  for (int32_t begin = 0; begin < count;) {
    const int32_t n = std::min(count - begin, 1 + begin % 37);
    const auto found =
        together.push(ConstBatch(frame(begin), n, options.height * all.view().stride_bytes));
    const std::vector<FrameState> states(together.states().begin(), together.states().end());
    for (int32_t i = 0; i < n; ++i) {
      const auto expected = alone.push(frame(begin + i));
      EXPECT_EQ(found[size_t(i)], std::vector(expected.begin(), expected.end())) << begin + i;
      EXPECT_EQ(states[size_t(i)], alone.states()[0]) << begin + i;
    }
    for (int32_t y = 0; y < options.height; ++y)
      for (int32_t x = 0; x < options.width; ++x)
        ASSERT_EQ(together.mask().at(x, y), alone.mask().at(x, y));
    begin += n;
  }
}
TEST(MotionScenes, ABatchIsFrameAfterFrame) {
  SceneOptions options = street();
  options.shake = 5, options.light = {{80, 330}};
  expect_batches_to_be_frame_after_frame(options);
}
TEST(MotionScenes, ABatchWithGhostsAndLampsIsFrameAfterFrame) {
  SceneOptions options = street();
  options.objects.push_back({80, 60, 24, 40, 0, 0, 220, 0, 0, 60});
  options.lit = 96, options.light = {{90, 340}};
  expect_batches_to_be_frame_after_frame(options);
}

TEST(MotionScenes, PictureTooSmallForWindowsAreFoundAnyhow) {
  SceneOptions scene;
  scene.width = 31, scene.height = 30, scene.noise = 1;
  scene.objects = {{0, 5, 16, 16, 8, 0, 240, 30}};
  const Told of = run(scene, MotionOptions(), 60);
  EXPECT_GT(of.found, 0);
  EXPECT_EQ(of.changes, 0);
}

TEST(MotionScenes, DefaultsOfFirstArePaper004s) {
  const MotionOptions paper = MotionOptions::of(BackgroundModel::first);
  EXPECT_EQ(paper.blur, 15);
  EXPECT_EQ(paper.threshold.level, 25);
  EXPECT_EQ(paper.close.count(), StructuringElement::disk(15).count());
  EXPECT_EQ(paper.warm_up, 1);
  EXPECT_EQ(paper.relearn, 0);
  EXPECT_EQ(paper.steady, 0);
  EXPECT_EQ(MotionOptions().background.model, BackgroundModel::samples);
}

}  // namespace
}  // namespace cuesta
