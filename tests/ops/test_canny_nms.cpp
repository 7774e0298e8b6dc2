// The CUDA gradient and suppression's arithmetic without a GPU: 32 lanes in turn, held against the
// reference's stages.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "cuesta/stencil.hpp"
#include "ops/canny/cuda/chunks.hpp"
#include "ops/canny/cuda/nms_march.hpp"
#include "ops/canny/reference.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using namespace canny_nms;

// A warp whose lanes take turns. Lanes without a neighbour are handed nonsense, as by a shuffle.
template <class LaneType>
struct TurnWarp {
  std::array<LaneType, lanes> all{};
  template <class F>
  void each(F&& f) {
    for (auto& lane : all) f(lane);
  }
  void exchange() {
    for (int i = 0; i < lanes; ++i) {
      all[size_t(i)].from_left = i > 0 ? all[size_t(i) - 1].to_right : 0xDEADBEEF;
      all[size_t(i)].from_right = i < lanes - 1 ? all[size_t(i) + 1].to_left : 0xBADC0DE5;
    }
  }
  template <class F>
  uint32_t broadcast(int i, F&& f) {
    return f(all.at(size_t(i)));
  }
};

struct Found {
  std::vector<uint8_t> candidates, strong;  // masks
  std::vector<uint64_t> bins = std::vector<uint64_t>(canny_bins);
};

template <int K, int Half, Norm N>
Found run(const Job& job, int32_t rows) {
  using L = Lane<K, Half, N>;
  const int32_t row_bytes = mask_bytes(job.width);
  Found found;
  found.candidates.assign(size_t(row_bytes) * size_t(job.height), 0);
  found.strong = found.candidates;
  for (int32_t strip = 0; strip < strips(job.width); ++strip) {
    const int32_t base = strip * warp_pixels - lane_pixels;
    if (base + lane_pixels >= job.width) continue;
    for (int32_t first = 0; first < job.height; first += rows) {
      TurnWarp<L> warp;
      for (int i = 0; i < lanes; ++i) warp.all[size_t(i)].x = base + i * lane_pixels;
      const auto makes = [&](const L& lane) {
        return lane.x > base && lane.x < base + (lanes - 1) * lane_pixels;
      };
      march<L, Half>(
          warp, job, base, first, std::min(first + rows, job.height),
          [&](int32_t, L& lane) {
            if (!makes(lane)) return;
            for (int i = 0; i < lane_pixels; ++i) {
              if (!(lane.valid[i / 2] >> (16 * (i % 2)) & 1)) continue;
              const auto m = int64_t(lane.magnitude(i));
              ++found.bins[size_t(N == Norm::l1 ? m : gradient::floor_sqrt(m))];
            }
          },
          [&](int32_t y, L& lane) {
            if (!makes(lane) || lane.x / 8 >= row_bytes) return;
            uint32_t candidates, strong;
            lane.find_maxima(job, candidates, strong);
            const auto at = size_t(y) * size_t(row_bytes) + size_t(lane.x / 8);
            found.candidates[at] = uint8_t(candidates);
            found.strong[at] = uint8_t(strong);
          });
    }
  }
  return found;
}

template <int Half>
Found run(const Job& job, const CannyOptions& options, int32_t rows) {
  const bool l1 = options.norm == Norm::l1;
  switch (options.aperture) {
    case 3: return l1 ? run<3, Half, Norm::l1>(job, rows) : run<3, Half, Norm::l2>(job, rows);
    case 5: return l1 ? run<5, Half, Norm::l1>(job, rows) : run<5, Half, Norm::l2>(job, rows);
    default: return l1 ? run<7, Half, Norm::l1>(job, rows) : run<7, Half, Norm::l2>(job, rows);
  }
}

