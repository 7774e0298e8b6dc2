// What steady.hpp has of frames on the host, of frames on the GPU. No CUDA type.
#pragma once

#include "cuesta/batch.hpp"
#include "ops/motion/steady.hpp"

namespace cuesta::motion_cuda {

/// Into page-locked memory, `Windows::bytes` a frame; waits for the stream.
void read_windows(const ConstBatch& frames, const motion::Windows& windows, AnyView luma,
                  void* stream);
void median_of(std::span<const AnyImage> pictures, AnyView median, void* stream);
/// Pictures of one size and type.
void copy(ConstAnyView from, AnyView to, void* stream);

}  // namespace cuesta::motion_cuda
