#include "apps/tune/stages.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cli/common.hpp"
#include "cli/samples.hpp"
#include "cuesta/filter.hpp"
#include "cuesta/objects.hpp"
#include "cuesta/recipes/edges.hpp"
#include "cuesta/smoothing.hpp"

namespace cuesta::cli::tune {
namespace {

constexpr size_t bin_count = 256;

using recipes::EdgesRecipe;

// A recipe, what it sees of a picture, and the threads to show it with.
struct View {
  const EdgesRecipe& recipe;
  ConstAnyView seen;
  double scale;
  Exec exec;

  recipes::PictureKind kind() const { return {seen.type, seen.channels, false, scale}; }
};

// What the picture is smoothed with before its gradient; nothing for a gradient of the picture.
std::optional<GaussianOptions> smoothing_of(const View& of) {
  if (of.recipe.is_canny()) {
    const GaussianOptions canny = cuesta::smoothing_of(of.recipe.canny(of.kind()));
    return canny.sigma > 0 ? std::optional(canny) : std::nullopt;
  }
  const auto& sobel = std::get<SobelEdges>(of.recipe.options());
  if (sobel.sigma <= 0 && sobel.ksize <= 0) return {};
  return GaussianOptions{sobel.sigma, sobel.ksize, sobel.border};
}

ConstAnyView smoothed(const View& of, AnyImage& holder) {
  const auto smoothing = smoothing_of(of);
  if (!smoothing) return of.seen;
  holder.create(of.seen.size(), of.seen.channels, of.seen.type);
  gaussian(of.seen, holder.view(), *smoothing, of.exec);
  return holder;
}

// f32, in the units of the thresholds.
Image<float> magnitude_of(const View& of, ConstAnyView smooth) {
  Image<float> out(smooth.size());
  if (!of.recipe.is_canny()) {
    const auto& sobel = std::get<SobelEdges>(of.recipe.options());
    Image<float> floats(smooth.size());
    scale(smooth, floats, 1, of.exec);
    cuesta::sobel(floats, {.magnitude = out}, {sobel.aperture, sobel.norm, sobel.border}, of.exec);
    return out;
  }
  recipes::canny_magnitudes(smooth, out, of.recipe.canny(of.kind()), of.exec);
  return out;
}

// L in gray levels.
Image<float> response_of(const View& of) {
  const LogOptions log = of.recipe.log(of.kind());
  Image<int32_t> undivided(of.seen.size());
  log_edges(of.seen, undivided, log, of.exec);
  const double scale = scale_of(log);
  Image<float> out(of.seen.size());
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
double max_of(const Image<float>& plane) {
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
Image<uint8_t> canny_with(const View& of, Thresholds thresholds) {
  CannyOptions options = of.recipe.canny(of.kind());
  options.thresholds = thresholds;
  Image<uint8_t> out(of.seen.size());
  canny(of.seen, out, options, of.exec);
  return out;
}

// What is an edge, white; what is above the low threshold and not joined to one, gray.
Image<uint8_t> hysteresis(const View& of) {
  Image<uint8_t> edges(of.seen.size());
  const CannyResult used = canny(of.seen, edges, of.recipe.canny(of.kind()), of.exec);
  const auto [low, high] = std::minmax(used.low, used.high);
  const auto candidates = canny_with(of, Thresholds::given(low, low));
  const auto strong = canny_with(of, Thresholds::given(high, high));
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

AnyImage stage_picture(const EdgesRecipe& recipe, const std::string& name, ConstAnyView seen,
                       double scale, int threads) {
  const View of{recipe, seen, scale, {.threads = threads}};
  const std::string method(recipe.method());
  const auto known = stages_of(method);
  if (std::ranges::find(known, name, &StageName::name) == known.end())
    usage_error(name, "tune: {} has no stage {}", method, name);
  if (name == "input") return as_bytes(seen);
  if (name == "hysteresis") return hysteresis(of);
  if (name == "response") {
    const auto response = response_of(of);
    const double most = max_of(response);
    return shown(response, [&](float value) { return 128 + 127 * value / most; });
  }
  AnyImage holder;
  const ConstAnyView smooth = smoothed(of, holder);
  if (name == "smoothed") return as_bytes(smooth);
  const auto magnitude = magnitude_of(of, smooth);
  const double most = max_of(magnitude);
  auto out = shown(magnitude, [&](float value) { return 255 * value / most; });
  if (name == "magnitude") return AnyImage(std::move(out));
  const auto maxima = canny_with(of, Thresholds::given(0, 0));
  for (int32_t y = 0; y < out.height(); ++y)
    for (int32_t x = 0; x < out.width(); ++x)
      if (!maxima.at(x, y)) out.at(x, y) = 0;
  return AnyImage(std::move(out));
}

Strengths strengths_of(const EdgesRecipe& recipe, ConstAnyView seen, double scale, int threads) {
  const View of{recipe, seen, scale, {.threads = threads}};
  Strengths out;
  Image<float> plane;
  AnyImage holder;
  bool crossings = false;
  if (recipe.method() == "log") {
    plane = response_of(of);
    crossings = recipe.log(of.kind()).mode == LogMode::zero_crossings;
    out.what = crossings ? "step of L across each crossing" : "|L|";
  } else if (recipe.is_canny() || recipe.method() == "sobel") {
    plane = magnitude_of(of, smoothed(of, holder));
    out.what = "gradient magnitude";
  } else {
    return out;
  }
  out.bins.assign(bin_count, 0);
  const double most = max_of(plane) * (crossings ? 2 : 1);
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
