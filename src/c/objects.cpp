// Points, masks, morphology, components.
#include "cuesta/objects.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "c/boundary.hpp"
#include "cuesta/clean.hpp"
#include "cuesta/measure.hpp"

namespace {

using namespace cuesta::c;
using cuesta::ColorOrder;
using cuesta::Morph;

cuesta_morphology_options morphology_defaults() {
  const cuesta::MorphologyOptions by{};
  return {sizeof(cuesta_morphology_options), by.border.has_value(),
          plain(by.border.value_or(cuesta::Border{}))};
}

cuesta_label_options label_defaults() {
  return {sizeof(cuesta_label_options), cuesta::LabelOptions{}.connectivity};
}

cuesta_measures plain(const cuesta::Measures& from) {
  cuesta_measures to{.label = from.label,
                     .box = {from.box.x, from.box.y, from.box.width, from.box.height},
                     .area = from.area,
                     .centroid_x = from.centroid_x,
                     .centroid_y = from.centroid_y,
                     .extent = from.extent,
                     .perimeter = from.perimeter,
                     .orientation = from.orientation,
                     .eccentricity = from.eccentricity,
                     .major_axis = from.major_axis,
                     .minor_axis = from.minor_axis,
                     .equivalent_diameter = from.equivalent_diameter,
                     .moments = {},
                     .central_moments = {},
                     .mean = from.mean,
                     .min = from.min,
                     .max = from.max};
  for (int j = 0; j < 4; ++j) {
    std::copy_n(from.moments[j], 4, to.moments + 4 * j);
    std::copy_n(from.central_moments[j], 4, to.central_moments + 4 * j);
  }
  return to;
}

}  // namespace

cuesta_status cuesta_to_gray(cuesta_context* context, const cuesta_view* src,
                             const cuesta_view* dst, int32_t order) {
  return guarded([&] {
    cuesta::to_gray(picture(src, "to_gray: src"), picture(dst, "to_gray: dst"),
                    enumerator<ColorOrder>(order, "to_gray: order"), exec_of(context));
  });
}

cuesta_status cuesta_absdiff(cuesta_context* context, const cuesta_view* a, const cuesta_view* b,
                             const cuesta_view* dst) {
  return guarded([&] {
    cuesta::absdiff(picture(a, "absdiff: a"), picture(b, "absdiff: b"),
                    picture(dst, "absdiff: dst"), exec_of(context));
  });
}

cuesta_status cuesta_threshold(cuesta_context* context, const cuesta_view* src,
                               const cuesta_view* dst, double limit) {
  return guarded([&] {
    cuesta::threshold(picture(src, "threshold: src"), picture(dst, "threshold: dst"), limit,
                      exec_of(context));
  });
}

cuesta_status cuesta_absdiff_threshold(cuesta_context* context, const cuesta_view* a,
                                       const cuesta_view* b, const cuesta_view* dst, double limit) {
  return guarded([&] {
    cuesta::absdiff_threshold(picture(a, "absdiff_threshold: a"),
                              picture(b, "absdiff_threshold: b"),
                              picture(dst, "absdiff_threshold: dst"), limit, exec_of(context));
  });
}

cuesta_status cuesta_histogram(cuesta_context* context, const cuesta_view* src, uint64_t* bins,
                               size_t count) {
  return guarded([&] {
    cuesta::histogram(picture(src, "histogram: src"), {&given(bins, "histogram: bins"), count},
                      exec_of(context));
  });
}

cuesta_status cuesta_otsu_threshold(const uint64_t* bins, size_t count, int32_t* threshold) {
  return guarded([&] {
    given(threshold, "otsu_threshold: threshold") =
        cuesta::otsu_threshold({&given(bins, "otsu_threshold: bins"), count});
  });
}

cuesta_status cuesta_unpack_mask(cuesta_context* context, const cuesta_view* src,
                                 const cuesta_view* dst) {
  return guarded([&] {
    cuesta::unpack_mask(picture(src, "unpack_mask: src"), picture(dst, "unpack_mask: dst"),
                        exec_of(context));
  });
}

