// Blur and morphology with everything in global memory, a thread a pixel: what v1.0 and v1.1 run
// (paper 004, blurGPU, dilateGPU, erodeGPU). Theirs counts outside the picture as 0, which darkens
// the blur and lets erosion eat at the border; ours follows the definitions of `gaussian` and
// `morphology`.
#pragma once

#include <vector>

#include "cuesta/stencil.hpp"
#include "ops/motion/ladder/chain.cuh"

namespace cuesta::motion_ladder {

struct Offset {
  int16_t x, y;
};

/// matrix[j * k + i] = tap(i) * tap(j) in Q16: two exact passes and one rounding, in one sum of at
/// most 255 * 2^16.
static __global__ void __launch_bounds__(cuda::any_block)
    blur_global(ConstPicture src, Picture dst, const int32_t* matrix, int32_t k) {
  const Place p;
  if (!p.inside(src)) return;
  int32_t sum = 1 << 15;
  for (int32_t j = 0; j < k; ++j) {
    const uint8_t* row = src.row(map_index<BorderMode::reflect101>(p.y + j - k / 2, src.height));
    for (int32_t i = 0; i < k; ++i) {
      sum += matrix[j * k + i] * row[map_index<BorderMode::reflect101>(p.x + i - k / 2, src.width)];
    }
  }
  dst.at(p.x, p.y) = uint8_t(sum >> 16);
}

/// `sign` is -1 for the element turned by 180 degrees.
template <bool Dilate>
static __global__ void __launch_bounds__(cuda::any_block)
    morph_global(ConstPicture src, Picture dst, const Offset* offsets, int32_t count,
                 int32_t sign) {
  const Place p;
  if (!p.inside(src)) return;
  int32_t best = Dilate ? 0 : 255;
  for (int32_t n = 0; n < count; ++n) {
    const int32_t x = p.x + sign * offsets[n].x, y = p.y + sign * offsets[n].y;
    if (uint32_t(x) >= uint32_t(src.width) || uint32_t(y) >= uint32_t(src.height)) continue;
    const int32_t v = src.at(x, y);
    best = Dilate ? max(best, v) : min(best, v);
  }
  dst.at(p.x, p.y) = uint8_t(best);
}

class GlobalFilters {
 public:
  GlobalFilters(Scratch& scratch, cudaStream_t stream, dim3 block)
      : scratch_(scratch), stream_(stream), block_(block) {}

  void make_blur(int ksize, double sigma) {
    const auto taps = gaussian_taps_q8(ksize, sigma);
    std::vector<int32_t> matrix;
    matrix.reserve(taps.size() * taps.size());
    for (const int32_t down : taps)
      for (const int32_t across : taps) matrix.push_back(down * across);
    side_ = ksize;
    matrix_ = upload(matrix);
  }
  void blur(ConstPicture src, Picture dst) {
    cuda::launch("motion", blur_global, grid(src), block_, 0, stream_, src, dst, matrix_, side_);
  }

  void make_element(const StructuringElement& element) {
    std::vector<Offset> offsets;
    for (int y = 0; y < element.height(); ++y) {
      for (int x = 0; x < element.width(); ++x) {
        if (element.contains(x, y))
          offsets.push_back({int16_t(x - element.anchor_x()), int16_t(y - element.anchor_y())});
      }
    }
    count_ = int32_t(offsets.size());
    offsets_ = upload(offsets);
  }
  void morph(ConstPicture src, Picture dst, bool dilate, bool turned) {
    cuda::launch("motion", dilate ? morph_global<true> : morph_global<false>, grid(src), block_, 0,
                 stream_, src, dst, offsets_, count_, turned ? -1 : 1);
  }

 private:
  dim3 grid(ConstPicture p) const { return cuda::tiles(p, int32_t(block_.x), int32_t(block_.y)); }

  template <class T>
  const T* upload(const std::vector<T>& values) {
    T* there = scratch_.take<T>(values.size());
    // From pageable memory: the runtime has read the values when this returns.
    cuda::check(cudaMemcpyAsync(there, values.data(), values.size() * sizeof(T),
                                cudaMemcpyHostToDevice, stream_),
                "motion: uploading a window");
    return there;
  }

  Scratch& scratch_;
  cudaStream_t stream_;
  dim3 block_;
  const int32_t* matrix_ = nullptr;
  const Offset* offsets_ = nullptr;
  int32_t side_ = 0, count_ = 0;
};

}  // namespace cuesta::motion_ladder
