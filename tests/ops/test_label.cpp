// Components: what they must satisfy, hard masks over many strips, and what the entry refuses.
// Strategies are held against the reference by test_verify.cpp.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "cuesta/device_components.hpp"
#include "cuesta/strategies.hpp"
#include "ops/label/reference.hpp"
#include "support/planted.hpp"
#include "support/strategies.hpp"

namespace cuesta {
namespace {

using verify::Pattern;

constexpr int thread_counts[] = {1, 2, 3, 8, 99};

template <class Set>
BitImage drawn(int32_t width, int32_t height, Set set) {
  BitImage mask(width, height);
  for (int32_t y = 0; y < height; ++y)
    for (int32_t x = 0; x < width; ++x)
      mask.view().row(y)[x / 64] |= uint64_t(set(x, y) ? 1 : 0) << (x % 64);
  return mask;
}

std::vector<Component> components_of(ConstAnyView mask, int connectivity, int threads = 0,
                                     std::string strategy = {}) {
  std::vector<Component> out;
  const int32_t n =
      label(mask, {}, &out, {connectivity}, {.strategy = std::move(strategy), .threads = threads});
  EXPECT_EQ(size_t(n), out.size());
  return out;
}

RC_GTEST_PROP(Label, ComponentsPartitionTheMask, ()) {
  const int32_t width = *rc::gen::inRange(1, 200), height = *rc::gen::inRange(1, 60);
  const int connectivity = *rc::gen::element(4, 8);
  BitImage mask(width, height);
  verify::fill(
      mask,
      *rc::gen::element(Pattern::extremes, Pattern::sparse, Pattern::blobs, Pattern::gradient),
      *rc::gen::arbitrary<uint64_t>());
  Image<int32_t> labels(width, height);
  std::vector<Component> components;
  const int32_t n = label(mask, labels, &components, {connectivity});
  RC_ASSERT(size_t(n) == components.size());
  std::vector<Component> again(components.size());
  int32_t seen = 0;
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      const int32_t l = labels.at(x, y);
      RC_ASSERT((l > 0) == ConstBitView(mask).at(x, y));
      if (l == 0) continue;
      RC_ASSERT(l <= seen + 1);  // numbered by first pixel
      if (l == seen + 1) again[size_t(seen++)].label = l;
      add_run(again[size_t(l) - 1], x, x + 1, y);
      // Neighbours share a label.
      const std::pair<int32_t, int32_t> before[] = {
          {x - 1, y}, {x, y - 1}, {x - 1, y - 1}, {x + 1, y - 1}};
      for (int k = 0; k < (connectivity == 8 ? 4 : 2); ++k) {
        const auto& [nx, ny] = before[k];
        if (nx < 0 || ny < 0 || nx >= width || labels.at(nx, ny) == 0) continue;
        RC_ASSERT(labels.at(nx, ny) == l);
      }
    }
  }
  RC_ASSERT(again == components);
}

RC_GTEST_PROP(Label, TranspositionKeepsTheSetOfAreas, ()) {
  const int32_t width = *rc::gen::inRange(1, 150), height = *rc::gen::inRange(1, 150);
  const int connectivity = *rc::gen::element(4, 8);
  BitImage mask(width, height);
  verify::fill(mask, *rc::gen::element(Pattern::extremes, Pattern::sparse, Pattern::blobs),
               *rc::gen::arbitrary<uint64_t>());
  const ConstBitView view = mask;
  const auto turned = drawn(height, width, [&](int32_t x, int32_t y) { return view.at(y, x); });
  const auto key = [](const Component& c, bool swap) {
    return swap ? std::tuple(c.area, c.box.height, c.box.width, c.sum_y, c.sum_x)
                : std::tuple(c.area, c.box.width, c.box.height, c.sum_x, c.sum_y);
  };
  std::vector<std::tuple<int64_t, int32_t, int32_t, int64_t, int64_t>> a, b;
  for (const auto& c : components_of(mask, connectivity)) a.push_back(key(c, false));
  for (const auto& c : components_of(turned, connectivity)) b.push_back(key(c, true));
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  RC_ASSERT(a == b);
}

// A path of width 1 that winds inwards with gaps of 1, by walking: ahead until the next but one
// pixel is taken, then to the right.
BitImage spiral(int32_t size) {
  BitImage mask(size, size);
  const auto taken = [&](int32_t x, int32_t y) {
    return x >= 0 && y >= 0 && x < size && y < size && ConstBitView(mask).at(x, y);
  };
  const auto inside = [&](int32_t x, int32_t y) {
    return x >= 0 && y >= 0 && x < size && y < size;
  };
  int32_t x = 0, y = 0, dx = 1, dy = 0;
  mask.view().row(0)[0] |= 1;
  for (int turns = 0; turns < 2;) {
    const int32_t nx = x + dx, ny = y + dy;
    if (!inside(nx, ny) || taken(nx, ny) || taken(nx + dx, ny + dy)) {
      std::tie(dx, dy) = std::pair(-dy, dx);
      ++turns;
      continue;
    }
    x = nx, y = ny;
    mask.view().row(y)[x / 64] |= uint64_t(1) << (x % 64);
    turns = 0;
  }
  return mask;
}

