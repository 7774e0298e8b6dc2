// Pictures whose sample type and space are known at run time, and the small conversions between
// what files hold and what operations take.
#pragma once

#include <optional>
#include <string>

#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"
#include "cuesta/io/picture.hpp"

namespace cuesta::cli {

/// The part of a picture that --region names; all of it without. Throws Error{invalid_argument}
/// naming the region and the picture's size.
ConstAnyView region_of(ConstAnyView picture, const std::optional<Rect>& region,
                       const std::string& name);

/// The check alone.
void check_region(ConstAnyView picture, const Rect& region, const std::string& name);

/// The picture in another type: u8 to u16 keeps white white (× 257), u16 to u8 takes the high byte,
/// to f32 numbers stay as they are. The result is in `holder` or in `picture`.
ConstAnyView converted(ConstAnyView picture, PixelType type, AnyImage& holder);

/// u8, one channel: 255 where any color sample of `picture` is not 0.
void fill_mask(ConstAnyView picture, bool has_alpha, AnyView mask);

}  // namespace cuesta::cli
