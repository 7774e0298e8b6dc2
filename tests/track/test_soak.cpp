// A camera that is watched for long: a minute's frames here, and as many as CUESTA_SOAK_FRAMES says
// (scripts/soak).
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "cuesta/motion.hpp"
#include "cuesta/tracking.hpp"
#include "support/scene.hpp"

namespace cuesta {
namespace {

// Bytes that malloc has given out, in every arena.
int64_t bytes_in_use() {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* file = open_memstream(&text, &size);
  malloc_info(0, file);
  std::fclose(file);
  const std::string all(text, size);
  std::free(text);
  // The last of each kind is the sum over the arenas.
  const auto last = [&](const char* kind) {
    const std::regex pattern(std::string("<(?:total|system) type=\"") + kind +
                             "\"(?: count=\"\\d+\")? size=\"(\\d+)\"");
    int64_t value = 0;
    for (std::sregex_iterator at(all.begin(), all.end(), pattern), end; at != end; ++at)
      value = std::stoll((*at)[1]);
    return value;
  };
  return last("current") + last("mmap") - last("fast") - last("rest");
}

int64_t entries_of(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

struct Held {
  int64_t bytes = 0, descriptors = 0, threads = 0;
  void add(const Held& other) {
    bytes = std::max(bytes, other.bytes);
    descriptors = std::max(descriptors, other.descriptors);
    threads = std::max(threads, other.threads);
  }
};

Held held_now() {
  return {bytes_in_use(), entries_of("/proc/self/fd"), entries_of("/proc/self/task")};
}

TEST(Soak, NothingGrowsWhileFramesCome) {
#if defined(CUESTA_SANITIZED)
  GTEST_SKIP() << "sanitizers keep freed memory";
#endif
  const char* asked = std::getenv("CUESTA_SOAK_FRAMES");
  const int64_t frames = asked ? std::max<int64_t>(1500, std::atoll(asked)) : 1500;
  // A street that begins anew every 20 seconds.
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
