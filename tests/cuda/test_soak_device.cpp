// A GPU that works for long: memory on it and of the process, descriptors and threads stay as they
// are. A short form here; bench/field/soak --gpu runs a million frames and 100,000 pictures.
// Whoever else uses the GPU meanwhile shows. Without a GPU these skip, and say why.
#include <gtest/gtest.h>

#ifdef CUESTA_HAS_CUDA
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include "cuda/check.hpp"
#include "cuesta/cuesta.hpp"
#include "cuesta/device.hpp"
#include "support/held.hpp"
#include "support/pictures.hpp"
#include "support/scene.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

class SoakDevice : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
#if defined(CUESTA_SANITIZED)
    GTEST_SKIP() << "sanitizers keep freed memory";
#endif
  }
};

int64_t device_bytes() {
  size_t free = 0, total = 0;
  cuda::check(cudaMemGetInfo(&free, &total), "asking how much memory is free");
  return int64_t(total - free);
}

// Looks at what is held 400 times a run at most, always at the same turn of a cycle, so that a
// driver that keeps what was freed last is in the same state; not in the first third, in which
// everything is met. Compares the second third's most with the last third's.
class Watch {
 public:
  explicit Watch(int64_t times, int64_t cycle = 1)
      : times_(times), every_(cycle * std::max<int64_t>(1, times / 400 / cycle)) {}

  /// After turn k of `times`.
  void look(int64_t k) {
    if (k < times_ / 3 || k % every_ != 0) return;
    test::Held now = test::held_now();
    now.device = device_bytes();
    (k < 2 * times_ / 3 ? first_ : second_).add(now);
  }

  /// What grew though it must not, in words; "" where nothing did.
  std::string growth() const {
    std::string found;
    const auto hold = [&](std::string_view what, int64_t was, int64_t is, int64_t most) {
      if (is > was + most) found += fmt::format("{}: {}, later {}\n", what, was, is);
    };
    if (first_.device == 0 || second_.device == 0) found = "nothing was looked at\n";
    hold("bytes on the GPU", first_.device, second_.device, 0);
    hold("bytes of malloc", first_.bytes, second_.bytes, 64 << 10);
    hold("resident bytes", first_.resident, second_.resident, 1 << 20);
    hold("descriptors", first_.descriptors, second_.descriptors, 0);
    hold("threads", first_.threads, second_.threads, 0);
    return found;
  }

  /// That nothing grew, and all figures as a line of JSON.
  void tell(std::string_view what, int64_t count) const {
    EXPECT_EQ(growth(), "") << what;
    const test::Held &was = first_, &is = second_;
    const auto line = [](const test::Held& held) {
      return fmt::format(
          R"({{"device_bytes": {}, "malloc_bytes": {}, "resident_bytes": {}, "descriptors": {}, "threads": {}}})",
          held.device, held.bytes, held.resident, held.descriptors, held.threads);
    };
    const test::Held more = {is.bytes - was.bytes, is.resident - was.resident,
                             is.descriptors - was.descriptors, is.threads - was.threads,
                             is.device - was.device};
    fmt::print(
        R"({{"soak": "{}", "count": {}, "gpu": "{}", "seconds": {:.1f}, "growth": {}, "most": {}}})"
        "\n",
        what, count, list_devices().at(0).name,
        std::chrono::duration<double>(Clock::now() - began_).count(), line(more), line(is));
    std::fflush(stdout);
  }

 private:
  using Clock = std::chrono::steady_clock;
  int64_t times_, every_;
  Clock::time_point began_ = Clock::now();
  test::Held first_, second_;
};

TEST_F(SoakDevice, WhatGrowsIsSeen) {
  std::vector<Image<uint8_t, Space::device>> kept;
  std::vector<std::string> texts;
  Watch on_device(9), on_host(9);
  for (int k = 0; k < 9; ++k) {
    texts.emplace_back(1 << 20, 'x');
    on_host.look(k);
  }
  for (int k = 0; k < 9; ++k) {
    kept.emplace_back(2048, 2048);
    on_device.look(k);
  }
  EXPECT_NE(on_device.growth().find("bytes on the GPU"), std::string::npos);
  EXPECT_NE(on_host.growth().find("bytes of malloc"), std::string::npos);
  EXPECT_EQ(on_host.growth().find("bytes on the GPU"), std::string::npos);
  EXPECT_NE(Watch(9).growth(), "") << "nobody looked";
}

