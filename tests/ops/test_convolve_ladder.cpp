// What of the papers' CUDA steps needs no GPU: their arithmetic, what they refuse. And what verify
// does not do with one: calls in any sequence over one workspace.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "core/strategy.hpp"
#include "cuda/frame.hpp"
#include "cuesta/device.hpp"
#include "cuesta/filter.hpp"
#include "ops/convolve/ladder/tile_arithmetic.hpp"
#include "verify/patterns.hpp"

namespace cuesta::convolve_ladder {
namespace {

TEST(ConvolveLadder, AdaptiveTilesAreThePapersFigures) {
  // Paper 000, 3.5.1: 48 KiB, 2-byte samples, blocks of 32.
  EXPECT_EQ(adaptive_tiles(48 * 1024, 2, 32, 3, 3, 1 << 20), 22);
  EXPECT_EQ(adaptive_tiles(48 * 1024, 2, 32, 5, 5, 1 << 20), 21);
}

TEST(ConvolveLadder, AdaptiveTilesFillSharedMemoryAndNoMore) {
  for (const size_t limit : {48 * 1024, 100 * 1024, 227 * 1024}) {
    for (const size_t sample : {1, 2, 4}) {
      for (const int block : {16, 32}) {
        for (const int side : {1, 3, 5, 9, 15}) {
          const int tiles = adaptive_tiles(limit, sample, block, side, side, 1 << 20);
          EXPECT_LE(tile_samples(tiles, block, side, side) * sample, limit);
          EXPECT_GT(tile_samples(tiles + 1, block, side, side) * sample, limit);
        }
      }
    }
  }
  EXPECT_EQ(adaptive_tiles(48 * 1024, 2, 32, 3, 3, 100), 4) << "clipped to the tiles in a row";
  EXPECT_EQ(adaptive_tiles(1024, 4, 32, 15, 15, 4096), 1) << "at least one";
}

TEST(ConvolveLadder, TilesOfThePassesByFactors) {
  // 21 tiles of 32 and the apron of 5 taps.
  EXPECT_EQ(row_tile_bytes(21, 32, 5), 32u * (21 * 32 + 4) * 4);
  EXPECT_EQ(column_tile_bytes(21, 32, 5, 1, false), 32u * (21 * 32 + 4));
  // Columns of an odd number of samples, and the sums of a tile with a bank to spare.
  EXPECT_EQ(column_tile_bytes(21, 32, 5, 4, true), 32u * 677 * 4 + 32 * 33 * 4);
  for (const int high : {1, 2, 19, 676}) {
    EXPECT_EQ(column_pitch(high) % 2, 1);
    EXPECT_GE(column_pitch(high), high);
  }
}

// Every pixel whose window leaves the picture once, no other.
TEST(Frame, IsThePixelsWhoseWindowLeaves) {
  for (const int32_t width : {1, 2, 3, 7, 20}) {
    for (const int32_t height : {1, 2, 4, 9}) {
      for (const int32_t wide : {1, 2, 3, 6, 15}) {
        for (const int32_t high : {1, 4, 5, 15}) {
          for (const int32_t x : {wide / 2, (wide - 1) / 2}) {
            for (const int32_t y : {high / 2, (high - 1) / 2}) {
              const cuda::Frame frame = cuda::frame_of(width, height, wide, high, x, y);
              std::vector<int> found(size_t(width) * size_t(height), 0);
              for (int64_t n = 0; n < frame.pixels(); ++n) {
                const auto place = frame.pixel(n);
                ASSERT_TRUE(place.x >= 0 && place.x < width && place.y >= 0 && place.y < height);
                ++found[size_t(place.y) * size_t(width) + size_t(place.x)];
              }
              for (int32_t py = 0; py < height; ++py) {
                for (int32_t px = 0; px < width; ++px) {
                  const bool inside =
                      px >= x && px - x + wide <= width && py >= y && py - y + high <= height;
                  ASSERT_EQ(found[size_t(py) * size_t(width) + size_t(px)], inside ? 0 : 1)
                      << width << "x" << height << ", window " << wide << "x" << high << ", at "
                      << px << "," << py;
                }
              }
            }
          }
        }
      }
    }
  }
}

TEST(Frame, HoldsMorePixelsThan32Bits) {
  const cuda::Frame frame = cuda::frame_of(2000000000, 8, 15, 15, 7, 7);
  EXPECT_EQ(frame.pixels(), int64_t(16000000000));
  const auto last = frame.pixel(frame.pixels() - 1);
  EXPECT_EQ(last.x, 1999999999);
  EXPECT_EQ(last.y, 7);
}

#ifdef CUESTA_HAS_CUDA
std::string refusal_of(std::string_view strategy, int32_t width, int32_t height,
                       std::vector<Parameter> parameters) {
  const AnyView src = placeholder(width, height, PixelType::u8, 1, Space::device);
  const AnyView dst = placeholder(width, height, PixelType::u8, 1, Space::device);
  const Choice choice =
      which([&](const Exec& e) { correlate(src, dst, stencils::sharpen(3), {}, e); },
            {.strategy = std::string(strategy), .parameters = parameters});
  return choice.refusal;
}

TEST(ConvolveLadder, RefusesMoreBlocksThanAGridHas) {
  EXPECT_EQ(refusal_of("naive", 4, 65535 * 8, {{"block", "8"}}), "");
  EXPECT_NE(refusal_of("naive", 4, 65535 * 8 + 1, {{"block", "8"}}).find("65,535 blocks"),
            std::string::npos);
  EXPECT_EQ(refusal_of("naive", 4, 65535 * 8 + 1, {{"block", "16"}}), "");
  // Blocks of 8 with an apron of 2 make 6 rows.
  EXPECT_NE(refusal_of("shared", 4, 65535 * 6 + 1, {{"block", "8"}, {"load", "one-each"}})
                .find("65,535 blocks"),
            std::string::npos);
}

TEST(ConvolveLadder, SumsOfTwoByteSamplesStayWithin32Bits) {
  const auto refusal = [](int32_t tap, PixelType type) {
    const AnyView src = placeholder(9, 9, type, 1, Space::device);
    const AnyView dst = placeholder(9, 9, type, 1, Space::device);
    const Stencil stencil = Stencil::integers(1, 1, std::vector{tap});
    return which([&](const Exec& e) { correlate(src, dst, stencil, {}, e); }, {.strategy = "naive"})
        .refusal;
  };
  EXPECT_EQ(refusal(32768, PixelType::u16), "");  // 2^31 − 32,768
  EXPECT_NE(refusal(32769, PixelType::u16).find("sums above 32 bits"), std::string::npos);
  EXPECT_EQ(refusal(32769, PixelType::u8), "");
}
#endif

class ConvolveLadderDevice : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  }
};

