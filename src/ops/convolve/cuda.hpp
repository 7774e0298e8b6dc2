// The strategies of convolve on CUDA, those of ladder/ aside. No CUDA type: the table reads it.
#pragma once

#include "ops/convolve/args.hpp"

namespace cuesta::convolve_cuda {

/// The definition, a thread a pixel; takes every request.
void plain(const ConvolveArgs& args, Call& call);
/// Several channels, each by the row that takes it alone (cuda/planes.cu).
std::string_view planes_take(const ConvolveArgs& args, const Parameters& parameters);
void planes(const ConvolveArgs& args, Call& call);
/// Small windows of u8 as products of matrices of bytes.
void tensor(const ConvolveArgs& args, Call& call);

/// The same of any number of channels, a row of samples at a time (cuda/tensor_rows.cu).
void tensor_rows(const ConvolveArgs& args, Call& call);

/// u8 factors without signs, as two int8 tensor-core products (cuda/mma_separable.cu).
std::string_view mma_separable_takes(const ConvolveArgs& args, const Parameters& parameters);
void mma_separable(const ConvolveArgs& args, Call& call);
/// The same of windows of any length, with sums across in shared memory (cuda/mma_long.cu).
std::string_view mma_long_takes(const ConvolveArgs& args, const Parameters& parameters);
void mma_long(const ConvolveArgs& args, Call& call);
/// Windows of one value, and sharpening, by sums that run (cuda/running.cu).
std::string_view running_takes(const ConvolveArgs& args, const Parameters& parameters);
void running(const ConvolveArgs& args, Call& call);
/// f32 factors, both passes in one kernel (cuda/separable_f32.cu).
std::string_view separable_f32_takes(const ConvolveArgs& args, const Parameters& parameters);
void separable_f32(const ConvolveArgs& args, Call& call);
/// f32 windows from tiles in shared memory (cuda/tiles_f32.cu).
std::string_view tiles_f32_takes(const ConvolveArgs& args, const Parameters& parameters);
void tiles_f32(const ConvolveArgs& args, Call& call);
/// f32 factors of any length, in two kernels (cuda/long_f32.cu).
std::string_view long_f32_takes(const ConvolveArgs& args, const Parameters& parameters);
void long_f32(const ConvolveArgs& args, Call& call);
/// Large f32 windows of equal taps, the anchor's aside, in two kernels (cuda/pairwise.cu).
std::string_view pairwise_takes(const ConvolveArgs& args, const Parameters& parameters);
void pairwise(const ConvolveArgs& args, Call& call);
/// Windows of any type and number of channels, with sums in registers (cuda/blocks.cu).
std::string_view blocks_take(const ConvolveArgs& args, const Parameters& parameters);
void blocks(const ConvolveArgs& args, Call& call);

}  // namespace cuesta::convolve_cuda
