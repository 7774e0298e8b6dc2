// The papers' formulas against the figures the papers print.
#include <gtest/gtest.h>

#include "bench/papers/convolutions.hpp"
#include "bench/papers/formulas.hpp"
#include "bench/papers/paper_002.hpp"
#include "ops/convolve/ladder/tile_arithmetic.hpp"

namespace cuesta::bench {
namespace {

namespace f = formulas;
namespace p2 = paper_002;

double gflops(double intensity) {
  return f::attainable(intensity, f::paper_bandwidth_gbs, f::paper_peak_gflops);
}

TEST(Formulas, AttainWhatPaper000Prints) {
  EXPECT_NEAR(gflops(f::intensity_of("naive", 3, 3, 1)), 20, 1e-9);
  EXPECT_NEAR(gflops(f::intensity_of("shared", 3, 3, 1)), 27.692, 5e-4);
  EXPECT_NEAR(gflops(f::intensity_of("shared", 5, 5, 1)), 34.483, 5e-4);
  EXPECT_NEAR(gflops(f::intensity_of("shared-constant", 3, 3, 1)), 90, 1e-9);
  EXPECT_NEAR(gflops(f::intensity_of("shared-constant", 5, 5, 1)), 250, 1e-9);
  EXPECT_NEAR(gflops(f::intensity_of("tiled", 3, 3, 21)), 164.35, 5e-3);
  // They print 546.52: digits swapped.
  EXPECT_NEAR(gflops(f::intensity_of("adaptive-tiled", 5, 5, 21)), 456.52, 5e-3);
  EXPECT_EQ(gflops(f::intensity_of("shared-constant", 15, 15, 1)), f::paper_peak_gflops);
  EXPECT_EQ(f::intensity_of("texture", 3, 3, 1), 0) << "the paper has no formula for it";
  EXPECT_EQ(f::intensity_of("two-pass", 5, 5, 1), 0) << "eq. 12 is of shared memory";
}

TEST(Formulas, SeparableMeansItsPasses) {
  EXPECT_DOUBLE_EQ(f::intensity_separable(5, 5), 1.25);
  EXPECT_DOUBLE_EQ(f::intensity_separable_tiled(5, 5, 2), 2.0 * 10 * 2 / 16);
}

TEST(Formulas, AccessesAreTheTableOfPaper002) {
  struct Line {
    int side, filter;
    int64_t naive, shared, constant;
  };
  constexpr Line lines[] = {
      {256, 3, 1245184, 148480, 655360},      {256, 5, 3342336, 167936, 1703936},
      {256, 9, 10682368, 212992, 5373952},    {512, 3, 4980736, 593920, 2621440},
      {1024, 5, 53477376, 2686976, 27262976}, {2048, 9, 683671552, 13631488, 343932928}};
  for (const Line& line : lines) {
    const double pixels = double(line.side) * line.side;
    const auto accesses = [&](const char* strategy) {
      return int64_t(f::accesses_paper(strategy, line.filter, line.filter) * pixels);
    };
    EXPECT_EQ(accesses("naive"), line.naive);
    EXPECT_EQ(accesses("shared"), line.shared);
    EXPECT_EQ(accesses("constant"), line.constant);
    EXPECT_EQ(accesses("texture"), line.constant);
  }
}

TEST(Formulas, CountedAccessesAreWhatTheRungsMake) {
  const f::Shape block_16{.block = 16};
  // Nine samples, nine taps, one result; without the taps; through shared memory.
  EXPECT_DOUBLE_EQ(f::accesses_counted("naive", 3, 3, block_16), 19);
  EXPECT_DOUBLE_EQ(f::accesses_counted("texture", 3, 3, block_16), 19);
  EXPECT_DOUBLE_EQ(f::accesses_counted("constant", 3, 3, block_16), 10);
  EXPECT_DOUBLE_EQ(f::accesses_counted("shared-constant", 3, 3, block_16), 18 * 18 / 256.0 + 1);
  EXPECT_DOUBLE_EQ(f::accesses_counted("shared", 3, 3, block_16), 18 * 18 / 256.0 + 9 + 1);
  // The paper's tile has the apron too: its figure is ours without the taps.
  EXPECT_DOUBLE_EQ(f::accesses_counted("shared", 3, 3, block_16) - 9,
                   f::accesses_paper("shared", 3, 3));
  EXPECT_DOUBLE_EQ(f::accesses_counted("shared", 3, 3, {.block = 16, .one_each = true}),
                   256.0 / (14 * 14) + 9 + 1);
  EXPECT_DOUBLE_EQ(f::accesses_counted("tiled", 3, 3, {.block = 16, .tiles = 4}),
                   66 * 18 / 1024.0 + 1);
  EXPECT_DOUBLE_EQ(f::accesses_counted("shared-1d", 3, 3, block_16), 18 * 18 / 256.0 + 1);
  EXPECT_DOUBLE_EQ(f::accesses_counted("two-pass", 5, 5, block_16), 12);
  EXPECT_DOUBLE_EQ(f::accesses_counted("separable", 5, 5, block_16), 2 * (20 / 16.0 + 1));
  EXPECT_DOUBLE_EQ(f::accesses_counted("separable-tiled", 5, 5, {.block = 16, .tiles = 4}),
                   2 * (68 / 64.0 + 1));
  EXPECT_DOUBLE_EQ(f::accesses_counted("row-cyclic", 3, 3, {.rows_per_block = 4}), 6 / 4.0 + 1);
}

TEST(Formulas, TilesAreToldFromTheLaunch) {
  for (const auto& [window, limit, sample] :
       {std::tuple{3, 48 * 1024, 4}, {5, 48 * 1024, 1}, {9, 227 * 1024, 4}}) {
    const int tiles =
        convolve_ladder::adaptive_tiles(size_t(limit), size_t(sample), 32, window, window, 1 << 20);
    Row row;
    row.strategy = "adaptive-tiled";
    row.variant = "block=32 limit=device";
    row.type = sample == 4 ? "f32" : "u8";
    row.kernels.push_back(
        {.dynamic_shared =
             convolve_ladder::tile_samples(tiles, 32, window, window) * size_t(sample)});
    EXPECT_EQ(tiles_of(row, window, window), tiles);
  }
  Row row;
  row.strategy = "separable-tiled";
  row.variant = "block=16 T=21 transpose=on";
  EXPECT_EQ(tiles_of(row, 5, 5), 21);
  row.strategy = "naive";
  row.variant = "block=16";
  EXPECT_EQ(tiles_of(row, 5, 5), 1);
}

TEST(Paper002, LinesAndColumnsAreThePapers) {
  EXPECT_EQ(p2::sharpening_seconds[p2::line_of(2048, 9)][p2::column_of("texture") + 1], 0.00662);
  EXPECT_EQ(p2::averaging_seconds[p2::line_of(256, 3)][0], 0.014537);
  EXPECT_EQ(p2::averaging_overhead[p2::line_of(1024, 5)][p2::column_of("naive")], 0.075999);
  EXPECT_EQ(p2::sharpening_overhead[p2::line_of(2048, 9)][p2::column_of("texture")], 0.055691);
  EXPECT_EQ(p2::averaging_gflops[p2::line_of(512, 3)][p2::column_of("shared") + 1], 1033.83040);
  EXPECT_EQ(p2::line_of(4096, 3), -1);
  EXPECT_EQ(p2::column_of("two-pass"), -1);
  // The speed-ups they print are their times' quotients, but for rounding.
  for (int line = 0; line < 12; ++line) {
    for (int column = 0; column < 4; ++column) {
      const double quotient =
          p2::sharpening_seconds[line][0] / p2::sharpening_seconds[line][column + 1];
      EXPECT_NEAR(p2::sharpening_speedup[line][column], quotient, 0.002 * quotient + 0.5)
          << line << " " << column;
    }
  }
}

TEST(Formulas, ThreadsThatIdle) {
  // Paper 000, 3.2: of (B + 2K)² threads of option i, 2K(2B + 2K) compute nothing.
  for (const int k : {1, 2, 4}) {
    for (const int made : {16, 24}) {
      const int side = made + 2 * k, window = 2 * k + 1;
      const auto threads =
          formulas::threads_of("shared", window, window, {.block = side, .one_each = true});
      EXPECT_EQ(threads.all, side * side);
      EXPECT_EQ(threads.load_nothing, 0);
      EXPECT_EQ(threads.compute_nothing, 2 * k * (2 * made + 2 * k));
    }
  }
  for (const char* name : {"naive", "shared", "shared-constant", "tiled", "separable", "texture"}) {
    const auto threads = formulas::threads_of(name, 5, 5, {.block = 16});
    EXPECT_EQ(threads.all, 256) << name;
    EXPECT_EQ(threads.compute_nothing, 0) << name;
  }
  // Threads stride over the columns: of a picture of 64 the others of 256 have none.
  const auto rolling = formulas::threads_of("row-cyclic", 5, 5, {.threads = 256, .columns = 64});
  EXPECT_EQ(rolling.all, 256);
  EXPECT_EQ(rolling.load_nothing, 192);
  EXPECT_EQ(rolling.compute_nothing, 192);
  EXPECT_EQ(formulas::threads_of("row-cyclic", 5, 5, {.columns = 1024}).compute_nothing, 0);
  EXPECT_EQ(formulas::threads_of("fused", 5, 5, {}).all, 0) << "no rung of a paper";
}

}  // namespace
}  // namespace cuesta::bench