void expect_equal_stages(const CannyArgs& args, int32_t rows) {
  const int32_t width = args.src.width, height = args.src.height;
  // The reference, up to hysteresis.
  const Exec exec;
  Call call(exec, Space::host, {});
  CannyStages stages = canny_stages(args, call.scratch());
  canny_gradients(args, stages, call, "serial", 1);
  canny_magnitude_rows(args, stages, 0, height);
  std::vector<uint64_t> bins(canny_bins);
  canny_histogram_rows(args, stages, 0, height, bins);
  const CannyLimits limits = canny_limits(args, canny_given(args.options));
  canny_suppress_rows(stages, 0, height);
  canny_threshold_rows(stages, limits, 0, height);

  Job job;
  job.src = static_cast<const uint8_t*>(args.src.data);
  job.src_stride = args.src.stride_bytes;
  job.mask = static_cast<const uint8_t*>(args.options.mask.data);
  job.mask_stride = args.options.mask.stride_bytes;
  job.width = width;
  job.height = height;
  const int64_t most = args.options.norm == Norm::l1 ? 32767 : 2147483647;
  job.above_low = uint32_t(std::clamp<int64_t>(limits.low, 0, most - 1) + 1);
  job.above_high = uint32_t(std::clamp<int64_t>(limits.high, 0, most - 1) + 1);
  const bool smooths = args.options.sigma > 0;
  if (smooths) {
    const auto taps = gaussian_taps_q8(args.options.ksize, *args.options.sigma);
    for (int i = 0; i <= args.options.ksize / 2; ++i)
      job.taps[fused_half - args.options.ksize / 2 + i] = uint32_t(taps[size_t(i)]);
  }
  const Found found = smooths ? run<2>(job, args.options, rows) : run<0>(job, args.options, rows);

  EXPECT_EQ(found.bins, bins);
  const int32_t row_bytes = mask_bytes(width);
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < row_bytes * 8; ++x) {
      const auto at = size_t(y) * size_t(row_bytes) + size_t(x / 8);
      const int mark = (found.candidates[at] >> (x % 8) & 1) + (found.strong[at] >> (x % 8) & 1);
      const int expected = x < width ? stages.marks.at(x + 1, y + 1) : 0;
      ASSERT_EQ(mark, expected) << x << ", " << y;
    }
  }
}

