// The histogram of magnitudes on a GPU, counter for counter. Without a GPU these skip.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cuesta/bands.hpp"
#include "cuesta/device.hpp"
#include "cuesta/objects.hpp"
#include "ops/canny/cuda/task_rows.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using verify::Pattern;

constexpr int32_t width = 269, height = 23;

/// What is counted, from `left` on in each row, so that rows begin anywhere in a word.
struct Request {
  PixelType type;
  int32_t channels, left;
  bool masked, odd;
  Pattern pattern;
  CannyOptions options;

  std::string name() const {
    return fmt::format("{} x{} from {} {}{}{}, sigma {} aperture {} {} {}", name_of(type), channels,
                       left, name_of(pattern), odd ? " and odd floats" : "",
                       masked ? " masked" : "", *options.sigma, options.aperture,
                       options.norm == Norm::l1 ? "l1" : "l2",
                       options.color == ColorGradient::structure ? "structure" : "");
  }
};

std::vector<uint64_t> counted(const CannyOptions& options, ConstAnyView src, ConstAnyView mask,
                              const Exec& exec) {
  CannyBands bands(src.width, options);
  bands.count(src, 0, src.height, exec, mask);
  return bands.counts();
}

void expect_counts_of_the_host(const Request& request) {
  const Rect part{request.left, 0, width, height};
  AnyImage src(width + 8, height, request.channels, request.type),
      mask(width, height, 1, PixelType::u8);
  AnyImage src_there(width + 8, height, request.channels, request.type, Space::device);
  AnyImage mask_there(width, height, 1, PixelType::u8, Space::device);
  verify::fill(src, request.pattern, 5);
  if (request.odd) verify::scatter_odd_floats(src, 150, 6);
  verify::fill(mask, Pattern::blobs, 7);
  upload(src, src_there);
  upload(mask, mask_there);
  const auto here =
      counted(request.options, ConstAnyView(src).region(part),
              request.masked ? ConstAnyView(mask) : ConstAnyView(), {.strategy = "serial"});
  const auto there = counted(request.options, ConstAnyView(src_there).region(part),
                             request.masked ? ConstAnyView(mask_there) : ConstAnyView(), {});
  ASSERT_EQ(here.size(), there.size());
  const auto [a, b] = std::mismatch(here.begin(), here.end(), there.begin());
  if (a == here.end()) return;
  ADD_FAILURE() << request.name() << ": bin " << a - here.begin() << " has " << *b << ", not "
                << *a;
}

TEST(CannyCountsDevice, EveryClassCountsAsTheHost) {
  std::string why;
  if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  constexpr Pattern patterns[] = {Pattern::noise, Pattern::natural, Pattern::extremes,
                                  Pattern::constant, Pattern::gradient};
  int number = 0;
  for (const PixelType type : {PixelType::u8, PixelType::u16, PixelType::f32}) {
    for (const int32_t channels : {1, 3}) {
      for (const int aperture : {3, 5, 7}) {
        for (const Norm norm : {Norm::l1, Norm::l2}) {
          for (const ColorGradient color : {ColorGradient::strongest, ColorGradient::structure}) {
            if (color == ColorGradient::structure && (channels == 1 || norm == Norm::l1)) continue;
            for (const Pattern pattern : patterns) {
              // Floats of three channels are smoothed into planes, and thinned by length from 5 on.
              const bool floats = type == PixelType::f32, first = aperture == 3 && norm == Norm::l1;
              const bool wide = floats && first && pattern == Pattern::natural;
              const double sigma = wide ? 6 : floats && pattern == Pattern::gradient ? 1.4 : 0;
              expect_counts_of_the_host(
                  {type, channels, number % 4 == 3 ? 1 : 0, number % 7 == 2,
                   floats && number % 2 == 0, pattern,
                   CannyOptions{
                       .sigma = sigma, .norm = norm, .aperture = aperture, .color = color}});
              ++number;
            }
          }
        }
      }
    }
  }
}

TEST(CannyCounts, TasksCoverAPictureAndEndTogether) {
  for (const int32_t strips : {1, 5, 35, 300}) {
    for (const int32_t height_of : {1, 3, 4, 100, 4096}) {
      for (const int32_t warps : {16, 64, 2112}) {
        const int32_t rows = canny_cuda::task_rows(strips, height_of, warps, 4, 4);
        EXPECT_GE(rows, std::min(height_of, 4));
        EXPECT_LE(rows, height_of);
        const int64_t down = canny_cuda::parts_of(height_of, rows);
        EXPECT_GE(down * rows, height_of);
        EXPECT_LT((down - 1) * rows, height_of);
      }
    }
  }
  // One round, nearly full.
  EXPECT_EQ(canny_cuda::task_rows(35, 4096, 2112, 4, 4), 69);
  // Where warps are few, rounds of shorter tasks.
  EXPECT_LT(canny_cuda::task_rows(9, 1024, 16, 4, 4), 400);
}

}  // namespace
}  // namespace cuesta
