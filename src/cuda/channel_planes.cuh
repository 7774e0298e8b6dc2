// Interleaved channels as planes, and back: for kernels that are best, or exist only, for pictures
// of one channel. Any base and stride of whole samples.
#pragma once

#include <cstdint>

#include "core/memory.hpp"
#include "cuda/launch.cuh"

namespace cuesta::cuda {

inline constexpr int plane_threads = 256, max_planes = 4;

/// The planes of a picture, each with rows of whole words.
struct Planes {
  char* data;
  int64_t plane_bytes, row_bytes;

  __device__ uint32_t* row(int32_t y, int c) const {
    return reinterpret_cast<uint32_t*>(data + c * plane_bytes + y * row_bytes);
  }
  AnyView plane(ConstAnyView of, int c) const {
    return {data + c * plane_bytes, of.width, of.height,    1,
            ptrdiff_t(row_bytes),   of.type,  Space::device};
  }
};

/// Where a segment of a row stands: its first byte in the row, its bytes, and how many of them
/// stand before it in its first aligned word. A block has a segment of `pixels`.
template <int Size, int Channels>
struct RowSegment {
  static constexpr int pixels = plane_threads * 4 / Size, in_word = 4 / Size;
  static constexpr int max_words = plane_threads * Channels + 1;
  int32_t y, x0;
  int shift, bytes;
  char* base;

