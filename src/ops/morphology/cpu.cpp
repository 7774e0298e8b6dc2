// Strategy `simd`: runs of the element by doubling (element_runs.hpp). Masks are one bit a pixel,
// 64 to a word, whatever they came as; a u8 picture of other values than 0 and 255, and u16, go the
// same way with one sample a lane.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/morphology/cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include <atomic>
#include <cstring>
#include <limits>

#include "cpu/bits-inl.hpp"
#include "cpu/extended_bits.hpp"
#include "cpu/extended_row.hpp"
#include "cpu/simd-inl.hpp"
#include "ops/morphology/cpu/samples-inl.hpp"
#include "ops/morphology/element_runs.hpp"
#include "ops/morphology/reference.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

// Whether all pixels of a row of bits are `set`.
HWY_INLINE bool all_are(bool set, const uint64_t* row, ptrdiff_t width) {
  const uint64_t all = uint64_t(0) - uint64_t(set);
  const ptrdiff_t whole = width / 64;
  const auto rest = int32_t(width % 64);
  uint64_t others = rest ? (row[whole] ^ all) & last_word_mask(rest) : 0;
  for (ptrdiff_t w = 0; w < whole; ++w) others |= row[w] ^ all;
  return others == 0;
}

// One step over one strip of rows of bits. Runs are shifts of words, so each distinct run of the
// element is made once a source row and joined to every output row it belongs to. Output rows grow
// in a ring as high as the element. Rows that are empty or full, as most of a mask are, either
// change nothing or settle output rows, which then change no more.
template <bool Dilate>
class BitStrip {
 public:
  using Lane = uint64_t;
  // Of rows of `lanes` words, border included; shifts and vectors reach 5 words and 8 further.
  static ptrdiff_t stride_for(ptrdiff_t lanes) { return (lanes + 7) / 8 * 8 + 16; }
  static size_t rows_for(const ElementRuns& runs) {
    return size_t(runs.top_level()) + 1 + size_t(runs.element().height());
  }

  // Pixel 0 of a source row of `width` pixels is bit `origin` + the element's anchor, the first of
  // a word.
  BitStrip(const ElementRuns& runs, int origin, ptrdiff_t lanes, int32_t width, Lane* memory)
      : runs_(runs),
        height_(runs.element().height()),
        origin_(origin),
        width_(width),
        lanes_(lanes),
        out_lanes_((width + 63) / 64),
        stride_(stride_for(lanes)) {
    // What vectors read past the lanes never reaches a result, but it is defined.
    std::fill_n(memory, size_t(stride_) * rows_for(runs), Lane(0));
    for (int level = 0; level <= runs.top_level(); ++level)
      blocks_[level] = memory + stride_ * level;
    ring_ = memory + stride_ * (runs.top_level() + 1);
  }

  // Where the next source row is to be written before add().
  Lane* source_row() { return blocks_[0]; }

  // Adds the next source row. After it, the output row whose window ends with it is whole.
  void add() {
    newest_ = newest_ + 1 == height_ ? 0 : newest_ + 1;
    fill_row(newest_, neutral<Dilate, Lane>);
    settled_[newest_] = false;
    finished_ = newest_ + 1 == height_ ? 0 : newest_ + 1;
    // With its border, what never wins: nothing to join.
    if (all_are(!Dilate, blocks_[0], lanes_ * 64)) return;
    // Without it, what always wins: a run about the anchor's column has a pixel for every output.
    const int anchor = runs_.element().anchor_x();
    if (all_are(Dilate, blocks_[0] + (origin_ + anchor) / 64, width_)) {
      runs_.for_each([&](const Run& run) {
        const int slot = slot_of(run.row);
        if (run.begin > anchor || run.end <= anchor || settled_[slot]) return;
        fill_row(slot, ~neutral<Dilate, Lane>);
        settled_[slot] = true;
      });
    }
    if (std::all_of(settled_, settled_ + height_, [](bool settled) { return settled; })) return;
    double_up<Dilate>(blocks_, runs_.top_level(), lanes_);
    runs_.for_each_group([&](const Run* first, const Run* last) { add_group(first, last); });
  }
  Lane* finished_row() { return row(finished_); }

 private:
  Lane* row(int slot) { return ring_ + stride_ * slot; }
  // Where the output row is that has the newest source row `below` rows under its window's top.
  int slot_of(int below) const { return newest_ - below + (newest_ < below ? height_ : 0); }
  void fill_row(int slot, Lane value) {
    const Tag<Lane> d;
    for (ptrdiff_t i = 0; i < out_lanes_; i += ptrdiff_t(hn::Lanes(d)))
      hn::StoreU(hn::Set(d, value), d, row(slot) + i);
  }

  void add_group(const Run* first, const Run* last) {
    const Tag<Lane> d;
    const Lane* blocks = blocks_[first->level()];
    const int one = origin_ + first->begin, two = origin_ + first->last_block();
    int count = 0;
    Lane* to[255];
    for (const Run* run = first; run != last; ++run) {
      const int slot = slot_of(run->row);
      if (!settled_[slot]) to[count++] = row(slot);
    }
    if (count == 0) return;
    for (ptrdiff_t i = 0; i < out_lanes_; i += ptrdiff_t(hn::Lanes(d))) {
      auto v = load_shifted(d, blocks, i, one);
      if (one != two) v = join<Dilate>(d, v, load_shifted(d, blocks, i, two));
      for (int k = 0; k < count; ++k)
        hn::StoreU(join<Dilate>(d, v, hn::LoadU(d, to[k] + i)), d, to[k] + i);
    }
  }

