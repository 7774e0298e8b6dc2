// The arithmetic of the papers' CUDA steps, which needs no GPU.
#include <gtest/gtest.h>

#include "ops/convolve/ladder/tile_arithmetic.hpp"

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

}  // namespace
}  // namespace cuesta::convolve_ladder
