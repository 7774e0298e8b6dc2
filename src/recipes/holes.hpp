// Holes: where a file or an array of floats has no data (NaN).
#pragma once

#include <cstdint>

#include "cuesta/image.hpp"

namespace cuesta::recipes {

/// 255 where a color of the picture is NaN, else 0; empty where none is.
Image<uint8_t> holes_of(ImageView<const float> picture, bool has_alpha);

/// Continues u16 levels into holes, so that they have no rim: each pixel there becomes the one that
/// is fewest steps away, along rows and columns.
void fill_holes(Image<uint16_t>& levels, const Image<uint8_t>& holes);

/// The holes and all pixels within `by` rows and columns of one.
Image<uint8_t> grown(ImageView<const uint8_t> holes, int32_t by);

/// Makes samples 0 where `holes` is not 0. One channel of u8, u16, s32 or f32.
void clear_holes(AnyView picture, ImageView<const uint8_t> holes);

/// Numbers labels from 1 on again, after some were cleared; their order stays.
void renumber(ImageView<int32_t> labels);

}  // namespace cuesta::recipes
