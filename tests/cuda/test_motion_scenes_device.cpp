// What a detector makes of made scenes on the GPU: what it makes of them on the host. Without a GPU
// these skip, and say why.
#include <gtest/gtest.h>

#include "cuesta/device.hpp"
#include "cuesta/motion.hpp"
#include "support/pictures.hpp"
#include "support/scene.hpp"

namespace cuesta {
namespace {

using namespace test;

class MotionScenesDevice : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  }
};

// A street that shakes, with a step of light: every plan there is.
SceneOptions eventful() {
  SceneOptions scene;
  scene.width = 203, scene.height = 145;
  scene.objects = traffic(scene.width, scene.height, 130, 3);
  scene.shake = 5, scene.light = {{60, 330}}, scene.noise = 3;
  return scene;
}

void expect_one(MotionDetector& host, MotionDetector& device, const std::string& what) {
  EXPECT_TRUE(equal(host.mask(), device.mask())) << what;
  EXPECT_EQ(host.threshold(), device.threshold()) << what;
}

template <class T>
void expect_as_on_the_host(std::initializer_list<BackgroundModel> models) {
  for (const auto model : models) {
    for (const int32_t channels : {1, 3}) {
      Scene scene(eventful());
      MotionDetector host(MotionOptions::of(model)), device(MotionOptions::of(model));
      const int32_t width = scene.options().width, height = scene.options().height;
      Image<T> frame(width, height, channels);
      Image<T, Space::device> there(width, height, channels);
      size_t objects = 0;
      for (int32_t t = 0; t < 110; ++t) {
        const auto& made = scene.next();
        for (int32_t y = 0; y < height; ++y)
          for (int32_t i = 0; i < width * channels; ++i)
            frame.row(y)[i] = sizeof(T) == 1 ? T(made.at(i / channels, y) + i % channels)
                                             : T(made.at(i / channels, y) * 256 + i % 251);
        upload(frame, there);
        const auto expected = host.push(frame), found = device.push(there);
        objects += expected.size();
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), found.begin(), found.end())) << t;
        ASSERT_EQ(host.states()[0], device.states()[0]) << t;
        expect_one(host, device, std::string(name_of(model)) + " " + std::to_string(t));
      }
      EXPECT_GT(objects, 20u);
    }
  }
}

TEST_F(MotionScenesDevice, FramesAreFoundAsOnTheHost) {
  expect_as_on_the_host<uint8_t>({BackgroundModel::samples, BackgroundModel::mixture});
}
TEST_F(MotionScenesDevice, DeepFramesAreFoundAsOnTheHost) {
  expect_as_on_the_host<uint16_t>({BackgroundModel::samples});
}

TEST_F(MotionScenesDevice, ABatchIsFrameAfterFrame) {
  constexpr int32_t count = 120;
  Scene scene(eventful());
  const int32_t width = scene.options().width, height = scene.options().height;
  Image<uint8_t> all(width, height * count);
  for (int32_t i = 0; i < count; ++i) {
    const auto& frame = scene.next();
    for (int32_t y = 0; y < height; ++y) std::copy_n(frame.row(y), width, all.row(i * height + y));
  }
  Image<uint8_t, Space::device> there(width, height * count);
  upload(all, there);
  MotionDetector host, device;
  for (int32_t begin = 0; begin < count;) {
    const int32_t n = std::min(count - begin, 1 + begin % 37);
    const auto part = [&](auto& pictures) {
      return ConstBatch(pictures.view().region({0, begin * height, width, height}), n,
                        height * pictures.view().stride_bytes);
    };
    const auto expected = host.push(part(all)), found = device.push(part(there));
    for (int32_t i = 0; i < n; ++i) {
      EXPECT_EQ(expected[size_t(i)], found[size_t(i)]) << begin + i;
      EXPECT_EQ(host.states()[size_t(i)], device.states()[size_t(i)]) << begin + i;
    }
    expect_one(host, device, std::to_string(begin));
    begin += n;
  }
}

TEST_F(MotionScenesDevice, CamerasAreFrameByFrame) {
  SceneOptions still = eventful();
  still.shake = 0, still.width = 150;
  Scene scenes[] = {Scene(eventful()), Scene(still)};
  MotionDetector host[2], device[2];
  Image<uint8_t, Space::device> there[2];
  for (int i = 0; i < 2; ++i)
    there[i] = Image<uint8_t, Space::device>(scenes[i].options().width, scenes[i].options().height);
  for (int32_t t = 0; t < 100; ++t) {
    MotionDetector* const both[] = {&device[0], &device[1]};
    const Image<uint8_t>* frames[2];
    for (int i = 0; i < 2; ++i) {
      frames[i] = &scenes[i].next();
      upload(*frames[i], there[i]);
    }
    const ConstAnyView views[] = {there[0], there[1]};
    const auto found = MotionDetector::push(both, views);
    for (int i = 0; i < 2; ++i) {
      const auto expected = host[i].push(*frames[i]);
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found[size_t(i)].begin(),
                             found[size_t(i)].end()))
          << t << ' ' << i;
      EXPECT_EQ(host[i].states()[0], device[i].states()[0]) << t << ' ' << i;
      expect_one(host[i], device[i], std::to_string(t));
    }
  }
}

}  // namespace
}  // namespace cuesta
