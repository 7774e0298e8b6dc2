// cuesta_edges.
#include "cuesta/recipes.hpp"

#include "c/boundary.hpp"

namespace {

using namespace cuesta::c;
using cuesta::AutoThreshold;
using cuesta::EdgeColor;

cuesta_edges_options edges_defaults() {
  const cuesta::CannyEdges by{};
  const cuesta::Automatic rule{};
  return {.size = sizeof(cuesta_edges_options),
          .method = CUESTA_METHOD_CANNY,
          .ksize = by.ksize,
          .sigma = -1,
          .threshold = -1,
          .rule = int32_t(rule.rule),
          .norm = int32_t(by.norm),
          .low = 0,
          .high = 0,
          .percent = rule.percent,
          .aperture = by.aperture,
          .color = int32_t(by.color),
          .mode = CUESTA_LOG_ZERO_CROSSINGS,
          .quality = -1,
          .border = plain(cuesta::Border{}),
          .mask = plain(cuesta::ConstAnyView{}),
          .strength = int32_t(by.strength)};
}

cuesta::Thresholds thresholds_of(const cuesta_edges_options& of) {
  if (of.threshold >= 0) return cuesta::Given{of.threshold / 2, of.threshold};
  if (of.rule == CUESTA_GIVEN) return cuesta::Given{of.low, of.high};
  return cuesta::Automatic{enumerator<AutoThreshold>(of.rule, "edges: rule"), of.percent};
}

cuesta::BoundaryQuality quality_of(const cuesta_edges_options& of, cuesta::BoundaryQuality usual) {
  if (of.quality < 0) return usual;
  return enumerator<cuesta::BoundaryQuality>(of.quality, "edges: quality");
}

cuesta::EdgesOptions edges_options(const cuesta_edges_options& of, cuesta::PixelType result) {
  const auto sigma = if_given(of.sigma), threshold = if_given(of.threshold);
  const auto norm = enumerator<cuesta::Norm>(of.norm, "edges: norm");
  switch (of.method) {
    case CUESTA_METHOD_CANNY:
      return cuesta::CannyEdges{.sigma = sigma,
                                .ksize = of.ksize,
                                .thresholds = thresholds_of(of),
                                .norm = norm,
                                .aperture = of.aperture,
                                .color = enumerator<EdgeColor>(of.color, "edges: color"),
                                .border = border_of(of.border, "edges"),
                                .strength = of.strength != 0,
                                .mask = picture(of.mask, "edges: mask")};
    case CUESTA_METHOD_LOG:
      return cuesta::LogEdges{.mode = enumerator<cuesta::LogMode>(of.mode, "edges: mode"),
                              .threshold = threshold,
                              .sigma = sigma,
                              .ksize = of.ksize,
                              .border = border_of(of.border, "edges")};
    case CUESTA_METHOD_SOBEL:
      return cuesta::SobelEdges{.sigma = sigma.value_or(0),
                                .ksize = of.ksize,
                                .aperture = of.aperture,
                                .norm = norm,
                                .border = border_of(of.border, "edges"),
                                .threshold = threshold};
    case CUESTA_METHOD_BOUNDARIES:
      return cuesta::BoundaryOptions{
          .threshold = threshold.value_or(cuesta::BoundaryOptions{}.threshold),
          .quality = quality_of(of, cuesta::BoundaryOptions{}.quality)};
    case CUESTA_METHOD_REGIONS:
      return cuesta::RegionEdges{.threshold = threshold.value_or(cuesta::RegionEdges{}.threshold),
                                 .quality = quality_of(of, cuesta::RegionEdges{}.quality),
                                 .labels = result == cuesta::PixelType::s32};
    default:
      refuse(fmt::format("edges: method {}", of.method), "edges: method is {}; it must be 0 to 4",
             of.method);
  }
}

}  // namespace

void cuesta_edges_options_init(cuesta_edges_options* options, size_t size) {
  put_options(options, size, edges_defaults());
}

cuesta_status cuesta_edges(cuesta_context* context, const cuesta_view* src, const cuesta_view* dst,
                           const cuesta_edges_options* options, cuesta_edges_used* used) {
  return guarded([&] {
    const auto of = take_options(options, edges_defaults(), "edges");
    const auto to = picture(dst, "edges: dst");
    const auto found =
        cuesta::edges(picture(src, "edges: src"), to, edges_options(of, to.type), exec_of(context));
    if (used == nullptr || !found.sigma) return;
    const cuesta::CannyResult thresholds = found.thresholds.value_or(cuesta::CannyResult{});
    *used = {thresholds.low, thresholds.high, *found.sigma};
  });
}
