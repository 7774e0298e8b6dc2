// What the rungs share: the steps that are a thread a pixel in all of them, and the order of steps.
#pragma once

#include "core/pixel_arithmetic.hpp"
#include "cuda/launch.cuh"
#include "cuesta/device.hpp"
#include "ops/motion/ladder/ladder.hpp"
#include "ops/motion/stages.hpp"

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

/// Blocks of whole warps in x: each makes half a word. Threads past the width make 0.
static __global__ void __launch_bounds__(cuda::any_block) pack(ConstPicture mask, Bits bits) {
  const Place p;
  if (p.y >= mask.height) return;
  const uint32_t set =
      __ballot_sync(~0u, uint32_t(p.x) < uint32_t(mask.width) && mask.at(p.x, p.y) != 0);
  if (threadIdx.x % 32 == 0) reinterpret_cast<uint32_t*>(bits.row(p.y))[p.x / 32] = set;
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
/// make_element(element) and morph(src, dst, dilate, turned).
template <class Filters>
class Chain {
 public:
  /// Memory comes from `scratch`, that of nested operations from `exec`.
  Chain(const MotionArgs& args, Call& call, const Exec& exec, Scratch& scratch, dim3 block)
      : args_(args),
        call_(call),
        exec_(exec),
        scratch_(scratch),
        block_(block),
        filters_(scratch, cuda::stream_of(call), block) {
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
    if (frame.channels > 1 || o.blur == 1) {
      call_.stage(stages::grayscale);
      const Picture gray = o.blur > 1 ? first : to;
      launch(grayscale, block_, seen, gray);
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
    launch(threshold, block_, first, pixel::limit_of<uint8_t>(o.threshold.level));
    morphology(o.close, true);
    morphology(o.open, false);
    call_.stage(stages::components);
    LabelStages observer(call_);
    Exec exec = exec_;
    exec.strategy = "union-find";
    if (call_.wants_statistics()) exec.observer = &observer;
    label(first, {}, args_.components, {o.connectivity}, exec);
    call_.stage(stages::memory);
    launch(pack, dim3(64, 8), first, bits_);
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
  void launch(Kernel kernel, dim3 block, Over over, Rest... rest) {
    cuda::launch("motion", kernel, cuda::tiles(over, int32_t(block.x), int32_t(block.y)), block, 0,
                 cuda::stream_of(call_), over, rest...);
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

/// A frame of the rungs that keep their memory and the smoothed first frame.
template <class Filters>
void run_chain(const MotionArgs& args, Call& call, dim3 block) {
  Chain<Filters> chain(args, call, call.nested(), call.scratch(), block);
  chain.smooth(args.frame, chain.second);
  chain.subtract();
  chain.find_objects();
}

}  // namespace cuesta::motion_ladder
