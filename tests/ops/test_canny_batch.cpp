// Batches of canny: each picture's edges are those that it has alone, whatever is between.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "cuesta/edges.hpp"
#include "ops/canny/args.hpp"
#include "support/errors.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

// Memory with pictures in it: picture i begins at byte first + i * step.
struct Pictures {
  int32_t width, height, count;
  ptrdiff_t stride, step;
  size_t first, bytes;
  std::string name;

  Batch in(std::vector<uint8_t>& memory) const {
    return {ImageView<uint8_t>(memory.data() + first, width, height, 1, stride), count, step};
  }
};

Pictures laid_out(int arrangement, int32_t width, int32_t height, int32_t count) {
  const ptrdiff_t w = width, h = height, n = count;
  Pictures p{width, height, count, 0, 0, 0, 0, ""};
  switch (arrangement) {
    case 0: p.name = "tight", p.stride = w, p.step = w * h; break;
    case 1: p.name = "padded", p.stride = w + 13, p.step = (w + 13) * h + 64, p.first = 5; break;
    case 2: p.name = "odd step", p.stride = w, p.step = w * h + 1, p.first = 3; break;
    case 3: p.name = "side by side", p.stride = (w + 3) * n, p.step = w + 3; break;
    default:
      p.name = "backwards", p.stride = w + 1, p.step = -((w + 1) * h + 7);
      p.first = size_t(-p.step * (n - 1));
  }
  p.bytes = size_t(std::max<ptrdiff_t>(0, p.step) * (n - 1)) + p.first +
            size_t(p.stride * (h - 1) + w) + 11;
  return p;
}
constexpr int arrangements = 5;

// Given pairs and rules in turn; no two neighbours alike.
std::vector<Thresholds> mixed_thresholds(int32_t count) {
  std::vector<Thresholds> all;
  for (int32_t i = 0; i < count; ++i) {
    all.push_back(i % 5 == 2   ? Thresholds::automatic(AutoThreshold::otsu)
                  : i % 5 == 4 ? Thresholds::automatic(AutoThreshold::percentile, 60 + i % 40)
                               : Thresholds::given(10 + 9 * (i % 11), 40 + 21 * (i % 13)));
  }
  return all;
}

struct Found {
  std::vector<uint8_t> memory;
  std::vector<CannyResult> used;
};

// Picture after picture by the call for one, on the reference. What no picture holds is `around`.
Found found_alone(const Pictures& where, std::vector<uint8_t>& src,
                  std::span<const Thresholds> thresholds, const CannyOptions& options,
                  uint8_t around, const ConstBatch& masks = {}) {
  Found found{std::vector<uint8_t>(where.bytes, around), {}};
  for (int32_t i = 0; i < where.count; ++i) {
    CannyOptions one = options;
    one.thresholds = thresholds[thresholds.size() == 1 ? 0 : size_t(i)];
    if (masks.first) one.mask = masks[i];
    found.used.push_back(
        canny(where.in(src)[i], where.in(found.memory)[i], one, {.strategy = "serial"}));
  }
  return found;
}

Found found_together(const Pictures& where, std::vector<uint8_t>& src,
                     std::span<const Thresholds> thresholds, const CannyOptions& wanted,
                     uint8_t around, const Exec& exec, const ConstBatch& masks = {}) {
  Found found{std::vector<uint8_t>(where.bytes, around),
              std::vector<CannyResult>(size_t(where.count))};
  CannyOptions options = wanted;
  CannyEach each{.mask = masks, .results = found.used};
  if (thresholds.size() == 1)
    options.thresholds = thresholds[0];
  else
    each.thresholds = thresholds;
  canny(where.in(src), where.in(found.memory), options, each, exec);
  return found;
}

bool equal(const Found& a, const Found& b) {
  return a.memory == b.memory &&
         std::equal(a.used.begin(), a.used.end(), b.used.begin(), b.used.end(),
                    [](auto u, auto v) { return u.low == v.low && u.high == v.high; });
}

std::vector<uint8_t> noise_with_pictures(const Pictures& where, uint64_t seed) {
  std::vector<uint8_t> memory(where.bytes);
  verify::fill(ImageView<uint8_t>(memory.data(), int32_t(where.bytes), 1), verify::Pattern::noise,
               seed);
  const Batch batch = where.in(memory);
  for (int32_t i = 0; i < where.count; ++i)
    verify::fill(batch[i], verify::Pattern::natural, seed + uint64_t(i));
  return memory;
}

