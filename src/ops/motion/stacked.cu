// Strategy `stacked`: the chain of `plain`; frames of a batch are below each other in one tall
// picture, so that every step of all of them is one launch of its operation's best row, and the
// host waits once. Where steps read past a frame, what is between two frames is what its border
// would be: rows reflected for the blur, which the kernel that makes the frames gray writes;
// between masks rows of 0 before a dilation and before labels, of 1 before an erosion, so that
// outside never wins and no object reaches the next frame. The background learns frame after frame
// in one launch. Components come in raster order of the tall mask, which is frame after frame. Only
// the last frame's mask travels. Bound: memory, of many frames; of one frame the latency of its
// launches and waits. A frame that initialises the background goes alone, and so does each that
// wants a threshold of its own or one for each pixel, and each of u16.
#include <algorithm>

#include "core/bits.hpp"
#include "cuda/any_bytes.cuh"
#include "cuda/launch.cuh"
#include "cuesta/border.hpp"
#include "cuesta/filter.hpp"
#include "ops/motion/cuda.hpp"
#include "ops/motion/reference.hpp"
#include "ops/motion/stages.hpp"
#include "ops/shared/pixel_arithmetic.hpp"

namespace cuesta {
namespace {

// Scratch memory of the frames that go together.
constexpr int64_t max_bytes = int64_t(512) << 20;

using Picture = ImageView<uint8_t, Space::device>;
using Bits = BasicBitView<uint64_t, Space::device>;

/// Frames in gray below each other, `reach` reflected rows above and below each. A thread 16
/// pixels.
struct Stack {
  static constexpr int pixels = 16;
  ConstAnyView frame;
  ptrdiff_t frame_step;
  Picture tall;
  int32_t rows, reach;  // of a frame with its reflected ones; of these above it

  __device__ void operator()(int32_t group, int32_t y) const {
    const int32_t i = y / rows, x = group * pixels;
    const int32_t sy = map_index<BorderMode::reflect101>(y - i * rows - reach, frame.height);
    const uint8_t* from = static_cast<const uint8_t*>(frame.data) + frame_step * i +
                          ptrdiff_t(sy) * frame.stride_bytes + ptrdiff_t(x) * frame.channels;
    const int32_t left = frame.width - x;
    uint32_t words[pixels / 4] = {};
    if (frame.channels == 1) {
      cuda::load_bytes<pixels>(from, left, words);
    } else {
#pragma unroll
      for (int32_t k = 0; k < pixels; ++k) {
        if (k >= left) break;
        const uint8_t* v = from + k * frame.channels;
        words[k / 4] |= uint32_t(pixel::gray(v[0], v[1], v[2])) << (k % 4 * 8);
      }
    }
    // Rows of scratch memory are whole words, whatever the width.
    *reinterpret_cast<uint4*>(tall.row(y) + x) = make_uint4(words[0], words[1], words[2], words[3]);
  }
};

/// The rows between masks, all of one value.
struct Between {
  Bits tall;
  int32_t height, rows;  // of a mask, and of one with the rows behind it
  bool set;

  __device__ void operator()(int32_t word, int32_t n) const {
    const int32_t gap = rows - height, i = n / gap;
    const int32_t left = tall.width - word * 64;
    const uint64_t inside = left < 64 ? (uint64_t(1) << left) - 1 : ~uint64_t(0);
    tall.row(i * rows + height + n - i * gap)[word] = set ? inside : 0;
  }
};

void fetch_mask(Bits from, const MotionArgs& args, Call& call) {
  call.stage(motion_stages::memory);
  cuda::check(
      cudaMemcpy2DAsync(args.mask.data, size_t(args.mask.stride_words) * 8, from.data,
                        size_t(from.stride_words) * 8, size_t(args.mask.words()) * 8,
                        size_t(args.mask.height), cudaMemcpyDeviceToHost, cuda::stream_of(call)),
      "motion: fetching the mask");
}

/// The components of `masks`, and the last frame's mask for the host: before they are waited for,
/// unless they decide what stays in it.
void find_components(const MotionArgs& args, Bits masks, Bits of_last, const Foreground& foreground,
                     bool last, Call& call) {
  if (last && !foreground) fetch_mask(of_last, args, call);
  motion_components(args, masks, foreground, call);
  if (!last || !foreground) return;
  fetch_mask(of_last, args, call);
  cuda::check(cudaStreamSynchronize(cuda::stream_of(call)), "motion: fetching the mask");
}

void alone(const MotionArgs& args, bool last, Call& call) {
  const auto mask = call.scratch().bits<Space::device>(args.frame.width, args.frame.height);
  const Foreground foreground = motion::take_foreground(args, args.frame.height, call);
  motion_mask(args, mask, foreground, call);
  find_components(args, mask, mask, foreground, last, call);
}

/// From the components of the tall mask, in the first list, to those of each frame.
void hand_out(const MotionArgs& args, int32_t rows) {
  std::vector<Component>& all = args.components[0];
  const auto belongs = [rows](const Component& c) { return c.box.y / rows; };
  auto begin = std::partition_point(all.begin(), all.end(),
                                    [&](const Component& c) { return belongs(c) < 1; });
  const auto of_first = size_t(begin - all.begin());
  for (int32_t i = 1; i < args.count; ++i) {
    const auto end =
        std::partition_point(begin, all.end(), [&](const Component& c) { return belongs(c) <= i; });
    std::vector<Component>& own = args.components[i];
    own.assign(begin, end);
    const int32_t top = i * rows;
    for (size_t k = 0; k < own.size(); ++k) {
      own[k].label = int32_t(k) + 1;
      own[k].box.y -= top;
      own[k].sum_y -= int64_t(top) * own[k].area;
    }
    begin = end;
  }
  all.resize(of_first);
}

/// What frames of a size take when they go together.
struct Tall {
  int32_t reach, gray_rows;  // reflected rows above a frame, and rows of a frame with them
  int32_t mask_rows;         // of a mask with those behind it
  bool makes_gray;

