#include "verify/components.hpp"

#include <fmt/format.h>

namespace cuesta::verify {

std::string text_of(const std::vector<Component>& components) {
  std::string text;
  for (const Component& c : components) {
    text += fmt::format("{}:{},{},{},{} {} {} {};", c.label, c.box.x, c.box.y, c.box.width,
                        c.box.height, c.area, c.sum_x, c.sum_y);
  }
  return text;
}

}  // namespace cuesta::verify
