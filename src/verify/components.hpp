// Components as one line of text, so that a harness compares them as a value.
#pragma once

#include <string>
#include <vector>

#include "cuesta/objects.hpp"

namespace cuesta::verify {

/// Label, box, area and sums of each, in their order.
std::string text_of(const std::vector<Component>& components);

}  // namespace cuesta::verify
