// Regions as outlines: what --lines and edge_lines() make of edges by the method of regions.
#include "core/check.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/recipes/edges.hpp"

namespace cuesta::recipes {

std::vector<Outline> outlines_at(ConstAnyView seen, ConstAnyView labels, double scale,
                                 const TraceOptions& how, const Exec& exec) {
  AnyImage levels;
  if (seen.channels > 1) {
    to_gray(seen, levels.create(seen.size(), 1, seen.type), ColorOrder::rgb, exec);
    seen = levels;
  }
  auto all = outlines(labels.as<int32_t>(), seen, how);
  for (Outline& one : all) one.mean /= scale;
  return all;
}

std::vector<Outline> region_outlines_at(const EdgeSource& of, const RegionEdges& options,
                                        const TraceOptions& how, const Exec& exec) {
  if (of.view.space != Space::host)
    throw_invalid("regions",
                  "edge_lines: src is on the device; outlines of regions require it on the host");
  RegionEdges labelled = options;
  labelled.labels = true;
  AnyImage labels(of.view.size(), 1, PixelType::s32), holder;
  edges_at(of, labels, labelled, exec);
  const ConstAnyView seen =
      EdgesRecipe(labelled).see(of.view, of.kind(), holder, execs_of(exec).around);
  return outlines_at(seen, labels, of.scale, how, execs_of(exec).around);
}

void contours_of(ConstAnyView labels, ConstAnyView holes, AnyView contours) {
  const auto of = labels.as<int32_t>();
  const auto to = contours.as<uint8_t>();
  for (int32_t y = 0; y < of.height; ++y) {
    for (int32_t x = 0; x < of.width; ++x) {
      const bool differs = (x + 1 < of.width && of.at(x, y) != of.at(x + 1, y)) ||
                           (y + 1 < of.height && of.at(x, y) != of.at(x, y + 1));
      to.at(x, y) = differs ? 255 : 0;
    }
  }
  if (holes) EdgesRecipe(RegionEdges{}).leave_out(holes, contours);
}

}  // namespace cuesta::recipes
