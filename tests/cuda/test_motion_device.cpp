// The moving-object chain on the GPU. Without a GPU these skip, and say why.
#include <gtest/gtest.h>

#include <cstring>

#include "bench/papers/motion_memory.hpp"
#include "cuesta/device.hpp"
#include "cuesta/motion.hpp"
#include "ops/motion/stages.hpp"
#include "support/errors.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using verify::Pattern;

class MotionDevice : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  }
};

// A still picture, noise of its own in every frame, and three bright squares that move.
void draw_frame(AnyView frame, int t) {
  verify::fill(frame, Pattern::natural, 11);
  verify::Random noise(uint64_t(t) + 1);
  for (int32_t y = 0; y < frame.height; ++y) {
    for (int32_t x = 0; x < frame.width; ++x) {
      bool object = false;
      for (int i = 0; t > 0 && i < 3; ++i) {
        const int32_t left = (40 + 170 * i + 9 * t) % frame.width, top = 20 + 70 * i + 2 * t;
        object |= x >= left && x < left + 30 + 5 * i && y >= top && y < top + 25;
      }
      for (int32_t c = 0; c < frame.channels; ++c) {
        uint8_t& v = frame.as<uint8_t>().at(x, y, c);
        v = object ? uint8_t(v ^ 0x80) : uint8_t(v / 8 * 8 + noise.below(8));
      }
    }
  }
}

TEST_F(MotionDevice, EveryVersionFindsWhatTheCpuFinds) {
  constexpr int32_t width = 596, height = 336;
  for (const int32_t channels : {1, 3}) {
    for (const std::string strategy : {"plain", "v1.0", "v1.1", "v1.2", "v1.3"}) {
      const Stream stream;
      const Exec on_host{.strategy = "simd"};
      const Exec on_device{.strategy = strategy, .stream = stream.get()};
      MotionDetector here, there;
      Image<uint8_t> frame(width, height, channels);
      Image<uint8_t, Space::device> frame_there(width, height, channels);
      size_t objects = 0;
      for (int t = 0; t < 30; ++t) {
        draw_frame(frame, t);
        upload(frame, frame_there, stream.get());
        const auto expected = here.push(frame, on_host), found = there.push(frame_there, on_device);
        objects += expected.size();
        ASSERT_EQ(std::vector(found.begin(), found.end()),
                  std::vector(expected.begin(), expected.end()))
            << strategy << ", frame " << t;
        const ConstBitView a = here.mask(), b = there.mask();
        for (int32_t y = 0; y < height; ++y)
          ASSERT_EQ(std::memcmp(a.row(y), b.row(y), size_t(a.words()) * 8), 0)
              << strategy << ", frame " << t << ", row " << y;
      }
      EXPECT_GT(objects, 29u);
      here.reset(), there.reset();
      EXPECT_TRUE(there.push(frame_there, on_device).empty()) << "reset() founds anew";
    }
  }
}

TEST_F(MotionDevice, EveryModelRunsWithoutAName) {
  constexpr int32_t width = 300, height = 168;
  for (const auto model : {BackgroundModel::first, BackgroundModel::mean, BackgroundModel::median,
                           BackgroundModel::mixture}) {
    for (const bool automatic : {false, true}) {
      MotionOptions options;
      options.background.model = model;
      options.threshold.otsu = automatic;
      options.close = options.open = StructuringElement::disk(5);
      MotionDetector here(options), there(options);
      Image<uint8_t> frame(width, height, 3);
      Image<uint8_t, Space::device> frame_there(width, height, 3);
      size_t objects = 0;
      for (int t = 0; t < 12; ++t) {
        draw_frame(frame, t);
        upload(frame, frame_there);
        const auto expected = here.push(frame), found = there.push(frame_there);
        objects += expected.size();
        ASSERT_EQ(std::vector(found.begin(), found.end()),
                  std::vector(expected.begin(), expected.end()))
            << name_of(model) << ", frame " << t;
        ASSERT_EQ(there.threshold(), here.threshold()) << name_of(model) << ", frame " << t;
      }
      EXPECT_GT(objects, 0u) << name_of(model);
    }
  }
}

TEST_F(MotionDevice, MemoryIsAsTheModelSays) {
  namespace motion_memory = bench::motion_memory;
  constexpr int32_t width = 596, height = 336;
  const motion_memory::Request request{width, height, 3, 15, 149, 149, 0};
  Image<uint8_t> frame(width, height, 3);
  Image<uint8_t, Space::device> frame_there(width, height, 3);
  for (const char* strategy : {"v1.1", "v1.2"}) {
    Workspace workspace;
    MotionDetector detector;
    const Exec exec{.strategy = strategy, .workspace = &workspace};
    size_t bytes = 0;
    for (int t = 0; t < 4; ++t) {
      draw_frame(frame, t);
      upload(frame, frame_there);
      detector.push(frame_there, exec);
      if (t == 1) bytes = workspace.bytes(Space::device);
    }
    EXPECT_EQ(workspace.bytes(Space::device), bytes) << strategy << ": buffers come once";
    // The workspace is all but the frame and the background; label has room for components beyond
    // those found, and a scan has scratch of its own.
    const int64_t model = motion_memory::ours(request, motion_memory::Rung::v1_1).held -
                          3 * width * height - motion_memory::picture(request);
    EXPECT_GE(int64_t(bytes), model);
    EXPECT_LE(int64_t(bytes), model + 48 * 65536 + (1 << 19));
  }
}

TEST_F(MotionDevice, EveryStageIsOneOfThePapersSteps) {
  struct Observer : StageObserver {
    std::vector<std::string> seen;
    void stage(std::string_view name, void*) override { seen.emplace_back(name); }
    void statistic(std::string_view, double) override {}
  };
  Image<uint8_t> frame(200, 100, 3);
  Image<uint8_t, Space::device> there(200, 100, 3);
  upload(frame, there);
  for (const char* strategy : {"plain", "v1.0", "v1.1", "v1.2", "v1.3"}) {
    Observer observer;
    MotionDetector detector;
    detector.push(there, {.strategy = strategy, .observer = &observer});
    EXPECT_GE(observer.seen.size(), 7u);
    for (const auto& name : observer.seen)
      EXPECT_FALSE(motion_stages::whole_of(name).empty()) << strategy << ": " << name;
  }
}

TEST_F(MotionDevice, FramesStayInOnePlace) {
  Image<uint8_t> frame(64, 48);
  Image<uint8_t, Space::device> there(64, 48);
  verify::fill(frame, Pattern::constant, 1);
  upload(frame, there);
  BackgroundSubtractor background;
  background.push(there);
  EXPECT_EQ(test::error_of(ErrorCode::input, [&] { background.push(frame); }),
            "background: frame is on the host after frames on the device; reset() begins anew");
  background.reset();
  background.push(frame);
  MotionDetector detector;
  detector.push(there, {.strategy = "v1.1"});
  EXPECT_EQ(test::error_of(ErrorCode::input, [&] { detector.push(frame); }),
            "motion: frame is on the host after frames on the device; reset() begins anew");
}

}  // namespace
}  // namespace cuesta
