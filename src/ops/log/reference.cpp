// Laplacian of Gaussian as the definition reads: one stencil over the extended picture, then a rule
// on its response. No cleverness.
#include "ops/log/reference.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "core/border_sample.hpp"

namespace cuesta {
namespace {

// The undivided response of row y, or zeros where there is no such row.
template <class T>
void response_row(const LogArgs& args, const log::Window& window, const int32_t* weights, int32_t y,
                  int64_t* out) {
  const auto src = args.src.as<T>();
  const Border& border = args.options.border;
  const int32_t n = window.size + 2, r = window.radius();
  const int64_t outside = border_sample<T>(border);
  for (int32_t x = 0; x < src.width; ++x) {
    out[x] = 0;
    if (y < 0 || y >= src.height) continue;
    if (border.mode == BorderMode::ignore &&
        (x < r || y < r || x + r >= src.width || y + r >= src.height)) {
      continue;
    }
    for (int32_t j = 0; j < n; ++j) {
      const int32_t sy = map_index(border.mode, y + j - r, src.height);
      for (int32_t i = 0; i < n; ++i) {
        const int32_t sx = map_index(border.mode, x + i - r, src.width);
        out[x] += weights[j * n + i] * (sx < 0 || sy < 0 ? outside : int64_t(src.at(sx, sy)));
      }
    }
  }
}

}  // namespace

void log_weights(const log::Window& window, int32_t* weights) {
  const int32_t n = window.size + 2;
  const auto gaussian = [&](int32_t x, int32_t y) {
    const bool inside = x >= 0 && y >= 0 && x < window.size && y < window.size;
    return inside ? window.taps[x] * window.taps[y] : 0;
  };
  for (int32_t j = 0; j < n; ++j) {
    for (int32_t i = 0; i < n; ++i) {
      const int32_t x = i - 1, y = j - 1;
      weights[j * n + i] = gaussian(x - 1, y) + gaussian(x + 1, y) + gaussian(x, y - 1) +
                           gaussian(x, y + 1) - 4 * gaussian(x, y);
    }
  }
}

size_t log_reference_samples(const LogArgs& args) { return 3 * (size_t(args.src.width) + 2); }

void log_reference_rows(const LogArgs& args, const log::Window& window, const int32_t* weights,
                        int64_t* scratch, int32_t first, int32_t end) {
  const int32_t width = args.src.width;
  // Responses of three rows; a 0 on either side stands for what is outside the picture.
  const ptrdiff_t stride = ptrdiff_t(width) + 2;
  std::fill_n(scratch, 3 * stride, int64_t(0));
  int64_t *upper = scratch + 1, *centre = upper + stride, *lower = centre + stride;
  const auto make = [&](int32_t y, int64_t* out) {
    args.src.type == PixelType::u8 ? response_row<uint8_t>(args, window, weights, y, out)
                                   : response_row<uint16_t>(args, window, weights, y, out);
  };
  const bool crossings =
      args.dst.type == PixelType::u8 && args.options.mode == LogMode::zero_crossings;
  if (crossings) {
    make(first - 1, upper);
    make(first, centre);
  }
  for (int32_t y = first; y < end; ++y) {
    make(crossings ? y + 1 : y, crossings ? lower : centre);
    for (int32_t x = 0; x < width; ++x) {
      const int64_t v = centre[x];
      if (args.dst.type == PixelType::s32) {
        args.dst.as<int32_t>().at(x, y) = int32_t(std::clamp<int64_t>(
            v, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
        continue;
      }
      const bool edge = crossings ? log::is_zero_crossing(v, centre[x - 1], centre[x + 1], upper[x],
                                                          lower[x], window.threshold)
                                  : std::abs(v) > window.threshold;
      args.dst.as<uint8_t>().at(x, y) = edge ? 255 : 0;
    }
    if (crossings) {
      std::swap(upper, centre);
      std::swap(centre, lower);
    }
  }
}

void log_serial(const LogArgs& args, Call& call) {
  const log::Window window = log::window(args.options);
  auto* weights = call.scratch().take<int32_t>(size_t(window.size + 2) * size_t(window.size + 2));
  auto* scratch = call.scratch().take<int64_t>(log_reference_samples(args));
  log_weights(window, weights);
  log_reference_rows(args, window, weights, scratch, 0, args.src.height);
}

}  // namespace cuesta
