// The recipe of edges from Python's arguments.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "cuesta/recipes.hpp"
#include "keywords.hpp"

namespace cuesta::python {

/// The threshold of edges: Canny's rule ("auto", "median"), a level, or Canny's pair.
struct EdgeLevels {
  std::optional<std::string> rule{};
  std::optional<double> level{};
  std::optional<std::pair<double, double>> given{};
};

/// The options of a method from its keywords. Throws Error{invalid_argument} for thresholds that
/// the method does not support.
EdgesOptions edges_options_from(const std::string& method, const EdgeLevels& levels,
                                Keywords& keywords);

/// The sample type of images of type "uint8" or "uint16"; of others f32, in which they are
/// computed.
PixelType type_named(const std::string& name);

}  // namespace cuesta::python
