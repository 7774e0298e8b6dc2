// What the tensor-core rows of convolve and log rest on, without a GPU: taps in signed bytes, how
// they are in the registers of a product, and quotients in floats.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "cuda/tensor_band.hpp"
#include "cuesta/stencil.hpp"
#include "ops/convolve/cuda/quotients.hpp"
#include "ops/convolve/rounding.hpp"
#include "ops/convolve/tensor_taps.hpp"
#include "ops/log/gaussian_bands.hpp"
#include "ops/log/window.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

// Sums of a patch by the product's own definition (m16n8k32, B by columns) against those of the
// window.
template <int Reach>
void expect_band_makes_sums(int width, int height, int x, int y, verify::Random& random) {
  using namespace cuda::tensor;
  std::vector<int> taps(size_t(width) * size_t(height));
  for (int& t : taps) t = int(random.below(256)) - 128;
  const auto tap = [&](int i, int j) { return taps[size_t(j) * size_t(width) + size_t(i)]; };
  const auto band = band_of<Reach>(width, height, x, y, tap);
  constexpr int groups = Shape<Reach>::groups, side = 4 * groups;
  std::array<std::array<int, side>, side>
      sample;  // [row][column], the first Reach before the patch
  for (auto& row : sample)
    for (int& v : row) v = int(random.below(256));
  for (int half = 0; half < 2; ++half) {
    for (int g = 0; g < 8; ++g) {
      int made = 0, wanted = 0;
      for (int r = 0; r < Shape<Reach>::registers; ++r) {
        for (int t = 0; t < 4; ++t) {
          const uint32_t word = band.words[band_word<Reach>(half, r, g, t)];
          for (int e = 0; e < 4; ++e)
            made += int8_t(word >> (8 * e)) *
                    sample[size_t(4 * (r / groups) + t)][size_t(4 * (r % groups) + e)];
        }
      }
      for (int j = 0; j < height; ++j)
        for (int i = 0; i < width; ++i)
          wanted += tap(i, j) *
                    sample[size_t(g / 2 + Reach + j - y)][size_t(2 * half + g % 2 + Reach + i - x)];
      EXPECT_EQ(made, wanted) << width << " x " << height << " at " << x << ", " << y << ", output "
                              << g;
    }
  }
}

TEST(TensorRows, BandsMakeTheWindowsSums) {
  verify::Random random(5);
  for (int side = 1; side <= 9; ++side) {
    for (int other = 1; other <= 9; ++other) {
      for (const int back : {0, 1}) {
        const int x = (side - back) / 2, y = (other - back) / 2;
        expect_band_makes_sums<4>(side, other, x, y, random);
        if (std::max(side, other) <= 5) expect_band_makes_sums<2>(side, other, x, y, random);
      }
    }
  }
  expect_band_makes_sums<2>(3, 2, 2, 0, random);  // an anchor at the corner
}

// The same of a patch of a wide window: 2 rows of 4 outputs from 16 rows of 20 samples.
TEST(TensorRows, WideBandsMakeTheWindowsSums) {
  using namespace cuda::tensor;
  verify::Random random(7);
  for (const auto& [width, height, x] :
       {std::array{15, 15, 7}, {17, 15, 8}, {9, 15, 8}, {11, 2, 3}, {6, 14, 0}, {1, 13, 0}}) {
    std::vector<int> taps(size_t(width) * size_t(height));
    for (int& t : taps) t = int(random.below(256)) - 128;
    const auto tap = [&, wide = width](int i, int j) {
      return taps[size_t(j) * size_t(wide) + size_t(i)];
    };
    const WideBand band = wide_band_of(width, height, x, tap);
    std::array<std::array<int, 20>, 16> sample;  // [row][column], the first 8 before the patch
    for (auto& row : sample)
      for (int& v : row) v = int(random.below(256));
    for (int g = 0; g < 8; ++g) {
      int made = 0, wanted = 0;
      for (int r = 0; r < WideBand::registers; ++r) {
        for (int t = 0; t < 4; ++t) {
          const uint32_t word = band.words[wide_band_word(r, g, t)];
          for (int e = 0; e < 4; ++e)
            made += int8_t(word >> (8 * e)) * sample[size_t(4 * (r / WideBand::words_across) + t)]
                                                    [size_t(4 * (r % WideBand::words_across) + e)];
        }
      }
      for (int j = 0; j < height; ++j)
        for (int i = 0; i < width; ++i)
          wanted += tap(i, j) * sample[size_t(g / 4 + j)][size_t(8 + g % 4 + i - x)];
      EXPECT_EQ(made, wanted) << width << " x " << height << " at " << x << ", output " << g;
    }
  }
}

