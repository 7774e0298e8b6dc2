// What there is to say of sobel's options, and of those that canny shares.
#pragma once

#include "core/options.hpp"
#include "cuesta/edges.hpp"

namespace cuesta {

inline constexpr Named<Norm> norm_names[] = {{Norm::l1, "l1"}, {Norm::l2, "l2"}};
constexpr std::span<const Named<Norm>> names_of(Norm) { return norm_names; }

template <auto Member>
constexpr auto aperture_field() {
  return field<Member>("aperture", one_of(3, 5, 7).or_by(smooth_first),
                       "set the side of the Sobel window");
}
template <auto Member>
constexpr auto norm_field() {
  return field<Member>(
      "norm", any(),
      "select the gradient magnitude. l1: |gx| + |gy|; l2: the root of the sum of squares");
}

template <>
struct Described<SobelOptions> {
  static constexpr auto fields =
      std::tuple(aperture_field<&SobelOptions::aperture>(), norm_field<&SobelOptions::norm>(),
                 border_field<&SobelOptions::border>());
};

}  // namespace cuesta
