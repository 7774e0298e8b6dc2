// The steps of the chain, by the names that its strategies announce (Call::stage): paper 004's
// tables list the same.
#pragma once

#include <string_view>

namespace cuesta::motion_stages {

inline constexpr std::string_view grayscale = "grayscale", gaussian_matrix = "gaussian matrix",
                                  blur = "blur", difference = "difference", threshold = "threshold",
                                  morphology = "morphology", circle_kernel = "circle kernel",
                                  dilate = "dilate", erode = "erode", components = "components",
                                  init = "init", merge = "merge", compress = "compress",
                                  number = "number", boxes = "boxes", memory = "memory";

/// A row of the paper's table. A strategy announces either the whole or its parts.
struct Step {
  std::string_view name;
  std::string_view part_of;  ///< empty: of nothing
};

/// In the order of a frame.
inline constexpr Step steps[] = {
    {grayscale, {}},        {gaussian_matrix, {}}, {blur, {}},         {difference, {}},
    {threshold, {}},        {circle_kernel, {}},   {morphology, {}},   {dilate, morphology},
    {erode, morphology},    {components, {}},      {init, components}, {merge, components},
    {compress, components}, {number, components},  {boxes, {}},        {memory, {}},
};

/// The step that `name` counts towards; empty for a name that is no step.
constexpr std::string_view whole_of(std::string_view name) {
  for (const Step& step : steps) {
    if (step.name == name) return step.part_of.empty() ? step.name : step.part_of;
  }
  return {};
}

}  // namespace cuesta::motion_stages