// Every sample of a tile's row is written once, by a piece or by a lane, inside the row's place.
TEST(TensorRows, PiecesAndLanesBringEverySampleOnce) {
  using namespace cuda::tensor;
  int64_t wrong = 0, tiles = 0;
  const auto try_tile = [&](int columns, int margin, int size, uint32_t address, int width,
                            int left) {
    ++tiles;
    const Pieces p = pieces_of(address, left, width, columns, margin);
    const int stop = stop_of(left, width, columns, margin);
    const int place = int(p.shift) - (left - margin);  // of byte 0
    const int pitch = (columns + 2 * margin + 30) / 16 * 16;
    if (p.from < p.to) {
      wrong += (int(address) + p.from) % 16 != 0 || (int(address) + p.to) % 16 != 0;
      wrong += (place + p.from) % 16 != 0 || place + p.from < 0;
      wrong += p.from < 0 || p.to > width || place + p.to > pitch;
    }
    std::vector<int> writes(size_t(columns + 2 * margin), 0);
    const auto write = [&](int x) {
      if (x < left - margin || place + x < 0 || place + x >= pitch)
        ++wrong;
      else if (x < stop)
        ++writes[size_t(x - (left - margin))];
    };
    for (int x = std::max(p.from, left - margin); x < p.to; ++x) write(x);
    const Rest rest = rest_of(p, left, stop, margin, size);
    for (int lane = 0; lane < 32 * rest_passes(margin, size); ++lane) {
      const int first = left - margin + lane * size, last = stop - (lane + 1) * size;
      for (int e = 0; e < size; ++e) {
        if (first < rest.before) write(first + e), wrong += first >= stop;
        if (last >= rest.after) write(last + e), wrong += last < left - margin;
      }
    }
    for (int x = left - margin; x < stop; ++x) wrong += writes[size_t(x - (left - margin))] != 1;
  };
  struct Shape {
    int columns, margin;  // samples
  };
  for (const int size : {1, 2}) {
    for (const Shape& shape : {Shape{128, 4},
                               {512, 4},
                               {256, 8},
                               {256, 16},
                               {512, 4 / size},
                               Shape{512, 12},
                               {512, 20},
                               {256, 24},
                               {256, 136},
                               {256, 520}}) {
      for (uint32_t address = 32; address < 48; address += uint32_t(size)) {
        for (int width = 1; width < 1100; width += width < 160 ? 1 : 7)
          for (int left = 0; left < width; left += shape.columns)
            try_tile(shape.columns * size, shape.margin * size, size, address, width * size,
                     left * size);
      }
    }
  }
  EXPECT_GT(tiles, 50000);
  EXPECT_EQ(wrong, 0);
}

ConvolveArgs request(const Stencil& stencil, PixelType to = PixelType::u8) {
  ConvolveArgs args;
  args.src.type = PixelType::u8, args.src.channels = 1, args.dst.type = to;
  args.width = stencil.width(), args.height = stencil.height();
  args.anchor_x = stencil.anchor_x(), args.anchor_y = stencil.anchor_y();
  args.integers.window = stencil.integer_taps();
  args.divisor = stencil.divisor();
  return args;
}

