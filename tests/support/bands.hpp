// Pictures worked on in bands by CannyBands and LabelBands, for tests that hold them against the
// whole.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "core/round_trip.hpp"
#include "cuesta/bands.hpp"

namespace cuesta::test {

/// Heights that bands of a picture take, drawn; some of one row.
inline std::vector<int32_t> drawn_cuts(int32_t height, std::mt19937& random) {
  const int32_t most = std::uniform_int_distribution(1, std::max(1, height))(random) + 7;
  std::vector<int32_t> cuts;
  for (int32_t y = 0; y < height;) {
    const int32_t rows = std::uniform_int_distribution(1, most)(random);
    y = std::min(height, y + rows);
    cuts.push_back(y);
  }
  return cuts;
}

/// Every band with `reach` rows around: visit(rows, mask, first, end).
template <class Visit>
void each_band(ConstAnyView src, ConstAnyView mask, const std::vector<int32_t>& cuts, int32_t reach,
               Visit&& visit) {
  int32_t begin = 0;
  for (const int32_t end : cuts) {
    const int32_t low = std::max(0, begin - reach), high = std::min(src.height, end + reach);
    const Rect part{0, low, src.width, high - low};
    visit(src.region(part), mask ? mask.region(part) : mask, begin - low, end - low);
    begin = end;
  }
}

/// Calls its last argument with rows and their mask, or with copies of them elsewhere.
using OnRows =
    std::function<void(ConstAnyView rows, ConstAnyView mask,
                       const std::function<void(ConstAnyView rows, ConstAnyView mask)>& call)>;
inline void where_they_are(ConstAnyView rows, ConstAnyView mask,
                           const std::function<void(ConstAnyView, ConstAnyView)>& call) {
  call(rows, mask);
}

/// Copies on a GPU.
inline OnRows on_gpu(RoundTrip& gpu) {
  return [&gpu](ConstAnyView rows, ConstAnyView mask,
                const std::function<void(ConstAnyView, ConstAnyView)>& call) {
    const std::array sources = {rows, mask};
    gpu.run(sources, {},
            [&](std::span<const ConstAnyView> copies, AnyView) { call(copies[0], copies[1]); });
  };
}

/// canny() of a host picture by CannyBands.
inline Image<uint8_t> canny_in_bands(ConstAnyView src, const CannyOptions& options,
                                     const std::vector<int32_t>& cuts, const Exec& exec,
                                     CannyResult& used, const OnRows& on_rows = where_they_are) {
  CannyBands bands(src.width, options);
  if (bands.wants_counts()) {
    each_band(src, options.mask, cuts, bands.reach(),
              [&](ConstAnyView rows, ConstAnyView mask, int32_t first, int32_t end) {
                on_rows(rows, mask, [&](ConstAnyView there, ConstAnyView its_mask) {
                  bands.count(there, first, end, exec, its_mask);
                });
              });
    bands.find_thresholds();
  }
  used = bands.thresholds();
  std::vector<uint64_t> marks;
  each_band(src, options.mask, cuts, bands.reach(),
            [&](ConstAnyView rows, ConstAnyView mask, int32_t first, int32_t end) {
              std::vector<uint64_t> some(size_t(bands.mark_words() * (end - first)), ~uint64_t(0));
              on_rows(rows, mask, [&](ConstAnyView there, ConstAnyView its_mask) {
                bands.mark(there, first, end, some.data(), exec, its_mask);
              });
              bands.add(some.data(), end - first, exec.threads);
              marks.insert(marks.end(), some.begin(), some.end());
            });
  bands.join();
  Image<uint8_t> edges(src.width, src.height);
  const int64_t words = bands.mark_words();
  for (size_t s = 0; s < bands.strips().size(); ++s) {
    const auto [first, end] = bands.strips()[s];
    std::vector<uint64_t> bits(size_t(words / 2 * (end - first)), 0);
    bands.resolve(int32_t(s), marks.data() + words * first, bits.data());
    for (int32_t y = first; y < end; ++y) {
      for (int32_t x = 0; x < src.width; ++x) {
        const uint64_t word = bits[size_t(words / 2 * (y - first) + x / 64)];
        edges.at(x, y) = (word >> (x % 64) & 1) ? 255 : 0;
      }
    }
  }
  return edges;
}

/// Pixels in which two masks differ.
inline int64_t differing(const Image<uint8_t>& a, const Image<uint8_t>& b) {
  int64_t n = 0;
  for (int32_t y = 0; y < a.height(); ++y)
    for (int32_t x = 0; x < a.width(); ++x) n += a.at(x, y) != b.at(x, y);
  return n;
}

/// Those that are 255.
inline int64_t lit(const Image<uint8_t>& edges) {
  int64_t n = 0;
  for (int32_t y = 0; y < edges.height(); ++y)
    n += std::count(edges.row(y), edges.row(y) + edges.width(), 255);
  return n;
}

/// Blotches, so that candidates make long lines.
template <class T>
Image<T> drawn_noise(int32_t width, int32_t height, int32_t channels, std::mt19937& random) {
  Image<T> picture(width, height, channels);
  std::uniform_int_distribution<int> level(0, sizeof(T) == 1 ? 255 : 65535);
  const int32_t cell = std::uniform_int_distribution(1, 9)(random);
  std::vector<int> levels(size_t(width / cell + 2) * size_t(height / cell + 2) * size_t(channels),
                          0);
  for (int& l : levels) l = level(random);
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      for (int32_t c = 0; c < channels; ++c) {
        const size_t at =
            (size_t(y / cell) * size_t(width / cell + 2) + size_t(x / cell)) * size_t(channels) +
            size_t(c);
        picture.at(x, y, c) = T(levels[at]);
      }
    }
  }
  return picture;
}

