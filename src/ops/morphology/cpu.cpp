// Strategy `simd`: rows of blocks by doubling (blocks.hpp), kept for as many rows as the element is
// high; an output row joins the blocks of the element. Masks are one bit a pixel, 64 to a word,
// whatever they came as; a u8 picture of other values than 0 and 255, and u16, go the same way with
// one sample a lane.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/morphology/cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include <atomic>
#include <limits>
#include <tuple>

#include "cpu/bits-inl.hpp"
#include "cpu/extended_row.hpp"
#include "cpu/simd-inl.hpp"
#include "ops/morphology/blocks.hpp"
#include "ops/morphology/extended_bits.hpp"
#include "ops/morphology/reference.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

using morph::Block;
using morph::Blocks;

// The words of bits or the samples of grey pictures; lanes are unsigned in both.
template <class Lane>
constexpr bool is_bits = sizeof(Lane) == 8;

template <bool Dilate, class D, class V>
HWY_INLINE V join(D, V a, V b) {
  if constexpr (is_bits<hn::TFromD<D>>)
    return Dilate ? hn::Or(a, b) : hn::And(a, b);
  else
    return Dilate ? hn::Max(a, b) : hn::Min(a, b);
}

// What never wins.
template <bool Dilate, class Lane>
constexpr Lane neutral = Dilate ? Lane(0) : Lane(~Lane(0));

// 64 pixels a lane, `offset` pixels further on than lane i's own.
template <class D>
HWY_INLINE auto load_shifted(D d, const uint64_t* row, ptrdiff_t i, int offset) {
  const uint64_t* from = row + i + offset / 64;
  const int bit = offset % 64;
  const auto low = hn::LoadU(d, from);
  if (bit == 0) return low;
  return hn::Or(hn::ShiftRightSame(low, bit), hn::ShiftLeftSame(hn::LoadU(d, from + 1), 64 - bit));
}
template <class D, class Lane>
HWY_INLINE auto load_shifted(D d, const Lane* row, ptrdiff_t i, int offset) {
  return hn::LoadU(d, row + i + offset);
}

// The last rows of blocks, every level the element uses for as many rows as it is high; a level
// that only leads to the next has one row.
template <class Lane>
class BlockRows {
 public:
  // Vectors and shifts reach past a row's `lanes`: 2^7 samples and a vector of 64, or 4 words and a
  // vector of 8.
  static ptrdiff_t stride_for(ptrdiff_t lanes) { return (lanes + 63) / 64 * 64 + 192; }
  static size_t rows_for(const Blocks& blocks) {
    size_t rows = 0;
    for (int level = 0; level <= blocks.top_level(); ++level)
      rows += blocks.uses(level) ? size_t(blocks.element().height()) : 1;
    return rows;
  }

  BlockRows(const Blocks& blocks, ptrdiff_t lanes, Lane* memory)
      : lanes_(lanes), stride_(stride_for(lanes)), top_(blocks.top_level()) {
    for (int level = 0; level <= top_; ++level) {
      height_[level] = blocks.uses(level) ? blocks.element().height() : 1;
      memory_[level] = memory;
      memory += stride_ * height_[level];
      // What vectors read past the lanes never reaches a result, but it is defined.
      for (int r = 0; r < height_[level]; ++r)
        std::fill(memory_[level] + stride_ * r + lanes, memory_[level] + stride_ * (r + 1),
                  Lane(0));
    }
  }

  ptrdiff_t stride() const { return stride_; }
  const Lane* row(int level, int32_t y) const { return slot(level, y); }
  Lane* source_row(int32_t y) { return slot(0, y); }

  // Rows of blocks of row y, whose samples source_row(y) holds.
  template <bool Dilate>
  void double_up(int32_t y) {
    const hn::ScalableTag<Lane> d;
    for (int level = 1; level <= top_; ++level) {
      const Lane* from = slot(level - 1, y);
      Lane* to = slot(level, y);
      const int step = 1 << (level - 1);
      for (ptrdiff_t i = 0; i < lanes_; i += ptrdiff_t(hn::Lanes(d)))
        hn::StoreU(join<Dilate>(d, hn::LoadU(d, from + i), load_shifted(d, from, i, step)), d,
                   to + i);
    }
  }