TEST(CannyBatch, EveryRowFindsWhatItFindsAlone) {
  uint64_t seed = 0;
  for (const auto& row : CannyArgs::strategies()) {
    if (row.space != Space::host) continue;
    for (const int32_t count : {1, 2, 7, 20}) {
      for (int arrangement = 0; arrangement < arrangements; ++arrangement) {
        for (int repeat = 0; repeat < 2; ++repeat) {
          ++seed;
          const int threads = std::array{1, 2, 8}[seed / 3 % 3];
          const Pictures where =
              laid_out(arrangement, int32_t(10 + seed % 61), int32_t(5 + seed % 37), count);
          auto src = noise_with_pictures(where, seed), mask = noise_with_pictures(where, seed + 1);
          const Batch masks = where.in(mask);
          for (int32_t i = 0; i < count; ++i)
            verify::fill(masks[i], verify::Pattern::blobs, seed + uint64_t(i));
          constexpr std::pair<double, int> smoothings[] = {{1.4, 5}, {0, 0}, {1.4, 0}, {9, 33}};
          CannyOptions options;
          std::tie(options.sigma, options.ksize) = smoothings[seed % 4];
          options.aperture = std::array{3, 5, 7}[seed % 3];
          options.norm = seed % 5 < 2 ? Norm::l2 : Norm::l1;
          ConstBatch each_mask;
          if (seed % 7 < 2)
            each_mask = masks;
          else if (seed % 7 == 2)
            options.mask = masks.first;
          const auto all = mixed_thresholds(count);
          const std::span<const Thresholds> thresholds(all.data(), seed % 6 ? all.size() : 1);
          const Exec exec{.strategy = std::string(row.name), .threads = threads};
          EXPECT_TRUE(equal(found_together(where, src, thresholds, options, 77, exec, each_mask),
                            found_alone(where, src, thresholds, options, 77, each_mask)))
              << row.name << " " << count << " " << where.name << " " << where.width << "x"
              << where.height << " threads " << threads << " seed " << seed;
        }
      }
    }
  }
}

// A batch that is large enough for every thread to have pictures, again and again: what threads
// leave in their memory must not reach the next picture.
TEST(CannyBatch, ManySmallPicturesOnThreads) {
  const Pictures where = laid_out(1, 61, 47, 200);
  auto src = noise_with_pictures(where, 5);
  const auto thresholds = mixed_thresholds(where.count);
  const Found expected = found_alone(where, src, thresholds, {}, 9);
  for (int i = 0; i < 10; ++i) {
    for (const int threads : {1, 2, 5, 0})
      EXPECT_TRUE(
          equal(found_together(where, src, thresholds, {}, 9, {.threads = threads}), expected))
          << threads;
  }
}

