// One pass down a u8 picture in columns one vector of bytes wide: a source row is read once, what a
// stencil needs of the rows above stays in registers, and one vector of bytes is written.
// Include after foreach_target.h, as simd-inl.hpp.
#if defined(CUESTA_CPU_COLUMN_MARCH_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_CPU_COLUMN_MARCH_INL_HPP
#undef CUESTA_CPU_COLUMN_MARCH_INL_HPP
#else
#define CUESTA_CPU_COLUMN_MARCH_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "core/strategy.hpp"
#include "cpu/extended_row.hpp"
#include "cpu/simd-inl.hpp"

// Highway's single-lane target has no bytes to view as words.
#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {

using MarchBytes = hn::ScalableTag<uint8_t>;
using MarchWords = hn::Repartition<uint16_t, MarchBytes>;

/// The samples at `from` as words: the even ones and the odd ones. A march computes both halves
/// side by side, so that neither widening nor narrowing moves a lane.
HWY_INLINE hn::Vec<MarchWords> even_words(hn::Vec<MarchWords> bytes) {
  return hn::And(bytes, hn::Set(MarchWords(), 0x00FF));
}
HWY_INLINE hn::Vec<MarchWords> odd_words(hn::Vec<MarchWords> bytes) {
  return hn::ShiftRight<8>(bytes);
}
HWY_INLINE hn::Vec<MarchWords> load_words(const uint8_t* from) {
  return hn::BitCast(MarchWords(), hn::LoadU(MarchBytes(), from));
}

namespace march {

// Rows of a column that are marched before the next column: enough to pay for parking the state
// (state / rows vectors a row and way), few enough for the streams a prefetcher follows.
constexpr int32_t rows_at_once = 16;

// Marches `count` rows of one column. The state of the rows above comes from and goes to `parked`.
template <class Kernel, bool kFirst, bool kWrite>
HWY_INLINE void column(const Kernel& kernel, const uint8_t* const* rows, ptrdiff_t offset,
                       int32_t count, uint16_t* HWY_RESTRICT parked, uint8_t* dst,
                       ptrdiff_t dst_stride, ptrdiff_t wanted) {
  const MarchWords d;
  const size_t lanes = hn::Lanes(d);
  const Kernel local = kernel;  // byte stores may alias anything but a local
  hn::Vec<MarchWords> state[Kernel::state];
  for (size_t i = 0; i < Kernel::state; ++i)
    state[i] = kFirst ? hn::Zero(d) : hn::Load(d, parked + i * lanes);
  for (int32_t i = 0; i < count; ++i) {
    const auto out = local.step(state, rows[i] + offset);
    if constexpr (kWrite) store_upto(out, MarchBytes(), dst + dst_stride * i, wanted);
  }
  for (size_t i = 0; i < Kernel::state; ++i) hn::Store(state[i], d, parked + i * lanes);
}

}  // namespace march

/// Writes dst, u8 of src's size, with one stencil of kernel.radius on every side. A Kernel has
///   static constexpr int32_t radius; static constexpr size_t state;
///   Vec<MarchBytes> step(Vec<MarchWords> (&state)[Kernel::state], const uint8_t* from) const;
/// step takes the samples from[0 .. lanes + 2 radius) of the next row down, column x of the picture
/// at from[radius], and returns the output bytes of the row `radius` above it; what it returns may
/// depend on the last 2 radius + 1 rows only. With border `ignore`, outputs whose window leaves the
/// picture are 0.
template <class Kernel>
void thread_columns(const Kernel& kernel, ImageView<const uint8_t> src, ImageView<uint8_t> dst,
                    const Border& border, Call& call) {
  constexpr int32_t r = Kernel::radius;
  const auto lanes = int32_t(hn::Lanes(MarchBytes()));
  const int32_t width = src.width, height = src.height;
  const int32_t columns = (width + lanes - 1) / lanes;
  const Strips strips(height, call.threads(), 32);
  // Of each strip: parked states, and the columns that touch the left or right edge written out.
  const ptrdiff_t parked_words = ptrdiff_t(columns) * ptrdiff_t(Kernel::state) * lanes / 2;
  const ptrdiff_t patch_stride = lanes + 2 * r;
  auto* parked =
      call.scratch().take<uint16_t>((size_t(parked_words) + 32) / 32 * 32 * size_t(strips.count));
  auto* patches = call.scratch().take<uint8_t>(size_t(patch_stride) * march::rows_at_once *
                                               size_t(strips.count));
  // The row that `constant` puts above and below.
  const uint8_t outside = border_sample<uint8_t>(border);
  auto* constant_row = call.scratch().take<uint8_t>(size_t(width));
  std::memset(constant_row, outside, size_t(width));

  parallel_tasks(strips.count, call.threads(), [&](int s) {
    uint16_t* const states = parked + (parked_words + 32) / 32 * 32 * s;
    uint8_t* const patch = patches + patch_stride * march::rows_at_once * s;
    const int32_t begin = strips.begin(s), end = strips.end(s);
    for (int32_t y = begin - r; y < end + r;) {
      // The first 2r rows only fill the state.
      const bool fills = y < begin + r;
      const int32_t count = std::min(fills ? 2 * r : march::rows_at_once, end + r - y);
      const uint8_t *rows[march::rows_at_once], *patch_rows[march::rows_at_once];
      for (int32_t i = 0; i < count; ++i) {
        const int32_t sy = map_index(border.mode, y + i, height);
        rows[i] = sy < 0 ? constant_row : src.row(sy);
        patch_rows[i] = patch + patch_stride * i;
      }
      for (int32_t c = 0; c < columns; ++c) {
        const int32_t x = c * lanes;
        const bool inside = x >= r && x + lanes + r <= width;
        if (!inside) {
          const int32_t from = std::max(0, x - r), to = std::min(width, x + lanes + r);
          for (int32_t i = 0; i < count; ++i) {
            uint8_t* const p = patch + patch_stride * i;
            std::memcpy(p + (from - (x - r)), rows[i] + from, size_t(to - from));
            const auto put = [&](int32_t at) {
              const int32_t sx = map_index(border.mode, at, width);
              p[at - (x - r)] = sx < 0 ? outside : rows[i][sx];
            };
            for (int32_t at = x - r; at < from; ++at) put(at);
            for (int32_t at = to; at < x + lanes + r; ++at) put(at);
          }
        }
        const uint8_t* const* const column_rows = inside ? rows : patch_rows;
        const ptrdiff_t offset = inside ? x - r : 0;
        uint16_t* const state = states + ptrdiff_t(c) * ptrdiff_t(Kernel::state) * lanes / 2;
        if (fills) {
          march::column<Kernel, true, false>(kernel, column_rows, offset, count, state, nullptr, 0,
                                             0);
        } else {
          march::column<Kernel, false, true>(kernel, column_rows, offset, count, state,
                                             dst.row(y - r) + x, dst.stride_bytes, width - x);
        }
      }
      y += count;
    }
    if (border.mode != BorderMode::ignore) return;
    const auto margin = size_t(std::min(r, width));
    for (int32_t y = begin; y < end; ++y) {
      const bool whole = y < r || y + r >= height;
      std::memset(dst.row(y), 0, whole ? size_t(width) : margin);
      std::memset(dst.row(y) + width - margin, 0, margin);
    }
  });
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR
#endif