cuesta_status cuesta_pack_mask(cuesta_context* context, const cuesta_view* src,
                               const cuesta_view* dst) {
  return guarded([&] {
    cuesta::pack_mask(picture(src, "pack_mask: src"), picture(dst, "pack_mask: dst"),
                      exec_of(context));
  });
}

cuesta_status cuesta_remove_small(cuesta_context* context, const cuesta_view* mask,
                                  const cuesta_view* dst, int32_t min_area, int32_t connectivity) {
  return guarded([&] {
    cuesta::remove_small(picture(mask, "remove_small: mask"), picture(dst, "remove_small: dst"),
                         {min_area, connectivity}, exec_of(context));
  });
}

cuesta_status cuesta_fill_holes(cuesta_context* context, const cuesta_view* mask,
                                const cuesta_view* dst, int32_t max_area, int32_t connectivity) {
  return guarded([&] {
    cuesta::fill_holes(picture(mask, "fill_holes: mask"), picture(dst, "fill_holes: dst"),
                       {max_area, connectivity}, exec_of(context));
  });
}

void cuesta_morphology_options_init(cuesta_morphology_options* options, size_t size) {
  put_options(options, size, morphology_defaults());
}

cuesta_status cuesta_morphology(cuesta_context* context, const cuesta_view* src,
                                const cuesta_view* dst, int32_t what, const cuesta_element* element,
                                const cuesta_morphology_options* options) {
  return guarded([&] {
    const auto of = take_options(options, morphology_defaults(), "morphology");
    cuesta::MorphologyOptions to{};
    if (flag(of.has_border, "morphology: has_border"))
      to.border = border_of(of.border, "morphology");
    cuesta::morphology(picture(src, "morphology: src"), picture(dst, "morphology: dst"),
                       enumerator<Morph>(what, "morphology: what"),
                       element_of(given(element, "morphology: element"), "morphology: element"), to,
                       exec_of(context));
  });
}

void cuesta_label_options_init(cuesta_label_options* options, size_t size) {
  put_options(options, size, label_defaults());
}

cuesta_status cuesta_label(cuesta_context* context, const cuesta_view* mask,
                           const cuesta_view* labels, cuesta_component* components, size_t capacity,
                           size_t* count, const cuesta_label_options* options) {
  return guarded([&] {
    const auto of = take_options(options, label_defaults(), "label");
    if (capacity > 0) given(components, "label: components");
    std::vector<cuesta::Component> found;
    const int32_t number = cuesta::label(
        picture(mask, "label: mask"),
        labels == nullptr ? cuesta::AnyView{} : picture(labels, "label: labels"),
        capacity > 0 ? &found : nullptr, {.connectivity = of.connectivity}, exec_of(context));
    if (count != nullptr) *count = size_t(number);
    for (size_t i = 0; i < std::min(capacity, found.size()); ++i) {
      const auto& one = found[i];
      components[i] = {one.label,
                       {one.box.x, one.box.y, one.box.width, one.box.height},
                       one.area,
                       one.sum_x,
                       one.sum_y};
    }
  });
}

cuesta_status cuesta_measure(cuesta_context* context, const cuesta_view* labels,
                             const cuesta_view* intensity, size_t count, cuesta_measures* measures,
                             size_t size) {
  return guarded([&] {
    if (size != sizeof(cuesta_measures)) {
      refuse(std::to_string(size), "measure: size is {}; it must be {}, sizeof(cuesta_measures)",
             size, sizeof(cuesta_measures));
    }
    constexpr auto max_count = size_t(std::numeric_limits<int32_t>::max());
    if (count > max_count) {
      refuse(std::to_string(count), "measure: count is {}; it must be at most {}", count,
             max_count);
    }
    if (count > 0) given(measures, "measure: measures");
    const auto found = cuesta::measure(
        picture(labels, "measure: labels"), int32_t(count),
        intensity == nullptr ? cuesta::AnyView{} : picture(intensity, "measure: intensity"),
        exec_of(context));
    for (size_t i = 0; i < found.size(); ++i) measures[i] = plain(found[i]);
  });
}