  explicit Tall(const MotionArgs& args) {
    const MotionOptions& o = *args.options;
    reach = o.blur / 2;
    gray_rows = args.frame.height + 2 * reach;
    mask_rows = args.frame.height + std::max({o.close.height() - 1, o.open.height() - 1, 1});
    makes_gray = args.frame.channels > 1 || o.blur > 1;
  }
  int32_t frames_at_once(const MotionArgs& args) const {
    const int64_t gray = detail::padded_stride(args.frame.width) * gray_rows;
    const int64_t mask = int64_t(args.mask.words()) * 8 * mask_rows;
    const int64_t labels = int64_t(args.mask.words()) * 64 * mask_rows * sizeof(int32_t);
    const int64_t bytes = (makes_gray ? gray : 0) + (reach > 0 ? gray : 0) +
                          (motion::asks_displacement(*args.options) ? labels + 4 * mask : 2 * mask);
    return int32_t(std::clamp<int64_t>(max_bytes / bytes, 1, args.count));
  }
};

void together(const MotionArgs& args, const Tall& tall, bool last, Call& call) {
  const MotionOptions& o = *args.options;
  const int32_t width = args.frame.width, height = args.frame.height, count = args.count;
  const Exec exec = call.nested();
  Scratch& scratch = call.scratch();

  call.stage(motion_stages::grayscale);
  ConstBatch seen(args.frame, count, args.frame_step);
  Picture gray;
  if (tall.makes_gray) {
    gray = scratch.image<uint8_t, Space::device>(width, count * tall.gray_rows);
    cuda::for_each_pixel("motion", (width - 1) / Stack::pixels + 1, gray.height,
                         Stack{args.frame, args.frame_step, gray, tall.gray_rows, tall.reach},
                         call);
  }
  call.stage(motion_stages::blur);
  if (o.blur > 1) {
    const Picture smooth = scratch.image<uint8_t, Space::device>(width, gray.height);
    gaussian(gray, smooth, {.sigma = o.blur_sigma, .ksize = o.blur}, exec);
    gray = smooth;
  }
  if (tall.makes_gray) {
    seen = ConstBatch(gray.region({0, tall.reach, width, height}), count,
                      tall.gray_rows * gray.stride_bytes);
  }

  call.stage(motion_stages::difference);
  Bits here = scratch.bits<Space::device>(width, count * tall.mask_rows);
  Bits there = scratch.bits<Space::device>(width, count * tall.mask_rows);
  const Foreground foreground = motion::take_foreground(args, count * tall.mask_rows, call);
  Bits compared = foreground ? bits_of<Space::device>(foreground.all) : here;
  AnyView first = compared;
  first.height = height;
  motion::learn(args, seen, {.mask = Batch(first, count, tall.mask_rows * first.stride_bytes)},
                foreground, exec);

  call.stage(motion_stages::morphology);
  const auto between = [&](Bits masks, bool set) {
    const int32_t gap = tall.mask_rows - height;
    cuda::for_each_pixel("motion", masks.words(), count * gap,
                         Between{masks, height, tall.mask_rows, set}, call);
  };
  const auto step = [&](Morph what, const StructuringElement& element, Bits from, Bits to) {
    between(from, what == Morph::erode);
    morphology(from, to, what, element, {}, exec);
  };
  step(Morph::dilate, o.close, compared, there);
  step(Morph::erode, o.close.reflected(), there, here);
  step(Morph::erode, o.open, here, there);
  step(Morph::dilate, o.open.reflected(), there, here);
  between(here, false);

  Bits of_last = here;
  of_last.data = here.row((count - 1) * tall.mask_rows);
  find_components(args, here, of_last, foreground, last, call);
  hand_out(args, tall.mask_rows);
  *args.threshold = o.threshold.level;
}

}  // namespace

void motion_cuda::stacked(const MotionArgs& args, Call& call) {
  const Tall tall(args);
  const bool goes_alone =
      args.options->threshold.otsu || args.limits || args.type() != PixelType::u8;
  const int32_t at_once = goes_alone ? 1 : tall.frames_at_once(args);
  for (int32_t begin = 0; begin < args.count;) {
    const bool founds = args.background->frames() == 0;
    const int32_t n = founds ? 1 : std::min(at_once, args.count - begin);
    const bool last = begin + n == args.count;
    const Scratch scope(call.nested(), Space::device);  // the next ones take the same memory
    const MotionArgs some = args.part(begin, n);
    if (n == 1)
      alone(some, last, call);
    else
      together(some, tall, last, call);
    begin += n;
  }
  for (const MotionArgs& other : args.others) stacked(other, call);
}

}  // namespace cuesta
