// Every operation and strategy of the host on pictures of more than 2^31 samples, whose rows are
// past byte 2^31. It takes an hour and GiB, so CI leaves it out: CUESTA_LARGE=1, an operation's
// name, or "production" (minutes: only what is chosen by itself) asks for it.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cuesta/cuesta.hpp"
#include "support/large_pictures.hpp"
#include "support/pictures.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using test::counts_labels;
using test::large_requests;
using test::LargeRequest;
using test::rows_of;

constexpr int32_t period = 64, compared = 40;
constexpr int32_t large_width = 65664;  // 64 rows are whole pages

/// Rows of one memory again and again: as many samples as are wanted, in 4 MiB.
class RepeatedPicture {
 public:
  RepeatedPicture(int32_t width, int32_t height) : width_(width), height_(height) {
    const size_t size = size_t(width) * period, rounds = size_t(height / period);
    const int file = memfd_create("rows", MFD_CLOEXEC);
    void* all =
        mmap(nullptr, size * rounds, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    bool good = file >= 0 && ftruncate(file, off_t(size)) == 0 && all != MAP_FAILED;
    data_ = static_cast<uint8_t*>(all);
    for (size_t k = 0; good && k < rounds; ++k) {
      good = mmap(data_ + k * size, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                  0) != MAP_FAILED;
    }
    if (file >= 0) close(file);
    if (!good) throw std::runtime_error("the rows cannot be mapped");
  }
  RepeatedPicture(const RepeatedPicture&) = delete;
  RepeatedPicture& operator=(const RepeatedPicture&) = delete;
  ~RepeatedPicture() { munmap(data_, size_t(width_) * size_t(height_)); }
  AnyView view() const { return {data_, width_, height_, 1, width_, PixelType::u8}; }

 private:
  int32_t width_, height_;
  uint8_t* data_ = nullptr;
};

std::string_view asked() {
  const char* text = std::getenv("CUESTA_LARGE");
  return text ? text : "";
}
bool is_asked(std::string_view operation) {
  return asked() == "1" || asked() == "production" || asked() == operation;
}
bool is_left_out(const StrategyDescription& strategy) {
  return asked() == "production" && strategy.tier != Tier::production;
}

/// What counts whole pictures cannot be asked of one that is repeated; so long takes the definition
/// of a large window.
bool is_too_slow(const StrategyDescription& strategy, const LargeRequest& request) {
  return strategy.tier == Tier::reference && request.text != "threshold" && request.text != "3" &&
         request.text != "magnitude" && request.text != "one threshold";
}

class Clock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

TEST(LargeHostPictures, ListHasEveryOperation) {
  for (const OperationDescription& one : list_operations()) {
    const bool counts = counts_labels(one.name);
    EXPECT_NE(
        std::ranges::any_of(large_requests(), [&](auto& r) { return r.operation == one.name; }),
        counts)
        << one.name;
  }
}

TEST(LargeHostPictures, EndPast2To31Samples) {
  if (asked().empty()) GTEST_SKIP() << "CUESTA_LARGE=1 asks for it: an hour, 12 GiB";
  constexpr int32_t width = large_width, height = 32768;
  static_assert(int64_t(width) * (height - compared) > int64_t(1) << 31);
  const RepeatedPicture source(width, height);
  const AnyView src = source.view();
  verify::fill(rows_of(src, 0, period), verify::Pattern::natural, 5);
  Image<uint8_t> expected(width, 2 * period), dst(width, height);
  const AnyView low = rows_of(src, 0, 2 * period);
  for (const LargeRequest& one : large_requests()) {
    if (!is_asked(one.operation)) continue;
    one.run(low, expected, {.strategy = one.operation == "background" ? "" : "serial"});
    for (const StrategyDescription& strategy : list_strategies()) {
      if (strategy.operation != one.operation || strategy.space != Space::host) continue;
      if (is_left_out(strategy) || is_too_slow(strategy, one)) continue;
      SCOPED_TRACE(std::string(one.operation) + " " + one.text + " by " +
                   std::string(strategy.name));
      const AnyView end = rows_of(AnyView(dst), height - compared, compared);
      verify::fill(end, verify::Pattern::constant, 3);
      Workspace workspace;  // gives its memory back
      const Clock clock;
      try {
        one.run(src, dst, {.strategy = std::string(strategy.name), .workspace = &workspace});
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::unsupported) << error.what();
        std::printf("%s %s by %s: refused, %s\n", std::string(one.operation).c_str(),
                    one.text.c_str(), std::string(strategy.name).c_str(), error.what());
        continue;
      }
      std::printf("%s %s by %s: %.1f s\n", std::string(one.operation).c_str(), one.text.c_str(),
                  std::string(strategy.name).c_str(), clock.seconds());
      std::fflush(stdout);
      EXPECT_TRUE(
          test::equal(rows_of(ConstAnyView(expected), 2 * period - compared, compared), end));
    }
  }
}

// As many pixels as labels reach: components of 64 rows, each followed by an empty one, again and
// again. Their last ones are past byte 2^31, because rows are longer than the picture is wide.
TEST(LargeHostPictures, LabelsReachTheirEnd) {
  if (!is_asked("label")) GTEST_SKIP() << "CUESTA_LARGE=label asks for it: minutes, 12 GiB";
  constexpr int32_t width = 65534, height = 32768;
  static_assert(int64_t(width) * height < int64_t(1) << 31);
  static_assert(int64_t(large_width) * (height - 1) > int64_t(1) << 31);
  const RepeatedPicture source(large_width, height);
  AnyView mask = source.view();
  mask.width = width;
  for (int32_t y = 8; y + 8 < period; y += 24)
    for (int32_t x = 16; x + 400 < width; x += 4096)
      for (int32_t k = 0; k < 12 * 300; ++k)
        static_cast<uint8_t*>(mask.data)[int64_t(y + k / 300) * mask.stride_bytes + x + k % 300] =
            1;
  std::vector<Component> low;
  const int32_t count = label(rows_of(ConstAnyView(mask), 0, period), AnyView(), &low, {});
  ASSERT_GT(count, 20);
  for (const StrategyDescription& strategy : list_strategies()) {
    if (strategy.operation != "label" || strategy.space != Space::host) continue;
    if (is_left_out(strategy)) continue;
    SCOPED_TRACE(strategy.name);
    std::vector<Component> all;
    Workspace workspace;
    const Clock clock;
    ASSERT_EQ(label(ConstAnyView(mask), AnyView(), &all, {},
                    {.strategy = std::string(strategy.name), .workspace = &workspace}),
              count * (height / period));
    std::printf("label by %s: %.1f s\n", std::string(strategy.name).c_str(), clock.seconds());
    std::fflush(stdout);
    for (int32_t k = 0; k < count; ++k) {
      const Component& last = all[all.size() - size_t(count) + size_t(k)];
      Component moved = low[size_t(k)];
      moved.label = last.label;
      moved.box.y += height - period;
      moved.sum_y += moved.area * (height - period);
      ASSERT_EQ(last, moved);
    }
  }
}

}  // namespace
}  // namespace cuesta
