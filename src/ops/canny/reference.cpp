// Canny as the definition reads: smoothing, gradient, magnitude, suppression, thresholds,
// hysteresis, a whole picture between any two. No cleverness.
#include "ops/canny/reference.hpp"

#include <algorithm>
#include <cstdlib>

#include "cuesta/filter.hpp"
#include "ops/canny/strength.hpp"
#include "ops/canny/suppression.hpp"

namespace cuesta {
namespace {

// round(g / 16), half to even. Floats have no need to become smaller.
int32_t sixteenth(int32_t g) {
  const int32_t down = g >> 4, rest = g & 15;
  return down + (rest > 8 || (rest == 8 && (down & 1)));
}
float sixteenth(float g) { return g; }

template <class T>
void clear_ring(ImageView<T> picture) {
  const int32_t right = picture.width - 1, bottom = picture.height - 1;
  std::fill_n(picture.row(0), picture.width, T(0));
  std::fill_n(picture.row(bottom), picture.width, T(0));
  for (int32_t y = 0; y <= bottom; ++y) picture.at(0, y) = picture.at(right, y) = T(0);
}

AnyView scratch_like(ConstAnyView src, int32_t channels, Scratch& scratch) {
  switch (src.type) {
    case PixelType::u8: return scratch.image<uint8_t>(src.width, src.height, channels);
    case PixelType::u16: return scratch.image<uint16_t>(src.width, src.height, channels);
    default: return scratch.image<float>(src.width, src.height, channels);
  }
}

void take_channel(ConstAnyView src, int32_t channel, AnyView plane) {
  const auto take = [&](auto from, auto to) {
    for (int32_t y = 0; y < src.height; ++y) {
      for (int32_t x = 0; x < src.width; ++x) to.at(x, y) = from.row(y)[x * src.channels + channel];
    }
  };
  switch (src.type) {
    case PixelType::u8: return take(src.as<uint8_t>(), plane.as<uint8_t>());
    case PixelType::u16: return take(src.as<uint16_t>(), plane.as<uint16_t>());
    default: return take(src.as<float>(), plane.as<float>());
  }
}

// Gradients that were given, each channel's as a picture.
template <class From, class G>
void take_gradients(const CannyArgs& args, CannyStagesOf<G>& stages) {
  const auto gx = args.src.as<From>(), gy = args.gy.as<From>();
  for (int32_t c = 0; c < args.src.channels; ++c) {
    for (int32_t y = 0; y < args.src.height; ++y) {
      for (int32_t x = 0; x < args.src.width; ++x) {
        stages.gx[c].at(x, y) = gx.at(x, y, c);
        stages.gy[c].at(x, y) = gy.at(x, y, c);
      }
    }
  }
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

template <class G>
CannyStagesOf<G> canny_stages(const CannyArgs& args, Scratch& scratch) {
  const int32_t width = args.src.width, height = args.src.height;
  CannyStagesOf<G> stages;
  using Magnitude = typename CannyStagesOf<G>::Magnitude;
  for (int32_t c = 0; c < args.src.channels; ++c) {
    stages.gx[c] = scratch.image<G>(width, height);
    stages.gy[c] = scratch.image<G>(width, height);
  }
  stages.magnitude = scratch.image<Magnitude>(width + 2, height + 2);
  stages.marks = scratch.image<uint8_t>(width + 2, height + 2);
  clear_ring(stages.magnitude);
  clear_ring(stages.marks);
  stages.by_length = canny_thins_by_length(args);
  return stages;
}

template <class G>
void canny_gradients(const CannyArgs& args, CannyStagesOf<G>& stages, Call& call,
                     std::string_view name, int threads) {
  if (args.gy)
    return take_gradients<std::conditional_t<std::is_same_v<G, float>, float, int16_t>>(args,
                                                                                        stages);
  Exec exec = call.nested();
  exec.strategy = name;
  exec.threads = threads;
  const CannyOptions& options = args.options;
  const int32_t channels = args.src.channels;
  ConstAnyView smoothed = args.src;
  if (options.sigma > 0) {
    call.stage("gaussian");
    const AnyView made = scratch_like(args.src, channels, call.scratch());
    gaussian(args.src, made, {.sigma = *options.sigma, .ksize = options.ksize}, exec);
    smoothed = made;
  }
  call.stage("sobel");
  const AnyView plane = channels > 1 ? scratch_like(args.src, 1, call.scratch()) : AnyView();
  for (int32_t c = 0; c < channels; ++c) {
    if (plane) take_channel(smoothed, c, plane);
    sobel(plane ? ConstAnyView(plane) : smoothed, {.gx = stages.gx[c], .gy = stages.gy[c]},
          {.aperture = options.aperture, .border = {BorderMode::replicate}}, exec);
  }
}

template <class G>
void canny_magnitude_rows(const CannyArgs& args, const CannyStagesOf<G>& stages, int32_t first,
                          int32_t end) {
  const auto mask = args.options.mask.as<uint8_t>();
  const bool scaled = args.options.aperture == 7;
  const Norm norm = stages.by_length ? Norm::l2 : args.options.norm;
  for (int32_t y = first; y < end; ++y) {
    for (int32_t x = 0; x < args.src.width; ++x) {
      canny_channels::Gradient<G> of[3];
      for (int32_t c = 0; c < args.src.channels; ++c) {
        const G gx = stages.gx[c].at(x, y), gy = stages.gy[c].at(x, y);
        of[c] = {scaled ? sixteenth(gx) : gx, scaled ? sixteenth(gy) : gy};
      }
      auto found = canny_channels::measure(of, args.src.channels, norm, args.options.color);
      if (args.options.mask && mask.at(x, y) == 0) found.magnitude = 0;
      stages.gx[0].at(x, y) = found.gradient.x;
      stages.gy[0].at(x, y) = found.gradient.y;
      stages.magnitude.at(x + 1, y + 1) = found.magnitude;
    }
  }
}

template <class G>
void canny_histogram_rows(const CannyArgs& args, const CannyStagesOf<G>& stages, int32_t first,
                          int32_t end, std::span<uint64_t> bins) {
  const auto mask = args.options.mask.as<uint8_t>();
  for (int32_t y = first; y < end; ++y) {
    for (int32_t x = 0; x < args.src.width; ++x) {
      if (args.options.mask && mask.at(x, y) == 0) continue;
      const int32_t bin = canny_bin(stages.size(x, y), args.options.norm);
      if (bin >= 0) ++bins[size_t(bin)];
    }
  }
}

template <class G>
void canny_suppress_rows(const CannyStagesOf<G>& stages, int32_t first, int32_t end) {
  const auto magnitude = stages.magnitude;
  for (int32_t y = first; y < end; ++y) {
    for (int32_t x = 0; x < stages.gx[0].width; ++x) {
      const auto at = [&](int32_t dx, int32_t dy) { return magnitude.at(x + 1 + dx, y + 1 + dy); };
      const uint8_t octant = canny_octant(stages.gx[0].at(x, y), stages.gy[0].at(x, y));
      stages.marks.at(x + 1, y + 1) =
          canny_is_maximum(octant, at) ? CannyStages::candidate : CannyStages::none;
    }
  }
}

template <class G>
void canny_threshold_rows(const CannyStagesOf<G>& stages,
                          const BasicCannyLimits<canny_channels::Magnitude<G>>& limits,
                          int32_t first, int32_t end) {
  for (int32_t y = first; y < end; ++y) {
    for (int32_t x = 0; x < stages.gx[0].width; ++x) {
      auto& mark = stages.marks.at(x + 1, y + 1);
      if (mark == CannyStages::none) continue;
      const auto m = stages.size(x, y);
      mark = m > limits.high  ? CannyStages::strong
             : m > limits.low ? CannyStages::candidate
                              : CannyStages::none;
    }
  }
}

template <class G>
void canny_strength_rows(const CannyArgs& args, const CannyStagesOf<G>& stages, int32_t first,
                         int32_t end) {
  const bool divided = args.options.aperture == 7;
  const auto fill = [&](auto dst) {
    for (int32_t y = first; y < end; ++y) {
      for (int32_t x = 0; x < args.src.width; ++x) {
        const bool is_maximum = stages.marks.at(x + 1, y + 1) != CannyStages::none;
        const auto strength = canny_strength(stages.size(x, y), args.options.norm, divided);
        dst.at(x, y) = std::remove_reference_t<decltype(dst.at(0, 0))>(is_maximum ? strength : 0);
      }
    }
  };
  args.dst.type == PixelType::u16 ? fill(args.dst.as<uint16_t>()) : fill(args.dst.as<float>());
}

template <class G>
void canny_fill_band(const CannyArgs& args, const CannyStagesOf<G>& stages) {
  const CannyBand& band = *args.band;
  if (const CannyBandBins* sums = band.bins()) {
    return canny_histogram_rows(args, stages, band.first, band.end,
                                {sums->counts, size_t(canny_bins)});
  }
  *args.result = canny_given(args.options);
  using Magnitude = typename CannyStagesOf<G>::Magnitude;
  canny_threshold_rows(stages, canny_limits_in<Magnitude>(args, *args.result), band.first,
                       band.end);
  const int32_t words = canny_words(args.src.width);
  uint64_t* row = band.marks()->words;
  for (int32_t y = band.first; y < band.end; ++y, row += 2 * ptrdiff_t(words)) {
    std::fill_n(row, 2 * words, uint64_t(0));
    for (int32_t x = 0; x < args.src.width; ++x) {
      const uint8_t mark = stages.marks.at(x + 1, y + 1);
      row[x / 64] |= uint64_t(mark != CannyStages::none) << (x % 64);
      row[words + x / 64] |= uint64_t(mark == CannyStages::strong) << (x % 64);
    }
  }
}

namespace {

template <class G>
void run(const CannyArgs& args, Call& call) {
  const int32_t width = args.src.width, height = args.src.height;
  CannyStagesOf<G> stages = canny_stages<G>(args, call.scratch());
  canny_gradients(args, stages, call, "serial", 1);
  call.stage("magnitude");
  canny_magnitude_rows(args, stages, 0, height);
  call.stage("suppression");
  canny_suppress_rows(stages, 0, height);
  if (args.band) return canny_fill_band(args, stages);
  if (args.makes_strengths()) return canny_strength_rows(args, stages, 0, height);

  call.stage("threshold");
  if (args.options.thresholds.is_automatic()) {
    const std::span<uint64_t> bins(call.scratch().take<uint64_t>(canny_bins), canny_bins);
    std::fill(bins.begin(), bins.end(), 0);
    canny_histogram_rows(args, stages, 0, height, bins);
    *args.result = canny_automatic(args.options, args.src.type, bins);
  } else {
    *args.result = canny_given(args.options);
  }

  using Magnitude = typename CannyStagesOf<G>::Magnitude;
  canny_threshold_rows(stages, canny_limits_in<Magnitude>(args, *args.result), 0, height);
  call.stage("hysteresis");
  hysteresis(stages.marks, call.scratch());
  const auto dst = args.dst.as<uint8_t>();
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x)
      dst.at(x, y) = stages.marks.at(x + 1, y + 1) == CannyStages::strong ? 255 : 0;
  }
}

}  // namespace

void canny_serial(const CannyArgs& args, Call& call) {
  canny_has_floats(args) ? run<float>(args, call) : run<int32_t>(args, call);
}

// NOLINTBEGIN(bugprone-macro-parentheses): G is a type
#define CUESTA_CANNY_STAGES(G)                                                                     \
  template CannyStagesOf<G> canny_stages<G>(const CannyArgs&, Scratch&);                           \
  template void canny_gradients(const CannyArgs&, CannyStagesOf<G>&, Call&, std::string_view,      \
                                int);                                                              \
  template void canny_magnitude_rows(const CannyArgs&, const CannyStagesOf<G>&, int32_t, int32_t); \
  template void canny_histogram_rows(const CannyArgs&, const CannyStagesOf<G>&, int32_t, int32_t,  \
                                     std::span<uint64_t>);                                         \
  template void canny_suppress_rows(const CannyStagesOf<G>&, int32_t, int32_t);                    \
  template void canny_threshold_rows(const CannyStagesOf<G>&,                                      \
                                     const BasicCannyLimits<canny_channels::Magnitude<G>>&,        \
                                     int32_t, int32_t);                                            \
  template void canny_strength_rows(const CannyArgs&, const CannyStagesOf<G>&, int32_t, int32_t);  \
  template void canny_fill_band(const CannyArgs&, const CannyStagesOf<G>&);
// NOLINTEND(bugprone-macro-parentheses)
CUESTA_CANNY_STAGES(int32_t)
CUESTA_CANNY_STAGES(float)

}  // namespace cuesta
