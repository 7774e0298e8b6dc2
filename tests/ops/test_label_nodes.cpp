// What the device rows of label do with a block of pixels and with a word of runs, without a GPU:
// the joins they make, one after the other in any order, give the reference's components.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "cpu/union_find.hpp"
#include "cuda/word_runs.hpp"
#include "cuesta/objects.hpp"
#include "ops/label/cuda/blocks.hpp"
#include "ops/label/reference.hpp"

namespace cuesta {
namespace {

constexpr std::pair<int32_t, int32_t> sizes[] = {{1, 1},   {1, 40},  {40, 1},  {2, 2},
                                                 {31, 9},  {32, 32}, {33, 17}, {63, 20},
                                                 {64, 21}, {65, 22}, {97, 30}, {130, 7}};

Image<uint8_t> random_mask(int32_t width, int32_t height, uint32_t percent) {
  Image<uint8_t> mask(width, height);
  std::mt19937 random(uint32_t(width) * 31 + uint32_t(height) + percent);
  for (int32_t y = 0; y < height; ++y)
    for (int32_t x = 0; x < width; ++x) mask.at(x, y) = random() % 100 < percent;
  return mask;
}

// joins(y, x) for each of wide x high places, in an order of its own.
template <class Joins>
void in_any_order(int32_t wide, int32_t high, const Joins& joins) {
  std::vector<std::pair<int32_t, int32_t>> places;
  for (int32_t y = 0; y < high; ++y)
    for (int32_t x = 0; x < wide; ++x) places.emplace_back(x, y);
  std::shuffle(places.begin(), places.end(), std::mt19937(3));
  for (const auto& [x, y] : places) joins(x, y);
}

// The labels of pixels whose nodes are joined; node_of(x, y) of a set pixel.
template <class NodeOf>
std::vector<int32_t> labels_of(const Image<uint8_t>& mask, const std::vector<int32_t>& parents,
                               const NodeOf& node_of) {
  std::vector<int32_t> labels, numbers(parents.size());
  int32_t count = 0;
  // Numbers by roots in the order of nodes, as the scan gives them.
  std::vector<uint8_t> is_root(parents.size());
  for (int32_t y = 0; y < mask.height(); ++y)
    for (int32_t x = 0; x < mask.width(); ++x)
      if (mask.at(x, y)) is_root[size_t(cpu::find(parents.data(), node_of(x, y)))] = 1;
  for (size_t i = 0; i < parents.size(); ++i)
    if (is_root[i]) numbers[i] = ++count;
  for (int32_t y = 0; y < mask.height(); ++y)
    for (int32_t x = 0; x < mask.width(); ++x)
      labels.push_back(mask.at(x, y) ? numbers[size_t(cpu::find(parents.data(), node_of(x, y)))]
                                     : 0);
  return labels;
}

std::vector<int32_t> expected_labels(const Image<uint8_t>& mask, int connectivity) {
  Image<int32_t> labels(mask.size());
  label(mask, labels, nullptr, {connectivity}, {.strategy = "serial"});
  std::vector<int32_t> all;
  for (int32_t y = 0; y < mask.height(); ++y)
    all.insert(all.end(), labels.row(y), labels.row(y) + mask.width());
  return all;
}

template <bool Eight>
std::vector<int32_t> by_blocks(const Image<uint8_t>& mask) {
  using namespace label_blocks;
  const int32_t width = mask.width(), height = mask.height();
  std::vector<int32_t> parents(size_t(width) * size_t(height), -1);
  const auto node = [&](int32_t x, int32_t y) { return y * width + x; };
  const auto set_near = [&](int32_t x, int32_t y) {
    return [&mask, x, y](int dx, int dy) {
      const int32_t px = 2 * x + dx, py = 2 * y + dy;
      return px >= 0 && py >= 0 && px < mask.width() && py < mask.height() && mask.at(px, py) != 0;
    };
  };
  const int32_t wide = (width + 1) / 2, high = (height + 1) / 2;
  in_any_order(wide, high, [&](int32_t x, int32_t y) {
    const uint32_t block = block_at(set_near(x, y));
    for (int i = 0; i < pixels; ++i) {
      if (block >> i & 1) {
        const int first = leader<Eight>(block, i);
        EXPECT_LE(first, i);
        EXPECT_TRUE(block >> first & 1);
        parents[size_t(node(2 * x + i % 2, 2 * y + i / 2))] =
            node(2 * x + first % 2, 2 * y + first / 2);
      }
    }
  });
  in_any_order(wide, high, [&](int32_t x, int32_t y) {
    const auto set = set_near(x, y);
    const uint32_t block = block_at(set);
    join_before<Eight>(block, set, [&](int i, int dx, int dy) {
      EXPECT_TRUE(block >> i & 1);
      EXPECT_TRUE(set(dx, dy));
      EXPECT_TRUE(dx < 0 || dy < 0) << "a pixel of another block";
      cpu::unite(parents.data(), node(2 * x + i % 2, 2 * y + i / 2), node(2 * x + dx, 2 * y + dy));
    });
  });
  return labels_of(mask, parents, node);
}

template <bool Eight>
std::vector<int32_t> by_runs(const Image<uint8_t>& mask) {
  using namespace mask_runs;
  const int32_t words = (mask.width() + 31) / 32, nodes = (mask.width() + 1) / 2;
  const auto word = [&](int32_t i, int32_t y) {
    uint32_t bits = 0;
    for (int32_t x = i * 32; i >= 0 && y >= 0 && x < std::min(i * 32 + 32, mask.width()); ++x)
      bits |= uint32_t(mask.at(x, y) != 0) << (x % 32);
    return bits;
  };
  const auto node = [&](int32_t x, int32_t y) { return y * nodes + x / 2; };
  std::vector<int32_t> parents(size_t(nodes) * size_t(mask.height()), -1);
  in_any_order(words, mask.height(), [&](int32_t i, int32_t y) {
    for_runs(word(i, y), [&](int start, uint32_t) {
      int32_t& parent = parents[size_t(node(i * 32 + start, y))];
      EXPECT_EQ(parent, -1) << "a node of its own";
      parent = node(i * 32 + start, y);
    });
  });
  in_any_order(words, mask.height(), [&](int32_t i, int32_t y) {
    const Around around{word(i - 1, y - 1),
                        word(i, y - 1),
                        word(i + 1, y - 1),
                        word(i - 1, y),
                        word(i, y),
                        0,
                        0,
                        0,
                        0};
    for_runs(around.here, [&](int start, uint32_t run) {
      runs_before<Eight>(around, run, [&](int dx, int dy, int other) {
        cpu::unite(parents.data(), node(i * 32 + start, y), node((i + dx) * 32 + other, y + dy));
      });
    });
  });
  return labels_of(mask, parents, [&](int32_t x, int32_t y) {
    return node(x / 32 * 32 + run_start(word(x / 32, y), x % 32), y);
  });
}

TEST(LabelNodes, BlocksJoinWhatTouches) {
  for (const auto& [width, height] : sizes) {
    for (const uint32_t percent : {0, 10, 30, 42, 60, 75, 95, 100}) {
      const auto mask = random_mask(width, height, percent);
      EXPECT_EQ(by_blocks<true>(mask), expected_labels(mask, 8))
          << width << "x" << height << " " << percent;
      EXPECT_EQ(by_blocks<false>(mask), expected_labels(mask, 4))
          << width << "x" << height << " " << percent;
    }
  }
}

TEST(LabelNodes, RunsJoinWhatTouches) {
  for (const auto& [width, height] : sizes) {
    for (const uint32_t percent : {0, 10, 30, 42, 60, 75, 95, 100}) {
      const auto mask = random_mask(width, height, percent);
      EXPECT_EQ(by_runs<true>(mask), expected_labels(mask, 8))
          << width << "x" << height << " " << percent;
      EXPECT_EQ(by_runs<false>(mask), expected_labels(mask, 4))
          << width << "x" << height << " " << percent;
    }
  }
}

TEST(LabelNodes, ComponentsComeFromAPictureOfLabels) {
  for (const auto& [width, height] : sizes) {
    for (const int connectivity : {4, 8}) {
      const auto mask = random_mask(width, height, 45);
      Image<int32_t> labels(width, height);
      std::vector<Component> expected;
      label(mask, labels, &expected, {connectivity});
      std::vector<Component> found(expected.size(), Component{7, {1, 2, 3, 4}, 3, 2, 1});
      gather_components(labels.view(), found);
      EXPECT_EQ(found, expected) << width << "x" << height << " " << connectivity;
    }
  }
}

}  // namespace
}  // namespace cuesta
