// Paper 001's formulas against figures worked out by hand from its text.
#include <gtest/gtest.h>

#include "bench/papers/canny_model.hpp"

namespace cuesta::bench::canny_model {
namespace {

TEST(CannyModel, OperationsByStage) {
  // n = 10, k = 3, c = 2.
  EXPECT_EQ(gaussian_operations(10, 3), 1800);
  EXPECT_EQ(gradient_operations(10, 3), 4000);
  EXPECT_EQ(suppression_operations(10), 400);
  EXPECT_EQ(threshold_operations(10), 100);
  EXPECT_EQ(hysteresis_operations(10, 2), 200);
  EXPECT_EQ(operations(10, 3, 2), 6 * 100 * 9 + (9 + 2) * 100);
}

TEST(CannyModel, TimeOnThePapersMachine) {
  // 1024², ten steps: 1,048,576 · 4 · 147 bytes at 288 GB/s; 1,048,576 · (820 + 500) operations at
  // 3.072 · 10¹²; 8 MiB at 16 GB/s.
  const Prediction p = predict(1024, 10, paper_machine);
  EXPECT_EQ(memory_bytes(1024, 10), 616562688);
  EXPECT_EQ(model_operations(1024, 10), 1384120320);
  EXPECT_EQ(host_bytes(1024), 8388608);
  EXPECT_NEAR(p.memory * 1e3, 2.14084, 1e-5);
  EXPECT_NEAR(p.computation * 1e3, 0.45056, 1e-5);
  EXPECT_NEAR(p.transfer * 1e3, 0.52429, 1e-5);
  EXPECT_NEAR(p.total() * 1e3, 3.11569, 1e-5);
  // Without a step of hysteresis.
  EXPECT_EQ(memory_bytes(64, 0), 4096 * 188);
  EXPECT_EQ(model_operations(64, 0), 4096 * 820);
}

TEST(CannyModel, TheCpuAndTheGainOfSharedMemory) {
  // 25.6 ms, 39 pictures a second: the paper measured 41.
  EXPECT_DOUBLE_EQ(cpu_seconds(1024) * 1e3, 25.6);
  EXPECT_DOUBLE_EQ(cpu_seconds(64) * 1e3, 0.1);
  EXPECT_NEAR(shared_gain(3), 270.0 / 47, 1e-12);
  EXPECT_NEAR(shared_gain(5), 750.0 / 95, 1e-12);
}

}  // namespace
}  // namespace cuesta::bench::canny_model
