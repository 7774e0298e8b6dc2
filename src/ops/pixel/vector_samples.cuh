// Samples as the kernels of `vectors` read and write them: 16 bytes a thread.
#pragma once

#include <cstdint>

#include "cuda/instructions.cuh"

namespace cuesta::pixel_cuda {

/// Samples as the kernels see them: rows of `samples`, counted with their channels.
struct Plane {
  char* data;
  ptrdiff_t stride;
  const char* limit;  // nothing of the picture is from here on

  __device__ char* row(int64_t y) const { return data + y * stride; }
  template <class T>
  __device__ T* samples(int64_t y) const {
    return reinterpret_cast<T*>(row(y));
  }
};
struct Shape {
  int64_t width, height;
};

/// What is written: 16 bytes a thread.
template <class T>
struct ToSamples {
  static constexpr int pixels = 16 / sizeof(T);
  Plane dst;

  __device__ int before(int64_t y) const {
    return int(reinterpret_cast<uintptr_t>(dst.row(y)) % 16 / sizeof(T));
  }
  __device__ void store(int64_t x, int64_t y, uint4 v) const {
    *reinterpret_cast<uint4*>(dst.samples<T>(y) + x) = v;
  }
};

template <class T>
__device__ T difference(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return fabsf(a - b);
  else
    return T(a > b ? a - b : b - a);
}
/// Of every sample of a word.
template <class T>
__device__ uint32_t differences(uint32_t a, uint32_t b) {
  if constexpr (std::is_floating_point_v<T>)
    return __float_as_uint(fabsf(__uint_as_float(a) - __uint_as_float(b)));
  else if constexpr (sizeof(T) == 1)
    return __vabsdiffu4(a, b);
  else
    return __vmaxu2(a, b) - __vminu2(a, b);
}

}  // namespace cuesta::pixel_cuda