// A picture on both sides and the answer to each of two stencils.
struct Asked {
  Asked(int32_t width, int32_t height, uint64_t seed)
      : host(width, height), there(width, height), result(width, height) {
    verify::fill(host, verify::Pattern::natural, seed);
    upload(host, there);
    wait();
    for (size_t i = 0; i < 2; ++i) {
      wanted[i] = Image<uint8_t>(width, height);
      correlate(host, wanted[i], stencil(i), {}, {.strategy = "serial"});
    }
  }
  static Stencil stencil(size_t i) { return i ? stencils::sharpen(3) : stencils::average(5); }

  Image<uint8_t> host;
  Image<uint8_t, Space::device> there, result;
  std::array<Image<uint8_t>, 2> wanted;
};

void expect_answer(Asked& asked, size_t stencil, const Exec& exec, const std::string& what) {
  correlate(asked.there, asked.result, Asked::stencil(stencil), {}, exec);
  Image<uint8_t> got(asked.host.width(), asked.host.height());
  download(asked.result, got, exec.stream);
  for (int32_t y = 0; y < got.height(); ++y)
    for (int32_t x = 0; x < got.width(); ++x)
      ASSERT_EQ(got.at(x, y), asked.wanted[stencil].at(x, y)) << what << " at " << x << "," << y;
}

TEST_F(ConvolveLadderDevice, OneWorkspaceServesAnySequenceOfCalls) {
  Asked pictures[] = {{70, 50, 1}, {70, 50, 2}, {33, 130, 3}};
  const Stream streams[2];
  void* const queues[] = {nullptr, streams[0].get(), streams[1].get()};
  for (const char* strategy : {"naive", "shared", "texture", "texture-constant"}) {
    for (const bool own : {true, false}) {
      Workspace workspace;
      for (size_t n = 0; n < 60; ++n) {
        const size_t mixed = n * 2654435761u >> 5;
        Asked& asked = pictures[mixed % 3];
        Exec exec{.strategy = strategy, .workspace = own ? &workspace : nullptr};
        exec.stream = queues[mixed / 3 % 3];
        expect_answer(asked, mixed / 9 % 2, exec, strategy);
        if (HasFatalFailure()) return;
        if (n == 40) workspace.release_memory();
      }
    }
  }
}

TEST_F(ConvolveLadderDevice, AWorkspaceKeepsAFewOfMany) {
  // More taps than are kept, twice round.
  Asked asked(40, 30, 5);
  Workspace workspace;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 40; ++i) {
      const int32_t taps[] = {0, 0, 0, 0, 1 + i, 0, 0, 0, 0};
      const Stencil stencil = Stencil::integers(3, 3, taps, 1 + i);
      correlate(asked.there, asked.result, stencil, {},
                {.strategy = "naive", .workspace = &workspace});
      Image<uint8_t> got(40, 30);
      download(asked.result, got);
      for (int32_t y = 0; y < 30; ++y)
        for (int32_t x = 0; x < 40; ++x) ASSERT_EQ(got.at(x, y), asked.host.at(x, y)) << i;
    }
  }
}

