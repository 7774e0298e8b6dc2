// The parts of strategy `tensor`, each in a file of its own: by samples, planes of taps and
// windows.
#pragma once

#include "ops/convolve/tensor_taps.hpp"

namespace cuesta::convolve_cuda {

/// u8, taps of one signed byte, then of two; windows that reach four samples.
void tensor_bytes(const ConvolveArgs& args, const TensorTaps& taps, Call& call);
void tensor_two_planes(const ConvolveArgs& args, const TensorTaps& taps, Call& call);
/// u16, taps of one or two signed bytes, the same windows.
void tensor_words(const ConvolveArgs& args, const TensorTaps& taps, Call& call);
/// u8, taps of one signed byte, windows to 15 rows of 17 samples.
void tensor_wide(const ConvolveArgs& args, const TensorTaps& taps, Call& call);

/// `tensor-rows`: u8 by taps of two signed bytes, and u16.
void tensor_rows_of_planes(const ConvolveArgs& args, const TensorTaps& taps, Call& call);
void tensor_rows_of_many(const ConvolveArgs& args, const TensorTaps& taps, Call& call);
void tensor_rows_of_words(const ConvolveArgs& args, const TensorTaps& taps, Call& call);

}  // namespace cuesta::convolve_cuda