TEST(TensorRows, WhatTapsAndDivisorShareIsTakenOut) {
  TensorTaps taps;
  const Stencil gaussian = stencils::gaussian(5, 0);  // 1 4 6 4 1, in units of 2^-16
  EXPECT_EQ(tensor_taps(request(gaussian), taps), "");
  EXPECT_EQ(taps.divisor, 256);
  EXPECT_EQ(taps.planes, 1);
  EXPECT_EQ(taps.at(2, 2), 36);
  EXPECT_EQ(taps.most, 255 * 256);
  EXPECT_EQ(taps.least, 0);

  const std::array<int32_t, 2> ends{-128, 127};
  const Stencil pair = Stencil::integers(2, 1, ends);
  ConvolveArgs args = request(pair);
  EXPECT_EQ(tensor_taps(args, taps), "");
  EXPECT_EQ(taps.least, -128 * 255);
  EXPECT_EQ(taps.most, 127 * 255);
  EXPECT_EQ(taps.planes, 1);
  args.src.type = args.dst.type = PixelType::u16;
  EXPECT_EQ(tensor_taps(args, taps), "");
  EXPECT_EQ(taps.least, -128 * 65535);

  for (const int32_t tap : {-129, 128, TensorTaps::min_tap, TensorTaps::max_tap}) {
    const std::array<int32_t, 2> window{tap, 1};
    EXPECT_EQ(tensor_taps(request(Stencil::integers(2, 1, window)), taps), "");
    EXPECT_EQ(taps.planes, 2);
    EXPECT_EQ(taps.at(0, 0), tap);
  }
  const std::array<int32_t, 4> zeros{};
  EXPECT_EQ(tensor_taps(request(Stencil::integers(2, 2, zeros, 77)), taps), "");
  EXPECT_EQ(taps.divisor, 1);
}

// A divisor past twice the largest sum, and an offset past any result, are reduced.
TEST(TensorRows, WhatChangesNoResultIsCut) {
  TensorTaps taps;
  const std::array<int32_t, 2> window{100, -1};
  const Stencil stencil = Stencil::integers(2, 1, window, (int64_t(1) << 54) + 1);
  ConvolveArgs args = request(stencil);
  args.offset = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(tensor_taps(args, taps), "");
  EXPECT_EQ(taps.divisor, 2 * 25500 + 1);
  EXPECT_EQ(taps.offset, -65537);
  args.divisor = 3, args.offset = 70000;
  EXPECT_EQ(tensor_taps(args, taps), "");
  EXPECT_EQ(taps.divisor, 3);
  EXPECT_EQ(taps.offset, 70000);
}

TEST(TensorRows, RefuseWhatBytesDoNotHold) {
  TensorTaps taps;
  for (const int32_t tap : {TensorTaps::min_tap - 1, TensorTaps::max_tap + 1}) {
    const std::array<int32_t, 2> window{tap, 1};
    EXPECT_EQ(tensor_taps(request(Stencil::integers(2, 1, window)), taps),
              "taps that exceed two signed bytes");
  }
  const auto line = [&](int32_t width, int32_t height, int32_t anchor, int32_t tap = 1) {
    const std::vector<int32_t> window(size_t(width) * size_t(height), tap);
    const Stencil stencil = Stencil::integers(width, height, window);
    ConvolveArgs args = request(stencil);
    args.anchor_x = anchor;
    return std::string(tensor_taps(args, taps));
  };
  const std::string wide = "stencils of radius above 4 with more than 15 rows or a radius above 8";
  EXPECT_EQ(line(17, 15, 8), "");
  EXPECT_TRUE(taps.is_wide());
  EXPECT_EQ(line(17, 15, 7), wide);
  EXPECT_EQ(line(1, 16, 0), wide);
  EXPECT_EQ(line(9, 1, 4), "");
  EXPECT_FALSE(taps.is_wide());
  EXPECT_EQ(line(9, 1, 3), "");
  EXPECT_TRUE(taps.is_wide());
  EXPECT_EQ(line(11, 1, 5, 128), "stencils of radius above 4 with taps that exceed a byte");

  const Stencil average = stencils::average(11);
  ConvolveArgs args = request(average);
  args.src.type = args.dst.type = PixelType::u16;
  EXPECT_EQ(tensor_taps(args, taps), "u16 stencils of radius above 4");
  // 9 x 9 taps of 404 are the most that u16 samples leave room for.
  for (const int32_t tap : {404, 405}) {
    const std::vector<int32_t> window(81, tap);
    const Stencil stencil = Stencil::integers(9, 9, window);
    args = request(stencil);
    args.src.type = args.dst.type = PixelType::u16;
    EXPECT_EQ(tensor_taps(args, taps), tap == 404 ? "" : "sums above 31 bits") << tap;
  }
  const Stencil laplacian = stencils::laplacian();
  args = request(laplacian);
  args.rounding = Rounding::half_up, args.divisor = 2;
  EXPECT_EQ(tensor_taps(args, taps), "negative sums rounded half up");
  args = request(laplacian, PixelType::f32);
  args.divisor = (1 << 24) + 1;
  EXPECT_EQ(tensor_taps(args, taps), "f32 results with a divisor above 24 bits");
  const std::vector<int32_t> large(81, 300);
  const Stencil sum = Stencil::integers(9, 9, large);
  args = request(sum, PixelType::f32);
  EXPECT_EQ(tensor_taps(args, taps), "f32 results of sums above 22 bits");
}

