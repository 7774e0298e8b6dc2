#include "cuesta/recipes/edges.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/check.hpp"
#include "core/overload.hpp"
#include "core/workspace.hpp"
#include "cuesta/bands.hpp"
#include "cuesta/filter.hpp"
#include "cuesta/objects.hpp"
#include "cuesta/stencil.hpp"
#include "cuesta/strategies.hpp"
#include "lines/outside.hpp"
#include "recipes/holes.hpp"
#include "recipes/largest_magnitude.hpp"
#include "recipes/options.hpp"

namespace cuesta {

namespace recipes {
namespace {

bool is_gray(int32_t channels) { return channels <= 2; }

// A strength takes no thresholds.
void check_strength(const CannyEdges& of) {
  if (!of.strength || exact_text(of.thresholds) == exact_text(Thresholds{})) return;
  throw_invalid(text_of(of.thresholds),
                "canny: threshold is {} and strength is set, which applies none; leave one of them "
                "out",
                text_of(of.thresholds));
}

// Thresholds that canny() accepts, as cv::Canny does, but that are a mistake in a recipe.
void check_thresholds(const CannyEdges& of) {
  const auto* given = std::get_if<Given>(&of.thresholds);
  if (given == nullptr) return;
  const auto [low, high] = *given;
  if (high < 0 && low == high / 2)
    throw_invalid(fmt::to_string(high), "canny: threshold is {}; it must be 0 or more", high);
  if (low < 0) throw_invalid(fmt::to_string(low), "canny: low is {}; it must be 0 or more", low);
  if (low > high) {
    throw_invalid(fmt::to_string(low), "canny: low is {} and high is {}; low must not exceed high",
                  low, high);
  }
}

// Of strengths whose units are the file's levels.
PixelType strength_type(const CannyEdges& of, const PictureKind& kind) {
  return kind.scale == 1 ? canny_strength_type(kind.type, of.aperture) : PixelType::f32;
}

// Whether Canny computes in f32 on such a picture rather than in its own type.
bool keeps_fractions(const EdgesOptions& options, PixelType type) {
  const auto* of = std::get_if<CannyEdges>(&options);
  return of != nullptr && of->sigma &&
         canny_keeps_fractions(type, {.sigma = of->sigma, .ksize = of->ksize});
}

// LoG's options with the defaults of its mode: thin lines at sigma 3.5 (docs/user/accuracy.md), or
// the paper's window and level.
LogOptions resolved(const LogEdges& of) {
  const bool crosses = of.mode == LogMode::zero_crossings;
  return {.mode = of.mode,
          .threshold = of.threshold.value_or(crosses ? 0.3 : 5),
          .sigma = of.sigma || !crosses ? of.sigma : 3.5,
          .ksize = of.ksize,
          .border = of.border};
}

SobelOptions gradient_of(const SobelEdges& of) { return {of.aperture, of.norm, of.border}; }
bool smooths(const SobelEdges& of) { return of.sigma > 0 || of.ksize > 0; }

// Whether 16 bits hold every magnitude.
bool fits_u16(const SobelEdges& of, PixelType type) {
  return type == PixelType::u8 && of.aperture < 7;
}

// Whether Canny's Gaussian is a call of its own.
bool smooths_apart(const CannyOptions& options) {
  return options.sigma != 0 && options.border.mode != BorderMode::reflect101;
}

Step gray_step(PixelType type) {
  return {type, 1, false, [](ConstAnyView src, AnyView dst, const Exec& exec) {
            to_gray(src, dst, ColorOrder::rgb, exec);
          }};
}

Step scale_step(PixelType type, double factor, int32_t channels = 1) {
  return {type, channels, false, [factor](ConstAnyView src, AnyView dst, const Exec& exec) {
            scale(src, dst, factor, exec);
          }};
}

Steps sobel_steps(const SobelEdges& of, const PictureKind& seen, double largest) {
  Steps steps;
  PixelType type = seen.type;
  if (!of.threshold && type == PixelType::u16) type = PixelType::f32;
  if (!of.threshold && !fits_u16(of, seen.type)) type = PixelType::f32;
  if (type != seen.type) {
    steps.push_back(scale_step(type, 1));
  }
  if (smooths(of)) {
    const GaussianOptions smoothing{of.sigma, of.ksize, of.border};
    steps.push_back({type, 1, false, [smoothing](ConstAnyView src, AnyView dst, const Exec& exec) {
                       gaussian(src, dst, smoothing, exec);
                     }});
  }
  const PixelType magnitude = type == PixelType::f32 ? PixelType::f32 : PixelType::u16;
  steps.push_back({magnitude, 1, true,
                   [options = gradient_of(of)](ConstAnyView src, AnyView dst, const Exec& exec) {
                     sobel(src, SobelOutputs{.magnitude = dst}, options, exec);
                   }});
  if (of.threshold) {
    steps.push_back(
        {PixelType::u8, 1, false,
         [limit = *of.threshold * seen.scale](ConstAnyView src, AnyView dst, const Exec& exec) {
           threshold(src, dst, limit, exec);
         }});
  } else {
    steps.push_back(scale_step(seen.type, 1 / largest));
  }
  return steps;
}

// Derivative and smoothing taps of the Sobel windows.
struct SobelTaps {
  std::array<int, 7> derivative, smoothing;
};
SobelTaps sobel_taps(int aperture) {
  if (aperture == 3) return {{-1, 0, 1}, {1, 2, 1}};
  if (aperture == 5) return {{-1, -2, 0, 2, 1}, {1, 4, 6, 4, 1}};
  return {{-1, -4, -5, 0, 5, 4, 1}, {1, 6, 15, 20, 15, 6, 1}};
}

// Strengths of boundaries, then their regions.
Steps region_steps(const RegionEdges& of) {
  return {{PixelType::u16, 1, false,
           [quality = of.quality](ConstAnyView src, AnyView dst, const Exec& exec) {
             boundaries(src, dst, {.quality = quality}, exec);
           }},
          {of.labels ? PixelType::s32 : PixelType::u8, 1, true,
           [threshold = of.threshold](ConstAnyView src, AnyView dst, const Exec& exec) {
             regions(src, dst, {threshold}, exec);
           }}};
}

}  // namespace

double largest_magnitude(int aperture, Norm norm) {
  const SobelTaps taps = sobel_taps(aperture);
  const auto &d = taps.derivative, &s = taps.smoothing;
  const auto along = [&](double dx, double dy) {
    double sum = 0;
    for (int j = aperture - 1; j >= 0; --j) {
      for (int i = aperture - 1; i >= 0; --i) {
        const int gx = d[size_t(i)] * s[size_t(j)], gy = s[size_t(i)] * d[size_t(j)];
        sum += std::max(0.0, dx * gx + dy * gy);
      }
    }
    return sum;
  };
  if (norm == Norm::l1) return std::max(along(1, 1), along(1, -1));
  double largest = 0;
  for (int degree = 0; degree < 360; ++degree) {
    const double angle = degree * std::numbers::pi / 180;
    largest = std::max(largest, along(std::cos(angle), std::sin(angle)));
  }
  return largest;
}

EdgesOptions edges_options(std::string_view method) {
  if (method == "canny") return CannyEdges{};
  if (method == "log") return LogEdges{};
  if (method == "sobel") return SobelEdges{};
  if (method == "boundaries") return BoundaryOptions{};
  if (method == "regions") return RegionEdges{};
  throw_invalid(std::string(method), "edges: method is '{}'; it must be {}", method,
                either_of(edge_methods));
}

EdgesRecipe::EdgesRecipe(const EdgesOptions& options) : options_(options) {
  std::visit(Overload{[](const CannyEdges& of) {
                        check_options(of, "canny");
                        check_strength(of);
                        check_thresholds(of);
                      },
                      [](const LogEdges& of) {
                        check_options(of, "log");
                        const LogOptions log = resolved(of);
                        if (log.sigma == 0 && log.ksize == 0)
                          throw_invalid("0", "log: sigma is 0; it must be above 0");
                      },
                      [&](const SobelEdges& of) {
                        check_options(of, "sobel");
                        if (!of.threshold) largest_ = largest_magnitude(of.aperture, of.norm);
                      },
                      [](const BoundaryOptions& of) { check_options(of, "boundaries"); },
                      [](const RegionEdges& of) { check_options(of, "regions"); }},
             options_);
}

bool EdgesRecipe::makes_strengths() const {
  const auto* canny = std::get_if<CannyEdges>(&options_);
  return canny != nullptr && canny->strength;
}

bool EdgesRecipe::makes_labels() const {
  const auto* regions = std::get_if<RegionEdges>(&options_);
  return regions != nullptr && regions->labels;
}

bool EdgesRecipe::makes_mask() const {
  if (makes_strengths() || makes_labels()) return false;
  const auto* sobel = std::get_if<SobelEdges>(&options_);
  return sobel == nullptr || sobel->threshold.has_value();
}

bool EdgesRecipe::sees_color() const {
  if (const auto* canny = std::get_if<CannyEdges>(&options_))
    return canny->color != EdgeColor::gray;
  return std::holds_alternative<BoundaryOptions>(options_) ||
         std::holds_alternative<RegionEdges>(options_);
}

std::string_view EdgesRecipe::seen_in_words(int32_t channels) const {
  if (is_gray(channels)) return "";
  if (!sees_color()) return "gray levels";
  const auto* canny = std::get_if<CannyEdges>(&options_);
  if (canny == nullptr) return "colors";
  return canny->color == EdgeColor::structure ? "the structure tensor" : "the strongest channel";
}

std::string EdgesRecipe::key() const {
  const std::string options = std::visit(
      Overload{[](const CannyEdges& of) { return key_of<CannyEdges, 1>(of); },  // without the mask
               [](const auto& of) { return key_of(of); }},
      options_);
  return fmt::format("edges {} {}", method(), options);
}

Output EdgesRecipe::output(const PictureKind& kind) const {
  if (makes_strengths())
    return {strength_type(std::get<CannyEdges>(options_), seen(kind)), 1, false};
  if (makes_labels()) return {PixelType::s32, 1, false};
  return {makes_mask() ? PixelType::u8 : kind.type, 1, makes_mask()};
}

Floats EdgesRecipe::floats() const {
  return is_canny() || std::holds_alternative<SobelEdges>(options_) ? Floats::numbers
                                                                    : Floats::holes;
}

PictureKind EdgesRecipe::seen(const PictureKind& kind) const {
  const PixelType type = keeps_fractions(options_, kind.type) ? PixelType::f32 : kind.type;
  return {type, sees_color() && !is_gray(kind.channels) ? 3 : 1, false, kind.scale};
}

Steps EdgesRecipe::preparation(const PictureKind& kind) const {
  const PictureKind wanted = seen(kind);
  Steps steps;
  if (wanted.channels == 1 && !is_gray(kind.channels)) {
    steps.push_back(gray_step(kind.type));
  } else if (wanted.channels != kind.channels) {
    steps.push_back(
        {kind.type, wanted.channels, false,
         [](ConstAnyView src, AnyView dst, const Exec& exec) { keep_channels(src, dst, exec); }});
  }
  if (wanted.type != kind.type) steps.push_back(scale_step(wanted.type, 1, wanted.channels));
  return steps;
}

CannyOptions EdgesRecipe::canny(const PictureKind& seen, std::optional<double> found) const {
  const auto& of = std::get<CannyEdges>(options_);
  const double sigma = found.value_or(*std::rbegin(SigmaBands::sigmas));
  CannyOptions options{.sigma = of.sigma.value_or(sigma),
                       .ksize = of.ksize,
                       .thresholds = of.thresholds,
                       .norm = of.norm,
                       .aperture = of.aperture,
                       .mask = of.mask,
                       .color = of.color == EdgeColor::structure ? ColorGradient::structure
                                                                 : ColorGradient::strongest,
                       .border = of.border};
  if (const auto* given = std::get_if<Given>(&of.thresholds))
    options.thresholds = Given{given->low * seen.scale, given->high * seen.scale};
  return options;
}

LogOptions EdgesRecipe::log(const PictureKind& seen) const {
  const auto& of = std::get<LogEdges>(options_);
  LogOptions options = resolved(of);
  // The default counts levels of 255; a given threshold those of the file.
  options.threshold *= of.threshold ? seen.scale : seen.type == PixelType::u16 ? 257 : 1;
  return options;
}

namespace {

// The sigma of a picture that canny sees. Any strategy gives the same one; one that is pinned need
// not take bands.
double sigma_of(ConstAnyView seen, ConstAnyView mask, const Exec& exec) {
  Exec around = execs_of(exec).around;
  around.observer = nullptr;
  SigmaBands bands(seen.width);
  bands.count(seen, 0, seen.height, around, mask);
  return bands.find_sigma();
}

}  // namespace

bool EdgesRecipe::finds_sigma() const {
  const auto* of = std::get_if<CannyEdges>(&options_);
  return of != nullptr && !of->sigma;
}

EdgesOptions EdgesRecipe::settled_options(ConstAnyView seen, ConstAnyView mask,
                                          const Exec& exec) const {
  EdgesOptions options = options_;
  if (finds_sigma()) std::get<CannyEdges>(options).sigma = sigma_of(seen, mask, exec);
  return options;
}

std::shared_ptr<const Recipe> EdgesRecipe::settled(ConstAnyView seen, ConstAnyView mask,
                                                   const Exec& exec) const {
  if (!finds_sigma()) return nullptr;
  return std::make_shared<EdgesRecipe>(settled_options(seen, mask, exec));
}

std::shared_ptr<const Recipe> EdgesRecipe::with_sigma(double sigma) const {
  if (!finds_sigma()) return nullptr;
  EdgesOptions options = options_;
  std::get<CannyEdges>(options).sigma = sigma;
  return std::make_shared<EdgesRecipe>(options);
}

Steps EdgesRecipe::steps(const PictureKind& seen, ConstAnyView mask, EdgesResult* used) const {
  const PixelType type =
      makes_strengths() ? canny_strength_type(seen.type, std::get<CannyEdges>(options_).aperture)
                        : PixelType::u8;
  const auto one = [type](auto call) { return Steps{{type, 1, true, std::move(call)}}; };
  return std::visit(
      Overload{[&](const CannyEdges&) {
                 CannyOptions options = canny(seen);
                 if (mask.type != PixelType::none) options.mask = mask;
                 const bool finds = finds_sigma();
                 Steps steps = one([=](ConstAnyView src, AnyView dst, const Exec& exec) {
                   CannyOptions own = options;
                   if (finds && !exec.choices) own.sigma = sigma_of(src, options.mask, exec);
                   const CannyResult found = cuesta::canny(src, dst, own, exec);
                   if (finds && exec.observer) exec.observer->statistic("sigma", *own.sigma);
                   if (used == nullptr) return;
                   used->sigma = own.sigma;
                   if (dst.type == PixelType::u8) used->thresholds = found;
                 });
                 if (makes_strengths() && seen.scale != 1)
                   steps.push_back(scale_step(PixelType::f32, 1 / seen.scale));
                 return steps;
               },
               [&](const LogEdges&) {
                 return one([options = log(seen)](ConstAnyView src, AnyView dst, const Exec& exec) {
                   log_edges(src, dst, options, exec);
                 });
               },
               [&](const SobelEdges& of) { return sobel_steps(of, seen, largest_); },
               [&](const BoundaryOptions& of) {
                 return one([of](ConstAnyView src, AnyView dst, const Exec& exec) {
                   boundaries(src, dst, of, exec);
                 });
               },
               [&](const RegionEdges& of) { return region_steps(of); }},
      options_);
}

EdgesResult EdgesRecipe::run(ConstAnyView seen, AnyView out, ConstAnyView mask, double scale,
                             const Execs& execs) const {
  EdgesResult result{.is_mask = makes_mask()};
  const PictureKind kind{seen.type, seen.channels, false, scale};
  run_steps(steps(kind, mask, &result), seen, out, execs);
  if (result.thresholds) result.thresholds->low /= scale, result.thresholds->high /= scale;
  return result;
}

// Pixels beside a hole at which nothing is found. Levels continue into holes, so that they have no
// rim.
constexpr int32_t beside_holes = 2;

Image<uint8_t> EdgesRecipe::mask_around(ConstAnyView holes, ConstAnyView mask) const {
  if (!is_canny()) return {};
  if (mask.type == PixelType::none) mask = std::get<CannyEdges>(options_).mask;
  if (mask.type != PixelType::none) check_same_size(mask, holes, "canny: mask", "canny: src");
  Image<uint8_t> inside = grown(holes.as<uint8_t>(), reach());
  for (int32_t y = 0; y < inside.height(); ++y) {
    for (int32_t x = 0; x < inside.width(); ++x) {
      const bool is_seen = mask.type == PixelType::none || mask.as<uint8_t>().at(x, y) != 0;
      inside.at(x, y) = is_seen && !inside.at(x, y) ? 255 : 0;
    }
  }
  return inside;
}

void EdgesRecipe::leave_out(ConstAnyView holes, AnyView out) const {
  if (is_canny()) return;  // by its mask
  const bool is_sobel = std::holds_alternative<SobelEdges>(options_);
  const int32_t by = is_sobel ? reach() : makes_labels() ? 0 : beside_holes;
  clear_holes(out, grown(holes.as<uint8_t>(), by));
  if (makes_labels()) renumber(out.as<int32_t>());
}

int32_t EdgesRecipe::reach() const {
  return std::visit(Overload{[&](const CannyEdges&) {
                               const int32_t own = reach_of(canny({}));
                               return finds_sigma() ? std::max(own, SigmaBands::reach()) : own;
                             },
                             [](const LogEdges& of) { return reach_of(resolved(of)); },
                             [](const SobelEdges& of) {
                               const int window = of.ksize       ? of.ksize
                                                  : of.sigma > 0 ? gaussian_size(of.sigma)
                                                                 : 1;
                               return window / 2 + reach_of(gradient_of(of));
                             },
                             [](const auto&) { return 0; }},
                    options_);
}

bool EdgesRecipe::wraps() const {
  if (const auto* log = std::get_if<LogEdges>(&options_))
    return log->border.mode == BorderMode::wrap;
  const auto* sobel = std::get_if<SobelEdges>(&options_);
  return sobel != nullptr && sobel->border.mode == BorderMode::wrap;
}

std::string_view EdgesRecipe::whole_only() const {
  if (std::holds_alternative<BoundaryOptions>(options_)) return "boundaries compare distant rows";
  if (std::holds_alternative<RegionEdges>(options_)) return "regions are of all rows";
  if (const auto* canny = std::get_if<CannyEdges>(&options_); canny != nullptr && canny->mask)
    return "a mask is not divided into bands";
  if (is_canny() && smooths_apart(canny({})) && canny({}).border.mode == BorderMode::wrap)
    return "Canny's border that wraps smooths the first rows with the last";
  const auto* log = std::get_if<LogEdges>(&options_);
  if (log != nullptr && wraps() && log->mode == LogMode::zero_crossings)
    return "zero crossings with a border that wraps compare the first and the last row";
  return {};
}

double EdgesRecipe::scratch_bytes(const PictureKind& kind) const {
  const PictureKind seen = this->seen(kind);
  const double copy = preparation(kind).empty() ? 0 : seen.channels * bytes_per_sample(seen.type);
  if (is_canny()) {
    const double smooth =
        smooths_apart(canny({})) ? seen.channels * bytes_per_sample(seen.type) : 0;
    return copy + smooth + (seen.type == PixelType::u8 ? 5 : 30);
  }
  if (std::holds_alternative<RegionEdges>(options_)) return copy + 56;
  const auto* boundary = std::get_if<BoundaryOptions>(&options_);
  if (boundary != nullptr && boundary->quality == BoundaryQuality::high) return copy + 30;
  return copy + 15;
}

void EdgesRecipe::check_lines() const {
  const auto* log = std::get_if<LogEdges>(&options_);
  if (makes_strengths())
    throw_invalid("strength", "lines: strength is set, and strengths have no lines; leave it out");
  if (is_canny() || (log != nullptr && log->mode == LogMode::zero_crossings)) return;
  throw_invalid(
      std::string(method()),
      "lines: {} does not support lines; use method canny, or log with mode zero-crossings",
      method());
}

Polylines EdgesRecipe::trace(ConstAnyView seen, ConstAnyView edges, std::optional<double> sigma,
                             double scale, ConstAnyView holes, const TraceOptions& how,
                             const Exec& exec) const {
  check_lines();
  const PictureKind kind{seen.type, seen.channels, false, scale};
  Polylines lines;
  if (is_canny()) {
    lines = cuesta::trace(seen, edges, canny(kind, sigma), how, exec);
  } else if (!holes) {
    lines = cuesta::trace(seen, log(kind), how, exec);
  } else {
    const TraceOptions all{.tolerance = 0, .min_length = 0, .refinement = how.refinement};
    lines = lines::outside(cuesta::trace(seen, log(kind), all, exec),
                           grown(holes.as<uint8_t>(), beside_holes), how);
  }
  for (Polyline& line : lines) {
    line.strength /= scale;
    for (LinePoint& p : line.points) p.strength /= scale;
  }
  return lines;
}

}  // namespace recipes
}  // namespace cuesta
