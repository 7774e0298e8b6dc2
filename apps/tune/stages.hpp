// What edges are made of, step by step, by the library's public operations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuesta/image.hpp"
#include "cuesta/recipes/edges.hpp"

namespace cuesta::cli::tune {

struct StageName {
  std::string name{}, words{};
};
/// The stages before the result, by method; of a method that is not known here, the gray picture.
std::vector<StageName> stages_of(const std::string& method);

/// What a stage looks like: u8, of the size of `seen`, which the recipe sees of a picture of levels
/// `scale` apart. Throws Error{invalid_argument} for an unknown name.
AnyImage stage_picture(const recipes::EdgesRecipe& recipe, const std::string& name,
                       ConstAnyView seen, double scale, int threads);

/// How often each strength occurs, of what the thresholds are held against: canny and sobel, the
/// gradient's magnitude; log, |L|, or the step of L across a crossing. Empty bins: of a method that
/// is not known here.
struct Strengths {
  std::vector<uint64_t> bins{};  ///< of equal width, from 0 to `most`; the last has all above, too
  double most = 0;               ///< in the units of the thresholds
  std::string what{};
};
Strengths strengths_of(const recipes::EdgesRecipe& recipe, ConstAnyView seen, double scale,
                       int threads);

}  // namespace cuesta::cli::tune