TEST_F(ConvolveLadderDevice, AWorkspaceOutlivesItsStreamsAndPictures) {
  Workspace workspace;
  for (int i = 0; i < 30; ++i) {
    Asked asked(64, 20 + i % 3, uint64_t(i));
    const Stream stream;
    for (const char* strategy : {"texture", "naive"}) {
      expect_answer(asked, size_t(i % 2),
                    {.strategy = strategy, .workspace = &workspace, .stream = stream.get()},
                    strategy);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(ConvolveLadderDevice, RowsMayLieUpwards) {
  Asked asked(77, 40, 9);
  const auto turned = [](AnyView view) {
    view.data = static_cast<char*>(view.data) + view.stride_bytes * (view.height - 1);
    view.stride_bytes = -view.stride_bytes;
    return view;
  };
  for (size_t i = 0; i < 2; ++i) {
    Image<uint8_t> wanted(77, 40), got(77, 40);
    correlate(turned(asked.host), turned(wanted), Asked::stencil(i), {}, {.strategy = "serial"});
    for (const char* strategy :
         {"plain", "naive", "shared", "shared-constant", "constant", "texture", "texture-constant",
          "two-pass", "separable", "tiled", "adaptive-tiled", "separable-tiled", "row-cyclic"}) {
      const std::string_view name = strategy;
      if (i == 1 && (name == "two-pass" || name.starts_with("separable"))) continue;  // no factors
      correlate(turned(asked.there), turned(asked.result), Asked::stencil(i), {},
                {.strategy = strategy});
      download(asked.result, got);
      for (int32_t y = 0; y < 40; ++y)
        for (int32_t x = 0; x < 77; ++x)
          ASSERT_EQ(got.at(x, y), wanted.at(x, y)) << strategy << " at " << x << "," << y;
    }
  }
}

TEST_F(ConvolveLadderDevice, UnrolledWindowsOfEverySideGiveTheSame) {
  Asked asked(70, 33, 10);
  for (int side = 3; side <= 15; side += 2) {
    const Stencil stencil = stencils::average(side);
    Image<uint8_t> wanted(70, 33), got(70, 33);
    correlate(asked.host, wanted, stencil, {}, {.strategy = "serial"});
    for (const char* strategy :
         {"naive", "shared", "shared-constant", "constant", "texture", "texture-constant",
          "two-pass", "separable", "tiled", "adaptive-tiled", "separable-tiled", "row-cyclic"}) {
      const std::vector<Parameter> parameters = {{"unroll", "all"}};
      correlate(asked.there, asked.result, stencil, {},
                {.strategy = strategy, .parameters = parameters});
      download(asked.result, got);
      for (int32_t y = 0; y < 33; ++y)
        for (int32_t x = 0; x < 70; ++x)
          ASSERT_EQ(got.at(x, y), wanted.at(x, y)) << strategy << side << " at " << x << "," << y;
    }
  }
}

TEST_F(ConvolveLadderDevice, BlocksOfAThreadAColumnShiftTheirRows) {
  for (const auto& [width, height] : {std::pair{7, 3}, {1, 9}, {64, 60}, {1030, 40}}) {
    Asked asked(width, height, 8);
    for (const char* grid : {"multiprocessors", "1", "7", "1000"}) {
      for (const size_t i : {0, 1}) {
        const std::vector<Parameter> parameters = {{"grid", grid}, {"threads", "columns"}};
        const Exec exec{.strategy = "row-cyclic", .parameters = parameters};
        const bool fits = width - Asked::stencil(i).width() + 1 <= 1024;
        if (!fits) {
          EXPECT_THROW(correlate(asked.there, asked.result, Asked::stencil(i), {}, exec), Error);
          continue;
        }
        expect_answer(asked, i, exec, std::to_string(width) + " grid " + grid);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(ConvolveLadderDevice, TakesThePapersTilesAndGrids) {
  Asked asked(900, 60, 7);
  for (const auto& [strategy, name, value] : {std::array{"tiled", "T", "21"},
                                              {"tiled", "T", "1"},
                                              {"tiled", "T", "28"},
                                              {"row-cyclic", "grid", "1"},
                                              {"row-cyclic", "grid", "59"},
                                              {"row-cyclic", "grid", "1000"},
                                              {"row-cyclic", "grid", "multiprocessors"}}) {
    expect_answer(asked, 1, {.strategy = strategy, .parameters = {{name, value}}},
                  std::string(strategy) + " " + value);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace cuesta::convolve_ladder
