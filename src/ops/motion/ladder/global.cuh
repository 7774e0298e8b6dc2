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

/// The windows in device memory: made and sent again for every frame, or once, to be kept by the
/// caller's workspace.
template <bool Once>
class GlobalFilters {
 public:
  static constexpr bool scratch_only = false;

  GlobalFilters(Call& call, Scratch& scratch, dim3 block)
      : call_(call), scratch_(scratch), block_(block) {}

  void make_blur(int ksize, double sigma) {
    side_ = ksize;
    matrix_ = send<KeptMatrix>(key_of(ksize, sigma), [&] {
      const auto taps = gaussian_taps_q8(ksize, sigma);
      std::vector<int32_t> matrix;
      matrix.reserve(taps.size() * taps.size());
      for (const int32_t down : taps)
        for (const int32_t across : taps) matrix.push_back(down * across);
      return matrix;
    });
  }
  void blur(ConstPicture src, Picture dst) {
    cuda::launch("motion", blur_global, grid(src), block_, 0, cuda::stream_of(call_), src, dst,
                 matrix_, side_);
  }

  void make_element(const StructuringElement& element) {
    count_ = element.count();
    offsets_ = send<KeptOffsets>(key_of(element), [&] {
      std::vector<Offset> offsets;
      offsets.reserve(size_t(count_));
      for (int y = 0; y < element.height(); ++y) {
        for (int x = 0; x < element.width(); ++x) {
          if (element.contains(x, y))
            offsets.push_back({int16_t(x - element.anchor_x()), int16_t(y - element.anchor_y())});
        }
      }
      return offsets;
    });
  }
  void morph(ConstPicture src, Picture dst, bool dilate, bool turned) {
    cuda::launch("motion", dilate ? morph_global<true> : morph_global<false>, grid(src), block_, 0,
                 cuda::stream_of(call_), src, dst, offsets_, count_, turned ? -1 : 1);
  }

 private:
  struct KeptMatrix : cuda::KeptValues {
    using KeptValues::KeptValues;
  };
  struct KeptOffsets : cuda::KeptValues {
    using KeptValues::KeptValues;
  };

  dim3 grid(ConstPicture p) const { return cuda::tiles(p, int32_t(block_.x), int32_t(block_.y)); }

  template <class Kept, class Make>
  auto send(const cuda::Key& key, Make&& make) {
    constexpr std::string_view doing = "motion: uploading a window";
    if constexpr (Once) {
      return cuda::make_once<Kept>(key, make, call_, doing);
    } else {
      const auto values = make();
      using T = typename decltype(values)::value_type;
      T* there = scratch_.take<T>(values.size());
      cuda::copy_values(std::span<const T>(values), there, cuda::stream_of(call_), doing);
      return static_cast<const T*>(there);
    }
  }

  Call& call_;
  Scratch& scratch_;
  dim3 block_;
  const int32_t* matrix_ = nullptr;
  const Offset* offsets_ = nullptr;
  int32_t side_ = 0, count_ = 0;
};

}  // namespace cuesta::motion_ladder
