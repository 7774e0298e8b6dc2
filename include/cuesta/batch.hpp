// Batches: pictures of one size and type at equal distances in memory, as tensors hold them.
#pragma once

#include <concepts>

#include "cuesta/image.hpp"

namespace cuesta {

/// A view of `count` pictures of one size, type and layout, at equal distances in memory.
/// Each begins `step_bytes` bytes after the one before. Tensors of (N, H, W), every n-th picture of
/// one, a channel of (N, C, H, W) and (H, N, W) are batches. Sources may overlap each other, or be
/// one picture (a step of 0), and have a negative step; results must not overlap.
template <bool Const>
struct BasicBatch {
  BasicAnyView<Const> first{};
  int32_t count = 1;
  ptrdiff_t step_bytes = 0;

  constexpr BasicBatch() = default;
  /// Makes a batch of `n` pictures from its first picture and the step in bytes.
  constexpr BasicBatch(const BasicAnyView<Const>& plane, int32_t n, ptrdiff_t step)
      : first(plane), count(n), step_bytes(step) {}
  template <class To>
    requires(!Const && std::same_as<To, BasicBatch<true>>)
  constexpr operator To() const {
    return {first, count, step_bytes};
  }

  /// Returns picture i of [0, count).
  constexpr BasicAnyView<Const> operator[](int32_t i) const {
    using Byte = std::conditional_t<Const, const char, char>;
    BasicAnyView<Const> picture = first;
    picture.data = static_cast<Byte*>(first.data) + ptrdiff_t(i) * step_bytes;
    return picture;
  }
};

using Batch = BasicBatch<false>;
using ConstBatch = BasicBatch<true>;

}  // namespace cuesta
