// edges() and edge_lines(): the recipe of edges on pictures in memory.
#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/workspace.hpp"
#include "cuesta/recipes/edges.hpp"
#include "lines/points.hpp"
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

}  // namespace

recipes::EdgeSource::EdgeSource(const EdgesRecipe& recipe, ConstAnyView src, const White& white,
                                const Exec& exec)
    : view(src) {
  const bool is_host = src.space == Space::host;
  if (white.is_given() && !is_host)
    throw_invalid("device", "edges: src is on the device; white and black require it on the host");
  // On a GPU an operation that needs levels refuses floats.
  const bool needs_levels =
      recipe.floats() == Floats::holes && src.type == PixelType::f32 && is_host;
  if (!white.is_given() && !needs_levels) return;
  check_view(src, "edges: src", {PixelType::u8, PixelType::u16, PixelType::f32}, 1, 4);
  if (exec.choices) {  // only their kind
    view = placeholder(src.width, src.height, PixelType::u16, src.channels, src.space);
    return;
  }
  levels_ = levels_of(src, kind_of(src).has_alpha, white, false, Floats::holes);
  view = levels_.pixels;
  scale = levels_.scale;
  if (!levels_.holes.empty()) holes = ConstAnyView(levels_.holes);
  warning = clipped_remark(levels_.clipped, levels_.remark);
}

recipes::PictureKind recipes::EdgeSource::kind() const {
  PictureKind kind = kind_of(view);
  kind.scale = scale;
  return kind;
}

EdgesResult recipes::edges_at(const EdgeSource& of, AnyView dst, const EdgesOptions& options,
                              const Exec& exec) {
  const EdgesRecipe recipe(options);
  const Execs execs = execs_of(exec);
  const ConstAnyView src = of.view;
  check_view(dst, "edges: dst", {recipe.output(of.kind()).type});
  check_same_size(src, dst, "edges: src", "edges: dst");
  check_no_overlap(src, dst, "edges: src", "edges: dst");
  const Image<uint8_t> around = of.holes ? recipe.mask_around(of.holes, {}) : Image<uint8_t>();
  EdgesResult result;
  with_seen(recipe, src, execs, [&](ConstAnyView seen) {
    if (!exec.choices) {
      const ConstAnyView mask = around.empty() ? ConstAnyView() : ConstAnyView(around);
      result = recipe.run(seen, dst, mask, of.scale, execs);
      return;
    }
    for (Choice& choice : plan_of(recipe.steps({seen.type, seen.channels}), seen.size(), seen.type,
                                  seen.channels, seen.space, execs))
      exec.choices->push_back(std::move(choice));
  });
  if (of.holes) recipe.leave_out(of.holes, dst);
  return result;
}

EdgesResult edges(ConstAnyView src, OutView dst, const EdgesOptions& options, const Exec& exec) {
  return recipes::edges_at({recipes::EdgesRecipe(options), src, {}, exec}, dst, options, exec);
}

Polylines recipes::edge_lines_at(const EdgeSource& of, const EdgesOptions& options,
                                 const TraceOptions& how, const Exec& exec) {
  const EdgesRecipe recipe(options);
  recipe.check_lines();
  const Execs execs = execs_of(exec);
  const Image<uint8_t> around = of.holes ? recipe.mask_around(of.holes, {}) : Image<uint8_t>();
  Polylines lines;
  with_seen(recipe, of.view, execs, [&](ConstAnyView seen) {
    Scratch scratch(execs.around, seen.space);
    const AnyView found = scratch_picture(scratch, seen.size(), PixelType::u8, 1, seen.space);
    const ConstAnyView mask = around.empty() ? ConstAnyView() : ConstAnyView(around);
    const EdgesResult used = recipe.run(seen, found, mask, of.scale, execs);
    lines = recipe.trace(seen, found, used.sigma, of.scale, of.holes, how, execs.around);
  });
  return lines;
}

Polylines edge_lines(ConstAnyView src, const EdgesOptions& options, const TraceOptions& how,
                     const Exec& exec) {
  return recipes::edge_lines_at({recipes::EdgesRecipe(options), src, {}, exec}, options, how, exec);
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