TEST_F(SoakDevice, NothingGrowsWhileFramesCome) {
  // What a turn pushes: a batch, a frame of each camera, and frames alone.
  constexpr int batch = 32, cameras = 32, alone = 2;
  constexpr int64_t turn = batch + cameras + alone;
  const int64_t turns = test::times_of("CUESTA_SOAK_FRAMES", 12 * turn) / turn + 1;
  // A street that begins again, its frames below each other.
  constexpr int32_t width = 80, height = 60, period = 4 * batch;
  test::SceneOptions street;
  street.width = width, street.height = height;
  street.objects = test::traffic(width, height, period, 7);
  test::Scene scene(street);
  Image<uint8_t> drawn(width, height * period);
  for (int32_t k = 0; k < period; ++k)
    copy(scene.next(), drawn.view().region({0, k * height, width, height}));
  Image<uint8_t, Space::device> frames(width, height * period);
  upload(drawn, frames);
  const auto frame = [&](int64_t k) {
    return frames.view().region({0, int32_t(k % period) * height, width, height});
  };

  const Stream stream;
  const Exec exec{.stream = stream.get()};
  MotionOptions options;
  options.warm_up = 3;
  MotionDetector of_batches(options), of_one(options);
  std::vector<MotionDetector> detectors;
  std::vector<MotionDetector*> all;
  detectors.reserve(cameras), all.reserve(cameras);
  for (int i = 0; i < cameras; ++i) detectors.emplace_back(options);
  for (MotionDetector& detector : detectors) all.push_back(&detector);
  std::vector<ConstAnyView> views(cameras);
  int64_t in_batches = 0, of_cameras = 0, in_one = 0;
  Watch watch(turns);
  for (int64_t k = 0; k < turns; ++k) {
    const ConstBatch next(frame(k * batch), batch, height * frames.view().stride_bytes);
    for (const auto& found : of_batches.push(next, exec)) in_batches += int64_t(found.size());
    for (int i = 0; i < cameras; ++i) views[size_t(i)] = frame(k + 4 * i);
    for (const auto& found : MotionDetector::push(all, views, exec))
      of_cameras += int64_t(found.size());
    for (int i = 0; i < alone; ++i)
      in_one += int64_t(of_one.push(frame(k * alone + i), exec).size());
    watch.look(k);
  }
  EXPECT_GT(in_batches, turns);
  EXPECT_GT(of_cameras, turns);
  EXPECT_GT(in_one, 0);
  watch.tell("frames", turns * turn);
}

// One call, on the host and on a GPU.
struct Work {
  std::string_view name;
  std::function<Image<uint8_t>(const Image<uint8_t>&, const Exec&)> host;
  std::function<Image<uint8_t, Space::device>(const Image<uint8_t, Space::device>&, const Exec&)>
      device;
  Work(std::string_view of, auto call) : name(of), host(call), device(call) {}
};

TEST_F(SoakDevice, NothingGrowsWhilePicturesChange) {
  constexpr bool emulated =
#ifdef CUESTA_CUDA_EMULATED
      true;
#else
      false;
#endif
  constexpr int32_t largest = emulated ? 64 : 512;
  const int64_t pictures = test::times_of("CUESTA_SOAK_PICTURES", 150);
  const auto sizes = std::clamp<int64_t>(pictures / 25, 3, 311);  // all met in the first third
  Image<uint8_t> drawn(largest, largest);
  verify::fill(drawn, verify::Pattern::natural, 5);
  Image<uint8_t> spots(largest, largest);
  threshold(drawn, spots, 128);

  const Work works[] = {
      {"canny", [](const auto& src, const Exec& how) { return canny(src, {}, how); }},
      {"sobel", [](const auto& src, const Exec& how) { return sobel(src, SobelOptions{}, how); }},
      {"log", [](const auto& src, const Exec& how) { return log_edges(src, {}, how); }},
      {"gaussian",
       [](const auto& src, const Exec& how) { return gaussian(src, {.sigma = 1.5}, how); }},
      {"median", [](const auto& src, const Exec& how) { return median(src, {.ksize = 5}, how); }}};
  const Stream stream;
  const Exec exec{.stream = stream.get()};
  int64_t components = 0, compared = 0;
  std::vector<Component> found, right;
  Watch watch(pictures, 6 * sizes);
  for (int64_t k = 0; k < pictures; ++k) {
    const int64_t n = k / 6 % sizes;
    const auto side = [&](int64_t step) { return int32_t(9 + n * step % (largest - 8)); };
    const Rect part{0, 0, side(37), side(101)};
    const bool compares = k % 331 < 6;  // each work's
    if (k % 6 == 5) {
      Image<uint8_t, Space::device> mask(part.width, part.height);
      upload(spots.view().region(part), mask, stream.get());
      label(mask, {}, &found, {}, exec);
      components += int64_t(found.size());
      if (compares) {
        label(spots.view().region(part), {}, &right);
        EXPECT_EQ(found, right) << "label, picture " << k;
        ++compared;
      }
    } else {
      const Work& work = works[k % 6];
      Image<uint8_t, Space::device> src(part.width, part.height);
      upload(drawn.view().region(part), src, stream.get());
      const auto result = work.device(src, exec);
      if (compares) {
        Image<uint8_t> own(part.width, part.height), back(part.width, part.height);
        copy(drawn.view().region(part), own);
        download(result, back, stream.get());
        EXPECT_TRUE(test::equal(back, work.host(own, {}))) << work.name << ", picture " << k;
        ++compared;
      }
    }
    wait(stream.get());
    watch.look(k);
  }
  EXPECT_GT(components, 0);
  EXPECT_GE(compared, 6);
  watch.tell("pictures", pictures);
}

}  // namespace
}  // namespace cuesta
#endif
