#include "cuesta/recipes/filter.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "core/check.hpp"
#include "core/overload.hpp"
#include "cuesta/recipes/samples.hpp"
#include "cuesta/stencil.hpp"
#include "ops/convolve/options.hpp"
#include "ops/median/options.hpp"
#include "ops/morphology/options.hpp"

namespace cuesta::recipes {
namespace {

int window_of(const GaussianOptions& of) { return of.ksize ? of.ksize : gaussian_size(of.sigma); }

std::string words_of(const Stencil& stencil) {
  std::string taps;
  for (int y = 0; y < stencil.height(); ++y)
    for (int x = 0; x < stencil.width(); ++x) taps += exact_text(stencil.tap(x, y)) + " ";
  return fmt::format("{}x{} {} {}/ {}", stencil.width(), stencil.height(),
                     stencil.is_integer() ? "integers" : "floats", taps, stencil.divisor());
}

std::string words_of(const MorphologyFilter& of) {
  constexpr std::string_view names[] = {"erode", "dilate", "open", "close"};
  return fmt::format("{} {}x{} {}", names[size_t(of.what)], of.element.width(), of.element.height(),
                     fmt::join(of.element.cells(), ""));
}

// Whether a constant picture stays as it is.
bool keeps_constants(const Stencil& stencil) {
  if (stencil.is_integer()) {
    const auto taps = stencil.integer_taps();
    return std::accumulate(taps.begin(), taps.end(), int64_t(0)) == stencil.divisor();
  }
  const auto taps = stencil.float_taps();
  return std::abs(std::accumulate(taps.begin(), taps.end(), 0.0) - 1) < 1e-3;
}

template <class T>
void copy_last_channel(ImageView<const T> src, ImageView<T> dst) {
  for (int32_t y = 0; y < src.height; ++y) {
    for (int32_t x = 0; x < src.width; ++x)
      dst.at(x, y, dst.channels - 1) = src.at(x, y, src.channels - 1);
  }
}

}  // namespace

FilterRecipe::FilterRecipe(PictureFilter filter, std::optional<PixelType> type)
    : filter_(std::move(filter)), type_(type) {
  // What an operation refuses in any picture is found before there is one.
  plan_of(steps({.type = type.value_or(PixelType::u8)}), {8, 8}, type.value_or(PixelType::u8), 1,
          Space::host, {});
}

bool FilterRecipe::keeps_brightness() const {
  const auto* of = std::get_if<StencilFilter>(&filter_);
  return of == nullptr ||
         (keeps_constants(of->stencil) && of->options.offset == 0 && !of->options.absolute);
}

std::string FilterRecipe::key() const {
  const std::string options = std::visit(
      Overload{[](const GaussianOptions& of) { return "gaussian " + key_of(of); },
               [](const BoxOptions& of) { return "box " + key_of(of); },
               [](const SharpenOptions& of) { return "sharpen " + key_of(of); },
               [](const MedianOptions& of) { return "median " + key_of(of); },
               [](const StencilFilter& of) {
                 return fmt::format("stencil {} {}", words_of(of.stencil), key_of(of.options));
               },
               [](const MorphologyFilter& of) {
                 return fmt::format("{} {}", words_of(of), key_of(of.options));
               }},
      filter_);
  return fmt::format("filter {} type={}", options, type_ ? name_of(*type_) : "source");
}

Output FilterRecipe::output(const PictureKind& kind) const {
  return {type_.value_or(kind.type), kind.channels, false, true};
}

Floats FilterRecipe::floats() const {
  const bool takes_none = std::holds_alternative<MorphologyFilter>(filter_);
  return takes_none || type_.value_or(PixelType::f32) != PixelType::f32 ? Floats::levels
                                                                        : Floats::raw;
}

PictureKind FilterRecipe::seen(const PictureKind& kind) const {
  PictureKind seen = kind;
  seen.type = type_.value_or(kind.type);
  return seen;
}

Steps FilterRecipe::preparation(const PictureKind& kind) const {
  const PixelType type = type_.value_or(kind.type);
  if (type == kind.type) return {};
  return {{type, kind.channels, false,
           [](ConstAnyView src, AnyView dst, const Exec&) { convert(src, dst); }}};
}

Steps FilterRecipe::steps(const PictureKind& seen) const {
  const auto one = [&](auto call) {
    return Steps{{seen.type, seen.channels, true, std::move(call)}};
  };
  return std::visit(Overload{[&](const GaussianOptions& of) {
                               return one([of](ConstAnyView src, AnyView dst, const Exec& exec) {
                                 gaussian(src, dst, of, exec);
                               });
                             },
                             [&](const BoxOptions& of) {
                               return one([of](ConstAnyView src, AnyView dst, const Exec& exec) {
                                 box(src, dst, of, exec);
                               });
                             },
                             [&](const SharpenOptions& of) {
                               return one([of](ConstAnyView src, AnyView dst, const Exec& exec) {
                                 sharpen(src, dst, of, exec);
                               });
                             },
                             [&](const MedianOptions& of) {
                               return one([of](ConstAnyView src, AnyView dst, const Exec& exec) {
                                 median(src, dst, of, exec);
                               });
                             },
                             [&](const StencilFilter& of) {
                               return one([of](ConstAnyView src, AnyView dst, const Exec& exec) {
                                 correlate(src, dst, of.stencil, of.options, exec);
                               });
                             },
                             [&](const MorphologyFilter& of) {
                               return one([of](ConstAnyView src, AnyView dst, const Exec& exec) {
                                 morphology(src, dst, of.what, of.element, of.options, exec);
                               });
                             }},
                    filter_);
}

void FilterRecipe::finish(ConstAnyView seen, AnyView out, const PictureKind& kind) const {
  if (!kind.has_alpha) return;
  switch (seen.type) {
    case PixelType::u8: return copy_last_channel(seen.as<uint8_t>(), out.as<uint8_t>());
    case PixelType::u16: return copy_last_channel(seen.as<uint16_t>(), out.as<uint16_t>());
    default: return copy_last_channel(seen.as<float>(), out.as<float>());
  }
}

int32_t FilterRecipe::reach() const {
  return std::visit(Overload{[](const GaussianOptions& of) { return window_of(of) / 2; },
                             [](const BoxOptions& of) { return of.n / 2; },
                             [](const SharpenOptions& of) { return of.n / 2; },
                             [](const MedianOptions& of) { return of.ksize / 2; },
                             [](const StencilFilter& of) { return of.stencil.height(); },
                             [](const MorphologyFilter& of) {
                               const bool twice = of.what == Morph::open || of.what == Morph::close;
                               return of.element.height() * (twice ? 2 : 1);
                             }},
                    filter_);
}

Border FilterRecipe::border() const {
  return std::visit(
      Overload{[](const StencilFilter& of) { return of.options.border; },
               [](const MorphologyFilter& of) { return of.options.border.value_or(Border()); },
               [](const auto& of) { return of.border; }},
      filter_);
}

bool FilterRecipe::wraps() const { return border().mode == BorderMode::wrap; }

double FilterRecipe::scratch_bytes(const PictureKind& kind) const {
  const PictureKind seen = this->seen(kind);
  const double copy = seen.type == kind.type ? 0 : bytes_per_sample(seen.type);
  return kind.channels * (4 + copy);
}

void FilterRecipe::check(const PictureKind& kind) const {
  if (!std::holds_alternative<MorphologyFilter>(filter_) || kind.channels == 1) return;
  throw_invalid(std::to_string(kind.channels),
                "filter: the picture has {} channels; morphology requires 1", kind.channels);
}

}  // namespace cuesta::recipes
