// edges() and edge_lines(): the recipe of edges on pictures in memory.
#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/workspace.hpp"
#include "cuesta/recipes/edges.hpp"
#include "lines/points.hpp"
#include "recipes/holes.hpp"
#include "recipes/scratch_picture.hpp"

namespace cuesta {

PixelType edges_type(PixelType source, const EdgesOptions& options) {
  return recipes::EdgesRecipe(options).output({.type = source}).type;
}

namespace {

// Sees the picture in scratch memory and calls body(seen).
template <class Body>
void with_seen(const recipes::EdgesRecipe& recipe, ConstAnyView src, const recipes::Execs& execs,
               Body&& body) {
  check_view(src, "edges: src", {PixelType::u8, PixelType::u16, PixelType::f32}, 1, 4);
  const recipes::PictureKind kind = recipes::kind_of(src);
  const recipes::Steps prepare = recipe.preparation(kind);
  if (prepare.empty()) return body(src);
  const recipes::PictureKind seen = recipe.seen(kind);
  if (execs.around.choices) {
    for (Choice& choice :
         recipes::plan_of(prepare, src.size(), src.type, src.channels, src.space, execs))
      execs.around.choices->push_back(std::move(choice));
    return body(placeholder(src.width, src.height, seen.type, seen.channels, src.space));
  }
  Scratch scratch(execs.around, src.space);
  const AnyView view =
      recipes::scratch_picture(scratch, src.size(), seen.type, seen.channels, src.space);
  recipes::run_steps(prepare, src, view, execs);
  body(ConstAnyView(view));
}

// Whether the method needs levels of these floats. On a GPU its operation refuses them.
bool takes_levels_of(const recipes::EdgesRecipe& recipe, ConstAnyView src) {
  return recipe.floats() == recipes::Floats::holes && src.type == PixelType::f32 &&
         src.space == Space::host;
}

// The levels of a float picture, as those of its file; where only a strategy is chosen, their kind.
struct Levels {
  Levels(ConstAnyView src, const Exec& exec) {
    check_view(src, "edges: src", {PixelType::f32}, 1, 4);
    if (exec.choices) {
      view = placeholder(src.width, src.height, PixelType::u16, src.channels, src.space);
      return;
    }
    recipes::Whitened white =
        recipes::whiten(src.as<float>(), recipes::kind_of(src).has_alpha, {}, false);
    pixels = std::move(white.pixels);
    holes = recipes::holes_of(src.as<float>(), recipes::kind_of(src).has_alpha);
    if (!holes.empty()) recipes::fill_holes(pixels, holes);
    view = pixels;
    scale = white.scale;
  }

  Image<uint16_t> pixels{};
  Image<uint8_t> holes{};
  ConstAnyView view{};
  double scale = 1;
};

}  // namespace

EdgesResult recipes::edges_at(ConstAnyView src, AnyView dst, const EdgesOptions& options,
                              double scale, const Exec& exec) {
  const EdgesRecipe recipe(options);
  if (takes_levels_of(recipe, src)) {
    const Levels levels(src, exec);
    const EdgesResult result = edges_at(levels.view, dst, options, scale * levels.scale, exec);
    if (!levels.holes.empty()) recipe.leave_out(ConstAnyView(levels.holes), dst);
    return result;
  }
  const Execs execs = execs_of(exec);
  check_view(dst, "edges: dst", {recipe.output({.type = src.type}).type});
  check_same_size(src, dst, "edges: src", "edges: dst");
  check_no_overlap(src, dst, "edges: src", "edges: dst");
  EdgesResult result;
  with_seen(recipe, src, execs, [&](ConstAnyView seen) {
    if (!exec.choices) {
      result = recipe.run(seen, dst, {}, scale, execs);
      return;
    }
    for (Choice& choice : plan_of(recipe.steps({seen.type, seen.channels}), seen.size(), seen.type,
                                  seen.channels, seen.space, execs))
      exec.choices->push_back(std::move(choice));
  });
  return result;
}

EdgesResult edges(ConstAnyView src, OutView dst, const EdgesOptions& options, const Exec& exec) {
  return recipes::edges_at(src, dst, options, 1, exec);
}

namespace {

Polylines traced(const recipes::EdgesRecipe& recipe, ConstAnyView src, ConstAnyView holes,
                 double scale, const TraceOptions& how, const recipes::Execs& execs) {
  Polylines lines;
  with_seen(recipe, src, execs, [&](ConstAnyView seen) {
    Scratch scratch(execs.around, seen.space);
    const AnyView found =
        recipes::scratch_picture(scratch, seen.size(), PixelType::u8, 1, seen.space);
    const EdgesResult used = recipe.run(seen, found, {}, scale, execs);
    lines = recipe.trace(seen, found, used.sigma, scale, holes, how, execs.around);
  });
  return lines;
}

}  // namespace

Polylines recipes::edge_lines_at(ConstAnyView src, const EdgesOptions& options, double scale,
                                 const TraceOptions& how, const Exec& exec) {
  const EdgesRecipe recipe(options);
  recipe.check_lines();
  const Execs execs = execs_of(exec);
  if (!takes_levels_of(recipe, src)) return traced(recipe, src, {}, scale, how, execs);
  const Levels levels(src, exec);
  ConstAnyView holes;
  if (!levels.holes.empty()) holes = ConstAnyView(levels.holes);
  return traced(recipe, levels.view, holes, scale * levels.scale, how, execs);
}

Polylines edge_lines(ConstAnyView src, const EdgesOptions& options, const TraceOptions& how,
                     const Exec& exec) {
  return recipes::edge_lines_at(src, options, 1, how, exec);
}

void recipes::canny_magnitudes(ConstAnyView smooth, ImageView<float> out,
                               const CannyOptions& options, const Exec& exec) {
  check_same_size(smooth, out, "canny_magnitudes: smooth", "canny_magnitudes: out");
  const bool is_structure = smooth.channels > 1 && options.color == ColorGradient::structure;
  const bool is_l1 = options.norm == Norm::l1 && !is_structure;
  const auto field =
      lines::gradient_field(smooth, {}, options.aperture, exec.threads, options.color);
  for (int32_t y = 0; y < out.height; ++y) {
    std::transform(field.gx.row(y), field.gx.row(y) + out.width, field.gy.row(y), out.row(y),
                   [&](float gx, float gy) {
                     return is_l1 ? std::abs(gx) + std::abs(gy) : std::hypot(gx, gy);
                   });
  }
}

}  // namespace cuesta
