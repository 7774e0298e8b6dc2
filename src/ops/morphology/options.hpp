// What there is to say of morphology's options, and of elements as options.
#pragma once

#include "core/options.hpp"
#include "cuesta/objects.hpp"

namespace cuesta {

inline std::string wrong(const StructuringElement&, const Limits&) { return {}; }
/// As StructuringElement::parse takes it; "none" for one cell, "a 5x3 element" for other shapes.
std::string text_of(const StructuringElement& element);

template <>
struct Described<MorphologyOptions> {
  static constexpr auto fields = std::tuple(
      field<&MorphologyOptions::border>("border", any(),
                                        "set samples outside the picture, for each step. Without a "
                                        "border, samples outside have no effect"));
};

}  // namespace cuesta
