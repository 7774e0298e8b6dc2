// What there is to say of label's options.
#pragma once

#include "core/options.hpp"
#include "cuesta/objects.hpp"

namespace cuesta {

template <auto Member>
constexpr auto connectivity_field() {
  return field<Member>("connectivity", one_of(4, 8), "set the neighbours of a pixel");
}

template <>
struct Described<LabelOptions> {
  static constexpr auto fields = std::tuple(connectivity_field<&LabelOptions::connectivity>());
};

}  // namespace cuesta
