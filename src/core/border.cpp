#include "cuesta/border.hpp"

#include "core/check.hpp"

namespace cuesta {

std::string_view name_of(BorderMode mode) {
  switch (mode) {
    case BorderMode::replicate: return "replicate";
    case BorderMode::reflect: return "reflect";
    case BorderMode::reflect101: return "reflect101";
    case BorderMode::constant: return "constant";
    case BorderMode::wrap: return "wrap";
    case BorderMode::ignore: return "ignore";
  }
  return "?";
}

BorderMode border_mode_from(std::string_view name) {
  for (const auto mode : {BorderMode::replicate, BorderMode::reflect, BorderMode::reflect101,
                          BorderMode::constant, BorderMode::wrap, BorderMode::ignore}) {
    if (name == name_of(mode)) return mode;
  }
  throw_invalid(std::string(name),
                "border '{}': choose one of replicate, reflect, reflect101, constant, wrap, ignore",
                name);
}

}  // namespace cuesta