 private:
  Lane* slot(int level, int32_t y) const {
    const int32_t height = height_[level];
    return memory_[level] + stride_ * ((y % height + height) % height);
  }

  ptrdiff_t lanes_, stride_;
  int top_;
  int32_t height_[Blocks::levels] = {};
  Lane* memory_[Blocks::levels] = {};
};

// One output row of samples: every block's row, moved by its offset, joined in registers.
template <bool Dilate, class T>
void join_samples(const Blocks& blocks, const BlockRows<T>& rows, int32_t y, const T** from, T* to,
                  ptrdiff_t width) {
  const hn::ScalableTag<T> d;
  const ptrdiff_t n = ptrdiff_t(hn::Lanes(d));
  const int count = blocks.count();
  const int32_t top = y - blocks.element().anchor_y();
  for (int b = 0; b < count; ++b) {
    const Block& block = blocks.begin()[b];
    from[b] = rows.row(block.level, top + block.row) + block.offset;
  }
  for (ptrdiff_t x = 0; x < width; x += 2 * n) {
    auto first = hn::LoadU(d, from[0] + x), second = hn::LoadU(d, from[0] + x + n);
    for (int b = 1; b < count; ++b) {
      first = join<Dilate>(d, first, hn::LoadU(d, from[b] + x));
      second = join<Dilate>(d, second, hn::LoadU(d, from[b] + x + n));
    }
    store_upto(first, d, to + x, width - x);
    store_upto(second, d, to + x + n, width - x - n);
  }
}

// One output row of bits, to `to` (rounded up to vectors). Blocks of one level and offset are
// joined over their rows first, so that each shift is made once.
template <bool Dilate>
void join_bits(const Blocks& blocks, const BlockRows<uint64_t>& rows, int32_t y, int origin,
               uint64_t* group, uint64_t* to, ptrdiff_t words) {
  const hn::ScalableTag<uint64_t> d;
  const ptrdiff_t n = ptrdiff_t(hn::Lanes(d));
  const int32_t top = y - blocks.element().anchor_y();
  for (const Block* b = blocks.begin(); b != blocks.end();) {
    const Block* end = b;
    while (end != blocks.end() && end->level == b->level && end->offset == b->offset) ++end;
    const int offset = origin + b->offset;
    const uint64_t* joined = rows.row(b->level, top + b->row);
    if (end - b > 1) {
      const uint64_t* from[255];
      const int count = int(end - b);
      for (int k = 0; k < count; ++k) from[k] = rows.row(b->level, top + b[k].row);
      // Shifts read up to 5 words on.
      for (ptrdiff_t i = 0; i < words + 5; i += n) {
        auto v = hn::LoadU(d, from[0] + i);
        for (int k = 1; k < count; ++k) v = join<Dilate>(d, v, hn::LoadU(d, from[k] + i));
        hn::StoreU(v, d, group + i);
      }
      joined = group;
    }
    for (ptrdiff_t i = 0; i < words; i += n) {
      auto v = load_shifted(d, joined, i, offset);
      if (b != blocks.begin()) v = join<Dilate>(d, v, hn::LoadU(d, to + i));
      hn::StoreU(v, d, to + i);
    }
    b = end;
  }
}

// Outputs whose window leaves a picture of width x height, row y: the columns [0, left) and
// [right, width).
struct Cleared {
  int32_t left = 0, right;
  Cleared(const ElementView& e, bool ignore, int32_t y, int32_t width, int32_t height)
      : right(width) {
    if (!ignore) return;
    const int32_t top = y - e.anchor_y();
    const bool all = top < 0 || top + e.height() > height;
    left = all ? width : std::min(width, e.anchor_x());
    right = std::max(left, std::min(width, width - (e.width() - 1 - e.anchor_x())));
  }
};

// What the border of a step comes to: a mode, and the sample where the mode has none.
template <class T>
Border effective_border(const MorphologyOptions& options, T never_wins) {
  if (options.neutral || options.border.mode == BorderMode::ignore)
    return {BorderMode::constant, double(never_wins)};
  return options.border;
}

// As many strips as threads can use; rows above a strip are made twice, so strips are not low.
Strips strips_for(int32_t height, int threads, const ElementView& element) {
  return Strips(height, threads, std::max(16, element.height()), 2);
}

