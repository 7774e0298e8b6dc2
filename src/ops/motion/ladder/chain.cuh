// What the rungs share: the steps that are a thread a pixel in all of them, and the order of steps.
#pragma once

#include <bit>
#include <type_traits>

#include "cuda/kept.cuh"
#include "cuesta/device.hpp"
#include "ops/motion/ladder/ladder.hpp"
#include "ops/motion/stages.hpp"
#include "ops/shared/pixel_arithmetic.hpp"

namespace cuesta::motion_ladder {

namespace stages = motion_stages;
using Picture = ImageView<uint8_t, Space::device>;
using ConstPicture = ImageView<const uint8_t, Space::device>;
using Bits = BasicBitView<uint64_t, Space::device>;

/// A thread's own pixel; blocks may reach past the picture.
struct Place {
  int32_t x, y;
  __device__ Place()
      : x(int32_t(blockIdx.x * blockDim.x + threadIdx.x)),
        y(int32_t(blockIdx.y * blockDim.y + threadIdx.y)) {}
  __device__ bool inside(ConstPicture p) const { return x < p.width && y < p.height; }
};

/// One channel is copied.
static __global__ void __launch_bounds__(cuda::any_block) grayscale(ConstPicture src, Picture dst) {
  const Place p;
  if (!p.inside(src)) return;
  const uint8_t* v = &src.at(p.x, p.y);
  dst.at(p.x, p.y) = src.channels == 1 ? v[0] : uint8_t(pixel::gray(v[0], v[1], v[2]));
}

static __global__ void __launch_bounds__(cuda::any_block)
    threshold(Picture picture, int32_t limit) {
  const Place p;
  if (!p.inside(picture)) return;
  uint8_t& v = picture.at(p.x, p.y);
  v = v > limit ? 255 : 0;
}

/// A warp makes half a word after another, whatever the shape of its block, which is of whole
/// warps. Threads past the width make 0.
static __global__ void __launch_bounds__(cuda::any_block) pack(ConstPicture mask, Bits bits) {
  const uint32_t thread = threadIdx.y * blockDim.x + threadIdx.x;
  const uint32_t halves = 2 * uint32_t(bits.stride_words);  // of a row
  const int64_t half = int64_t(blockIdx.x) * (blockDim.x * blockDim.y / 32) + thread / 32;
  const int64_t y = half / halves;
  if (y >= mask.height) return;
  const uint32_t at = uint32_t(half - y * halves), x = 32 * at + thread % 32;
  const uint32_t set =
      __ballot_sync(~0u, x < uint32_t(mask.width) && mask.at(int32_t(x), int32_t(y)) != 0);
  if (thread % 32 == 0) reinterpret_cast<uint32_t*>(bits.row(int32_t(y)))[at] = set;
}

/// What the products of the blur's taps depend on.
inline cuda::Key key_of(int ksize, double sigma) {
  return cuda::Key().add(ksize).add(std::bit_cast<uint64_t>(sigma));
}
/// What the cells of an element depend on.
inline cuda::Key key_of(const StructuringElement& e) {
  return cuda::Key()
      .add(e.width())
      .add(e.height())
      .add(e.anchor_x())
      .add(e.anchor_y())
      .add(e.cells());
}

/// The box of an element, from the pixel.
struct Box {
  int32_t left, top, wide, high;
};
/// How far a window reaches left of and above its pixel; turned by 180 degrees, the anchor counts
/// from the other corner.
inline int32_t reach(int32_t anchor, int32_t size, bool turned) {
  return turned ? size - 1 - anchor : anchor;
}
inline Box box_of(const StructuringElement& e, bool turned) {
  return {-reach(e.anchor_x(), e.width(), turned), -reach(e.anchor_y(), e.height(), turned),
          e.width(), e.height()};
}

/// Hands label's stages on under the names of this chain.
class LabelStages final : public StageObserver {
 public:
  explicit LabelStages(const Call& call) : call_(call) {}
  void stage(std::string_view name, void*) override {
    call_.stage(name == "components" ? stages::boxes : name);
  }
  void statistic(std::string_view name, double value) override { call_.statistic(name, value); }

 private:
  const Call& call_;
};

/// One frame through the chain. `Filters` has make_blur(ksize, sigma), blur(src, dst),
/// make_element(element) and morph(src, dst, dilate, turned), and says whether it reads pictures of
/// scratch memory only, whose rows are whole words.
template <class Filters>
class Chain {
 public:
  /// Memory comes from `scratch`, that of nested operations from `exec`. Blocks of whole warps.
  Chain(const MotionArgs& args, Call& call, const Exec& exec, Scratch& scratch, dim3 block,
        Filters filters)
      : args_(args),
        call_(call),
        exec_(exec),
        scratch_(scratch),
        block_(block),
        filters_(std::move(filters)) {
    call.stage(stages::memory);
    first = take();
    second = take();
    bits_ = {scratch.take<uint64_t>(size_t(args.mask.words()) * size_t(args.mask.height)),
             args.mask.width, args.mask.height, args.mask.words()};
  }