TEST(CannyNms, EqualsTheReferenceUpToHysteresis) {
  constexpr std::pair<int32_t, int32_t> sizes[] = {
      {1, 1},   {2, 3},    {7, 5},   {8, 9},   {9, 4},   {63, 20}, {64, 7},   {65, 6},   {231, 9},
      {232, 5}, {233, 12}, {239, 3}, {240, 8}, {241, 9}, {248, 4}, {250, 31}, {471, 6},  {472, 5},
      {473, 7}, {480, 40}, {500, 3}, {1, 70},  {700, 1}, {491, 9}, {492, 30}, {493, 30}, {760, 41}};
  constexpr verify::Pattern patterns[] = {verify::Pattern::natural, verify::Pattern::extremes,
                                          verify::Pattern::noise};
  uint64_t seed = 0;
  for (const auto& size : sizes) {
    const int32_t width = size.first, height = size.second;
    for (const int aperture : {3, 5, 7}) {
      for (const Norm norm : {Norm::l1, Norm::l2}) {
        for (const int ksize : {0, 3, 5}) {
          ++seed;
          // An odd stride: rows begin at every alignment. Nothing is behind the last sample, so
          // that AddressSanitizer sees who reads on.
          const ptrdiff_t stride = width + 3;
          const auto bytes = size_t(1 + stride * (height - 1) + width);
          std::vector<uint8_t> samples(bytes), masks(bytes);
          std::vector<uint8_t> edges(size_t(width) * size_t(height));
          CannyArgs args;
          const ImageView<uint8_t> src(samples.data() + 1, width, height, 1, stride);
          const ImageView<uint8_t> mask(masks.data() + 1, width, height, 1, stride);
          verify::fill(src, patterns[seed % 3], seed);
          verify::fill(mask, verify::Pattern::blobs, seed + 1);
          args.src = src;
          if (seed % 4 == 0) args.options.mask = mask;
          args.options.aperture = aperture;
          args.options.norm = norm;
          args.options.sigma = ksize ? 1.1 : 0;
          args.options.ksize = ksize;
          constexpr double lows[] = {-1, 0, 20, 60, 300};
          const double low = lows[seed % 5];
          args.options.thresholds = Thresholds::given(low, seed % 7 ? 2 * low + 50 : 1e9);
          const int32_t rows = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 5 : 64;
          SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height) + " aperture " +
                       std::to_string(aperture) + (norm == Norm::l1 ? " l1" : " l2") + " ksize " +
                       std::to_string(ksize) + " rows " + std::to_string(rows) + " seed " +
                       std::to_string(seed));
          expect_equal_stages(args, rows);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// Widths that put the last sample three bytes into the last aligned word a lane reads, or none:
// AddressSanitizer sees who reads on.
TEST(CannyNms, ReadsNothingBehindTheLastSample) {
  for (const int32_t width : {19, 20, 491, 492}) {
    for (const int32_t height : {1, 30}) {
      for (int offset = 0; offset < 4; ++offset) {
        std::vector<uint8_t> samples(size_t(offset + width * height));
        const ImageView<uint8_t> src(samples.data() + offset, width, height);
        verify::fill(src, verify::Pattern::noise, uint64_t(width + offset));
        CannyArgs args;
        args.src = src;
        args.options.sigma = 0;
        args.options.thresholds = Thresholds::given(100, 300);
        expect_equal_stages(args, 64);
      }
    }
  }
}

// The packed directions against the definition in exact integers, for every |gx| and the |gy|
// around both bounds.
TEST(CannyNms, DirectionsAreExact) {
  Lane<5, 0, Norm::l1> lane{};
  for (int32_t x = 0; x <= 12240; ++x) {
    const int32_t flat = int32_t(int64_t(x) * gradient::tan_22_5 >> 15);
    for (const int32_t bound : {flat, flat + 2 * x}) {
      for (int32_t y = std::max(0, bound - 1); y <= std::min(12240, bound + 1); ++y) {
        if (x == 0 && y == 0) continue;  // no magnitude, no maximum
        lane.ax[0] = packed::both(uint32_t(x));
        lane.ay[0] = packed::both(uint32_t(y));
        lane.find_directions();
        const int octant = gradient::octant<int64_t>(x, y);
        ASSERT_EQ(lane.level[0], octant == 0 ? ~0u : 0u) << x << ", " << y;
        ASSERT_EQ(lane.gentle[0], octant == 2 ? 0u : ~0u) << x << ", " << y;
      }
    }
  }
}

TEST(CannyNms, StripsCoverTheMasks) {
  for (int32_t width = 1; width < 2000; ++width) {
    EXPECT_GE(strips(width) * warp_pixels, mask_bytes(width) * 8);
    EXPECT_LT((strips(width) - 1) * warp_pixels, mask_bytes(width) * 8);
  }
}

// One wave: all warps fit, and no row is left out.
TEST(CannyNms, OneWaveOfWarpsMakesAllRows) {
  constexpr int resident = 16 * 132;
  for (const auto& size : {std::pair{1, 1},
                           {64, 64},
                           {1024, 1024},
                           {1920, 1080},
                           {8192, 8192},
                           {16384, 16384},
                           {100, 500000}}) {
    const int32_t rows = rows_per_warp(strips(size.first), size.second, 1, resident);
    const int64_t chunks = (int64_t(size.second) + rows - 1) / rows;
    EXPECT_GE(rows, 8);
    EXPECT_LE(chunks * strips(size.first), resident) << size.first << "x" << size.second;
  }
  EXPECT_EQ(rows_per_warp(strips(8192), 8192, 1, resident), 137);
  EXPECT_EQ(rows_per_warp(strips(1024), 1024, 1, resident), 8);
  EXPECT_EQ(rows_per_warp(strips(1024), 1024, 1, resident, 2), 3);  // 5 strips: 422 walks each
  EXPECT_EQ(rows_per_warp(strips(64), 64, 1, resident, 2), 2);
  EXPECT_EQ(rows_per_warp(strips(2000000), 30, 1, resident), 30);  // more strips than warps
}

// ---- batches

TEST(CannyNms, PicturesOfABatchShareAllButTheirPlaceAndLimits) {
  constexpr int32_t width = 75, height = 21, count = 5;
  constexpr ptrdiff_t stride = width + 2, step = stride * height + 3;
  std::vector<uint8_t> samples(size_t(step * count)), masks(size_t(step * count));
  verify::fill(ImageView<uint8_t>(samples.data(), int32_t(samples.size()), 1),
               verify::Pattern::noise, 3);
  verify::fill(ImageView<uint8_t>(masks.data(), int32_t(masks.size()), 1), verify::Pattern::blobs,
               4);
  for (const bool shared_limits : {false, true}) {
    for (const int mask : {0, 1, 2}) {  // none, one for all, one each
      Job first;
      first.src = samples.data();
      first.src_stride = stride;
      first.src_step = step;
      if (mask > 0) first.mask = masks.data();
      first.mask_stride = stride;
      if (mask > 1) first.mask_step = step;
      first.width = width;
      first.height = height;
      LimitTable limits;
      limits.shared = shared_limits;
      for (uint32_t i = 0; i < count; ++i) {
        limits.low[i] = 50 + 100 * i;
        limits.high[i] = 90 + 150 * i;
      }
      for (uint32_t i = 0; i < count; ++i) {
        Job alone = first;
        alone.src += ptrdiff_t(i) * step;
        if (mask > 1) alone.mask += ptrdiff_t(i) * step;
        alone.above_low = shared_limits ? 50 : 50 + 100 * i;
        alone.above_high = shared_limits ? 90 : 90 + 150 * i;
        const Found expected = run<3, 0, Norm::l1>(alone, 8);
        const Found found = run<3, 0, Norm::l1>(limits.with(first.picture(i), i), 8);
        EXPECT_EQ(found.candidates, expected.candidates) << i;
        EXPECT_EQ(found.strong, expected.strong) << i;
        EXPECT_EQ(found.bins, expected.bins) << i;
      }
    }
  }
}

TEST(CannyNms, WavesOfABatchFillTheGpu) {
  constexpr int resident = 16 * 132;
  for (const auto& size : {std::pair{32, 32}, {256, 256}, {640, 480}, {1024, 1024}, {1920, 1080}}) {
    for (const int32_t pictures : {2, 5, 16, 64, 100, 256, 300, 1000, 65535}) {
      const int32_t rows = rows_per_warp(strips(size.first), size.second, pictures, resident);
      EXPECT_GE(rows, 8);
      EXPECT_LE(rows, size.second);
      const int64_t chunks = (int64_t(size.second) + rows - 1) / rows;
      const int64_t warps = chunks * strips(size.first) * pictures;
      if (warps <= resident) continue;  // one wave
      // As long as the least there is to do, or not much longer.
      const int64_t waves = (warps + resident - 1) / resident;
      const double least = double(strips(size.first)) * pictures * size.second / resident;
      EXPECT_LT(double(waves) * (rows + 8), 1.3 * least + 2 * 8 + size.second * 0.3)
          << size.first << "x" << size.second << " x " << pictures << ": " << rows;
    }
  }
}

// ---- directions in fp16 (cuda/half_lane.cuh)

double rounded_to_half(double v) {
  if (v == 0) return 0;
  const double step = std::ldexp(1.0, std::max(std::ilogb(v), -14) - 10);
  return std::nearbyint(v / step) * step;
}

TEST(CannyHalves, OneTestOfDiagonalsServesBothTangents) {
  for (int32_t x = 0; x <= 1020; ++x) {
    for (int32_t y = 0; y <= 1020; ++y) {
      if (x == 0 && y == 0) continue;  // no maximum
      const int32_t larger = std::max(x, y), sum = x + y;
      const bool diagonal = gradient::octant(x, y) % 2 == 1;
      ASSERT_EQ((sum - larger) * 32768 > larger * (53 * 256 + 5), diagonal) << x << " " << y;
      // The two fused steps, each rounded once.
      const double first = rounded_to_half(sum - larger * (181 / 128.0));
      ASSERT_EQ(first - larger * (5 / 32768.0) >= 0, diagonal) << x << " " << y;
    }
  }
}

// ---- directions in floats (cuda/wide_lane.cuh)

TEST(CannyWide, FusedStepsHaveTheExactSignOfADirection) {
  constexpr float tan = 13573.0f / 32768;
  const auto agrees = [&](int32_t x, int32_t y) {
    const float fx = float(x), fy = float(y);
    const bool horizontal = std::fmaf(fx, tan, -fy) > 0, vertical = std::fmaf(fx, 2 + tan, -fy) < 0;
    const int octant = gradient::octant<int64_t>(x, y);
    ASSERT_EQ(horizontal, octant == 0) << x << " " << y;
    ASSERT_EQ(vertical, octant == 2) << x << " " << y;
  };
  // Every x of a u16 picture, and the y on either side of both tangents; on them where x is a
  // multiple of 2^15.
  for (int32_t x = 0; x <= 4 * 65535; ++x) {
    for (const int64_t factor : {int64_t{13573}, int64_t{13573} + (2 << 15)}) {
      const auto y = int32_t(factor * x >> 15);
      for (int32_t near = std::max(y - 1, 0); near <= std::min(y + 1, 4 * 65535); ++near) {
        if (x == 0 && near == 0) continue;  // no maximum
        agrees(x, near);
      }
    }
  }
}

TEST(CannyPieces, HoldWhatTheirMemoryAndTheGridAllow) {
  using namespace canny_chunks;
  const auto pieces = [](int32_t width, int32_t height, int smoothed_bytes = 0, int32_t bins = 0) {
    return pictures_per_chunk(scratch_bytes(width, height, smoothed_bytes, bins));
  };
  EXPECT_EQ(pieces(16384, 16384), 1);
  EXPECT_EQ(pieces(1, 524280), 1);
  EXPECT_EQ(pieces(1024, 1024), 113);
  EXPECT_EQ(pieces(1920, 1080), 57);
  EXPECT_LT(pieces(256, 256, 1), pieces(256, 256));
  EXPECT_LT(pieces(256, 256, 2), pieces(256, 256, 1));
  EXPECT_LT(pieces(64, 64, 0, 24481), pieces(64, 64));
  EXPECT_EQ(pieces(1, 1), max_pictures);
  // What the kernels count in 32 bits.
  for (const auto& size : {std::pair{1, 1}, {1, 1000}, {1, 524280}, {128, 64}, {4000, 3000}}) {
    const int64_t count = pieces(size.first, size.second);
    EXPECT_LT(count * size.second, 1 << 20);
  }
  EXPECT_LT(int64_t(pieces(1, 1, false, 24481)) * 24481, 1 << 26 | 1);
}

}  // namespace
}  // namespace cuesta
