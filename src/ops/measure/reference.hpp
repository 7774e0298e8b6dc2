// What the measure strategies share, and their entries.
#pragma once

#include "ops/measure/args.hpp"

namespace cuesta {

/// Labels of one picture, as the outline sees them: nothing is outside.
struct LabelsAround {
  ConstAnyView labels{};

  CUESTA_HOST_DEVICE int32_t at(int32_t x, int32_t y) const {
    if (x < 0 || y < 0 || x >= labels.width || y >= labels.height) return 0;
    const char* row = static_cast<const char*>(labels.data) + ptrdiff_t(y) * labels.stride_bytes;
    return reinterpret_cast<const int32_t*>(row)[x];
  }
  /// Whether a pixel with this label is on its component's outline.
  CUESTA_HOST_DEVICE bool on_outline(int32_t x, int32_t y, int32_t label) const {
    return at(x, y) == label && (at(x - 1, y) != label || at(x + 1, y) != label ||
                                 at(x, y - 1) != label || at(x, y + 1) != label);
  }
  /// The kind of step of the pixel, -1 for none.
  CUESTA_HOST_DEVICE int step_at(int32_t x, int32_t y, int32_t label) const {
    if (!on_outline(x, y, label)) return -1;
    int straight = 0, diagonal = 0;
    for (int32_t dy = -1; dy <= 1; ++dy) {
      for (int32_t dx = -1; dx <= 1; ++dx) {
        if (dx == 0 && dy == 0) continue;
        const bool on = on_outline(x + dx, y + dy, label);
        (dx == 0 || dy == 0 ? straight : diagonal) += on;
      }
    }
    return measuring::step_of(straight, diagonal);
  }
};

namespace measuring {

/// Adds two sums of one component.
void add(Sums& to, const Sums& part);
/// Adds one sample.
template <class T>
void add_sample(Sums& to, T sample);

}  // namespace measuring

/// Strategy `serial`.
void measure_serial(const MeasureArgs& args, Call& call);
/// Strategy `rows`.
void measure_rows(const MeasureArgs& args, Call& call);

}  // namespace cuesta