  const ElementRuns& runs_;
  int height_, origin_;
  int32_t width_;
  ptrdiff_t lanes_, out_lanes_, stride_;
  Lane* blocks_[ElementRuns::max_levels];
  Lane* ring_;
  int newest_ = 0, finished_ = 0;
  bool settled_[255] = {};  // of the ring's rows: no pixel can change any more
};

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
  if (!options.border || options.border->mode == BorderMode::ignore)
    return {BorderMode::constant, double(never_wins)};
  return *options.border;
}

// One step: `extend(y, out)` writes source row y with its border, pixel x at `origin` + anchor + x;
// `emit(y, rows, s)` takes output row y of strip s. Strips go to threads; rows above a strip are
// added twice, so strips are not low.
template <class Rows, class Extend, class Emit>
void for_each_row(const ElementRuns& runs, const Strips& strips, int origin, ptrdiff_t lanes,
                  int32_t width, Call& call, Extend extend, Emit emit) {
  const ElementView& element = runs.element();
  const size_t part = size_t(Rows::stride_for(lanes)) * Rows::rows_for(runs);
  auto* memory = call.scratch().take<typename Rows::Lane>(part * size_t(strips.count));
  const int32_t above = element.anchor_y(), below = element.height() - 1 - above;
  parallel_tasks(strips.count, call.threads(), [&](int s) {
    Rows rows(runs, origin, lanes, width, memory + part * size_t(s));
    for (int32_t y = strips.begin(s) - above; y < strips.end(s) + below; ++y) {
      extend(y, rows.source_row());
      rows.add();
      if (y - below >= strips.begin(s)) emit(y - below, rows, s);
    }
  });
}
Strips strips_for(int32_t height, const ElementView& element, const Call& call) {
  return Strips(height, call.threads(), std::max(16, element.height()), 2);
}

template <bool Dilate, class T>
void step_samples(ImageView<const T> src, ImageView<T> dst, const ElementView& element,
                  const MorphologyOptions& options, Call& call) {
  const ElementRuns runs(element, call.scratch());
  const int32_t width = src.width, height = src.height;
  const int32_t left = element.anchor_x(), right = element.width() - 1 - left;
  const bool ignore = options.border && options.border->mode == BorderMode::ignore;
  const Border border = effective_border(options, neutral<Dilate, T>);
  const Strips strips = strips_for(height, element, call);
  const size_t most = 2 * size_t(runs.count());
  auto** pointers = call.scratch().take<const T*>(most * size_t(strips.count));
  const auto run = [&]<class Rows>(std::type_identity<Rows>) {
    for_each_row<Rows>(
        runs, strips, 0, ptrdiff_t(left) + width + right, width, call,
        [&](int32_t y, T* out) { cpu::extend_row(src, y, border, left, right, out); },
        [&](int32_t y, Rows& rows, int s) {
          T* out = dst.row(y);
          rows.finish(pointers + most * size_t(s), out, width);
          const Cleared cleared(element, ignore, y, width, height);
          std::fill(out, out + cleared.left, T(0));
          std::fill(out + cleared.right, out + width, T(0));
        });
  };
  if (runs.is_rectangle() && element.height() > 3)
    run(std::type_identity<RectangleStrip<Dilate, T>>());
  else
    run(std::type_identity<SampleStrip<Dilate, T>>());
}

// dst is bits or u8.
template <bool Dilate>
void step_bits(ConstBitView src, AnyView dst, const ElementView& element,
               const MorphologyOptions& options, Call& call) {
  const ElementRuns runs(element, call.scratch());
  const int32_t width = src.width, height = src.height, words = src.words();
  const int32_t left = element.anchor_x(), right = element.width() - 1 - left;
  const int32_t guard = cpu::guard_words(left);
  const ptrdiff_t lanes = guard + words + cpu::guard_words(right);
  const bool ignore = options.border && options.border->mode == BorderMode::ignore;
  const Border border = effective_border(options, neutral<Dilate, uint8_t>);
  const uint64_t outside = uint64_t(0) - morphology_border_sample(PixelType::bit, border);
  for_each_row<BitStrip<Dilate>>(
      runs, strips_for(height, element, call), 64 * guard - left, lanes, width, call,
      [&](int32_t y, uint64_t* out) {
        cpu::extend_bits(src, y, border.mode, outside, left, right, out, lanes);
      },
      [&](int32_t y, BitStrip<Dilate>& rows, int) {
        uint64_t* row = rows.finished_row();
        const Cleared cleared(element, ignore, y, width, height);
        cpu::clear_bits(row, 0, cleared.left);
        cpu::clear_bits(row, cleared.right, width);
        if (dst.type == PixelType::u8) {
          unpack_row(row, width, dst.as<uint8_t>().row(y));
        } else {
          row[words - 1] &= last_word_mask(width);
          std::memcpy(static_cast<char*>(dst.data) + ptrdiff_t(y) * dst.stride_bytes, row,
                      size_t(words) * sizeof(uint64_t));
        }
      });
}

template <class T>
void run_step(bool dilate, ImageView<const T> src, ImageView<T> dst, const ElementView& element,
              const MorphologyOptions& options, Call& call) {
  dilate ? step_samples<true, T>(src, dst, element, options, call)
         : step_samples<false, T>(src, dst, element, options, call);
}
void run_step(bool dilate, ConstBitView src, AnyView dst, const ElementView& element,
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

// `src` shares no memory with dst, unless two steps are between them.
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

// A border of another value than the mask's two makes the result gray.
bool border_is_two_valued(const MorphologyOptions& options) {
  if (!options.border || options.border->mode != BorderMode::constant) return true;
  const uint16_t v = morphology_border_sample(PixelType::u8, *options.border);
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