TEST(LabelThreads, OneSpiralThroughAllStrips) {
  const BitImage mask = spiral(301);
  const auto expected = components_of(mask, 4, 1, "serial");
  ASSERT_EQ(expected.size(), 1u);
  EXPECT_GT(expected[0].area, 301 * 301 / 3);
  for (const auto& strategy : test::held_strategies<LabelArgs>())
    for (const int threads : thread_counts)
      for (const int connectivity : {4, 8})
        EXPECT_EQ(components_of(mask, connectivity, threads, strategy), expected) << strategy;
}

TEST(LabelThreads, CombsJoinedAtEitherEnd) {
  const int32_t width = 201, height = 400;
  for (const int32_t back : {0, 399}) {
    const auto mask =
        drawn(width, height, [&](int32_t x, int32_t y) { return x % 2 == 0 || y == back; });
    for (const auto& strategy : test::held_strategies<LabelArgs>()) {
      for (const int threads : thread_counts) {
        const auto got = components_of(mask, 8, threads, strategy);
        ASSERT_EQ(got.size(), 1u) << strategy << " " << threads;
        EXPECT_EQ(got[0].area, 101 * 400 + 100);
        EXPECT_EQ(got[0].box, (Rect{0, 0, width, height}));
      }
    }
  }
}

TEST(LabelThreads, AnyNumberGivesTheSameAnswer) {
  for (const auto pattern : {Pattern::extremes, Pattern::sparse, Pattern::blobs}) {
    Image<uint8_t> mask(190, 501);
    verify::fill(mask, pattern, 11);
    for (const int connectivity : {4, 8}) {
      Image<int32_t> expected_labels(190, 501), labels(190, 501);
      std::vector<Component> expected, got;
      label(mask, expected_labels, &expected, {connectivity}, {.strategy = "serial"});
      for (const auto& strategy : test::held_strategies<LabelArgs>()) {
        for (const int threads : thread_counts) {
          label(mask, labels, &got, {connectivity}, {.strategy = strategy, .threads = threads});
          EXPECT_EQ(got, expected) << strategy << " " << threads;
          for (int32_t y = 0; y < 501; ++y)
            ASSERT_EQ(std::memcmp(labels.row(y), expected_labels.row(y), 190 * 4), 0)
                << strategy << " " << threads << " row " << y;
        }
      }
    }
  }
}

TEST(Label, AsManyComponentsAsThereCanBe) {
  const int32_t side = 1501;  // odd: 1,126,501 of 2,253,001 pixels are set
  const auto checkers = drawn(side, side, [](int32_t x, int32_t y) { return (x + y) % 2 == 0; });
  const auto four = components_of(checkers, 4, 3);
  ASSERT_EQ(four.size(), size_t(side) * side / 2 + 1);
  EXPECT_EQ(four.back(),
            (Component{int32_t(four.size()), {side - 1, side - 1, 1, 1}, 1, side - 1, side - 1}));
  EXPECT_EQ(components_of(checkers, 8, 3).size(), 1u);
}

TEST(Label, EmptyAndFullMasks) {
  BitImage mask(77, 50);
  EXPECT_TRUE(components_of(mask, 8).empty());
  const auto full = components_of(drawn(77, 50, [](int32_t, int32_t) { return true; }), 4);
  ASSERT_EQ(full.size(), 1u);
  EXPECT_EQ(full[0], (Component{1, {0, 0, 77, 50}, 3850, 50 * (76 * 77 / 2), 77 * (49 * 50 / 2)}));
  EXPECT_EQ(full[0].centroid_x(), 38);
  EXPECT_EQ(full[0].centroid_y(), 24.5);
}

TEST(Label, BitsPastTheWidthAreIgnored) {
  for (const int32_t width : {1, 63, 65, 100}) {
    BitImage clean(width, 40), dirty(width, 40);
    verify::fill(clean, Pattern::extremes, 9);
    for (int32_t y = 0; y < 40; ++y) {
      const int32_t words = clean.view().words();
      std::memcpy(dirty.view().row(y), clean.view().row(y), size_t(words) * 8);
      dirty.view().row(y)[words - 1] |= ~uint64_t(0) << (width % 64);
    }
    for (const auto& strategy : test::host_strategies<LabelArgs>())
      EXPECT_EQ(components_of(dirty, 8, 2, strategy), components_of(clean, 8, 1, "serial"));
  }
}

