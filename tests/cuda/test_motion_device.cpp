// The moving-object chain on the GPU. Without a GPU these skip, and say why.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "bench/papers/motion_memory.hpp"
#include "cuesta/device.hpp"
#include "cuesta/motion.hpp"
#include "cuesta/strategies.hpp"
#include "ops/motion/ladder/unrolled.hpp"
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

// Frames below each other, in all but the first a bright block that reaches both borders of low
// ones.
Image<uint8_t> draw_frames(int32_t width, int32_t height, int32_t channels, int32_t count) {
  Image<uint8_t> all(width, height * count, channels);
  for (int32_t t = 0; t < count; ++t) {
    const auto frame = all.view().region({0, t * height, width, height});
    draw_frame(frame, t);
    const int32_t left = (8 + 5 * t) % (width / 2);
    for (int32_t y = 0; t > 0 && y < std::min(height, 40); ++y)
      std::fill_n(&frame.at(left, y), 24 * channels, uint8_t(250));
  }
  return all;
}

struct Version {
  std::string strategy;
  std::vector<Parameter> parameters;
};

// The paper's versions, with the settings that change how they work; those this GPU has.
std::vector<Version> versions() {
  std::vector<Version> all = {
      {"v1.0", {}},
      {"v1.0", {{"boxes", "host"}}},
      {"v1.1", {}},
      {"v1.2", {{"boxes", "host"}}},
      {"v1.3", {}},
      {"v1.3", {{"block_x", "8"}, {"block_y", "4"}}},
      {"v1.0", {{"windows", "mask"}}},
      {"v1.1", {{"windows", "mask"}}},
      {"v1.2", {{"windows", "mask"}}},
      {"v1.3", {{"windows", "mask"}, {"block_x", "32"}, {"block_y", "8"}}},
      {"v1.4", {}},
      {"v1.4", {{"block_x", "64"}, {"block_y", "4"}, {"boxes", "host"}}},
      {"v1.5", {}},
      {"v1.5", {{"tiles", "1"}}},
      {"v1.5", {{"block_x", "16"}, {"block_y", "16"}, {"tiles", "7"}}},
  };
  if (list_devices()[0].major >= 9) {
    all.push_back({"v1.5", {{"copy", "bulk"}}});
    all.push_back({"v1.5", {{"copy", "bulk"}, {"block_x", "16"}, {"tiles", "3"}}});
  }
  return all;
}

std::string text_of(const Version& version) {
  std::string text = version.strategy;
  for (const auto& [name, value] : version.parameters) text += " " + name + "=" + value;
  return text;
}

void expect_equal_masks(const MotionDetector& here, const MotionDetector& there,
                        const std::string& what) {
  const ConstBitView a = here.mask(), b = there.mask();
  for (int32_t y = 0; y < a.height; ++y)
    ASSERT_EQ(std::memcmp(a.row(y), b.row(y), size_t(a.words()) * 8), 0) << what << ", row " << y;
}

TEST_F(MotionDevice, EveryVersionFindsWhatTheCpuFinds) {
  constexpr int32_t width = 596, height = 336;
  auto all = versions();
  all.push_back({"plain", {}});
  for (const int32_t channels : {1, 3}) {
    for (const Version& version : all) {
      const Stream stream;
      const Exec on_host{.strategy = "simd"};
      const Exec on_device{
          .strategy = version.strategy, .parameters = version.parameters, .stream = stream.get()};
      const MotionOptions options = MotionOptions::of(BackgroundModel::first);
      MotionDetector here(options), there(options);
      Image<uint8_t> frame(width, height, channels);
      Image<uint8_t, Space::device> frame_there(width, height, channels);
      size_t objects = 0;
      for (int t = 0; t < 30; ++t) {
        draw_frame(frame, t);
        upload(frame, frame_there, stream.get());
        const auto expected = here.push(frame, on_host), found = there.push(frame_there, on_device);
        objects += expected.size();
        const std::string what = text_of(version) + ", frame " + std::to_string(t);
        ASSERT_EQ(std::vector(found.begin(), found.end()),
                  std::vector(expected.begin(), expected.end()))
            << what;
        ASSERT_NO_FATAL_FAILURE(expect_equal_masks(here, there, what));
      }
      EXPECT_GT(objects, 29u);
      here.reset(), there.reset();
      EXPECT_TRUE(there.push(frame_there, on_device).empty()) << "reset() founds anew";
    }
  }
}

