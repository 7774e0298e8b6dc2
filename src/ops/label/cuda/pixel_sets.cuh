// Sets of pixels in one array of parents, an int32_t a pixel, for the device rows of label that
// keep one: which pixel is a thread's, and what becomes of the sets when all are flat.
#pragma once

#include "cuda/union_find.cuh"
#include "ops/label/cuda/components.cuh"

namespace cuesta::label_cuda {

inline constexpr int32_t background = -1;

/// A mask and its pixels as nodes, y * width + x; background where one is not set.
/// LabelArgs::max_pixels makes the last one 2^31 - 1, an int32_t; a thread's own number may pass it
/// by a block, so it is unsigned.
///
/// `block` is the shape that its kernels run in. A block of one row of threads takes as many pixels
/// on end, over the ends of rows; one of several rows takes a rectangle. It has whole warps. The
/// grid has one dimension, which no picture exceeds.
struct Picture {
  ConstAnyView mask;
  int32_t* parents;
  uint32_t pixels;
  dim3 block;

  dim3 grid() const {
    if (block.y == 1) return dim3((pixels - 1) / block.x + 1);
    const dim3 over = cuda::tiles(mask, int32_t(block.x), int32_t(block.y));
    return dim3(over.x * over.y);
  }
};
inline Picture picture_of(const LabelArgs& args, Call& call, dim3 block = dim3(256)) {
  const auto pixels = uint32_t(int64_t(args.mask.width) * args.mask.height);
  return {args.mask, call.scratch().take<int32_t>(pixels), pixels, block};
}

struct Pixel {
  uint32_t node;  // p.pixels and more: outside
  int32_t x, y;
};
__device__ inline Pixel own_pixel(const Picture& p) {
  const auto width = uint32_t(p.mask.width);
  if (blockDim.y == 1) {
    const uint32_t node = blockIdx.x * blockDim.x + threadIdx.x, y = node / width;
    return {node, int32_t(node - y * width), int32_t(y)};
  }
  const uint32_t across = (width - 1) / blockDim.x + 1, down = blockIdx.x / across;
  const uint32_t x = (blockIdx.x - down * across) * blockDim.x + threadIdx.x;
  const uint32_t y = down * blockDim.y + threadIdx.y;
  const bool inside = x < width && y < uint32_t(p.mask.height);
  return {inside ? y * width + x : p.pixels, int32_t(x), int32_t(y)};
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const Picture& p, const Call& call,
            Arguments&&... arguments) {
  cuda::launch("label", kernel, p.grid(), p.block, 0, cuda::stream_of(call), p,
               std::forward<Arguments>(arguments)...);
}

struct IsRoot {
  const int32_t* parents;
  __host__ __device__ int32_t operator()(int64_t node) const { return parents[node] == node; }
};

static __global__ void __launch_bounds__(cuda::any_block)
    write(Picture p, const int32_t* numbers, AnyView labels, Component* components) {
  const auto [node, x, y] = own_pixel(p);
  if (node >= p.pixels) return;
  const int32_t root = p.parents[node];
  const int32_t label = root == background ? 0 : numbers[root];
  if (labels) labels.as<int32_t, Space::device>().at(x, y) = label;
  if (components && root == int32_t(node)) found(components[label - 1], label, x, y);
}

/// A run of set pixels inside a warp's part of a row is one component's: its first thread adds all
/// of it.
static __global__ void __launch_bounds__(cuda::any_block)
    gather(Picture p, const int32_t* numbers, Component* components) {
  const auto [node, x, y] = own_pixel(p);
  const unsigned lane = (threadIdx.y * blockDim.x + threadIdx.x) % 32;
  const int32_t root = node < p.pixels ? p.parents[node] : background;
  const unsigned set = __ballot_sync(~0u, root != background);
  const bool first = lane == 0 || threadIdx.x == 0 || x == 0;
  const bool begins = root != background && (first || (set >> (lane - 1) & 1) == 0);
  const unsigned begin = __ballot_sync(~0u, begins);
  if (!begins) return;
  // Where the run ends: at the next unset pixel, the next run (of the next row), or the warp's end.
  const unsigned stops = (~set | begin) & (lane == 31 ? 0 : ~0u << (lane + 1));
  const int32_t length = (stops ? __ffs(int(stops)) - 1 : 32) - int32_t(lane);
  gather_run(components[numbers[root] - 1], x, y, length);
}

/// Flat sets of pixels, every set pixel pointing at the first of its component, for
/// find_components().
class PixelSets {
 public:
  PixelSets(const Picture& picture, Call& call)
      : picture_(picture), numbers_(call.scratch().take<int32_t>(picture.pixels)) {}

  /// numbers[root] = 1 + the number of roots before it.
  const int32_t* number(Call& call) const {
    sum_up(IsRoot{picture_.parents}, int64_t(picture_.pixels), numbers_, call);
    return numbers_ + (picture_.pixels - 1);
  }
  void write(AnyView labels, Component* components, const Call& call) const {
    launch(label_cuda::write, picture_, call, numbers_, labels, components);
  }
  void gather(Component* components, const Call& call) const {
    launch(label_cuda::gather, picture_, call, numbers_, components);
  }

 private:
  Picture picture_;
  int32_t* numbers_;
};

}  // namespace cuesta::label_cuda
