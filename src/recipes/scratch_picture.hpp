// Pictures between the steps of a recipe.
#pragma once

#include "core/workspace.hpp"
#include "cuesta/image.hpp"

namespace cuesta::recipes {

/// A picture in scratch memory; `space` is that of the Scratch.
AnyView scratch_picture(Scratch& scratch, Size size, PixelType type, int32_t channels, Space space);

}  // namespace cuesta::recipes
