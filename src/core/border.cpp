#include "cuesta/border.hpp"

#include "core/options.hpp"

namespace cuesta {

std::string_view name_of(BorderMode mode) { return name_in(mode); }

BorderMode border_mode_from(std::string_view name) {
  if (const auto mode = value_named<BorderMode>(name)) return *mode;
  throw_invalid(std::string(name), "border is '{}'; it must be {}", name,
                either_name_of<BorderMode>());
}

}  // namespace cuesta
