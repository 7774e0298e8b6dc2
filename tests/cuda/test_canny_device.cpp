// Canny on a GPU: hysteresis, whose threads meet, again and again. Without a GPU these skip.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "cuesta/device.hpp"
#include "cuesta/edges.hpp"
#include "support/drawings.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using DevicePicture = Image<uint8_t, Space::device>;

struct Row {
  std::string strategy;
  std::vector<Parameter> parameters;
  std::string name() const {
    std::string text = strategy;
    for (const auto& [key, value] : parameters) text += " " + key + "=" + value;
    return text;
  }
};

// Every way to do hysteresis.
std::vector<Row> rows() {
  return {{"global", {{"hysteresis", "bfs-launch"}}},
          {"global", {{"hysteresis", "bfs-launch"}, {"window", "5"}}},
          {"global", {{"hysteresis", "union-find"}}},
          {"row-cyclic", {{"hysteresis", "bfs-launch"}}},
          {"row-cyclic", {{"hysteresis", "union-find"}}},
          {"bfs-launch", {}},
          {"bfs-launch", {{"window", "5"}}},
          {"union-find", {}},
          {"fused", {}}};
}

struct Observer : StageObserver {
  std::vector<std::string> stages;
  std::map<std::string, double> statistics;
  void stage(std::string_view name, void*) override { stages.emplace_back(name); }
  void statistic(std::string_view name, double value) override {
    statistics[std::string(name)] = value;
  }
};

uint64_t hash_of(const Image<uint8_t>& picture) {
  uint64_t hash = 14695981039346656037u;
  for (int32_t y = 0; y < picture.height(); ++y) {
    for (int32_t x = 0; x < picture.width(); ++x) hash = (hash ^ picture.at(x, y)) * 1099511628211u;
  }
  return hash;
}

class CannyDevice : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  }
  static DevicePicture there(const Image<uint8_t>& picture) {
    DevicePicture device(picture.width(), picture.height());
    upload(picture, device);
    return device;
  }
  static Image<uint8_t> edges(const DevicePicture& src, const CannyOptions& options, const Row& row,
                              StageObserver* observer = nullptr) {
    DevicePicture dst(src.width(), src.height());
    Exec exec;
    exec.strategy = row.strategy;
    exec.parameters = row.parameters;
    exec.observer = observer;
    canny(src, dst, options, exec);
    Image<uint8_t> host(src.width(), src.height());
    download(dst, host);
    return host;
  }
};

TEST_F(CannyDevice, AThousandRepetitionsGiveOneHash) {
  constexpr int32_t side = 512;
  Image<uint8_t> picture(side, side);
  verify::fill(picture, verify::Pattern::natural, 21);
  CannyOptions options;
  options.thresholds = Thresholds::given(15, 120);  // much to connect
  const uint64_t expected = hash_of(canny(picture, options, {.strategy = "serial"}));
  const DevicePicture src = there(picture);
  DevicePicture dst(side, side);
  Image<uint8_t> host(side, side);
  const Stream stream;
  for (const Row& row : rows()) {
    Exec exec;
    exec.strategy = row.strategy;
    exec.parameters = row.parameters;
    exec.stream = stream.get();
    int wrong = 0;
    for (int i = 0; i < 1000; ++i) {
      canny(src, dst, options, exec);
      download(dst, host, stream.get());
      wrong += hash_of(host) != expected;
    }
    EXPECT_EQ(wrong, 0) << row.name();
  }
}

TEST_F(CannyDevice, SnakesAreFollowedToTheirEnd) {
  const Image<uint8_t> lit = drawn_spiral(512, true), dark = drawn_spiral(512, false);
  CannyOptions options;
  options.thresholds = Thresholds::given(20, 200);
  const uint64_t expected = hash_of(canny(lit, options, {.strategy = "serial"}));
  const uint64_t nothing = hash_of(canny(dark, options, {.strategy = "serial"}));
  EXPECT_NE(expected, nothing);
  const DevicePicture lit_there = there(lit), dark_there = there(dark);
  for (const Row& row : rows()) {
    EXPECT_EQ(hash_of(edges(lit_there, options, row)), expected) << row.name();
    EXPECT_EQ(hash_of(edges(dark_there, options, row)), nothing) << row.name();
  }
}

TEST_F(CannyDevice, SearchesTellTheirDepthAndTrees) {
  const Image<uint8_t> picture = drawn_spiral(512, true);
  CannyOptions options;
  options.thresholds = Thresholds::given(20, 200);
  const DevicePicture src = there(picture);
  Observer one, two;
  const Image<uint8_t> found = edges(src, options, {"bfs-launch", {{"window", "3"}}}, &one);
  edges(src, options, {"global", {{"window", "5"}}}, &two);
  double pixels = 0;
  for (int32_t y = 0; y < 512; ++y) {
    for (int32_t x = 0; x < 512; ++x) pixels += found.at(x, y) != 0;
  }
  EXPECT_GT(one.statistics["bfs depth"], 2000);
  EXPECT_EQ(two.statistics["bfs depth"], std::ceil(one.statistics["bfs depth"] / 2));
  for (Observer* observer : {&one, &two}) {
    EXPECT_GT(observer->statistics["trees at the start"], 0);
    EXPECT_LT(observer->statistics["trees at the start"], 1000);
    EXPECT_EQ(observer->statistics["trees at the end"], pixels);
  }
  EXPECT_EQ(one.stages, (std::vector<std::string>{"front end", "hysteresis"}));
  EXPECT_EQ(two.stages, (std::vector<std::string>{"gaussian", "sobel", "magnitude", "suppression",
                                                  "threshold", "hysteresis"}));
}

TEST_F(CannyDevice, AutomaticThresholdsAreTheHosts) {
  Image<uint8_t> picture(700, 333);
  verify::fill(picture, verify::Pattern::natural, 5);
  const DevicePicture src = there(picture);
  for (const AutoThreshold rule :
       {AutoThreshold::otsu, AutoThreshold::median, AutoThreshold::percentile}) {
    for (const Norm norm : {Norm::l1, Norm::l2}) {
      CannyOptions options;
      options.norm = norm;
      options.thresholds = Thresholds::automatic(rule);
      Image<uint8_t> host(700, 333);
      const CannyResult expected = canny(picture, host, options, {.strategy = "serial"});
      DevicePicture dst(700, 333);
      const CannyResult found = canny(src, dst, options, {.strategy = "fused"});
      EXPECT_EQ(found.low, expected.low);
      EXPECT_EQ(found.high, expected.high);
    }
  }
}

}  // namespace
}  // namespace cuesta
