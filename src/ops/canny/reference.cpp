// Canny as the definition reads: smoothing, gradient, magnitude, suppression, thresholds,
// hysteresis, a whole picture between any two. No cleverness.
#include "ops/canny/reference.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/gradient.hpp"
#include "cuesta/filter.hpp"
#include "ops/canny/suppression.hpp"

namespace cuesta {
namespace {

// round(g / 16), half to even.
int32_t sixteenth(int32_t g) {
  const int32_t down = g >> 4, rest = g & 15;
  return down + (rest > 8 || (rest == 8 && (down & 1)));
}

template <class T>
void clear_ring(ImageView<T> picture) {
  const int32_t right = picture.width - 1, bottom = picture.height - 1;
  std::fill_n(picture.row(0), picture.width, T(0));
  std::fill_n(picture.row(bottom), picture.width, T(0));
  for (int32_t y = 0; y <= bottom; ++y) picture.at(0, y) = picture.at(right, y) = T(0);
}

// Every candidate that 8-way neighbours connect to a strong pixel becomes strong.
void hysteresis(ImageView<uint8_t> marks, Scratch& scratch) {
  const int32_t width = marks.width - 2, height = marks.height - 2;
  const auto pixels = size_t(width) * size_t(height);
  uint8_t** stack = scratch.take<uint8_t*>(pixels);  // every pixel is pushed at most once
  size_t top = 0;
  for (int32_t y = 1; y <= height; ++y) {
    for (int32_t x = 1; x <= width; ++x) {
      if (marks.at(x, y) == CannyStages::strong) stack[top++] = &marks.at(x, y);
    }
  }
  const ptrdiff_t down = marks.stride_bytes;
  while (top > 0) {
    uint8_t* mark = stack[--top];
    for (const ptrdiff_t neighbour :
         {-down - 1, -down, -down + 1, ptrdiff_t(-1), ptrdiff_t(1), down - 1, down, down + 1}) {
      if (mark[neighbour] != CannyStages::candidate) continue;
      mark[neighbour] = CannyStages::strong;
      stack[top++] = mark + neighbour;
    }
  }
}

}  // namespace

CannyStages canny_stages(const CannyArgs& args, Scratch& scratch) {
  const int32_t width = args.src.width, height = args.src.height;
  CannyStages stages;
  stages.gx = scratch.image<int32_t>(width, height);
  stages.gy = scratch.image<int32_t>(width, height);
  stages.magnitude = scratch.image<int64_t>(width + 2, height + 2);
  stages.marks = scratch.image<uint8_t>(width + 2, height + 2);
  clear_ring(stages.magnitude);
  clear_ring(stages.marks);
  return stages;
}

void canny_gradients(const CannyArgs& args, CannyStages& stages, Call& call, std::string_view name,
                     int threads) {
  Exec exec = call.nested();
  exec.strategy = name;
  exec.threads = threads;
  const CannyOptions& options = args.options;
  stages.smoothed = args.src;
  if (options.sigma > 0) {
    call.stage("gaussian");
    AnyView smoothed;
    if (args.src.type == PixelType::u8)
      smoothed = call.scratch().image<uint8_t>(args.src.width, args.src.height);
    else
      smoothed = call.scratch().image<uint16_t>(args.src.width, args.src.height);
    gaussian(args.src, smoothed, {.sigma = options.sigma, .ksize = options.ksize}, exec);
    stages.smoothed = smoothed;
  }
  call.stage("sobel");
  sobel(stages.smoothed, {.gx = stages.gx, .gy = stages.gy},
        {.aperture = options.aperture, .border = {BorderMode::replicate}}, exec);
}

void canny_magnitude_rows(const CannyArgs& args, const CannyStages& stages, int32_t first,
                          int32_t end) {
  const auto mask = args.options.mask.as<uint8_t>();
  for (int32_t y = first; y < end; ++y) {
    for (int32_t x = 0; x < args.src.width; ++x) {
      int32_t &gx = stages.gx.at(x, y), &gy = stages.gy.at(x, y);
      if (args.options.aperture == 7) {
        gx = sixteenth(gx);
        gy = sixteenth(gy);
      }
      int64_t magnitude = args.options.norm == Norm::l1 ? int64_t(std::abs(gx)) + std::abs(gy)
                                                        : int64_t(gx) * gx + int64_t(gy) * gy;
      if (args.options.mask && mask.at(x, y) == 0) magnitude = 0;
      stages.magnitude.at(x + 1, y + 1) = magnitude;
    }
  }
}

void canny_histogram_rows(const CannyArgs& args, const CannyStages& stages, int32_t first,
                          int32_t end, std::span<uint64_t> bins) {
  const auto mask = args.options.mask.as<uint8_t>();
  for (int32_t y = first; y < end; ++y) {
    for (int32_t x = 0; x < args.src.width; ++x) {
      if (args.options.mask && mask.at(x, y) == 0) continue;
      int64_t m = stages.magnitude.at(x + 1, y + 1);
      if (args.options.norm == Norm::l2) m = gradient::floor_sqrt(m);
      ++bins[size_t(std::min<int64_t>(m, canny_bins - 1))];
    }
  }
}

void canny_suppress_rows(const CannyStages& stages, int32_t first, int32_t end) {
  const auto magnitude = stages.magnitude;
  for (int32_t y = first; y < end; ++y) {
    for (int32_t x = 0; x < stages.gx.width; ++x) {
      const auto at = [&](int32_t dx, int32_t dy) { return magnitude.at(x + 1 + dx, y + 1 + dy); };
      const uint8_t octant = gradient::octant<int64_t>(stages.gx.at(x, y), stages.gy.at(x, y));
      stages.marks.at(x + 1, y + 1) =
          canny_is_maximum(octant, at) ? CannyStages::candidate : CannyStages::none;
    }
  }
}

void canny_threshold_rows(const CannyStages& stages, const CannyLimits& limits, int32_t first,
                          int32_t end) {
  for (int32_t y = first; y < end; ++y) {
    for (int32_t x = 0; x < stages.gx.width; ++x) {
      auto& mark = stages.marks.at(x + 1, y + 1);
      if (mark == CannyStages::none) continue;
      const int64_t m = stages.magnitude.at(x + 1, y + 1);
      mark = m > limits.high  ? CannyStages::strong
             : m > limits.low ? CannyStages::candidate
                              : CannyStages::none;
    }
  }
}

void canny_serial(const CannyArgs& args, Call& call) {
  const int32_t width = args.src.width, height = args.src.height;
  CannyStages stages = canny_stages(args, call.scratch());
  canny_gradients(args, stages, call, "serial", 1);
  call.stage("magnitude");
  canny_magnitude_rows(args, stages, 0, height);
  call.stage("suppression");
  canny_suppress_rows(stages, 0, height);

  call.stage("threshold");
  if (args.options.thresholds.is_automatic()) {
    const std::span<uint64_t> bins(call.scratch().take<uint64_t>(canny_bins), canny_bins);
    std::fill(bins.begin(), bins.end(), 0);
    canny_histogram_rows(args, stages, 0, height, bins);
    *args.result = canny_automatic(args.options, bins);
  } else {
    *args.result = canny_given(args.options);
  }

  canny_threshold_rows(stages, canny_limits(args, *args.result), 0, height);
  call.stage("hysteresis");
  hysteresis(stages.marks, call.scratch());
  const auto dst = args.dst.as<uint8_t>();
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x)
      dst.at(x, y) = stages.marks.at(x + 1, y + 1) == CannyStages::strong ? 255 : 0;
  }
}

}  // namespace cuesta