TEST(Label, ReusesCapacityAndScratch) {
  BitImage busy(300, 300), sparse(300, 300);
  verify::fill(busy, Pattern::extremes, 1);
  verify::fill(sparse, Pattern::sparse, 1);
  std::vector<Component> components;
  Workspace workspace;
  const Exec exec{.threads = 2, .workspace = &workspace};
  // Scratch follows from the size alone: an empty mask has it made for a busy one.
  label(BitImage(300, 300), {}, &components, {4}, exec);
  label(BitImage(300, 300), {}, &components, {4}, exec);
  const size_t bytes = workspace.bytes();
  label(busy, {}, &components, {4}, exec);
  const auto* data = components.data();
  label(sparse, {}, &components, {4}, exec);
  label(busy, {}, &components, {4}, exec);
  EXPECT_EQ(components.data(), data);
  EXPECT_EQ(workspace.bytes(), bytes);
}

TEST(Label, RefusesWithOneSentence) {
  const auto message_of = [](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      return error.what();
    }
    return "nothing was thrown";
  };
  Image<uint8_t> mask(20, 10);
  verify::fill(mask, Pattern::blobs, 1);
  Image<uint16_t> wide(20, 10);
  Image<int32_t> small(10, 10);
  EXPECT_EQ(message_of([&] { label(mask, {}, nullptr, {6}); }),
            "label: connectivity is 6; it must be 4 or 8");
  EXPECT_EQ(message_of([&] { label(wide, {}, nullptr); }),
            "label: mask is u16; it must be u8, bit");
  EXPECT_EQ(message_of([&] { label(mask, wide, nullptr); }),
            "label: labels is u16; it must be s32");
  EXPECT_NE(message_of([&] { label(mask, small, nullptr); }).find("the sizes must match"),
            std::string::npos);
  // A view that claims too much; it is refused before anything is read.
  const ConstAnyView huge(mask.row(0), 65536, 65536, 1, 65536, PixelType::u8);
  EXPECT_EQ(message_of([&] { label(huge, {}, nullptr); }),
            "label: mask is 65536 x 65536; it must have at most 2147483648 pixels");
}

TEST(Label, ListsOnTheGpuAreRefusedInWords) {
  Image<uint8_t> mask(20, 10);
  const ConstAnyView there = placeholder(20, 10, PixelType::u8, 1, Space::device);
  alignas(16) Component components[3];
  int32_t count = 0;
  const auto said = [&](ConstAnyView of, const DeviceComponents& list) -> std::string {
    try {
      label(of, {}, list);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(said(mask, {components, 2, &count}),
            "label: mask is on the host; a component list on the GPU requires a mask on the GPU");
  EXPECT_EQ(said(there, {components, 2, nullptr}),
            "label: components.count is null; it must point to GPU memory");
  EXPECT_EQ(said(there, {components, -1, &count}),
            "label: components.room is -1; it must be at least 0");
  EXPECT_EQ(said(there, {nullptr, 2, &count}),
            "label: components.list is null; it must point to GPU memory for 2 components");
  auto* const odd = reinterpret_cast<Component*>(reinterpret_cast<char*>(components) + 8);
  EXPECT_NE(said(there, {odd, 2, &count}).find("its address must be a multiple of 16"),
            std::string::npos);
}

TEST(LabelFaults, AreCaught) {
  using verify::expect_caught;
  expect_caught<LabelArgs>(
      [](const LabelArgs& args, Call& call) {
        LabelArgs wrong = args;
        wrong.options.connectivity = 8;
        label_serial(wrong, call);
      },
      "a connectivity that is always 8");
  expect_caught<LabelArgs>(
      [](const LabelArgs& args, Call& call) {
        LabelArgs wrong = args;
        wrong.options.connectivity = 4;
        label_serial(wrong, call);
      },
      "a connectivity that is always 4");
  expect_caught<LabelArgs>(
      [](const LabelArgs& args, Call& call) {
        label_serial(args, call);
        if (args.components() && !args.components()->empty()) --args.components()->back().box.width;
      },
      "a box that ends at its last pixel");
  expect_caught<LabelArgs>(
      [](const LabelArgs& args, Call& call) {
        label_serial(args, call);
        if (args.components())
          for (Component& c : *args.components()) c.sum_x += c.area;
      },
      "columns counted from 1");
  expect_caught<LabelArgs>(
      [](const LabelArgs& args, Call& call) {
        LabelArgs wrong = args;
        --wrong.mask.height;
        if (AnyView labels = args.labels()) --labels.height, wrong.wanted = labels;
        label_serial(wrong, call);
      },
      "a last row left out");
}

}  // namespace
}  // namespace cuesta