TEST(TensorRows, TheLogOfThePaperIsItsStencil) {
  const log::ByteStencil stencil = log::byte_stencil(log::window({}));
  const Stencil wanted = stencils::log();
  ASSERT_EQ(stencil.size, 7);
  EXPECT_EQ(stencil.factor, 1);
  EXPECT_EQ(stencil.most, 34680);
  EXPECT_EQ(stencil.threshold, 1445);
  for (int i = 0; i < 49; ++i) EXPECT_EQ(stencil.weights[i], wanted.integer_taps()[size_t(i)]);

  // 256 alone is the Laplacian, 65,536 times.
  const log::ByteStencil bare = log::byte_stencil(log::window({.threshold = 2.5, .sigma = 0}));
  EXPECT_EQ(bare.size, 3);
  EXPECT_EQ(bare.factor, 65536);
  EXPECT_EQ(bare.threshold, 2);
  EXPECT_EQ(int(bare.weights[4]), -4);
  EXPECT_EQ(log::byte_stencil(log::window({.sigma = 0, .ksize = 7})).size, 0);
}

// Both products by their own definition (m16n8k32): what the first leaves in a lane's registers is
// what the second takes, and 16 columns of 16 rows are the Gaussian's sums.
void expect_bands_make_sums(const log::ByteTaps& taps, verify::Random& random) {
  using log::Bands, log::band_side, log::band_reach;
  constexpr int all = 2 * band_side;
  const Bands bands = log::bands_of(taps);
  int sample[all][all];  // [row][column], the first band_reach before the sums
  for (auto& row : sample)
    for (int& v : row) v = int(random.below(256));
  const auto byte = [](uint32_t word, int e) { return int(word >> (8 * e) & 255); };
  // a of the product: registers 2 and 3 are the second half of K, 1 and 3 rows 8 to 15.
  const auto product = [&](const uint32_t(&a)[4][32], int row, auto b) {
    int sum = 0;
    for (int k = 0; k < all; ++k) {
      const int t = k % band_side / 4, lane = row % 8 * 4 + t;
      sum += byte(a[row / 8 + k / band_side * 2][lane], k % 4) * b(k / band_side, t, k % 4);
    }
    return sum;
  };
  int across[all][band_side];  // [row][row of the product]
  for (int y = 0; y < all; ++y) {
    for (int row = 0; row < band_side; ++row) {
      across[y][row] = product(bands.across, row, [&](int half, int t, int e) {
        return sample[y][half * band_side + 4 * t + e];
      });
    }
  }
  int wrong = 0;
  for (int y = 0; y < band_side; ++y) {
    for (int row = 0; row < band_side; ++row) {
      const int made = product(bands.down, y, [&](int half, int t, int e) {
        return across[half * band_side + Bands::row_of_byte(t, e)][row];
      });
      int wanted = 0;
      const int x = Bands::column_of_row(row), r = taps.size / 2;
      for (int j = 0; j < taps.size; ++j)
        for (int i = 0; i < taps.size; ++i)
          wanted +=
              taps.taps[j] * taps.taps[i] * sample[y + band_reach + j - r][x + band_reach + i - r];
      wrong += made != wanted;
    }
  }
  EXPECT_EQ(wrong, 0) << taps.size << " taps";
}

TEST(TensorRows, TwoBandsMakeAGaussian) {
  verify::Random random(7);
  for (int32_t size = 1; size <= log::ByteTaps::max_size; size += 2) {
    log::ByteTaps taps;
    taps.size = size;
    for (int32_t i = 0; i < size; ++i) taps.taps[i] = uint8_t(random.below(256));
    expect_bands_make_sums(taps, random);
  }
}

