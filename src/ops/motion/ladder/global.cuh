// Blur and morphology with everything in global memory, a thread a pixel: what v1.0 and v1.1 run
// (paper 004, blurGPU, dilateGPU, erodeGPU). Theirs counts outside the picture as 0, which darkens
// the blur and lets erosion eat at the border; ours follows the definitions of `gaussian` and
// `morphology`. windows=mask has their windows: float taps, and a mask of the element's box.
#pragma once

#include <type_traits>
#include <vector>

#include "cuesta/stencil.hpp"
#include "ops/motion/ladder/chain.cuh"
#include "ops/motion/ladder/sums.hpp"

namespace cuesta::motion_ladder {

struct Offset {
  int16_t x, y;
};
/// Of an element's cells, from the pixel.
inline std::vector<Offset> offsets_of(const StructuringElement& e) {
  std::vector<Offset> offsets;
  offsets.reserve(size_t(e.count()));
  for (int y = 0; y < e.height(); ++y) {
    for (int x = 0; x < e.width(); ++x) {
      if (e.contains(x, y))
        offsets.push_back({int16_t(x - e.anchor_x()), int16_t(y - e.anchor_y())});
    }
  }
  return offsets;
}

/// matrix[j * k + i] is the product of tap(i) and tap(j): two exact passes and one rounding, in one
/// sum.
template <class Tap>
static __global__ void __launch_bounds__(cuda::any_block)
    blur_global(ConstPicture src, Picture dst, const Tap* matrix, int32_t k) {
  const Place p;
  if (!p.inside(src)) return;
  Tap sum = tap_of<Tap>(half);
  for (int32_t j = 0; j < k; ++j) {
    const uint8_t* row = src.row(map_index<BorderMode::reflect101>(p.y + j - k / 2, src.height));
    for (int32_t i = 0; i < k; ++i) {
      sum += matrix[j * k + i] * row[map_index<BorderMode::reflect101>(p.x + i - k / 2, src.width)];
    }
  }
  dst.at(p.x, p.y) = sample_of(sum);
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

/// The mask of the element's box, row by row; turned, it is read from its end.
template <bool Dilate>
static __global__ void __launch_bounds__(cuda::any_block)
    morph_masked_global(ConstPicture src, Picture dst, const uint8_t* mask, Box box, bool turned) {
  const Place p;
  if (!p.inside(src)) return;
  const int32_t cells = box.wide * box.high;
  int32_t best = Dilate ? 0 : 255;
  for (int32_t j = 0; j < box.high; ++j) {
    for (int32_t i = 0; i < box.wide; ++i) {
      const int32_t n = j * box.wide + i;
      if (mask[turned ? cells - 1 - n : n] == 0) continue;
      const int32_t x = p.x + box.left + i, y = p.y + box.top + j;
      if (uint32_t(x) >= uint32_t(src.width) || uint32_t(y) >= uint32_t(src.height)) continue;
      const int32_t v = src.at(x, y);
      best = Dilate ? max(best, v) : min(best, v);
    }
  }
  dst.at(p.x, p.y) = uint8_t(best);
}

/// The windows in device memory: made and sent again for every frame, or once, to be kept by the
/// caller's workspace.
template <bool Once, bool Masks>
class GlobalFilters {
 public:
  static constexpr bool scratch_only = false;

  GlobalFilters(Call& call, Scratch& scratch, dim3 block)
      : call_(call), scratch_(scratch), block_(block) {}

  void make_blur(int ksize, double sigma) {
    side_ = ksize;
    matrix_ = send<KeptMatrix>(key_of(ksize, sigma), [&] {
      const auto taps = gaussian_taps_q8(ksize, sigma);
      std::vector<Tap> matrix;
      matrix.reserve(taps.size() * taps.size());
      for (const int32_t down : taps)
        for (const int32_t across : taps) matrix.push_back(tap_of<Tap>(down * across));
      return matrix;
    });
  }
  void blur(ConstPicture src, Picture dst) { launch(blur_global<Tap>, src, dst, matrix_, side_); }

  void make_element(const StructuringElement& element) {
    element_ = &element;
    cells_ = send<KeptCells>(key_of(element), [&] {
      if constexpr (Masks)
        return std::vector<uint8_t>(element.cells().begin(), element.cells().end());
      else
        return offsets_of(element);
    });
  }
  void morph(ConstPicture src, Picture dst, bool dilate, bool turned) {
    if constexpr (Masks) {
      launch(dilate ? morph_masked_global<true> : morph_masked_global<false>, src, dst, cells_,
             box_of(*element_, turned), turned);
    } else {
      launch(dilate ? morph_global<true> : morph_global<false>, src, dst, cells_, element_->count(),
             turned ? -1 : 1);
    }
  }

 private:
  struct KeptMatrix : cuda::KeptValues {
    using KeptValues::KeptValues;
  };
  struct KeptCells : cuda::KeptValues {
    using KeptValues::KeptValues;
  };
  using Tap = std::conditional_t<Masks, float, int32_t>;
  using Cell = std::conditional_t<Masks, uint8_t, Offset>;

  // A thread a pixel of `src`.
  template <class Kernel, class... Rest>
  void launch(Kernel kernel, ConstPicture src, Rest... rest) {
    cuda::launch("motion", kernel, cuda::tiles(src, int32_t(block_.x), int32_t(block_.y)), block_,
                 0, cuda::stream_of(call_), src, rest...);
  }

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
  const StructuringElement* element_ = nullptr;
  const Tap* matrix_ = nullptr;
  const Cell* cells_ = nullptr;
  int32_t side_ = 0;
};

}  // namespace cuesta::motion_ladder