// Gradients of three pictures below each other, each pair as it is found alone.
template <class G>
void expect_gradients_as_alone(int32_t channels) {
  constexpr int32_t width = 61, height = 47, count = 3;
  Image<uint8_t> src(width, count * height, channels), mask(width, count * height);
  verify::fill(src, verify::Pattern::natural, 7);
  verify::fill(mask, verify::Pattern::blobs, 7);
  Image<G> gx(width, count * height, channels), gy(width, count * height, channels);
  for (int32_t y = 0; y < gx.height(); ++y) {
    for (int32_t x = 0; x < width * channels; ++x) {
      gx.row(y)[x] = G(8 * src.row(y)[x] - 1024);
      gy.row(y)[x] = G(2040 - 9 * src.row(y)[width * channels - 1 - x]);
    }
  }
  const auto batch_of = [](auto view) {
    const ptrdiff_t step = height * view.stride_bytes;
    view.height = height;
    return std::pair(view, step);
  };
  const auto [across, across_step] = batch_of(ConstAnyView(gx));
  const auto [down, down_step] = batch_of(ConstAnyView(gy));
  const auto [inside, inside_step] = batch_of(ConstAnyView(mask));
  const ConstBatch xs(across, count, across_step), ys(down, count, down_step),
      masks(inside, count, inside_step);
  const std::vector<Thresholds> thresholds = {Given{300, 900}, Automatic{}, Given{90, 2000}};
  for (const Norm norm : {Norm::l1, Norm::l2}) {
    const CannyGradientOptions options{.norm = norm};
    Image<uint8_t> together(width, count * height), usual(width, count * height);
    const auto targets = [&](Image<uint8_t>& all) {
      const auto [first, step] = batch_of(AnyView(all));
      return Batch(first, count, step);
    };
    std::vector<CannyResult> used(count);
    canny_of_gradients(xs, ys, targets(together), options,
                       {.thresholds = thresholds, .mask = masks, .results = used});
    canny_of_gradients(xs, ys, targets(usual), options);
    int64_t set = 0;
    for (int32_t i = 0; i < count; ++i) {
      const Exec serial{.strategy = "serial"};
      Image<uint8_t> alone(width, height), plain(width, height);
      const CannyResult found = canny_of_gradients(
          xs[i], ys[i], alone,
          {.thresholds = thresholds[size_t(i)], .norm = norm, .mask = masks[i]}, serial);
      canny_of_gradients(xs[i], ys[i], plain, options, serial);
      EXPECT_EQ(std::tie(found.low, found.high),
                std::tie(used[size_t(i)].low, used[size_t(i)].high));
      for (int32_t y = 0; y < height; ++y) {
        EXPECT_TRUE(std::equal(alone.row(y), alone.row(y) + width, together.row(i * height + y)));
        EXPECT_TRUE(std::equal(plain.row(y), plain.row(y) + width, usual.row(i * height + y)));
        set += std::count(alone.row(y), alone.row(y) + width, 255);
      }
    }
    EXPECT_GT(set, 50);
  }
}

TEST(CannyBatch, GradientsAreFoundAsAlone) {
  for (const int32_t channels : {1, 3}) {
    expect_gradients_as_alone<int16_t>(channels);
    expect_gradients_as_alone<float>(channels);
  }
}

TEST(CannyBatch, EveryPictureHasItsOwnThresholds) {
  const Pictures where = laid_out(0, 90, 70, 3);
  std::vector<uint8_t> src(where.bytes);
  const Batch batch = where.in(src);
  for (int32_t i = 0; i < 3; ++i) verify::fill(batch[i], verify::Pattern::noise, 8);  // one, thrice
  std::vector<Thresholds> thresholds = {Thresholds::given(10, 40), Thresholds::given(60, 200),
                                        Thresholds::given(90, 300)};
  const Found found = found_together(where, src, thresholds, {}, 0, {});
  const auto edges = [&](const Found& f, int32_t i) {
    const auto begin = f.memory.begin() + i * where.step;
    return std::count(begin, begin + where.step, 255);
  };
  EXPECT_GT(edges(found, 0), edges(found, 1));
  EXPECT_GT(edges(found, 1), edges(found, 2));
  EXPECT_EQ(found.used[2].high, 300);
  std::swap(thresholds[0], thresholds[2]);
  const Found swapped = found_together(where, src, thresholds, {}, 0, {});
  EXPECT_FALSE(equal(swapped, found));
  EXPECT_EQ(edges(swapped, 0), edges(found, 2));
}

TEST(CannyBatch, OnePictureAndOnePairMayServeAll) {
  const Pictures where = laid_out(0, 40, 30, 4);
  auto src = noise_with_pictures(where, 3);
  std::vector<uint8_t> dst(where.bytes);
  canny(ConstBatch(where.in(src).first, 4, 0), where.in(dst), {.thresholds = Given{20, 80}});
  for (int32_t i = 1; i < 4; ++i)
    EXPECT_TRUE(std::equal(dst.begin(), dst.begin() + where.step, dst.begin() + i * where.step));
  EXPECT_GT(std::count(dst.begin(), dst.end(), 255), 0);
}

template <class Call>
std::string complains(Call&& call) {
  return test::error_of(ErrorCode::invalid_argument, call);
}

