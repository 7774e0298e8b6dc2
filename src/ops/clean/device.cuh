// What the strategies of clean on CUDA share: the complement of a mask, and a result that looks up
// what becomes of each component.
#pragma once

#include "cuda/launch.cuh"
#include "ops/clean/args.hpp"
#include "ops/shared/mask_at.hpp"

namespace cuesta::clean_cuda {

struct ComplementBytes {
  ConstAnyView mask;
  ImageView<uint8_t, Space::device> to;

  __device__ void operator()(int32_t x, int32_t y) const { to.at(x, y) = !mask_at(mask, x, y); }
};

/// The row `y` of a bit picture. Columns count words.
template <class Word>
__device__ inline Word* words_of(void* data, ptrdiff_t stride_bytes, int32_t y) {
  return reinterpret_cast<Word*>(static_cast<char*>(data) + ptrdiff_t(y) * stride_bytes);
}

struct ComplementBits {
  ConstAnyView mask;
  AnyView to;

  __device__ void operator()(int32_t word, int32_t y) const {
    const auto* from = reinterpret_cast<const uint64_t*>(static_cast<const char*>(mask.data) +
                                                         ptrdiff_t(y) * mask.stride_bytes);
    words_of<uint64_t>(to.data, to.stride_bytes, y)[word] = ~from[word];
  }
};

/// The mask whose components are looked at: the mask itself, or its complement in scratch memory.
inline ConstAnyView looked_at(const CleanArgs& args, Call& call) {
  const int32_t width = args.mask.width, height = args.mask.height;
  if (!args.fills) return args.mask;
  if (args.mask.type == PixelType::bit) {
    const AnyView other = call.scratch().bits<Space::device>(width, height);
    cuda::for_each_pixel("clean", cuda::blocks(width, 64), height, ComplementBits{args.mask, other},
                         call);
    return other;
  }
  const auto other = call.scratch().image<uint8_t, Space::device>(width, height);
  cuda::for_each_pixel("clean", width, height, ComplementBytes{args.mask, other}, call);
  return other;
}

/// `result.at(x, y)` says whether a pixel is set.
template <class Result>
struct WriteBytes {
  Result result;
  ImageView<uint8_t, Space::device> dst;

  __device__ void operator()(int32_t x, int32_t y) const {
    dst.at(x, y) = result.at(x, y) ? 255 : 0;
  }
};

template <class Result>
struct WriteBits {
  Result result;
  AnyView dst;

  __device__ void operator()(int32_t word, int32_t y) const {
    const int32_t begin = 64 * word, end = int32_t(min(int64_t(dst.width), int64_t(begin) + 64));
    uint64_t bits = 0;
    for (int32_t x = begin; x < end; ++x) bits |= uint64_t(result.at(x, y)) << (x - begin);
    words_of<uint64_t>(dst.data, dst.stride_bytes, y)[word] = bits;
  }
};

template <class Result>
void write_result(const CleanArgs& args, const Result& result, Call& call) {
  const AnyView dst = args.dst;
  if (dst.type == PixelType::u8) {
    cuda::for_each_pixel("clean", dst.width, dst.height,
                         WriteBytes<Result>{result, dst.as<uint8_t, Space::device>()}, call);
  } else {
    cuda::for_each_pixel("clean", cuda::blocks(dst.width, 64), dst.height,
                         WriteBits<Result>{result, dst}, call);
  }
}

}  // namespace cuesta::clean_cuda
