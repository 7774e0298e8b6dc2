// Lines of pictures on a GPU against those of the host's. Without a GPU these skip, and say why.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/pinned_picture.hpp"
#include "cuesta/device.hpp"
#include "cuesta/lines.hpp"
#include "cuesta/strategies.hpp"
#include "support/bands.hpp"
#include "support/errors.hpp"

namespace cuesta {
namespace {

constexpr Size size{117, 85};
constexpr Rect part{3, 2, 111, 80};  // rows that begin anywhere

class LinesDevice : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  }
};

template <class T>
Image<T> drawn(unsigned seed) {
  std::mt19937 random(seed);
  return test::drawn_noise<T>(size.width, size.height, 1, random);
}

AnyImage on_gpu(ConstAnyView picture) {
  AnyImage made(picture.size(), 1, picture.type, Space::device);
  upload(picture, made.view());
  return made;
}

constexpr Refinement refinements[] = {Refinement::pixel, Refinement::parabola, Refinement::devernay,
                                      Refinement::unbiased};

template <class T>
void expect_those_of_the_host() {
  const Image<T> src = drawn<T>(5);
  const Image<uint8_t> mask = drawn<uint8_t>(6);
  const AnyImage there = on_gpu(src), mask_there = on_gpu(mask);
  const double level = sizeof(T) == 1 ? 1 : 256;
  const auto same = [&](const auto& wanted, const Polylines& made) {
    EXPECT_FALSE(made.empty());
    EXPECT_EQ(made, wanted);
  };
  for (const Refinement refinement : refinements) {
    SCOPED_TRACE(int(refinement));
    const TraceOptions how{.min_length = 3, .refinement = refinement};
    for (const CannyOptions& options :
         {CannyOptions{}, CannyOptions{.sigma = 0, .thresholds = Given{60 * level, 120 * level}},
          CannyOptions{.sigma = 2, .norm = Norm::l2, .aperture = 7}}) {
      same(trace(src, options, how), trace(there, options, how));
      same(trace(src.region(part), options, how), trace(there.view().region(part), options, how));
      const Image<uint8_t> edges = canny(src, options);
      same(trace(src, edges, options, how), trace(there, on_gpu(edges), options, how));
      CannyOptions inside = options, inside_there = options;
      inside.mask = mask, inside_there.mask = mask_there;
      same(trace(src, inside, how), trace(there, inside_there, how));
    }
    if constexpr (std::is_integral_v<T>) {
      for (const LogOptions& options : {LogOptions{}, LogOptions{.threshold = 2, .sigma = 1.5},
                                        LogOptions{.threshold = 1, .sigma = 3}}) {
        same(trace(src, options, how), trace(there, options, how));
        same(trace(src.region(part), options, how), trace(there.view().region(part), options, how));
      }
    }
  }
}

TEST_F(LinesDevice, OfEveryFormAreTheHosts) {
  expect_those_of_the_host<uint8_t>();
  expect_those_of_the_host<uint16_t>();
  expect_those_of_the_host<float>();
}

TEST_F(LinesDevice, FollowWhatTheCallersStreamHolds) {
  const Image<uint8_t> first = drawn<uint8_t>(7), second = drawn<uint8_t>(8);
  PinnedPicture pinned({PixelType::u8, size});
  copy(second, pinned.view());
  const AnyImage there = on_gpu(first);
  const Stream stream;
  Workspace workspace;
  const Exec exec{.workspace = &workspace, .stream = stream.get()};
  const TraceOptions how{.min_length = 3};
  EXPECT_EQ(trace(there, CannyOptions{}, how, exec), trace(first, CannyOptions{}, how));
  AnyImage again = on_gpu(first);
  upload(pinned.view(), again.view(), stream.get());  // in flight
  EXPECT_EQ(trace(again, CannyOptions{}, how, exec), trace(second, CannyOptions{}, how));
  EXPECT_EQ(trace(again, LogOptions{}, how, exec), trace(second, LogOptions{}, how));
}

TEST_F(LinesDevice, TakeTheStrategyOfTheEdges) {
  const Image<uint8_t> src = drawn<uint8_t>(9);
  const AnyImage there = on_gpu(src);
  const Exec plain{.strategy = "plain"};
  EXPECT_EQ(trace(there, CannyOptions{}, {}, plain), trace(src, CannyOptions{}));
  const Choice chosen =
      which([&](const Exec& exec) { trace(there, LogOptions{}, {}, exec); }, plain);
  EXPECT_EQ(chosen.space, Space::device);
  EXPECT_EQ(chosen.strategy, "plain");
  const std::string said = test::error_of(
      ErrorCode::unsupported, [&] { trace(there, CannyOptions{}, {}, {.strategy = "simd"}); });
  EXPECT_TRUE(said.starts_with("canny: no strategy 'simd' on the device; there are ")) << said;
}

}  // namespace
}  // namespace cuesta