// Every element and every blur that is unrolled, on pictures narrower and lower than a tile, and of
// widths that no chunk divides. One workspace serves them all: it keeps windows of many requests.
TEST_F(MotionDevice, UnrolledWindowsOfEveryShape) {
  using motion_ladder::unrolled_elements;
  constexpr std::pair<int32_t, int32_t> sizes[] = {{1, 1}, {3, 50}, {17, 9}, {63, 40}, {131, 67}};
  Workspace workspace;
  int side = 1;
  for (const auto& e : unrolled_elements) {
    std::vector<uint8_t> cells;
    for (int y = 0; y < e.high; ++y)
      for (int x = 0; x < e.wide; ++x) cells.push_back(e.contains(x, y));
    const StructuringElement element(e.wide, e.high, cells);
    // Turned, the anchor of an even side is on the other side of the centre.
    for (const bool reflected : {false, true}) {
      MotionOptions options = MotionOptions::of(BackgroundModel::first);
      options.close = reflected ? element.reflected() : element;
      options.open = StructuringElement::rectangle(2, 2);
      options.threshold = 20;
      options.blur = side;
      side = side == 15 ? 1 : side + 2;
      for (const auto& [width, height] : sizes) {
        for (const int32_t channels : {1, 3}) {
          Image<uint8_t> frame(width, height, channels);
          Image<uint8_t, Space::device> frame_there(width, height, channels);
          for (const Version& version : versions()) {
            const Exec on_device{.strategy = version.strategy,
                                 .parameters = version.parameters,
                                 .workspace = &workspace};
            MotionDetector here(options), there(options);
            for (int t = 0; t < 2; ++t) {
              verify::fill(frame, t ? Pattern::noise : Pattern::natural, uint64_t(side + t));
              upload(frame, frame_there);
              const auto expected = here.push(frame, {.strategy = "serial", .threads = 1}),
                         found = there.push(frame_there, on_device);
              const std::string what =
                  fmt::format("{}, {} x {} x {}, blur {}, element {} x {} of {}{}, frame {}",
                              text_of(version), width, height, channels, options.blur, e.wide,
                              e.high, e.count(), reflected ? ", reflected" : "", t);
              ASSERT_EQ(std::vector(found.begin(), found.end()),
                        std::vector(expected.begin(), expected.end()))
                  << what;
              ASSERT_NO_FATAL_FAILURE(expect_equal_masks(here, there, what));
            }
          }
        }
      }
    }
  }
}

TEST_F(MotionDevice, WhatIsNotUnrolledIsRefused) {
  Image<uint8_t, Space::device> frame(64, 48);
  for (const char* strategy : {"v1.4", "v1.5"}) {
    MotionOptions options = MotionOptions::of(BackgroundModel::first);
    options.open = StructuringElement::disk(17);
    const auto refusal = [&] {
      MotionDetector detector(options);
      return which([&](const Exec& exec) { detector.push(frame, exec); }, {.strategy = strategy})
          .refusal;
    };
    EXPECT_NE(refusal().find("elements of sizes that are not unrolled"), std::string::npos)
        << refusal();
    options.open = StructuringElement::disk(3);
    EXPECT_EQ(refusal(), "");
    options.blur = 17;
    EXPECT_NE(refusal().find("blurs wider than 15"), std::string::npos) << refusal();
  }
}