template <bool Dilate, class T>
void step_samples(ImageView<const T> src, ImageView<T> dst, const ElementView& element,
                  const MorphologyOptions& options, Call& call) {
  Scratch& scratch = call.scratch();
  const Blocks blocks(element, scratch);
  const int32_t width = src.width, height = src.height;
  const int32_t left = element.anchor_x(), right = element.width() - 1 - left;
  const int32_t below = element.height() - 1 - element.anchor_y();
  const ptrdiff_t lanes = ptrdiff_t(left) + width + right;
  const bool ignore = !options.neutral && options.border.mode == BorderMode::ignore;
  const Border border = effective_border(options, neutral<Dilate, T>);
  const Strips strips = strips_for(height, call.threads(), element);
  const size_t strip_samples =
      size_t(BlockRows<T>::stride_for(lanes)) * BlockRows<T>::rows_for(blocks);
  auto* memory = scratch.take<T>(strip_samples * size_t(strips.count));
  auto** pointers = scratch.take<const T*>(size_t(blocks.count()) * size_t(strips.count));

  parallel_tasks(strips.count, call.threads(), [&](int s) {
    BlockRows<T> rows(blocks, lanes, memory + strip_samples * size_t(s));
    const auto make = [&](int32_t y) {
      cpu::extend_row(src, y, border, left, right, rows.source_row(y));
      rows.template double_up<Dilate>(y);
    };
    for (int32_t y = strips.begin(s) - element.anchor_y(); y < strips.begin(s) + below; ++y)
      make(y);
    for (int32_t y = strips.begin(s); y < strips.end(s); ++y) {
      make(y + below);
      join_samples<Dilate>(blocks, rows, y, pointers + blocks.count() * s, dst.row(y), width);
      const Cleared cleared(element, ignore, y, width, height);
      std::fill(dst.row(y), dst.row(y) + cleared.left, T(0));
      std::fill(dst.row(y) + cleared.right, dst.row(y) + width, T(0));
    }
  });
}

// dst is bits or u8.
template <bool Dilate>
void step_bits(ConstBitView src, Plane dst, const ElementView& element,
               const MorphologyOptions& options, Call& call) {
  Scratch& scratch = call.scratch();
  const Blocks blocks(element, scratch);
  const int32_t width = src.width, height = src.height, words = src.words();
  const int32_t left = element.anchor_x(), right = element.width() - 1 - left;
  const int32_t below = element.height() - 1 - element.anchor_y();
  const int32_t guard = morph::guard_words(left);
  const ptrdiff_t lanes = guard + words + morph::guard_words(right);
  const bool ignore = !options.neutral && options.border.mode == BorderMode::ignore;
  const Border border = effective_border(options, neutral<Dilate, uint8_t>);
  const uint64_t outside = uint64_t(0) - morphology_border_sample(PixelType::bit, border);
  const Strips strips = strips_for(height, call.threads(), element);
  const ptrdiff_t stride = BlockRows<uint64_t>::stride_for(lanes);
  const size_t strip_words = size_t(stride) * (BlockRows<uint64_t>::rows_for(blocks) + 2);
  auto* memory = scratch.take<uint64_t>(strip_words * size_t(strips.count));

  parallel_tasks(strips.count, call.threads(), [&](int s) {
    uint64_t* group = memory + strip_words * size_t(s);
    uint64_t* out = group + stride;
    BlockRows<uint64_t> rows(blocks, lanes, out + stride);
    const auto make = [&](int32_t y) {
      morph::extend_bits(src, y, border.mode, outside, left, right, rows.source_row(y), lanes);
      rows.double_up<Dilate>(y);
    };
    for (int32_t y = strips.begin(s) - element.anchor_y(); y < strips.begin(s) + below; ++y)
      make(y);
    for (int32_t y = strips.begin(s); y < strips.end(s); ++y) {
      make(y + below);
      join_bits<Dilate>(blocks, rows, y, 64 * guard - left, group, out, words);
      const Cleared cleared(element, ignore, y, width, height);
      morph::clear_bits(out, 0, cleared.left);
      morph::clear_bits(out, cleared.right, width);
      if (dst.type == PixelType::u8) {
        unpack_row(out, width, dst.as<uint8_t>().row(y));
      } else {
        out[words - 1] &= morph::tail_mask(width);
        std::memcpy(static_cast<char*>(dst.data) + ptrdiff_t(y) * dst.stride_bytes, out,
                    size_t(words) * sizeof(uint64_t));
      }
    }
  });
}