  __device__ RowSegment(AnyView picture)
      : y(int32_t(block_row())), x0(int32_t(blockIdx.x) * pixels) {
    if (y >= picture.height) return;
    char* first = static_cast<char*>(picture.data) + y * picture.stride_bytes +
                  int64_t(x0) * (Channels * Size);
    shift = int(reinterpret_cast<uintptr_t>(first) % 4);
    base = first - shift;
    bytes = min(pixels, picture.width - x0) * (Channels * Size);
  }
  __device__ int words() const { return (shift + bytes + 3) / 4; }
  /// Whether byte 4 i + j belongs to the segment.
  __device__ bool has(int i, int j) const {
    return 4 * i + j >= shift && 4 * i + j < shift + bytes;
  }
  __device__ bool has_word(int i) const { return has(i, 0) && has(i, 3); }
  /// The sample of channel c of pixel p of the segment, in shared memory that begins at `base`.
  template <class Sample>
  __device__ Sample& sample(uint32_t* words, int p, int c) const {
    return *reinterpret_cast<Sample*>(reinterpret_cast<char*>(words) + shift +
                                      (p * Channels + c) * Size);
  }
};

template <int Size>
using SampleOf =
    std::conditional_t<Size == 1, uint8_t, std::conditional_t<Size == 2, uint16_t, uint32_t>>;

template <int Size, int Channels>
__global__ void __launch_bounds__(plane_threads) split_channels(AnyView picture, Planes planes) {
  using Segment = RowSegment<Size, Channels>;
  __shared__ uint32_t words[Segment::max_words];
  const Segment s(picture);
  if (s.y >= picture.height) return;
  for (int i = int(threadIdx.x); i < s.words(); i += plane_threads) {
    uint32_t word = 0;
    if (s.has_word(i)) {
      word = *reinterpret_cast<const uint32_t*>(s.base + 4 * i);
    } else {
      for (int j = 0; j < 4; ++j)
        if (s.has(i, j)) word |= uint32_t(uint8_t(s.base[4 * i + j])) << 8 * j;
    }
    words[i] = word;
  }
  __syncthreads();
  const int p = int(threadIdx.x) * Segment::in_word;
  if (s.x0 + p >= picture.width) return;
#pragma unroll
  for (int c = 0; c < Channels; ++c) {
    uint32_t word = 0;
#pragma unroll
    for (int k = 0; k < Segment::in_word; ++k)
      word |= uint32_t(s.template sample<SampleOf<Size>>(words, p + k, c)) << 8 * Size * k;
    planes.row(s.y, c)[(s.x0 + p) / Segment::in_word] = word;
  }
}

template <int Size, int Channels>
__global__ void __launch_bounds__(plane_threads) merge_channels(AnyView picture, Planes planes) {
  using Segment = RowSegment<Size, Channels>;
  __shared__ uint32_t words[Segment::max_words];
  const Segment s(picture);
  if (s.y >= picture.height) return;
  const int p = int(threadIdx.x) * Segment::in_word;
  if (s.x0 + p < picture.width) {
#pragma unroll
    for (int c = 0; c < Channels; ++c) {
      const uint32_t* const plane = planes.row(s.y, c);
      if (s.x0 + p + Segment::in_word <= picture.width) {
        const uint32_t word = plane[(s.x0 + p) / Segment::in_word];
#pragma unroll
        for (int k = 0; k < Segment::in_word; ++k)
          s.template sample<SampleOf<Size>>(words, p + k, c) = SampleOf<Size>(word >> 8 * Size * k);
      } else {  // what the last word has past the row was never written
        for (int k = p; s.x0 + k < picture.width; ++k)
          s.template sample<SampleOf<Size>>(words, k, c) =
              reinterpret_cast<const SampleOf<Size>*>(plane)[s.x0 + k];
      }
    }
  }
  __syncthreads();
  for (int i = int(threadIdx.x); i < s.words(); i += plane_threads) {
    if (s.has_word(i)) {
      *reinterpret_cast<uint32_t*>(s.base + 4 * i) = words[i];
    } else {
      for (int j = 0; j < 4; ++j)
        if (s.has(i, j)) s.base[4 * i + j] = char(words[i] >> 8 * j);
    }
  }
}

/// Scratch memory for the planes of a picture of this size, type and number of channels.
inline Planes take_planes(ConstAnyView picture, Call& call) {
  const int64_t row_bytes =
      (int64_t(picture.width) * bytes_per_sample(picture.type) + 255) / 256 * 256;
  const int64_t plane_bytes = row_bytes * picture.height;
  return {call.scratch().take<char>(size_t(plane_bytes * picture.channels)), plane_bytes,
          row_bytes};
}

/// Calls body(Size, Channels), constants by their types, for 2 to 4 channels.
template <class Body>
void for_planes(ConstAnyView picture, Body&& body) {
  const auto of_size = [&](auto size) {
    switch (picture.channels) {
      case 2: return body(size, std::integral_constant<int, 2>());
      case 3: return body(size, std::integral_constant<int, 3>());
      default: return body(size, std::integral_constant<int, 4>());
    }
  };
  switch (bytes_per_sample(picture.type)) {
    case 1: return of_size(std::integral_constant<int, 1>());
    case 2: return of_size(std::integral_constant<int, 2>());
    default: return of_size(std::integral_constant<int, 4>());
  }
}

template <class Kernel>
void launch_planes(std::string_view operation, Kernel kernel, AnyView picture, int pixels,
                   const Planes& planes, Call& call) {
  launch(operation, kernel, grid_of(blocks(picture.width, pixels), unsigned(picture.height)),
         dim3(plane_threads), 0, stream_of(call), picture, planes);
}

/// Calls run(source, result) for each channel of `src` and `dst` as a picture of one channel, the
/// channels split before and merged after. 2 to 4 channels, both on the device.
template <class Run>
void by_planes(std::string_view operation, ConstAnyView src, AnyView dst, Call& call, Run&& run) {
  const Planes from = take_planes(src, call), to = take_planes(dst, call);
  const AnyView source(const_cast<void*>(src.data), src.width, src.height, src.channels,
                       src.stride_bytes, src.type, Space::device);
  for_planes(src, [&](auto size, auto channels) {
    launch_planes(operation, split_channels<size(), channels()>, source,
                  RowSegment<size(), channels()>::pixels, from, call);
  });
  for (int c = 0; c < src.channels; ++c) run(ConstAnyView(from.plane(src, c)), to.plane(dst, c));
  for_planes(dst, [&](auto size, auto channels) {
    launch_planes(operation, merge_channels<size(), channels()>, dst,
                  RowSegment<size(), channels()>::pixels, to, call);
  });
}

}  // namespace cuesta::cuda
