#include "cli/tune/stages.hpp"

#include <algorithm>
#include <cmath>

#include "cli/samples.hpp"
#include "core/fill.hpp"
#include "cuesta/filter.hpp"
#include "cuesta/objects.hpp"

namespace cuesta::cli::tune {
namespace {

constexpr size_t bin_count = 256;

// f32 magnitudes, in the units of canny's or sobel's thresholds on this picture.
Image<float> magnitude_of(const EdgesOptions& options, ConstAnyView gray, AnyImage& smooth,
                          const Exec& exec) {
  SobelOptions sobel_options;
  GaussianOptions smoothing;
  if (options.method == "canny") {
    CannyOptions canny;
    options.described.read(canny);
    sobel_options = {canny.aperture, canny.norm, Border{BorderMode::replicate}};
    if (canny.sigma > 0) smoothing = {canny.sigma, canny.ksize};
  } else {
    SmoothingOptions before;
    options.described.read(sobel_options);
    options.described.read(before);
    smoothing = {before.sigma, before.ksize, sobel_options.border};
  }
  if (smoothing.sigma > 0 || smoothing.ksize > 0) {
    smooth.create(gray.size(), 1, gray.type);
    gaussian(gray, smooth.view(), smoothing, exec);
    gray = smooth;
  }
  AnyImage floats;
  Image<float> magnitude(gray.size());
  sobel(converted(gray, PixelType::f32, floats), {.magnitude = magnitude}, sobel_options, exec);
  return magnitude;
}

LogOptions log_of(const EdgesOptions& options) {
  LogOptions log = edges_log_defaults();
  options.described.read(log);
  return log;
}

// L in gray levels.
Image<float> response_of(const EdgesOptions& options, ConstAnyView gray, const Exec& exec) {
  const LogOptions log = log_of(options);
  Image<int32_t> undivided(gray.size());
  log_edges(gray, undivided, log, exec);
  const double scale = log.sigma == 1.4 && log.ksize == 0 ? 289 : 65536;
  Image<float> out(gray.size());
  for (int32_t y = 0; y < out.height(); ++y) {
    std::transform(undivided.row(y), undivided.row(y) + out.width(), out.row(y),
                   [&](int32_t value) { return float(value / scale); });
  }
  return out;
}

Image<uint8_t> shown(const Image<float>& plane, auto to_byte) {
  Image<uint8_t> out(plane.size());
  for (int32_t y = 0; y < out.height(); ++y)
    std::transform(plane.row(y), plane.row(y) + out.width(), out.row(y), [&](float value) {
      return uint8_t(std::clamp(double(to_byte(value)), 0.0, 255.0));
    });
  return out;
}

// The largest of all but one sample in 500.
double most_of(const Image<float>& plane) {
  std::vector<float> some;
  const int64_t count = int64_t(plane.width()) * plane.height();
  const int64_t step = std::max<int64_t>(1, count / 100003);
  for (int64_t i = 0; i < count; i += step)
    some.push_back(std::abs(plane.at(int32_t(i % plane.width()), int32_t(i / plane.width()))));
  const size_t at = some.size() - 1 - some.size() / 500;
  std::nth_element(some.begin(), some.begin() + ptrdiff_t(at), some.end());
  return std::max(1.0, double(some[at]));
}

Image<uint8_t> as_bytes(ConstAnyView plane) {
  AnyImage holder;
  Image<uint8_t> out(plane.size());
  copy(converted(plane, PixelType::u8, holder), out);
  return out;
}

// canny() of the same gradients with other thresholds.
Image<uint8_t> canny_with(const EdgesOptions& options, ConstAnyView gray, Thresholds thresholds,
                          const Exec& exec) {
  CannyOptions canny_options;
  options.described.read(canny_options);
  canny_options.thresholds = thresholds;
  Image<uint8_t> out(gray.size());
  canny(gray, out, canny_options, exec);
  return out;
}

Thresholds thresholds_of(const EdgesOptions& options, double scale) {
  if (!options.low.empty()) {
    return Thresholds::given(parse_number("--low", options.low) * scale,
                             parse_number("--high", options.high) * scale);
  }
  const ThresholdSpec spec =
      options.threshold.empty() ? ThresholdSpec{} : parse_threshold(options.threshold);
  return spec.value ? Thresholds::given(*spec.value / 2 * scale, *spec.value * scale)
                    : Thresholds::automatic(spec.rule, spec.percent);
}

// What is an edge, white; what is above the low threshold and not joined to one, gray.
Image<uint8_t> hysteresis(const EdgesOptions& options, ConstAnyView gray, double scale,
                          const Exec& exec) {
  CannyOptions canny_options;
  options.described.read(canny_options);
  canny_options.thresholds = thresholds_of(options, scale);
  Image<uint8_t> edges(gray.size());
  const CannyResult used = canny(gray, edges, canny_options, exec);
  const auto [low, high] = std::minmax(used.low, used.high);
  const auto candidates = canny_with(options, gray, Thresholds::given(low, low), exec);
  const auto strong = canny_with(options, gray, Thresholds::given(high, high), exec);
  for (int32_t y = 0; y < edges.height(); ++y)
    for (int32_t x = 0; x < edges.width(); ++x) {
      uint8_t& out = edges.at(x, y);
      if (strong.at(x, y))
        out = 255;
      else if (out)
        out = 170;
      else if (candidates.at(x, y))
        out = 80;
    }
  return edges;
}

}  // namespace

std::vector<StageName> stages_of(const std::string& method) {
  std::vector<StageName> all = {{"gray", "what the method looks at"}};
  const auto add = [&](const char* name, const char* words) { all.push_back({name, words}); };
  if (method == "canny" || method == "sobel") {
    add("smoothed", "after the Gaussian");
    add("magnitude", "the gradient's strength; white is the strongest but for one pixel in 500");
  }
  if (method == "canny") {
    add("suppressed", "magnitudes that are the largest across their edge");
    add("hysteresis",
        "white: above the high threshold; light: joined to such; dark: above the low one, dropped");
  }
  if (method == "log") add("response", "L: mid-gray is 0");
  return all;
}

Image<uint8_t> stage_picture(const EdgesOptions& options, const std::string& name,
                             ConstAnyView gray, double scale, int threads) {
  const Exec exec{.threads = threads};
  const auto known = stages_of(options.method);
  if (std::ranges::find(known, name, &StageName::name) == known.end())
    usage_error(name, "tune: {} has no stage {}", options.method, name);
  if (name == "gray") return as_bytes(gray);
  if (name == "hysteresis") return hysteresis(options, gray, scale, exec);
  if (name == "response") {
    const auto response = response_of(options, gray, exec);
    const double most = most_of(response);
    return shown(response, [&](float value) { return 128 + 127 * value / most; });
  }
  AnyImage smooth;
  const auto magnitude = magnitude_of(options, gray, smooth, exec);
  if (name == "smoothed") return as_bytes(smooth.empty() ? gray : smooth.view());
  const double most = most_of(magnitude);
  auto out = shown(magnitude, [&](float value) { return 255 * value / most; });
  if (name == "magnitude") return out;
  const auto maxima = canny_with(options, gray, Thresholds::given(0, 0), exec);
  for (int32_t y = 0; y < out.height(); ++y)
    for (int32_t x = 0; x < out.width(); ++x)
      if (!maxima.at(x, y)) out.at(x, y) = 0;
  return out;
}

Strengths strengths_of(const EdgesOptions& options, ConstAnyView gray, double scale, int threads) {
  const Exec exec{.threads = threads};
  Strengths out;
  Image<float> plane;
  AnyImage smooth;
  bool crossings = false;
  if (options.method == "log") {
    plane = response_of(options, gray, exec);
    crossings = log_of(options).mode == LogMode::zero_crossings;
    out.what = crossings ? "step of L across each crossing" : "|L|";
  } else if (options.method == "canny" || options.method == "sobel") {
    plane = magnitude_of(options, gray, smooth, exec);
    out.what = "gradient magnitude";
  } else {
    return out;
  }
  out.bins.assign(bin_count, 0);
  const double most = most_of(plane) * (crossings ? 2 : 1);
  out.most = most / scale;
  const auto count = [&](float strength) {
    if (strength > 0)
      ++out.bins[std::min(bin_count - 1, size_t(double(strength) / most * double(bin_count)))];
  };
  for (int32_t y = 0; y < plane.height(); ++y) {
    const float* const row = plane.row(y);
    const float* const below = y + 1 < plane.height() ? plane.row(y + 1) : nullptr;
    for (int32_t x = 0; x < plane.width(); ++x) {
      if (!crossings) {
        count(std::abs(row[x]));
        continue;
      }
      if (x + 1 < plane.width() && row[x] * row[x + 1] < 0) count(std::abs(row[x] - row[x + 1]));
      if (below && row[x] * below[x] < 0) count(std::abs(row[x] - below[x]));
    }
  }
  return out;
}

}  // namespace cuesta::cli::tune
