// Bytes on the GPU: paper 004's table, and what our versions hold.
#include <gtest/gtest.h>

#include "bench/papers/motion_memory.hpp"

namespace cuesta::bench {
namespace {

TEST(MotionMemoryModel, IsThePapersTable) {
  constexpr auto paper = motion_memory::paper(596, 336, 15);
  EXPECT_EQ(paper.held, 2'002'560);
  EXPECT_EQ(paper.at_launch, 600'768 + 5 * 225);
  EXPECT_EQ(paper.a_frame, 1'401'792);
}

TEST(MotionMemoryModel, CountsWhatTheRungsTake) {
  using namespace motion_memory;
  constexpr MotionRequest q{596, 336, 3, 15, 149, 149, 2};
  constexpr int64_t pixels = 596 * 336, padded = 640 * 336, mask = 80 * 336;
  constexpr Bytes once = ours(q, Rung::v1_1);
  EXPECT_EQ(once.held, 3 * pixels + 3 * padded + mask + 8 * pixels + 2 * 48 + 900 + 8 * 149);
  EXPECT_EQ(once.at_launch, 3 * pixels + 900 + 8 * 149) << "windows go up once";
  EXPECT_EQ(once.a_frame, 3 * pixels + mask + 4 + 2 * 48);
  constexpr Bytes every = ours(q, Rung::v1_0);
  EXPECT_EQ(every.held - once.held, 3 * pixels + padded);
  EXPECT_EQ(every.a_frame - once.a_frame, 900 + 8 * 149);
  EXPECT_EQ(ours(q, Rung::v1_2).held, once.held - 900 - 8 * 149) << "windows are arguments";
  EXPECT_EQ(ours(q, Rung::v1_2).held, ours(q, Rung::v1_3).held);
  EXPECT_EQ(ours(q, Rung::v1_5).held, ours(q, Rung::v1_3).held);
  EXPECT_EQ(ours(q, Rung::v1_3).a_frame - ours(q, Rung::v1_4).a_frame, 4 * 4 * 257)
      << "elements are part of the kernels";
  EXPECT_LT(once.a_frame, paper(596, 336, 15).a_frame) << "no picture of labels travels";
}

}  // namespace
}  // namespace cuesta::bench