template <class T>
void run_step(bool dilate, ImageView<const T> src, ImageView<T> dst, const ElementView& element,
              const MorphologyOptions& options, Call& call) {
  dilate ? step_samples<true, T>(src, dst, element, options, call)
         : step_samples<false, T>(src, dst, element, options, call);
}
void run_step(bool dilate, ConstBitView src, Plane dst, const ElementView& element,
              const MorphologyOptions& options, Call& call) {
  dilate ? step_bits<true>(src, dst, element, options, call)
         : step_bits<false>(src, dst, element, options, call);
}

template <class T>
void run_samples(const MorphologyArgs& args, Call& call) {
  ImageView<const T> src = args.src.as<T>();
  const ImageView<T> dst = args.dst.as<T>();
  const bool dilate = args.dilates_first();
  if (!args.two_steps() && args.src.data != args.dst.data)
    return run_step(dilate, src, dst, args.first(), args.options, call);
  const ImageView<T> between = call.scratch().image<T>(src.width, src.height);
  if (args.two_steps()) {
    run_step(dilate, src, between, args.first(), args.options, call);
    run_step<T>(!dilate, between, dst, args.second(), args.options, call);
  } else {
    for (int32_t y = 0; y < src.height; ++y)
      std::memcpy(between.row(y), src.row(y), size_t(src.width) * sizeof(T));
    run_step<T>(dilate, between, dst, args.first(), args.options, call);
  }
}

// `src` shares no memory with dst, unless two steps lie between them.
void run_bits(const MorphologyArgs& args, ConstBitView src, Call& call) {
  const bool dilate = args.dilates_first();
  if (!args.two_steps()) return run_step(dilate, src, args.dst, args.first(), args.options, call);
  const BitView between = call.scratch().bits(src.width, src.height);
  run_step(dilate, src, between, args.first(), args.options, call);
  run_step(!dilate, between, args.dst, args.second(), args.options, call);
}

// Packs a mask of 0 and 255; false as soon as another value is met.
bool pack_mask_rows(ImageView<const uint8_t> src, BitView out, Call& call) {
  std::atomic<bool> two_valued{true};
  parallel_rows(src.height, call.threads(), [&](int32_t first, int32_t end) {
    for (int32_t y = first; y < end && two_valued.load(std::memory_order_relaxed); ++y) {
      if (!pack_two_valued_row(src.row(y), src.width, out.row(y)))
        two_valued.store(false, std::memory_order_relaxed);
    }
  });
  return two_valued.load(std::memory_order_relaxed);
}

// A border of another value than the mask's two makes the result grey.
bool border_is_two_valued(const MorphologyOptions& options) {
  if (options.neutral || options.border.mode != BorderMode::constant) return true;
  const uint16_t v = morphology_border_sample(PixelType::u8, options.border);
  return v == 0 || v == 255;
}

}  // namespace

void morphology_simd_target(const MorphologyArgs& args, Call& call) {
  const int32_t width = args.src.width, height = args.src.height;
  if (args.src.type == PixelType::u16) return run_samples<uint16_t>(args, call);
  if (args.src.type == PixelType::u8) {
    if (border_is_two_valued(args.options)) {
      const BitView packed = call.scratch().bits(width, height);
      if (pack_mask_rows(args.src.as<uint8_t>(), packed, call)) return run_bits(args, packed, call);
    }
    return run_samples<uint8_t>(args, call);
  }
  ConstBitView src{static_cast<const uint64_t*>(args.src.data), width, height,
                   args.src.stride_bytes / 8};
  if (args.src.data == args.dst.data && !args.two_steps()) {
    const BitView copy = call.scratch().bits(width, height);
    for (int32_t y = 0; y < height; ++y)
      std::memcpy(copy.row(y), src.row(y), size_t(src.words()) * sizeof(uint64_t));
    src = copy;
  }
  run_bits(args, src, call);
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cuesta {

HWY_EXPORT(morphology_simd_target);
void morphology_simd(const MorphologyArgs& args, Call& call) {
  HWY_DYNAMIC_DISPATCH(morphology_simd_target)(args, call);
}

}  // namespace cuesta
#endif
