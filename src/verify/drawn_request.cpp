#include "verify/drawn_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "cuesta/cuesta.hpp"
#include "ops/boundaries/options.hpp"
#include "ops/canny/options.hpp"
#include "ops/clean/options.hpp"
#include "ops/log/options.hpp"
#include "ops/median/options.hpp"
#include "ops/motion/options.hpp"
#include "ops/regions/options.hpp"
#include "verify/components.hpp"
#include "verify/drawn_pictures.hpp"

namespace cuesta::verify {
namespace {

using enum PixelType;

// A point operation from one or two pictures: run(src, other, dst, exec).
template <class Run>
DrawnRequest point_request(const std::string& what, const Pictures& p, PixelType to,
                           int32_t channels, Run run) {
  return {"pixel", fmt::format("{} of {} to {}", what, p.text(), name_of(to)),
          [=](Harness& h, const Exec& exec) {
            const ConstBatch a = p.source(h), b = p.source(h, 1000);
            const Batch to_write = p.result(h, "result", to, channels);
            call(
                p,
                [&](const auto& src, const auto& other, const auto& dst) {
                  run(src, other, dst, exec);
                },
                a, b, to_write);
          }};
}

// What makes a mask or reads one.
DrawnRequest draw_point_mask(Bytes& bytes, int32_t longest) {
  switch (bytes.below(4)) {
    case 0: {
      const PixelType type = one_of_types(bytes, {u8, u16, f32}),
                      to = one_of_types(bytes, {u8, bit});
      const Pictures p = draw_pictures(bytes, type, longest);
      const double limit = draw_level(bytes, type);
      return point_request(fmt::format("threshold {}", limit), p, to, 1,
                           [=](const auto& src, const auto&, const auto& dst, const Exec& exec) {
                             threshold(src, dst, limit, exec);
                           });
    }
    case 1: {
      const PixelType type = one_of_types(bytes, {u8, u16}), to = one_of_types(bytes, {u8, bit});
      const Pictures p = draw_pictures(bytes, type, longest);
      const double limit = draw_level(bytes, type);
      return point_request(fmt::format("absdiff_threshold {}", limit), p, to, 1,
                           [=](const auto& a, const auto& b, const auto& dst, const Exec& exec) {
                             absdiff_threshold(a, b, dst, limit, exec);
                           });
    }
    case 2:
      return point_request("pack_mask", draw_pictures(bytes, u8, longest), bit, 1,
                           [](const auto& src, const auto&, const auto& dst, const Exec& exec) {
                             pack_mask(src, dst, exec);
                           });
    default:
      return point_request("unpack_mask", draw_pictures(bytes, bit, longest), u8, 1,
                           [](const auto& src, const auto&, const auto& dst, const Exec& exec) {
                             unpack_mask(src, dst, exec);
                           });
  }
}

DrawnRequest draw_histogram(Bytes& bytes, int32_t longest) {
  const PixelType type = one_of_types(bytes, {u8, u16});
  Pictures p = draw_pictures(bytes, type, longest);
  p.count = 1;
  return {"pixel", "histogram of " + p.text(), [p](Harness& h, const Exec& exec) {
            std::vector<uint64_t> bins(p.type == u8 ? 256 : 65536);
            histogram(p.source(h).first, bins, exec);
            std::string text;
            for (size_t i = 0; i < bins.size(); ++i)
              if (bins[i]) text += fmt::format(" {}:{}", i, bins[i]);
            h.value("bins", std::move(text));
          }};
}

DrawnRequest draw_pixel(Bytes& bytes, int32_t longest) {
  const int which = bytes.below(9);
  if (which >= 5) return draw_point_mask(bytes, longest);
  if (which == 4) return draw_histogram(bytes, longest);
  const PixelType type = one_of_types(bytes, {u8, u16, f32});
  const Pictures p = draw_pictures(bytes, type, longest, 1 + bytes.below(4));
  switch (which) {
    case 0: {
      const auto order = ColorOrder(bytes.below(2));
      return point_request("to_gray", p, type, 1,
                           [=](const auto& src, const auto&, const auto& dst, const Exec& exec) {
                             to_gray(src, dst, order, exec);
                           });
    }
    case 1:
      return point_request("absdiff", p, type, p.channels,
                           [](const auto& a, const auto& b, const auto& dst, const Exec& exec) {
                             absdiff(a, b, dst, exec);
                           });
    case 2: {
      const PixelType to = one_of_types(bytes, {u8, u16, f32});
      const double factor = draw_level(bytes, type) / 64;
      return point_request(fmt::format("scale {}", factor), p, to, p.channels,
                           [=](const auto& src, const auto&, const auto& dst, const Exec& exec) {
                             scale(src, dst, factor, exec);
                           });
    }
    default:
      return point_request("keep_channels", p, type, 1 + bytes.below(p.channels),
                           [](const auto& src, const auto&, const auto& dst, const Exec& exec) {
                             keep_channels(src, dst, exec);
                           });
  }
}

// Of rank 1 or not, of whole numbers of a byte or larger, of floats.
Stencil draw_stencil(Bytes& bytes) {
  const int width = 1 + bytes.below(bytes.below(3) ? 9 : 15);
  const int height = bytes.below(2) ? width : 1 + bytes.below(15);
  const size_t taps = size_t(width) * size_t(height);
  const bool factors = bytes.below(3) == 0;
  const int largest = bytes.below(3) ? 12 : 300;
  const auto draw_tap = [&] { return bytes.below_many(2 * largest + 1) - largest; };
  std::vector<int32_t> column(size_t(height), 1), row(size_t(width), 1), integers(taps);
  if (factors) {
    for (auto& tap : column) tap = draw_tap() % 16;
    for (auto& tap : row) tap = draw_tap() % 16;
  }
  for (size_t i = 0; i < taps; ++i)
    integers[i] = factors ? column[i / size_t(width)] * row[i % size_t(width)] : draw_tap();
  if (bytes.below(3)) return Stencil::integers(width, height, integers, 1 + bytes.next());
  std::vector<float> floats(integers.begin(), integers.end());
  for (float& tap : floats) tap /= 64;
  return Stencil::floats(width, height, floats);
}

DrawnRequest draw_convolve(Bytes& bytes, int32_t longest) {
  const PixelType type = one_of_types(bytes, {u8, u8, u16, f32});
  const int which = bytes.below(6);
  const int32_t channels = bytes.below(2) ? 1 : 1 + bytes.below(4);
  const Pictures p = draw_pictures(bytes, type, longest, channels);
  const PixelType more[] = {type, type, s16, f32};
  const PixelType to = more[bytes.below(4)];
  const auto filter = [&](const char* what, PixelType result, const auto& options, auto run) {
    return one_to_one("convolve", what, p, result, options, run);
  };
  switch (which) {
    case 0:
      return filter("gaussian", type, draw_options<GaussianOptions>(bytes),
                    [](auto&&... a) { gaussian(a...); });
    case 1:
      return filter("box", to, draw_options<BoxOptions>(bytes), [](auto&&... a) { box(a...); });
    case 2:
      return filter("sharpen", to, draw_options<SharpenOptions>(bytes),
                    [](auto&&... a) { sharpen(a...); });
    case 3:
      return filter("laplacian", to, draw_options<FilterOptions>(bytes),
                    [](auto&&... a) { laplacian(a...); });
    default: {
      const bool turned = which == 4;
      const Stencil stencil = draw_stencil(bytes);
      const std::string what =
          fmt::format("{} with {}x{} {} taps", turned ? "convolve" : "correlate", stencil.width(),
                      stencil.height(), stencil.is_integer() ? "whole" : "float");
      return filter(
          what.c_str(), to, draw_options<FilterOptions>(bytes),
          [=](const auto& src, const auto& dst, const FilterOptions& options, const Exec& exec) {
            if (turned)
              convolve(src, dst, stencil, options, exec);
            else
              correlate(src, dst, stencil, options, exec);
          });
    }
  }
}

DrawnRequest draw_median(Bytes& bytes, int32_t longest) {
  const PixelType type = one_of_types(bytes, {u8, u16, f32, bit});
  auto options = draw_options<MedianOptions>(bytes);
  if (bytes.below(3)) options.ksize = 3 + 2 * bytes.below(type == f32 ? 2 : 7);
  const int32_t channels = type == bit || bytes.below(2) ? 1 : 1 + bytes.below(4);
  return one_to_one("median", "median", draw_pictures(bytes, type, longest, channels), type,
                    options, [](auto&&... a) { median(a...); });
}

DrawnRequest draw_sobel(Bytes& bytes, int32_t longest) {
  const PixelType type = one_of_types(bytes, {u8, u16, f32});
  const Pictures p = draw_pictures(bytes, type, longest);
  const auto options = draw_options<SobelOptions>(bytes);
  const auto as_drawn = [&](PixelType drawn) { return type == f32 ? f32 : drawn; };
  const int wanted = 1 + bytes.below(15);  // bits: gx, gy, magnitude, direction
  const PixelType gradient = as_drawn(one_of_types(bytes, {s16, s32}));
  const PixelType magnitude = as_drawn(one_of_types(bytes, {u8, u16, f32}));
  const PixelType direction = as_drawn(one_of_types(bytes, {u8, u8, f32}));
  return {"sobel",
          fmt::format("outputs {:#x} ({}, {}, {}) of {}{}", wanted, name_of(gradient),
                      name_of(magnitude), name_of(direction), p.text(), text_of_options(options)),
          [=](Harness& h, const Exec& exec) {
            const ConstBatch source = p.source(h);
            SobelBatchOutputs out;
            if (wanted & 1) out.gx = p.result(h, "gx", gradient);
            if (wanted & 2) out.gy = p.result(h, "gy", gradient);
            if (wanted & 4) out.magnitude = p.result(h, "magnitude", magnitude);
            if (wanted & 8) {
              // Angles are the one answer that is within a bound.
              AnyView all = h.output("direction", direction, p.width, p.height * p.count, 1);
              all.height = p.height;
              out.direction = {all, p.count, ptrdiff_t(p.height) * all.stride_bytes};
            }
            if (p.count > 1) return sobel(source, out, options, exec);
            sobel(
                source.first,
                SobelOutputs{out.gx.first, out.gy.first, out.magnitude.first, out.direction.first},
                options, exec);
          }};
}

DrawnRequest draw_log(Bytes& bytes, int32_t longest) {
  const PixelType type = one_of_types(bytes, {u8, u16}), to = one_of_types(bytes, {u8, u8, s32});
  auto options = draw_options<LogOptions>(bytes);
  if (bytes.below(3) == 0) options.sigma.reset(), options.ksize = 0;  // the paper's taps
  return one_to_one("log", "log_edges", draw_pictures(bytes, type, longest), to, options,
                    [](auto&&... a) { log_edges(a...); });
}

DrawnRequest draw_canny_of_gradients(Bytes& bytes, int32_t longest) {
  const PixelType type = one_of_types(bytes, {s16, s16, f32});
  const Pictures p = draw_pictures(bytes, type, longest, bytes.below(4) ? 1 : 3);
  const auto options = draw_options<CannyGradientOptions>(bytes);
  const PixelType to = bytes.below(6) ? u8 : canny_strength_type(type, 3);
  return {"canny",
          fmt::format("{} of gradients {}{}", to == u8 ? "edges" : "strengths", p.text(),
                      text_of_options(options)),
          [=](Harness& h, const Exec& exec) {
            const ConstBatch gx = p.source(h), gy = p.source(h, 1);
            std::vector<CannyResult> used(size_t(p.count));
            canny_of_gradients(gx, gy, p.result(h, "edges", to), options, {.results = used}, exec);
            for (const CannyResult& one : used)
              h.value("thresholds", fmt::format("{} {}", one.low, one.high));
          }};
}

DrawnRequest draw_canny(Bytes& bytes, int32_t longest) {
  if (bytes.below(8) == 0) return draw_canny_of_gradients(bytes, longest);
  const PixelType type = one_of_types(bytes, {u8, u8, u16, f32});
  const Pictures p = draw_pictures(bytes, type, longest, bytes.below(4) ? 1 : 3);
  auto options = draw_options<CannyOptions>(bytes);
  if (bytes.below(2)) {
    options.ksize = 0;
    options.sigma = bytes.below(2) ? std::optional(0.0) : std::nullopt;
  }
  const bool masked = bytes.below(6) == 0;
  const PixelType to = bytes.below(6) ? u8 : canny_strength_type(type, options);
  Pictures mask = p;
  mask.type = u8, mask.channels = 1, mask.pattern = Pattern::blobs;
  return {"canny",
          fmt::format("{} of {}{}{}", to == u8 ? "edges" : "strengths", p.text(),
                      masked ? " masked" : "", text_of_options(options)),
          [=](Harness& h, const Exec& exec) {
            const ConstBatch source = p.source(h);
            const Batch target = p.result(h, "edges", to);
            std::vector<CannyResult> used(size_t(p.count));
            CannyEach each{.results = used};
            if (masked) each.mask = mask.source(h, 1);
            canny(source, target, options, each, exec);
            for (const CannyResult& one : used)
              h.value("thresholds", fmt::format("{} {}", one.low, one.high));
          }};
}

DrawnRequest draw_boundaries(Bytes& bytes, int32_t longest) {
  const PixelType type = one_of_types(bytes, {u8, u8, u16});
  const Pictures p = draw_pictures(bytes, type, longest, bytes.below(3) ? 3 : 1);
  auto options = draw_options<BoundaryOptions>(bytes);
  if (bytes.below(4)) options.threshold = bytes.next() / 16.0;
  const PixelType to = bytes.below(4) ? u8 : u16;
  return {"boundaries",
          fmt::format("boundaries of {} to {}{}", p.text(), name_of(to), text_of_options(options)),
          [=](Harness& h, const Exec& exec) {
            const ConstBatch source = p.source(h);
            const Batch target = p.result(h, "edges", to);
            call(
                p, [&](const auto& src, const auto& dst) { boundaries(src, dst, options, exec); },
                source, target);
          }};
}

DrawnRequest draw_regions(Bytes& bytes, int32_t longest) {
  const Pictures p = draw_pictures(bytes, one_of_types(bytes, {u8, u16}), longest);
  auto options = draw_options<RegionOptions>(bytes);
  if (bytes.below(4)) options.threshold = bytes.next() / 255.0;
  return one_to_one("regions", "regions", p, one_of_types(bytes, {u8, u16, s32}), options,
                    [](auto&&... a) { regions(a...); });
}

DrawnRequest draw_morphology(Bytes& bytes, int32_t longest) {
  const PixelType type = one_of_types(bytes, {u8, u16, bit});
  Pictures p = draw_pictures(bytes, type, longest);
  const auto options = draw_options<MorphologyOptions>(bytes);
  const auto what = Morph(bytes.below(4));
  const bool in_place = bytes.below(4) == 0;
  StructuringElement element = StructuringElement::rectangle(1, 1);
  draw(bytes, any(), element);
  return {"morphology",
          fmt::format("morph {}{} of {}, element {}x{} of {} cells{}", int(what),
                      in_place ? " in place" : "", p.text(), element.width(), element.height(),
                      element.count(), text_of_options(options)),
          [=](Harness& h, const Exec& exec) {
            const Batch target = in_place ? p.both(h) : p.result(h, "result", p.type);
            const ConstBatch source = in_place ? ConstBatch(target) : p.source(h);
            call(
                p,
                [&](const auto& src, const auto& dst) {
                  morphology(src, dst, what, element, options, exec);
                },
                source, target);
          }};
}

DrawnRequest draw_label(Bytes& bytes, int32_t longest) {
  Pictures p = draw_pictures(bytes, one_of_types(bytes, {u8, bit}), longest);
  p.count = 1;
  const auto options = draw_options<LabelOptions>(bytes);
  const bool labels = bytes.below(4) != 0, components = bytes.below(4) != 0;
  return {"label",
          fmt::format("{}{}of {}{}", labels ? "labels " : "", components ? "components " : "",
                      p.text(), text_of_options(options)),
          [=](Harness& h, const Exec& exec) {
            const ConstAnyView mask = p.source(h).first;
            const AnyView into = labels ? p.result(h, "labels", s32).first : AnyView();
            std::vector<Component> found;
            const int32_t count = label(mask, into, components ? &found : nullptr, options, exec);
            h.value("count", std::to_string(count));
            h.value("components", text_of(found));
          }};
}

DrawnRequest draw_clean(Bytes& bytes, int32_t longest) {
  const Pictures p = draw_pictures(bytes, one_of_types(bytes, {u8, bit}), longest);
  const PixelType to = one_of_types(bytes, {u8, bit});
  if (bytes.below(2) == 0) {
    return one_to_one("clean", "remove_small", p, to, draw_options<RemoveSmallOptions>(bytes),
                      [](auto&&... a) { remove_small(a...); });
  }
  return one_to_one("clean", "fill_holes", p, to, draw_options<FillHolesOptions>(bytes),
                    [](auto&&... a) { fill_holes(a...); });
}

// Labels of the components of a drawn mask, some of which are left out, and a drawn picture.
DrawnRequest draw_measure(Bytes& bytes, int32_t longest) {
  Pictures p = draw_pictures(bytes, u8, longest);
  p.count = p.channels = 1;
  Pictures levels = p;
  levels.type = one_of_types(bytes, {u8, u16, f32});
  const bool with = bytes.below(3) != 0;
  const int32_t fewer = bytes.below(3);
  return {"measure",
          fmt::format("labels of {}{}", p.text(),
                      with ? fmt::format(" with {}", name_of(levels.type)) : ""),
          [=](Harness& h, const Exec& exec) {
            const ConstAnyView mask = p.source(h).first;
            const AnyView labels = p.result(h, "labels", s32).first;
            const ConstAnyView intensity = with ? levels.source(h, 1).first : ConstAnyView();
            Exec any = exec;  // a pinned strategy is that of measure
            any.strategy = {}, any.choices = nullptr;
            const int32_t count = label(mask, labels, nullptr, {}, any) - fewer;
            for (const Measures& m : measure(labels, std::max(0, count), intensity, exec)) {
              h.value("measures",
                      fmt::format("{} {} {} {} {} {} {}", m.label, m.area, m.perimeter,
                                  m.orientation, m.eccentricity, m.mean, m.central_moments[1][2]));
            }
          }};
}

/// Leaves out what the model does not have.
void keep_taken(BackgroundOptions& options) {
  if (!has_rate_shift(options.model)) options.rate_shift = 0;
  if (!has_absorb(options.model)) options.absorb = 0;
}

DrawnRequest draw_background(Bytes& bytes, int32_t longest) {
  const PixelType type = one_of_types(bytes, {u8, u16});
  Pictures p = draw_pictures(bytes, type, longest);
  auto options = draw_options<BackgroundOptions>(bytes);
  keep_taken(options);
  const double limit = draw_level(bytes, u8);
  const PixelType mask = one_of_types(bytes, {u8, bit});
  const int wanted = bytes.below(8), before = bytes.below(6);
  return {"background",
          fmt::format("outputs {:#x} of {} after {}, limit {}{}", wanted, p.text(), before, limit,
                      text_of_options(options)),
          [=](Harness& h, const Exec& exec) {
            BackgroundSubtractor subtractor(options);
            for (int t = 0; t < before; ++t)
              subtractor.push(p.source(h, uint64_t(t % 2)).first, {}, limit, exec);
            BackgroundBatchOutputs out;
            if (wanted & 1) out.mask = p.result(h, "mask", mask);
            if (wanted & 2) out.difference = p.result(h, "difference", type);
            if (wanted & 4) out.background = p.result(h, "background", type);
            const ConstBatch frames = p.source(h, 7);
            if (p.count > 1) return subtractor.push(frames, out, limit, exec);
            subtractor.push(
                frames.first,
                BackgroundOutputs{out.background.first, out.difference.first, out.mask.first},
                limit, exec);
          }};
}

DrawnRequest draw_motion(Bytes& bytes, int32_t longest) {
  static constexpr int32_t channels[] = {1, 3, 4};
  const PixelType type = one_of_types(bytes, {u8, u16});
  const Pictures p = draw_pictures(bytes, type, longest, channels[bytes.below(3)]);
  auto options = draw_options<MotionOptions>(bytes);
  keep_taken(options.background);
  // The reference sums whole windows: wide ones now and then.
  if (bytes.below(16)) options.blur = std::min(options.blur, 21);
  options.warm_up = std::min(options.warm_up, 1 + int(bytes.below(4)));  // of a few frames
  return {"motion", fmt::format("detections in {}{}", p.text(), text_of_options(options)),
          [=](Harness& h, const Exec& exec) {
            MotionDetector detector(options);
            const auto tell = [&](std::span<const Detection> found) {
              std::string text;
              for (const Detection& d : found) {
                text += fmt::format("{},{},{},{} {} {} {};", d.box.x, d.box.y, d.box.width,
                                    d.box.height, d.area, d.centroid_x, d.centroid_y);
              }
              h.value("detections", std::move(text));
            };
            tell(detector.push(p.source(h).first, exec));
            for (const auto& found : detector.push(p.source(h, 1), exec)) tell(found);
            copy(detector.mask(), h.host_output("mask", bit, p.width, p.height));
            h.value("threshold", fmt::format("{}", detector.threshold()));
          }};
}

struct Drawing {
  std::string_view operation;
  DrawnRequest (*draw)(Bytes&, int32_t);
};
constexpr Drawing drawings[] = {
    {"pixel", draw_pixel},           {"convolve", draw_convolve}, {"median", draw_median},
    {"sobel", draw_sobel},           {"log", draw_log},           {"canny", draw_canny},
    {"boundaries", draw_boundaries}, {"regions", draw_regions},   {"morphology", draw_morphology},
    {"clean", draw_clean},           {"label", draw_label},       {"measure", draw_measure},
    {"background", draw_background}, {"motion", draw_motion}};

// The error that the call throws, or none.
std::optional<Error> run_in(Harness& harness, const DrawnRequest& request, const Exec& exec) {
  try {
    harness.begin();
    request.run(harness, exec);
    harness.finish();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

}  // namespace

Held hold(const DrawnRequest& request, Space space, Layout layout, const Exec& exec,
          const Exec& oracle) {
  using enum Held::Is;
  Harness mine(layout, 0xCD, space), theirs(Layout::tight, 0x5A);
  const auto failed = run_in(mine, request, exec);
  if (failed && failed->code() == ErrorCode::unsupported) return {unsupported, {}};
  const auto refused = run_in(theirs, request, oracle);
  if (refused && refused->code() != ErrorCode::invalid_argument)
    return {different, std::string("the host's throws: ") + refused->what()};
  if (failed || refused) {
    if (failed && refused && failed->code() == refused->code()) return {no_request, {}};
    return {different, std::string("one alone throws: ") + (failed ? *failed : *refused).what()};
  }
  std::string problem = mine.check_canaries();
  if (problem.empty()) problem = mine.compare(theirs, true);
  return {problem.empty() ? equal : different, std::move(problem)};
}

std::string digest_of(const DrawnRequest& request, const Exec& exec, bool floats) {
  Harness harness(Layout::tight, 0x5A);
  if (const auto refused = run_in(harness, request, exec))
    return refused->code() == ErrorCode::unsupported ? "unsupported" : "refused";
  return fmt::format("{:016x}", harness.digest(floats));
}

std::span<const std::string_view> drawn_operations() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> made;
    for (const Drawing& one : drawings) made.push_back(one.operation);
    return made;
  }();
  return names;
}

DrawnRequest draw_request(Bytes& bytes, std::string_view operation, int32_t longest) {
  for (const Drawing& one : drawings)
    if (one.operation == operation) return one.draw(bytes, longest);
  throw Error(ErrorCode::invalid_argument,
              fmt::format("operation '{}' does not support drawn requests", operation),
              std::string(operation));
}

}  // namespace cuesta::verify