TEST(TensorRows, TapsOfAGaussianOverWhatTheyShare) {
  const log::ByteTaps papers = log::byte_taps(log::window({}));
  EXPECT_EQ(papers.size, 5);
  EXPECT_EQ(papers.factor, 1);
  EXPECT_EQ(papers.most, 136);
  const log::ByteTaps bare = log::byte_taps(log::window({.sigma = 0}));
  EXPECT_EQ(bare.size, 1);
  EXPECT_EQ(bare.factor, 256);
  EXPECT_EQ(int(bare.taps[0]), 1);
  EXPECT_EQ(bare.most, 4);
  const log::ByteTaps binomial = log::byte_taps(log::window({.sigma = 0, .ksize = 5}));
  EXPECT_EQ(binomial.factor, 16);  // 1 4 6 4 1
  EXPECT_EQ(int(binomial.taps[2]), 6);
  EXPECT_EQ(log::byte_taps(log::window({.ksize = 15})).size, 15);
  EXPECT_EQ(log::byte_taps(log::window({.ksize = 17})).size, 0);
}

// Every sum that floats are given.
TEST(TensorRows, QuotientsInFloatsAreExact) {
  using namespace convolve_cuda;
  constexpr int most = TensorTaps::float_sums - 1;
  constexpr int max_twice = 81 * 128 * 255;  // of one plane of 9 x 9 taps
  for (const int64_t divisor : {1, 2, 3, 6, 9, 12, 25, 36, 256, 273, 819, 4094, 65536, 1000003,
                                2 * most, 2 * most + 2, 1 << 24}) {
    ConvolveArgs args;
    args.divisor = divisor;
    const convolution::Finish even(args);
    args.rounding = Rounding::half_up;
    const convolution::Finish up(args);
    const Divisors by(divisor);
    const bool no_ties = divisor % 2 == 1 || (divisor & (divisor - 1)) == 0;
    int64_t wrong = 0;
    for (int s = -most; s <= most; ++s) {
      const auto sum = float(s);
      const auto wanted = even.sample<int32_t>(int64_t(s));
      const bool small = std::abs(s) <= max_twice;
      wrong += small && int(by.twice()(sum)) - magic_bits != wanted;
      wrong += no_ties && int(by.once()(sum)) - magic_bits != wanted;
      if (s >= 0) {
        const auto above = up.sample<int32_t>(int64_t(s));
        wrong += small && int(by.twice_up()(sum)) - magic_bits != above;
        wrong += int(by.once_up()(sum)) - magic_bits != above;
      }
      wrong += by.exact()(sum) != even.sample<float>(int64_t(s));
    }
    EXPECT_EQ(wrong, 0) << "divided by " << divisor;
  }
}

// Around every kind of place where a quotient changes, over the whole range of sums.
TEST(TensorRows, QuotientsInWholeNumbersAreExact) {
  using namespace convolve_cuda;
  verify::Random random(11);
  int64_t wrong = 0, tried = 0;
  for (const int64_t divisor : {2, 3, 4, 6, 7, 16, 100, 256, 273, 4094, 65535, 65536, 1000003,
                                (1 << 24) - 1, 1 << 24, 300000000}) {
    for (const bool up : {false, true}) {
      ConvolveArgs args;
      args.divisor = divisor;
      args.rounding = up ? Rounding::half_up : Rounding::half_even;
      const convolution::Finish finish(args);
      const int64_t room = (int64_t(1) << 31) - 1 - 3 * divisor;
      for (const int64_t least : {int64_t(0), -divisor / 2, -divisor, -room / 2, -room}) {
        const Division divide(divisor, least, up);
        const int64_t most = room + least;
        const auto look = [&](int64_t sum) {
          if (sum < least || sum > most) return;
          ++tried;
          wrong += divide(uint32_t(sum + divide.start)) != finish.sample<int32_t>(sum);
        };
        for (const int64_t at : {least, int64_t(0), most})
          for (int64_t i = -40; i <= 40; ++i) look(at + i), look(at + i * divisor / 2);
        for (int i = 0; i < 2000; ++i) {
          const int64_t sum = least + int64_t(random.next() % uint64_t(room + 1));
          const int64_t tie = sum / divisor * divisor + divisor / 2;
          for (const int64_t s : {sum, tie - 1, tie, tie + 1}) look(s);
        }
      }
    }
  }
  EXPECT_GT(tried, 500000);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace cuesta