TEST_F(MotionDevice, EveryModelRunsWithoutAName) {
  constexpr int32_t width = 300, height = 168;
  for (const auto model : {BackgroundModel::first, BackgroundModel::mean, BackgroundModel::median,
                           BackgroundModel::mixture}) {
    for (const bool automatic : {false, true}) {
      MotionOptions options = MotionOptions::of(BackgroundModel::first);
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

// Frames lower than the blur reaches, elements with the anchor off the centre, borders where
// objects of neighbouring frames would touch, and more frames than go together.
TEST_F(MotionDevice, ABatchIsFrameAfterFrame) {
  struct Shape {
    int32_t width, height, channels, count;
  };
  constexpr Shape shapes[] = {{300, 168, 1, 9}, {97, 3, 1, 70},   {65, 1, 3, 5},
                              {512, 64, 1, 64}, {131, 67, 4, 17}, {640, 360, 1, 8}};
  constexpr std::pair<const char*, const char*> elements[] = {{"disk:15", "disk:15"},
                                                              {"rect:9x2", "ellipse:5x4"}};
  for (const Shape& shape : shapes) {
    const Image<uint8_t> all = draw_frames(shape.width, shape.height, shape.channels, shape.count);
    Image<uint8_t, Space::device> there(shape.width, shape.height * shape.count, shape.channels);
    upload(all, there);
    for (const auto model : {BackgroundModel::first, BackgroundModel::mean, BackgroundModel::median,
                             BackgroundModel::mixture}) {
      for (const int blur : {1, 15}) {
        const auto& [close, open] = elements[blur > 1 ? 0 : 1];
        MotionOptions options = MotionOptions::of(BackgroundModel::first);
        options.background.model = model;
        options.blur = blur;
        options.threshold.otsu = model == BackgroundModel::mean && blur == 1;
        options.close = StructuringElement::parse(close);
        options.open = StructuringElement::parse(open);
        if (shape.height < 10) options.open = StructuringElement::disk(1);
        MotionDetector on_host(options), on_device(options);
        const auto batch = [&](const auto& picture, int32_t begin, int32_t n) {
          return ConstBatch(
              picture.view().region({0, begin * shape.height, shape.width, shape.height}), n,
              shape.height * picture.view().stride_bytes);
        };
        size_t objects = 0;
        for (int32_t begin = 0, n = 2; begin < shape.count; begin += n) {
          n = std::min(begin == 0 ? 2 : shape.count, shape.count - begin);
          const auto expected = on_host.push(batch(all, begin, n));
          const auto found = on_device.push(batch(there, begin, n));
          ASSERT_EQ(found.size(), expected.size());
          for (size_t i = 0; i < found.size(); ++i) {
            objects += expected[i].size();
            ASSERT_EQ(found[i], expected[i])
                << fmt::format("{} x {} x {}, {}, blur {}, frame {}", shape.width, shape.height,
                               shape.channels, name_of(model), blur, size_t(begin) + i);
          }
          ASSERT_EQ(on_device.threshold(), on_host.threshold());
          ASSERT_NO_FATAL_FAILURE(expect_equal_masks(on_host, on_device, name_of(model).data()));
        }
        EXPECT_GT(objects, 0u) << shape.width << " x " << shape.height << ' ' << name_of(model);
      }
    }
  }
}

// `fused` writes the rows of a mask that change; what others wrote, a reset and another size come
// between.
TEST_F(MotionDevice, AMaskIsWholeWhoeverWroteTheLast) {
  constexpr std::pair<int32_t, int32_t> sizes[] = {{300, 168}, {640, 360}, {300, 168}};
  MotionOptions options = MotionOptions::of(BackgroundModel::first);
  options.close = options.open = StructuringElement::disk(3);
  MotionDetector on_host(options), on_device(options);
  size_t objects = 0;
  for (const auto& [width, height] : sizes) {
    // Up to `few` rows each, then as many frames after a reset by another strategy as before it.
    for (const char* strategy : {"fused", "stacked", "fused", "plain"}) {
      on_host.reset();
      on_device.reset();
      for (int t = 0; t < 6; ++t) {
        Image<uint8_t> frame(width, height);
        draw_frame(frame, t);
        // In one of them this much that its components are not few.
        for (int32_t y = 0; t == 3 && y < height; ++y)
          for (int32_t x = 0; x < width; ++x)
            if (x / 8 % 2 == 0 && y / 8 % 2 == 0) frame.at(x, y) ^= 0x80;
        Image<uint8_t, Space::device> there(width, height);
        upload(frame, there);
        wait();
        Exec exec;
        exec.strategy = t < 4 ? strategy : "fused";
        const auto expected = on_host.push(frame);
        const auto found = on_device.push(there, exec);
        objects += expected.size();
        ASSERT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end()))
            << strategy << ", frame " << t;
        ASSERT_NO_FATAL_FAILURE(expect_equal_masks(on_host, on_device, strategy));
      }
    }
  }
  EXPECT_GT(objects, 100u);
}

// More cameras than a launch takes, of all models and several sizes; where one of them wants what
// `fused` refuses, by another strategy.
TEST_F(MotionDevice, FramesOfManyCamerasAreFrameByFrame) {
  constexpr std::pair<int32_t, int32_t> sizes[] = {{300, 168}, {97, 31}, {640, 360}, {65, 70}};
  constexpr BackgroundModel models[] = {BackgroundModel::first, BackgroundModel::mean,
                                        BackgroundModel::median, BackgroundModel::mixture};
  for (const bool refused : {false, true}) {
    constexpr int32_t cameras = 31, frames = 4;
    std::vector<MotionDetector> on_host, on_device;
    std::vector<MotionDetector*> all;
    for (int32_t i = 0; i < cameras; ++i) {
      MotionOptions options = MotionOptions::of(BackgroundModel::first);
      options.background.model = models[i % 4];
      options.blur = i % 3 == 2 ? 1 : 2 * (i % 8) + 1;
      options.open = StructuringElement::disk(i % 5 == 0 ? 15 : 3);
      options.threshold.otsu = refused && i == 7;
      on_host.emplace_back(options);
      on_device.emplace_back(options);
    }
    for (MotionDetector& detector : on_device) all.push_back(&detector);
    size_t objects = 0;
    for (int32_t t = 0; t < frames; ++t) {
      std::vector<Image<uint8_t>> here;
      std::vector<Image<uint8_t, Space::device>> there;
      std::vector<ConstAnyView> views;
      for (int32_t i = 0; i < cameras; ++i) {
        const auto [width, height] = sizes[i % 7 % 4];
        const int32_t channels = i % 9 == 4 ? 3 : 1;
        here.push_back(draw_frames(width, height, channels, frames));
        there.emplace_back(width, height, channels);
        upload(here.back().view().region({0, t * height, width, height}), there.back());
      }
      for (const auto& frame : there) views.push_back(frame);
      const auto found = MotionDetector::push(all, views);
      ASSERT_EQ(found.size(), size_t(cameras));
      for (size_t i = 0; i < size_t(cameras); ++i) {
        const int32_t width = views[i].width, height = views[i].height;
        const auto expected =
            on_host[i].push(here[i].view().region({0, t * height, width, height}));
        objects += expected.size();
        ASSERT_TRUE(std::equal(found[i].begin(), found[i].end(), expected.begin(), expected.end()))
            << "camera " << i << ", frame " << t;
        ASSERT_EQ(on_device[i].threshold(), on_host[i].threshold());
        ASSERT_NO_FATAL_FAILURE(expect_equal_masks(on_host[i], on_device[i], "cameras"));
      }
    }
    EXPECT_GT(objects, 0u);
  }
}

TEST_F(MotionDevice, MemoryIsAsTheModelSays) {
  namespace motion_memory = bench::motion_memory;
  constexpr int32_t width = 596, height = 336;
  const motion_memory::MotionRequest request{width, height, 3, 15, 149, 149, 0};
  Image<uint8_t> frame(width, height, 3);
  Image<uint8_t, Space::device> frame_there(width, height, 3);
  for (const char* strategy : {"v1.1", "v1.2"}) {
    Workspace workspace;
    MotionDetector detector(MotionOptions::of(BackgroundModel::first));
    const Exec exec{.strategy = strategy, .workspace = &workspace};
    size_t bytes = 0;
    for (int t = 0; t < 4; ++t) {
      draw_frame(frame, t);
      upload(frame, frame_there);
      detector.push(frame_there, exec);
      if (t == 1) bytes = workspace.bytes(Space::device);
    }
    EXPECT_EQ(workspace.bytes(Space::device), bytes) << strategy << ": buffers come once";
    // Scratch is all but the frame, the background and the windows that are kept; label has room
    // for components beyond those found, and a scan has scratch of its own.
    const int64_t model = motion_memory::ours(request, motion_memory::Rung::v1_2).held -
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
  auto all = versions();
  all.push_back({"plain", {}});
  for (const Version& version : all) {
    Observer observer;
    MotionDetector detector(MotionOptions::of(BackgroundModel::first));
    detector.push(
        there,
        {.strategy = version.strategy, .parameters = version.parameters, .observer = &observer});
    EXPECT_GE(observer.seen.size(), 7u);
    for (const auto& name : observer.seen)
      EXPECT_FALSE(motion_stages::whole_of(name).empty()) << text_of(version) << ": " << name;
  }
}

TEST_F(MotionDevice, FramesStayInOnePlace) {
  Image<uint8_t> frame(64, 48);
  Image<uint8_t, Space::device> there(64, 48);
  verify::fill(frame, Pattern::constant, 1);
  upload(frame, there);
  BackgroundSubtractor background({BackgroundModel::first});
  background.push(there);
  EXPECT_EQ(test::error_of(ErrorCode::input, [&] { background.push(frame); }),
            "background: frame is on the host after frames on the device; call reset() before "
            "changing memory");
  background.reset();
  background.push(frame);
  MotionDetector detector(MotionOptions::of(BackgroundModel::first));
  detector.push(there, {.strategy = "v1.1"});
  EXPECT_EQ(test::error_of(ErrorCode::input, [&] { detector.push(frame); }),
            "motion: frame is on the host after frames on the device; call reset() before changing "
            "memory");
}

}  // namespace
}  // namespace cuesta
