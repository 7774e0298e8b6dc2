// What every CUDA strategy launches through.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <span>
#include <type_traits>

#include "core/strategy.hpp"
#include "cuda/check.hpp"
#include "cuda/frame.hpp"

namespace cuesta::cuda {

inline cudaStream_t stream_of(const Call& call) { return static_cast<cudaStream_t>(call.stream()); }

/// kernel<<<grid, block, shared, stream>>>(arguments...) with attributes; throws at once when the
/// launch itself is refused.
template <class... Parameters, class... Arguments>
void launch_with(std::span<cudaLaunchAttribute> attributes, std::string_view operation,
                 void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared,
                 cudaStream_t stream, Arguments&&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = attributes.data();
  config.numAttrs = unsigned(attributes.size());
  note_launch({operation, reinterpret_cast<const void*>(kernel), grid, block, shared});
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), operation);
}
/// The same without any.
template <class... Parameters, class... Arguments>
void launch(std::string_view operation, void (*kernel)(Parameters...), dim3 grid, dim3 block,
            size_t shared, cudaStream_t stream, Arguments&&... arguments) {
  launch_with({}, operation, kernel, grid, block, shared, stream, arguments...);
}

/// `values` into device memory, copied on `stream`. They may change when this returns: the runtime
/// has read pageable memory by then. It goes over in pieces, because from 64 KiB on the runtime
/// waits for the stream before it reads.
template <class T>
void copy_values(std::span<const T> values, T* there, cudaStream_t stream, std::string_view doing) {
  constexpr size_t piece = 32 * 1024 / sizeof(T);
  for (size_t i = 0; i < values.size(); i += piece) {
    const auto part = values.subspan(i, std::min(piece, values.size() - i));
    check(
        cudaMemcpyAsync(there + i, part.data(), part.size_bytes(), cudaMemcpyHostToDevice, stream),
        doing);
  }
}

/// `values` in device memory of the call's scratch, copied on its stream.
template <class T>
const T* upload(std::span<const T> values, Call& call, std::string_view doing) {
  T* there = call.scratch().take<T>(values.size());
  copy_values(values, there, stream_of(call), doing);
  return there;
}

/// Lets `kernel` be launched with `bytes` of dynamic shared memory.
template <class Kernel>
void allow_shared(Kernel kernel, size_t bytes, std::string_view operation) {
  if (bytes <= 48 * 1024) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)),
        operation);
}

/// What a kernel for blocks of any shape declares as its launch bound: it then fits the registers
/// of the largest.
inline constexpr int any_block = 1024;

/// Blocks of `size` that cover `n`.
constexpr unsigned blocks(int32_t n, int32_t size) {
  return unsigned((int64_t(n) + size - 1) / size);
}

/// The grid whose blocks of wide × high pixels cover a picture.
inline dim3 tiles(ConstAnyView picture, int32_t wide, int32_t high) {
  return dim3(blocks(picture.width, wide), blocks(picture.height, high));
}

/// How many blocks the parameter `grid` says, at most one a row.
inline int32_t marching_blocks(int32_t height, const Parameters& parameters) {
  const int blocks =
      parameters.text("grid") == "multiprocessors" ? multiprocessors() : parameters.integer("grid");
  return std::min(height, blocks);
}
/// Rows that a block marches down where there are at most as many blocks as `grid` says.
inline int32_t rows_a_block(int32_t height, const Parameters& parameters) {
  return (height - 1) / marching_blocks(height, parameters) + 1;
}
/// The same where there are at least as many, or a block for every row.
inline int32_t fewest_rows_a_block(int32_t height, const Parameters& parameters) {
  return height / marching_blocks(height, parameters);
}

/// A grid's second dimension ends here.
inline constexpr unsigned max_grid_y = 65535;
/// The grid of `across` blocks in each of `down` rows, which continue in the third dimension. Its
/// last rows may be past the picture: kernels leave at once there.
inline dim3 grid_of(unsigned across, unsigned down) {
  const unsigned high = std::min(down, max_grid_y);
  return dim3(across, high, (down + high - 1) / high);
}
/// The row of blocks that this one is in, of such a grid.
__device__ inline uint32_t block_row() { return blockIdx.z * gridDim.y + blockIdx.y; }
/// Threads of a block of each_pixel.
inline constexpr int pixel_block_x = 32, pixel_block_y = 8;

/// body(x, y) for every 0 <= x < width and 0 <= y < height, a thread each; where the rows exceed
/// the grid, threads march down. Launched by for_each_pixel.
template <class Body>
__global__ void __launch_bounds__(pixel_block_x* pixel_block_y)
    each_pixel(int32_t width, int32_t height, const __grid_constant__ Body body) {
  const int64_t x = int64_t(blockIdx.x) * pixel_block_x + threadIdx.x;
  if (x >= width) return;
  int64_t y = int64_t(blockIdx.y) * pixel_block_y + threadIdx.y;
  for (; y < height; y += int64_t(gridDim.y) * pixel_block_y) body(int32_t(x), int32_t(y));
}

/// A thread a pixel over a picture of any size; `body` is a trivially copyable object of at most
/// 4,000 bytes with a `__device__ void operator()(int32_t x, int32_t y) const`.
template <class Body>
void for_each_pixel(std::string_view operation, int32_t width, int32_t height, const Body& body,
                    Call& call) {
  static_assert(std::is_trivially_copyable_v<Body> && sizeof(Body) <= 4000);
  const dim3 grid(blocks(width, pixel_block_x),
                  std::min(blocks(height, pixel_block_y), max_grid_y));
  launch(operation, each_pixel<Body>, grid, dim3(pixel_block_x, pixel_block_y), 0, stream_of(call),
         width, height, body);
}

/// Threads of a block of each_frame_pixel: few, so that a thin frame still fills the GPU.
inline constexpr int frame_threads = 64;

template <class Body>
__global__ void __launch_bounds__(frame_threads)
    each_frame_pixel(Frame frame, const __grid_constant__ Body body) {
  const int64_t n = int64_t(blockIdx.x) * frame_threads + threadIdx.x;
  if (n >= frame.pixels()) return;
  const Frame::Place place = frame.pixel(n);
  body(place.x, place.y);
}

/// for_each_pixel for the pixels of a frame.
template <class Body>
void for_each_frame_pixel(std::string_view operation, const Frame& frame, const Body& body,
                          Call& call) {
  static_assert(std::is_trivially_copyable_v<Body> && sizeof(Body) <= 4000);
  const int64_t pixels = frame.pixels();
  if (pixels == 0) return;
  launch(operation, each_frame_pixel<Body>,
         dim3(unsigned((pixels + frame_threads - 1) / frame_threads)), dim3(frame_threads), 0,
         stream_of(call), frame, body);
}

}  // namespace cuesta::cuda
