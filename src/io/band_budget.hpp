// Rows of a band that the memory limit and the GPUs hold.
#pragma once

#include <cstdint>

#include "io/bands.hpp"

namespace cuesta::io {

/// At least 16 rows or all; BandOptions::rows where given. Throws Error{invalid_argument} where the
/// memory limit is too low, Error{out_of_memory} where a GPU's memory is.
int32_t rows_of_bands(const PictureFacts& facts, const BandWork& work,
                      const BandSettings& settings);

}  // namespace cuesta::io
