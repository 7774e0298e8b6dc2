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

// One channel of `source`.
ConstAnyView channel_of(ConstAnyView source, int32_t channel, AnyImage& holder) {
  if (source.channels == 1) return source;
  const AnyView out = holder.create(source.size(), 1, source.type);
  const auto pick = [&](auto from, auto to) {
    for (int32_t y = 0; y < from.height; ++y)
      for (int32_t x = 0; x < from.width; ++x) to.at(x, y) = from.at(x, y, channel);
  };
  if (source.type == PixelType::u16)
    pick(source.as<uint16_t>(), out.as<uint16_t>());
  else
    pick(source.as<uint8_t>(), out.as<uint8_t>());
  return out;
}

// How canny or sobel look at a picture.
struct Gradient {
  SobelOptions sobel{};
  GaussianOptions smoothing{};
  bool is_structure = false;  // Di Zenzo's, of several channels

  explicit Gradient(const EdgesOptions& options) {
    if (options.method == "canny") {
      const CannyOptions canny = canny_of(options);
      sobel = {canny.aperture, canny.norm, Border{BorderMode::replicate}};
      if (canny.sigma > 0) smoothing = {canny.sigma, canny.ksize};
      is_structure = options.takes_color() && canny.color == ColorGradient::structure;
    } else {
      SmoothingOptions before;
      options.described.read(sobel);
      options.described.read(before);
      smoothing = {before.sigma, before.ksize, sobel.border};
    }
  }

  ConstAnyView smoothed(ConstAnyView source, AnyImage& holder, const Exec& exec) const {
    if (smoothing.sigma <= 0 && smoothing.ksize <= 0) return source;
    holder.create(source.size(), source.channels, source.type);
    gaussian(source, holder.view(), smoothing, exec);
    return holder;
  }

  // f32, in the units of the thresholds, as src/ops/canny/README.md makes one of three.
  Image<float> magnitude(ConstAnyView smooth, const Exec& exec) const {
    Image<float> out(smooth.size());
    AnyImage channel, floats;
    if (smooth.channels == 1) {
      cuesta::sobel(converted(smooth, PixelType::f32, floats), {.magnitude = out}, sobel, exec);
      return out;
    }
    Image<float> one(out.size());
    Image<float> gx(out.size()), gy(out.size()), xx(out.size()), yy(out.size()), xy(out.size());
    for (auto* plane : {&out, &xx, &yy, &xy}) fill(plane->view(), 0.0f);
    for (int32_t c = 0; c < smooth.channels; ++c) {
      cuesta::sobel(converted(channel_of(smooth, c, channel), PixelType::f32, floats),
                    {.gx = gx, .gy = gy, .magnitude = one}, sobel, exec);
      for (int32_t y = 0; y < out.height(); ++y) {
        for (int32_t x = 0; x < out.width(); ++x) {
          out.at(x, y) = std::max(out.at(x, y), one.at(x, y));
          xx.at(x, y) += gx.at(x, y) * gx.at(x, y);
          yy.at(x, y) += gy.at(x, y) * gy.at(x, y);
          xy.at(x, y) += gx.at(x, y) * gy.at(x, y);
        }
      }
    }
    if (!is_structure) return out;
    for (int32_t y = 0; y < out.height(); ++y) {
      for (int32_t x = 0; x < out.width(); ++x) {
        const float a = xx.at(x, y), b = yy.at(x, y), ab = 2 * xy.at(x, y);
        out.at(x, y) = std::sqrt((a + b + std::hypot(a - b, ab)) / 2);
      }
    }
    return out;
  }
};

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

AnyImage as_bytes(ConstAnyView picture) {
  AnyImage holder, out(picture.size(), picture.channels, PixelType::u8);
  copy(converted(picture, PixelType::u8, holder), out);
  return out;
}

// canny() of the same gradients with other thresholds.
Image<uint8_t> canny_with(const EdgesOptions& options, ConstAnyView gray, Thresholds thresholds,
                          const Exec& exec) {
  CannyOptions canny_options = canny_of(options);
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
  CannyOptions canny_options = canny_of(options);
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
  std::vector<StageName> all = {{"input", "what the method looks at"}};
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

AnyImage stage_picture(const EdgesOptions& options, const std::string& name, ConstAnyView source,
                       double scale, int threads) {
  const Exec exec{.threads = threads};
  const auto known = stages_of(options.method);
  if (std::ranges::find(known, name, &StageName::name) == known.end())
    usage_error(name, "tune: {} has no stage {}", options.method, name);
  if (name == "input") return as_bytes(source);
  if (name == "hysteresis") return hysteresis(options, source, scale, exec);
  if (name == "response") {
    const auto response = response_of(options, source, exec);
    const double most = most_of(response);
    return shown(response, [&](float value) { return 128 + 127 * value / most; });
  }
  const Gradient gradient(options);
  AnyImage holder;
  const ConstAnyView smooth = gradient.smoothed(source, holder, exec);
  if (name == "smoothed") return as_bytes(smooth);
  const auto magnitude = gradient.magnitude(smooth, exec);
  const double most = most_of(magnitude);
  auto out = shown(magnitude, [&](float value) { return 255 * value / most; });
  if (name == "magnitude") return AnyImage(std::move(out));
  const auto maxima = canny_with(options, source, Thresholds::given(0, 0), exec);
  for (int32_t y = 0; y < out.height(); ++y)
    for (int32_t x = 0; x < out.width(); ++x)
      if (!maxima.at(x, y)) out.at(x, y) = 0;
  return AnyImage(std::move(out));
}

Strengths strengths_of(const EdgesOptions& options, ConstAnyView source, double scale,
                       int threads) {
  const Exec exec{.threads = threads};
  Strengths out;
  Image<float> plane;
  AnyImage holder;
  bool crossings = false;
  if (options.method == "log") {
    plane = response_of(options, source, exec);
    crossings = log_of(options).mode == LogMode::zero_crossings;
    out.what = crossings ? "step of L across each crossing" : "|L|";
  } else if (options.method == "canny" || options.method == "sobel") {
    const Gradient gradient(options);
    plane = gradient.magnitude(gradient.smoothed(source, holder, exec), exec);
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
