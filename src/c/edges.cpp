// cuesta_sobel, cuesta_canny, cuesta_log_edges, cuesta_boundaries, cuesta_regions.
#include "cuesta/edges.hpp"

#include "c/edge_options.hpp"
#include "cuesta/boundaries.hpp"
#include "cuesta/regions.hpp"

namespace {

using namespace cuesta::c;
using cuesta::AutoThreshold;
using cuesta::BoundaryQuality;
using cuesta::Norm;

cuesta_sobel_options sobel_defaults() {
  const cuesta::SobelOptions by{};
  return {sizeof(cuesta_sobel_options), by.aperture, number_of(by.norm), plain(by.border)};
}

cuesta_canny_options canny_defaults() {
  const cuesta::CannyOptions by{};
  const cuesta::Automatic rule{};
  return {sizeof(cuesta_canny_options),
          -1,
          by.ksize,
          number_of(rule.rule),
          0,
          0,
          rule.percent,
          number_of(by.norm),
          by.aperture,
          plain(by.mask),
          number_of(by.color),
          plain(by.border)};
}

cuesta_log_options log_defaults() {
  const cuesta::LogOptions by{};
  return {
      sizeof(cuesta_log_options), number_of(by.mode), by.ksize, by.threshold, -1, plain(by.border)};
}

cuesta_boundary_options boundary_defaults() {
  const cuesta::BoundaryOptions by{};
  return {sizeof(cuesta_boundary_options), by.threshold, number_of(by.quality)};
}

cuesta_region_options region_defaults() {
  return {sizeof(cuesta_region_options), cuesta::RegionOptions{}.threshold};
}

cuesta::Thresholds thresholds_of(const cuesta_canny_options& of) {
  if (of.rule == CUESTA_GIVEN) return cuesta::Given{of.low, of.high};
  return cuesta::Automatic{enumerator<AutoThreshold>(of.rule, "canny: rule"), of.percent};
}

}  // namespace

cuesta::CannyOptions cuesta::c::canny_options(const cuesta_canny_options* options) {
  const auto of = take_options(options, canny_defaults(), "canny");
  return {.sigma = if_given(of.sigma),
          .ksize = of.ksize,
          .thresholds = thresholds_of(of),
          .norm = enumerator<Norm>(of.norm, "canny: norm"),
          .aperture = of.aperture,
          .mask = picture(of.mask, "canny: mask"),
          .color = enumerator<ColorGradient>(of.color, "canny: color"),
          .border = border_of(of.border, "canny")};
}

cuesta::LogOptions cuesta::c::log_options(const cuesta_log_options* options) {
  const auto of = take_options(options, log_defaults(), "log_edges");
  return {.mode = enumerator<LogMode>(of.mode, "log_edges: mode"),
          .threshold = of.threshold,
          .sigma = if_given(of.sigma),
          .ksize = of.ksize,
          .border = border_of(of.border, "log_edges")};
}

void cuesta_sobel_options_init(cuesta_sobel_options* options, size_t size) {
  put_options(options, size, sobel_defaults());
}
void cuesta_canny_options_init(cuesta_canny_options* options, size_t size) {
  put_options(options, size, canny_defaults());
}
void cuesta_log_options_init(cuesta_log_options* options, size_t size) {
  put_options(options, size, log_defaults());
}
void cuesta_boundary_options_init(cuesta_boundary_options* options, size_t size) {
  put_options(options, size, boundary_defaults());
}

void cuesta_region_options_init(cuesta_region_options* options, size_t size) {
  put_options(options, size, region_defaults());
}

cuesta_status cuesta_sobel(cuesta_context* context, const cuesta_view* src,
                           const cuesta_sobel_outputs* out, const cuesta_sobel_options* options) {
  return guarded([&] {
    const auto of = take_options(options, sobel_defaults(), "sobel");
    const auto& to = given(out, "sobel: out");
    cuesta::sobel(picture(src, "sobel: src"),
                  {.gx = picture(to.gx, "sobel: gx"),
                   .gy = picture(to.gy, "sobel: gy"),
                   .magnitude = picture(to.magnitude, "sobel: magnitude"),
                   .direction = picture(to.direction, "sobel: direction")},
                  {.aperture = of.aperture,
                   .norm = enumerator<Norm>(of.norm, "sobel: norm"),
                   .border = border_of(of.border, "sobel")},
                  exec_of(context));
  });
}

cuesta_status cuesta_canny(cuesta_context* context, const cuesta_view* src, const cuesta_view* dst,
                           const cuesta_canny_options* options, cuesta_thresholds* used) {
  return guarded([&] {
    const auto found = cuesta::canny(picture(src, "canny: src"), picture(dst, "canny: dst"),
                                     canny_options(options), exec_of(context));
    if (used != nullptr) *used = {found.low, found.high};
  });
}

cuesta_status cuesta_canny_of_gradients(cuesta_context* context, const cuesta_view* gx,
                                        const cuesta_view* gy, const cuesta_view* dst,
                                        const cuesta_canny_options* options,
                                        cuesta_thresholds* used) {
  return guarded([&] {
    const auto of = canny_options(options);
    const auto found = cuesta::canny_of_gradients(
        picture(gx, "canny: gx"), picture(gy, "canny: gy"), picture(dst, "canny: dst"),
        {.thresholds = of.thresholds, .norm = of.norm, .mask = of.mask, .color = of.color},
        exec_of(context));
    if (used != nullptr) *used = {found.low, found.high};
  });
}

cuesta_status cuesta_boundaries(cuesta_context* context, const cuesta_view* src,
                                const cuesta_view* dst, const cuesta_boundary_options* options) {
  return guarded([&] {
    const auto of = take_options(options, boundary_defaults(), "boundaries");
    cuesta::boundaries(picture(src, "boundaries: src"), picture(dst, "boundaries: dst"),
                       {.threshold = of.threshold,
                        .quality = enumerator<BoundaryQuality>(of.quality, "boundaries: quality")},
                       exec_of(context));
  });
}

cuesta_status cuesta_log_edges(cuesta_context* context, const cuesta_view* src,
                               const cuesta_view* dst, const cuesta_log_options* options) {
  return guarded([&] {
    cuesta::log_edges(picture(src, "log_edges: src"), picture(dst, "log_edges: dst"),
                      log_options(options), exec_of(context));
  });
}

cuesta_status cuesta_regions(cuesta_context* context, const cuesta_view* src,
                             const cuesta_view* dst, const cuesta_region_options* options) {
  return guarded([&] {
    const auto of = take_options(options, region_defaults(), "regions");
    cuesta::regions(picture(src, "regions: src"), picture(dst, "regions: dst"),
                    {.threshold = of.threshold}, exec_of(context));
  });
}
