// The strategies of sobel on CUDA, those of ladder/ aside. No CUDA type: the table reads it.
#pragma once

#include "ops/sobel/args.hpp"

namespace cuesta::sobel_cuda {

/// The definition, a thread a pixel; takes every request.
void plain(const SobelArgs& args, Call& call);
/// u8 with aperture 3, two samples an instruction.
void pairs(const SobelArgs& args, Call& call);
std::string_view pairs_supports(const SobelArgs& args, const Parameters& parameters);
/// Integers, every aperture, one pass down columns.
void march(const SobelArgs& args, Call& call);
/// u8 by int8 tensor cores, rows that begin at multiples of 16 bytes.
void tensor(const SobelArgs& args, Call& call);
std::string_view tensor_supports(const SobelArgs& args, const Parameters& parameters);
std::string_view march_supports(const SobelArgs& args, const Parameters& parameters);
/// f32, every aperture, from tiles in shared memory.
void tiles(const SobelArgs& args, Call& call);
std::string_view tiles_support(const SobelArgs& args, const Parameters& parameters);
/// One pass over memory, all outputs together.
void fused(const SobelArgs& args, Call& call);

}  // namespace cuesta::sobel_cuda
