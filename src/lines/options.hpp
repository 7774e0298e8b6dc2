// What there is to say of the options of lines.
#pragma once

#include "core/options.hpp"
#include "cuesta/lines.hpp"

namespace cuesta {

inline constexpr Named<Refinement> refinement_names[] = {{Refinement::pixel, "pixel"},
                                                         {Refinement::parabola, "parabola"},
                                                         {Refinement::devernay, "devernay"},
                                                         {Refinement::unbiased, "unbiased"}};
constexpr std::span<const Named<Refinement>> names_of(Refinement) { return refinement_names; }

template <>
struct Described<TraceOptions> {
  static constexpr auto fields =
      std::tuple(field<&TraceOptions::tolerance>(
                     "tolerance", at_least(0),
                     "simplify lines within this tolerance, in pixels; 0 keeps all points"),
                 field<&TraceOptions::min_length>("min_length", at_least(0),
                                                  "drop shorter lines; length in pixels"),
                 field<&TraceOptions::refinement>("refinement", any(),
                                                  "select the position of points between pixels"));
};

}  // namespace cuesta