  Picture take() {
    return scratch_.image<uint8_t, Space::device>(args_.frame.width, args_.frame.height);
  }

  /// to = the frame in gray, smoothed. Uses `first`.
  void smooth(ConstAnyView frame, Picture to) {
    const MotionOptions& o = *args_.options;
    ConstPicture seen = frame.as<uint8_t, Space::device>();
    if (frame.channels > 1 || o.blur == 1 || Filters::scratch_only) {
      call_.stage(stages::grayscale);
      const Picture gray = o.blur > 1 ? first : to;
      launch(grayscale, seen, gray);
      seen = gray;
    }
    if (o.blur == 1) return;
    call_.stage(stages::gaussian_matrix);
    filters_.make_blur(o.blur, o.blur_sigma);
    call_.stage(stages::blur);
    filters_.blur(seen, to);
  }

  /// first = |second − the background|, where the background learns `second`.
  void subtract() {
    call_.stage(stages::difference);
    args_.background->push(second, {.difference = first}, 0, exec_);
  }

  /// From the difference in `first` to the mask and the components.
  void find_objects() {
    const MotionOptions& o = *args_.options;
    call_.stage(stages::threshold);
    launch(threshold, first, pixel::limit_of<uint8_t>(o.threshold.level));
    morphology(o.close, true);
    morphology(o.open, false);
    call_.stage(stages::components);
    LabelStages observer(call_);
    Exec exec = exec_;
    exec.strategy = "union-find";
    exec.parameters = {{"block_x", std::to_string(block_.x)},
                       {"block_y", std::to_string(block_.y)},
                       {"boxes", std::string(call_.parameters().text("boxes"))}};
    if (call_.wants_statistics()) exec.observer = &observer;
    label(first, {}, args_.components, {o.connectivity}, exec);
    call_.stage(stages::memory);
    const int64_t halves = 2 * int64_t(bits_.stride_words) * bits_.height;
    const int64_t a_block = block_.x * block_.y / 32;
    cuda::launch("motion", pack, dim3(unsigned((halves + a_block - 1) / a_block)), block_, 0,
                 cuda::stream_of(call_), first, bits_);
    const auto pitch = size_t(bits_.stride_words) * 8;
    cuda::check(cudaMemcpy2DAsync(args_.mask.data, size_t(args_.mask.stride_words) * 8, bits_.data,
                                  pitch, pitch, size_t(bits_.height), cudaMemcpyDeviceToHost,
                                  cuda::stream_of(call_)),
                "motion: fetching the mask");
    wait(call_.stream());
    *args_.threshold = o.threshold.level;
  }

  /// The pictures between the steps.
  Picture first, second;

 private:
  // A thread a pixel of the first argument.
  template <class Kernel, class Over, class... Rest>
  void launch(Kernel kernel, Over over, Rest... rest) {
    cuda::launch("motion", kernel, cuda::tiles(over, int32_t(block_.x), int32_t(block_.y)), block_,
                 0, cuda::stream_of(call_), over, rest...);
  }

  // From `first` to `first`; the second step reads the element turned.
  void morphology(const StructuringElement& element, bool closes) {
    call_.stage(stages::circle_kernel);
    filters_.make_element(element);
    call_.stage(closes ? stages::dilate : stages::erode);
    filters_.morph(first, second, closes, false);
    call_.stage(closes ? stages::erode : stages::dilate);
    filters_.morph(second, first, !closes, true);
  }

  const MotionArgs& args_;
  Call& call_;
  Exec exec_;
  Scratch& scratch_;
  dim3 block_;
  Filters filters_;
  Bits bits_;
};

/// The block of a rung with a launch shape.
inline dim3 block_of(const Call& call) {
  const Parameters& p = call.parameters();
  return dim3(unsigned(p.integer("block_x")), unsigned(p.integer("block_y")));
}

/// f(std::bool_constant()): whether windows are the paper's, floats and masks.
template <class F>
void with_windows(const Call& call, F&& f) {
  if (call.parameters().text("windows") == "mask")
    f(std::true_type());
  else
    f(std::false_type());
}

/// A frame of the rungs that keep their memory and the smoothed first frame.
template <class Filters>
void run_chain(const MotionArgs& args, Call& call, dim3 block, Filters filters) {
  Chain chain(args, call, call.nested(), call.scratch(), block, std::move(filters));
  chain.smooth(args.frame, chain.second);
  chain.subtract();
  chain.find_objects();
}

}  // namespace cuesta::motion_ladder
