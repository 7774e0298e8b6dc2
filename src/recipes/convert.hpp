// From what files hold to what operations take.
#pragma once

#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"

namespace cuesta::recipes {

/// Samples of one type (u8, u16) as another (u8, u16, f32), or of f32 as f32, both pictures of one
/// size and number of channels: u8 to u16 keeps white white (× 257), u16 to u8 takes the high byte,
/// to f32 numbers stay as they are; one type copies.
void convert(ConstAnyView src, AnyView dst);

/// to_gray of a picture of a file, whose colors are in RGB order.
void make_gray(ConstAnyView src, AnyView dst, const Exec& exec = {});

/// Samples of rows [first, first + count) of a u8 mask that are not 0.
int64_t count_set(ConstAnyView mask, int32_t first, int32_t count);

}  // namespace cuesta::recipes
