// Which pairs of views share memory: the arithmetic of check_no_overlap against sets of bytes.
#include "core/check.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <limits>
#include <ostream>
#include <set>
#include <vector>

#include "core/threads.hpp"
#include "support/errors.hpp"

namespace cuesta {
namespace {

std::set<const std::byte*> bytes_of(ConstAnyView view) {
  std::set<const std::byte*> bytes;
  const ptrdiff_t row = view.type == PixelType::bit
                            ? ptrdiff_t(view.width + 63) / 64 * 8
                            : ptrdiff_t(view.width) * view.channels * bytes_per_sample(view.type);
  for (int32_t y = 0; y < view.height; ++y) {
    const auto* first = static_cast<const std::byte*>(view.data) + y * view.stride_bytes;
    for (ptrdiff_t i = 0; i < row; ++i) bytes.insert(first + i);
  }
  return bytes;
}

bool share_a_byte(ConstAnyView a, ConstAnyView b) {
  const auto all = bytes_of(a);
  for (const std::byte* byte : bytes_of(b)) {
    if (all.contains(byte)) return true;
  }
  return false;
}

bool refused(ConstAnyView a, ConstAnyView b, bool same_allowed = false) {
  try {
    check_no_overlap(a, b, "a", "b", same_allowed);
    return false;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return true;
  }
}

std::string text_of(ConstAnyView v) {
  return fmt::format("{} x {} x {} {} at {} by {}", v.width, v.height, v.channels, name_of(v.type),
                     reinterpret_cast<uintptr_t>(v.data) % 65536, v.stride_bytes);
}

// Room for every picture drawn below.
alignas(64) std::byte memory[64 * 64];

// A picture of `stride` bytes a row; its regions are views of their own.
ConstAnyView picture_of(PixelType type, int channels, ptrdiff_t stride, int32_t height) {
  const auto pixel = ptrdiff_t(channels) * bytes_per_sample(type);
  return {memory, int32_t(stride / pixel), height, channels, stride, type};
}

ConstAnyView draw_region(ConstAnyView picture) {
  const auto x = *rc::gen::inRange(0, picture.width), y = *rc::gen::inRange(0, picture.height);
  const auto width = *rc::gen::inRange(1, picture.width - x + 1);
  const auto height = *rc::gen::inRange(1, picture.height - y + 1);
  return picture.region({x, y, width, height});
}

PixelType draw_type() {
  return *rc::gen::element(PixelType::u8, PixelType::u16, PixelType::s16, PixelType::s32,
                           PixelType::f32);
}

TEST(CheckNoOverlap, TellsRegionsOfOnePictureApartByTheByte) {
  EXPECT_TRUE(rc::check([] {
    const auto type = draw_type();
    const auto picture = picture_of(type, *rc::gen::inRange(1, 5), 16 * *rc::gen::inRange(1, 5),
                                    *rc::gen::inRange(1, 13));
    const auto a = draw_region(picture), b = draw_region(picture);
    RC_LOG() << text_of(a) << " | " << text_of(b) << std::endl;
    RC_CLASSIFY(share_a_byte(a, b), "share");
    RC_ASSERT(refused(a, b) == share_a_byte(a, b));
    RC_ASSERT(refused(b, a) == share_a_byte(a, b));
  }));
}

// Views of other strides, other types or upside down may be refused where they only interleave, but
// never taken where they share a byte.
TEST(CheckNoOverlap, NeverTakesViewsThatShareAByte) {
  EXPECT_TRUE(rc::check([] {
    const auto draw = [] {
      const auto type =
          *rc::gen::element(PixelType::u8, PixelType::u16, PixelType::f32, PixelType::bit);
      const bool bits = type == PixelType::bit;
      const int channels = bits ? 1 : *rc::gen::inRange(1, 4);
      const auto height = *rc::gen::inRange(1, 8), width = *rc::gen::inRange(1, 10);
      const ptrdiff_t pixel = bits ? 8 : ptrdiff_t(channels) * bytes_per_sample(type);
      const ptrdiff_t row = bits ? 8 : width * pixel;
      const ptrdiff_t alignment = bits ? 8 : bytes_per_sample(type);
      const ptrdiff_t stride = row + alignment * *rc::gen::inRange(0, 9);
      const auto* first = memory + 8 * *rc::gen::inRange(0, 100);
      if (*rc::gen::arbitrary<bool>())
        return ConstAnyView(first, width, height, channels, stride, type);
      return ConstAnyView(first + (height - 1) * stride, width, height, channels, -stride, type);
    };
    const auto a = draw(), b = draw();
    RC_LOG() << text_of(a) << " | " << text_of(b) << std::endl;
    const bool share = share_a_byte(a, b);
    RC_CLASSIFY(share, "share");
    if (share) RC_ASSERT(refused(a, b) && refused(b, a));
    const auto all_a = bytes_of(a), all_b = bytes_of(b);
    // Apart in memory altogether: nothing to refuse.
    if (*all_a.rbegin() < *all_b.begin() || *all_b.rbegin() < *all_a.begin())
      RC_ASSERT(!refused(a, b) && !refused(b, a));
  }));
}

// No row may end where no address is.
TEST(CheckView, StridesEndBelow2To63) {
  const std::byte at[64] = {};
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  for (const int64_t stride : {most, -most - 1, -most, most / 2, int64_t(1) << 62}) {
    const ConstAnyView view(at, 4, 64, 1, ptrdiff_t(stride), PixelType::u8);
    EXPECT_THROW(check_view(view, "picture", {PixelType::u8}), Error) << stride;
  }
  EXPECT_NO_THROW(check_view({at, 4, 4, 1, -4, PixelType::u8}, "picture", {PixelType::u8}));
}

TEST(CheckThreads, AreAtMost4096) {
  EXPECT_EQ(thread_count(4096), 4096);
  for (const int threads : {4097, std::numeric_limits<int>::max()})
    EXPECT_THROW(thread_count(threads), Error) << threads;
}

TEST(CheckNoOverlap, HalvesOfOnePictureAreApart) {
  Image<uint16_t> picture(20, 6, 3);
  const AnyView whole = picture;
  const auto left = whole.region({0, 0, 10, 6}), right = whole.region({10, 0, 10, 6}),
             middle = whole.region({9, 2, 2, 2}), below = whole.region({0, 3, 20, 3});
  EXPECT_FALSE(refused(left, right));
  EXPECT_FALSE(refused(right, left));
  EXPECT_TRUE(refused(left, middle));
  EXPECT_TRUE(refused(middle, right));
  EXPECT_TRUE(refused(left, below));
  EXPECT_FALSE(refused(whole.region({0, 0, 20, 3}), below));
}

TEST(CheckNoOverlap, TheSameViewIsAllowedWhereTheCallSaysSo) {
  Image<uint8_t> picture(8, 8);
  const AnyView whole = picture;
  EXPECT_TRUE(refused(whole, whole));
  EXPECT_FALSE(refused(whole, whole, true));
  EXPECT_TRUE(refused(whole, whole.region({1, 0, 7, 8}), true));
}

}  // namespace
}  // namespace cuesta
