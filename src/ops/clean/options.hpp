// What there is to say of the options of remove_small() and fill_holes().
#pragma once

#include <limits>

#include "core/options.hpp"
#include "cuesta/clean.hpp"

namespace cuesta {

inline constexpr double max_clean_area = std::numeric_limits<int>::max();

template <>
struct Described<RemoveSmallOptions> {
  static constexpr auto fields =
      std::tuple(field<&RemoveSmallOptions::min_area>("min_area", between(0, max_clean_area),
                                                      "remove components with fewer pixels"),
                 field<&RemoveSmallOptions::connectivity>("connectivity", one_of(4, 8),
                                                          "set the neighbours of a pixel"));
};

template <>
struct Described<FillHolesOptions> {
  static constexpr auto fields = std::tuple(
      field<&FillHolesOptions::max_area>("max_area", between(0, max_clean_area),
                                         "fill holes of at most this many pixels; 0 fills all"),
      field<&FillHolesOptions::connectivity>("connectivity", one_of(4, 8),
                                             "set the neighbours of a foreground pixel"));
};

}  // namespace cuesta
