// A camera that is watched for long: a minute's frames here, and as many as CUESTA_SOAK_FRAMES says
// (bench/field/soak).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cuesta/motion.hpp"
#include "cuesta/tracking.hpp"
#include "support/held.hpp"
#include "support/scene.hpp"

namespace cuesta {
namespace {

using test::Held;
using test::held_now;

TEST(Soak, NothingGrowsWhileFramesCome) {
#if defined(CUESTA_SANITIZED)
  GTEST_SKIP() << "sanitizers keep freed memory";
#endif
  const int64_t frames = test::times_of("CUESTA_SOAK_FRAMES", 1500);
  // A street that begins again every 20 seconds.
  constexpr int64_t period = 500;
  constexpr double rate = 25;
  test::SceneOptions street;
  street.width = 160, street.height = 120;
  street.objects = test::traffic(street.width, street.height, period, 7);
  street.shadow = 160;
  test::Scene scene(street);
  std::vector<Image<uint8_t>> pictures;
  for (int64_t k = 0; k < period; ++k) {
    pictures.emplace_back(street.width, street.height);
    copy(scene.next(), pictures.back());
  }

  MotionDetector detector;
  SceneWatch watch({street.width, street.height},
                   {.zones = {{.name = "street", .polygon = {{0, 0}, {1, 0}, {1, 1}, {0, 1}}}},
                    .lines = {{"gate", {0.5, 1}, {0.5, 0}}}},
                   {.min_hits = 2, .max_event = 10});
  Held first_half, second_half;
  int64_t objects = 0, events = 0;
  for (int64_t k = 0; k < frames; ++k) {
    const auto found = detector.push(pictures[size_t(k % period)]);
    const SceneStep& step = watch.push({k, double(k) / rate}, found);
    objects += int64_t(step.objects.size());
    events += int64_t(step.ended.size());
    // Whole rounds of the same frames, after one in which everything was met.
    if (k < frames / 3 || k % 50 != 0) continue;
    (k < 2 * frames / 3 ? first_half : second_half).add(held_now());
  }
  EXPECT_GT(objects, frames / 4);
  EXPECT_GT(events, 0);
  EXPECT_LE(second_half.bytes, first_half.bytes + (64 << 10));
  EXPECT_EQ(second_half.descriptors, first_half.descriptors);
  EXPECT_EQ(second_half.threads, first_half.threads);
  RecordProperty("frames", std::to_string(frames));
  RecordProperty("objects", std::to_string(objects));
}

}  // namespace
}  // namespace cuesta