/// A picture of u8, u16 or f32, its mask, and options of canny().
struct DrawnCanny {
  AnyImage src;
  Image<uint8_t> mask;
  CannyOptions options;
};
inline DrawnCanny drawn_canny(int32_t max_width, int32_t max_height, std::mt19937& random) {
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution(low, high)(random);
  };
  const int32_t width = pick(1, max_width), height = pick(1, max_height);
  const int32_t channels = pick(0, 3) == 0 ? 3 : 1;
  DrawnCanny drawn;
  const bool deep = pick(0, 1) == 0;
  if (!deep)
    drawn.src = drawn_noise<uint8_t>(width, height, channels, random);
  else if (pick(0, 1))
    drawn.src = drawn_noise<uint16_t>(width, height, channels, random);
  else
    drawn.src = drawn_noise<float>(width, height, channels, random);
  CannyOptions& options = drawn.options;
  if (pick(0, 4)) options.sigma = std::array{0.0, 0.8, 3.0, 6.5}[size_t(pick(0, 3))];
  options.norm = pick(0, 1) ? Norm::l1 : Norm::l2;
  options.aperture = 3 + 2 * pick(0, 2);
  if (pick(0, 1)) options.color = ColorGradient::structure;
  const double top = (deep ? 257.0 : 1.0) * (options.aperture == 3 ? 300 : 3000);
  switch (pick(0, 3)) {
    case 0: options.thresholds = Given{top * pick(0, 9) / 10, top * pick(0, 9) / 10}; break;
    case 1: options.thresholds = Thresholds::automatic(AutoThreshold::otsu); break;
    case 2: options.thresholds = Thresholds::automatic(AutoThreshold::median); break;
    default: options.thresholds = Thresholds::automatic(AutoThreshold::percentile, pick(0, 100));
  }
  if (pick(0, 2) == 0) {
    drawn.mask = Image<uint8_t>(width, height);
    for (int32_t y = 0; y < height; ++y)
      for (int32_t x = 0; x < width; ++x) drawn.mask.at(x, y) = uint8_t(pick(0, 4) != 0);
    options.mask = drawn.mask;
  }
  return drawn;
}

/// Rows [begin, end) of a mask.
inline ConstAnyView rows_of(ConstAnyView mask, int32_t begin, int32_t end) {
  mask.data = static_cast<const char*>(mask.data) + ptrdiff_t(begin) * mask.stride_bytes;
  mask.height = end - begin;
  return mask;
}

}  // namespace cuesta::test
