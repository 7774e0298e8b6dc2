// The GPU path end to end. Without a GPU these skip, and say why.
#include <gtest/gtest.h>

#include "cuesta/device.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/error.hpp"
#include "support/readme.hpp"
#include "verify/verify.hpp"

namespace cuesta {
namespace {

class Device : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  }
};

TEST_F(Device, EveryStrategyEqualsTheReference) {
  int64_t rows = 0;
  for (const verify::Operation& operation : verify::operations()) {
    for (const auto& row : operation.run({.level = verify::Level::full, .space = Space::device})) {
      ++rows;
      for (const auto& failure : row.failures)
        ADD_FAILURE() << row.operation << " " << row.strategy << ": " << failure;
      EXPECT_TRUE(row.passed()) << row.operation << " " << row.strategy;
      for (const auto& why : row.refusals) {
        EXPECT_NE(verify::readme_of(row.operation).find(why), std::string::npos)
            << row.strategy << " refuses '" << why << "', which the README does not list";
      }
    }
  }
  EXPECT_GT(rows, 0) << "the build has no device strategy";
}

TEST_F(Device, EveryStrategyEqualsTheReferenceAtEverySize) {
  for (const verify::Operation& operation : verify::operations()) {
    for (const auto& row : operation.run({.level = verify::Level::sizes, .space = Space::device})) {
      for (const auto& failure : row.failures)
        ADD_FAILURE() << row.operation << " " << row.strategy << ": " << failure;
      EXPECT_TRUE(row.passed()) << row.operation << " " << row.strategy;
    }
  }
}

TEST_F(Device, PicturesGoThereAndBackOnAStream) {
  Image<uint8_t> src(201, 77), mine(201, 77), theirs(201, 77);
  verify::fill(src, verify::Pattern::natural, 3);
  const Stream stream;
  Image<uint8_t, Space::device> there(201, 77), magnitude(201, 77);
  upload(src, there, stream.get());
  sobel(there, {.magnitude = magnitude}, {}, {.stream = stream.get()});
  download(magnitude, mine, stream.get());
  sobel(src, {.magnitude = theirs}, {}, {.strategy = "serial"});
  for (int y = 0; y < 77; ++y)
    for (int x = 0; x < 201; ++x) ASSERT_EQ(mine.at(x, y), theirs.at(x, y)) << x << "," << y;
}

TEST_F(Device, HostRowsAreNotOnTheDevice) {
  Image<uint8_t, Space::device> src(8, 8), out(8, 8);
  try {
    sobel(src, {.magnitude = out}, {}, {.strategy = "simd"});
    FAIL() << "a host strategy took a device picture";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no strategy 'simd' on the device; there are "),
              std::string::npos)
        << error.what();
  }
}

TEST(NoDevice, AbsenceIsOneClearSentence) {
  std::string why;
  if (!list_devices(&why).empty()) GTEST_SKIP() << "there is a GPU";
  EXPECT_FALSE(why.empty());
  try {
    Image<uint8_t, Space::device> image(4, 4);
    FAIL() << "device memory without a device";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::device);
    EXPECT_NE(std::string(error.what()).find("--device cpu"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace cuesta
