// What tiles in shared memory (tensor_tile.cuh) take of a picture. No CUDA type.
#pragma once

#include <string_view>

#include "cuesta/image.hpp"

namespace cuesta::cuda {

/// Why tiles do not take the picture, or nothing: the bytes of a row, and some past its end, are
/// counted in 32 bits.
inline std::string_view tiles_take(ConstAnyView picture) {
  return int64_t(picture.width) * picture.channels * bytes_per_sample(picture.type) >
                 INT32_MAX - 4096
             ? "rows past 2^31 - 4,096 bytes"
             : std::string_view();
}

}  // namespace cuesta::cuda