TEST(CannyBatch, BadInputIsNamed) {
  const Pictures where = laid_out(0, 8, 8, 3);
  auto src_memory = noise_with_pictures(where, 1), dst_memory = src_memory;
  const ConstBatch src = where.in(src_memory);
  const Batch dst = where.in(dst_memory);
  const std::vector<Thresholds> pairs(3, Thresholds::given(10, 20));
  const auto complaint = [&](const ConstBatch& from, const Batch& to, size_t thresholds,
                             size_t results = 0) {
    std::vector<CannyResult> used(results);
    return complains([&] {
      canny(from, to, {}, {.thresholds = std::span(pairs).first(thresholds), .results = used});
    });
  };
  const auto with = [](auto batch, auto change) {
    change(batch);
    return batch;
  };
  EXPECT_EQ(complaint(src, dst, 3, 3), "no error");
  EXPECT_EQ(complaint(src, dst, 0), "no error");
  EXPECT_EQ(complaint(src, dst, 2),
            "canny: thresholds has 2 entries; it must be empty or have one for each of 3 pictures");
  EXPECT_EQ(complaint(src, dst, 1),
            "canny: thresholds has 1 entries; it must be empty or have one for each of 3 pictures");
  EXPECT_EQ(complaint(src, dst, 0, 2),
            "canny: results has 2 entries; it must be empty or have one for each of 3 pictures");
  EXPECT_EQ(complaint(with(src, [](auto& b) { b.count = 0; }), dst, 0),
            "canny: src has 0 pictures; it must have at least 1");
  EXPECT_EQ(complaint(src, with(dst, [](auto& b) { b.count = 2; }), 0),
            "canny: src has 3 pictures and canny: dst has 2; the counts must match");
  for (const ptrdiff_t step : {0, 63, -60, 8}) {
    EXPECT_EQ(
        complaint(src, with(dst, [&](auto& b) { b.step_bytes = step; }), 0),
        "canny: dst and its next pictures overlap in memory; give the result a separate picture")
        << step;
  }
  const std::string shared =
      "canny: src and canny: dst overlap in memory; give the result a separate picture";
  EXPECT_EQ(complaint(src, where.in(src_memory), 0), shared);
  // The last source is the first result.
  EXPECT_EQ(complaint({src.first, 2, 128}, {where.in(src_memory)[2], 1, 0}, 0),
            "canny: src has 2 pictures and canny: dst has 1; the counts must match");
  EXPECT_EQ(complaint({src.first, 2, 128}, {where.in(src_memory)[1], 2, 64}, 0), shared);
  // Sources and results in turn share nothing.
  EXPECT_EQ(complaint({src.first, 1, 128}, {where.in(src_memory)[1], 1, 128}, 0), "no error");
  std::vector<uint16_t> wide(8 * 8 * 3);
  const ConstBatch words(ImageView<const uint16_t>(wide.data(), 8, 8), 3, 127);
  EXPECT_EQ(complaint(words, dst, 0),
            "canny: src has a step of 127 bytes between pictures; it must be a multiple of 2, the "
            "size of a sample");
  CannyOptions options;
  options.mask = dst[2];
  EXPECT_EQ(complains([&] { canny(src, dst, options, {.thresholds = pairs}); }),
            "canny: mask and canny: dst overlap in memory; give the result a separate picture");
  std::vector<Thresholds> bad = pairs;
  bad[2] = Thresholds::automatic(AutoThreshold::percentile, 120);
  EXPECT_EQ(complains([&] { canny(src, dst, {}, {.thresholds = bad}); }),
            "canny: threshold is auto:percentile:120; it must be a percentile of 0 to 100");

  std::vector<int16_t> signs(8 * 8 * 3);
  const ConstBatch gx(ImageView<const int16_t>(signs.data(), 8, 8), 3, 128);
  const auto of_gradients = [&](const ConstBatch& gy, const CannyEach& each = {}) {
    return complains([&] { canny_of_gradients(gx, gy, dst, {}, each); });
  };
  EXPECT_EQ(of_gradients(gx), "no error");
  EXPECT_EQ(of_gradients(with(gx, [](auto& b) { b.count = 2; })),
            "canny: gx has 3 pictures and canny: gy has 2; the counts must match");
  EXPECT_EQ(of_gradients(with(gx, [](auto& b) { b.step_bytes = 127; })),
            "canny: gy has a step of 127 bytes between pictures; it must be a multiple of 2, the "
            "size of a sample");
  EXPECT_EQ(of_gradients(src), "canny: gy is u8; it must be s16");
  EXPECT_EQ(of_gradients(gx, {.thresholds = std::span(pairs).first(2)}),
            "canny: thresholds has 2 entries; it must be empty or have one for each of 3 pictures");
}

}  // namespace
}  // namespace cuesta
