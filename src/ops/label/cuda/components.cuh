// What the device rows of label share: a node a pixel, and from finished sets of pixels to numbers,
// labels and components. Between start_nodes() and flatten_nodes() a row joins the sets its own
// way.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <type_traits>

#include "cuda/launch.cuh"
#include "cuda/union_find.cuh"
#include "ops/label/args.hpp"

namespace cuesta::label_cuda {

inline constexpr uint32_t threads = 256;
inline constexpr int32_t background = -1;
/// Room for components that follows from the size alone; a mask with more takes more.
inline constexpr size_t components_at_once = 1 << 16;

/// Nodes are pixels, y * width + x. LabelArgs::max_pixels makes the last one 2^31 - 1, an int32_t;
/// a thread's own number may pass it by a block, so it is unsigned.
struct Picture {
  ConstAnyView mask;
  int32_t* parents;
  uint32_t pixels;

  dim3 grid() const { return dim3(unsigned((int64_t(pixels) + threads - 1) / threads)); }
};
inline Picture picture_of(const LabelArgs& args, Call& call) {
  const auto pixels = uint32_t(int64_t(args.mask.width) * args.mask.height);
  return {args.mask, call.scratch().take<int32_t>(pixels), pixels};
}

struct Pixel {
  uint32_t node;
  int32_t x, y;
};
__device__ inline Pixel own_pixel(const Picture& p) {
  const uint32_t node = blockIdx.x * threads + threadIdx.x;
  const uint32_t y = node / uint32_t(p.mask.width);
  return {node, int32_t(node - y * uint32_t(p.mask.width)), int32_t(y)};
}
/// Whether pixel `node` is set; also while sets are joined, as nobody makes a set pixel a
/// background one.
__device__ inline bool is_set(const Picture& p, int32_t node) {
  return cuda::parent_of(p.parents, node) != background;
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const Picture& p, const Call& call,
            Arguments&&... arguments) {
  cuda::launch("label", kernel, p.grid(), dim3(threads), 0, cuda::stream_of(call), p,
               std::forward<Arguments>(arguments)...);
}

static __global__ void init(Picture p) {
  const auto [node, x, y] = own_pixel(p);
  if (node >= p.pixels) return;
  const char* row = static_cast<const char*>(p.mask.data) + ptrdiff_t(y) * p.mask.stride_bytes;
  const bool set = p.mask.type == PixelType::u8
                       ? row[x] != 0
                       : (reinterpret_cast<const uint64_t*>(row)[x >> 6] >> (x & 63)) & 1;
  p.parents[node] = set ? int32_t(node) : background;
}

static __global__ void compress(Picture p) {
  const uint32_t node = blockIdx.x * threads + threadIdx.x;
  if (node < p.pixels && is_set(p, int32_t(node))) cuda::flatten(p.parents, int32_t(node));
}

/// Every set pixel becomes a set of its own.
inline void start_nodes(const Picture& p, const Call& call) { launch(init, p, call); }
/// Every set pixel points at its root, the first pixel of its component.
inline void flatten_nodes(const Picture& p, const Call& call) { launch(compress, p, call); }

struct IsRoot {
  const int32_t* parents;
  __host__ __device__ int32_t operator()(int64_t node) const { return parents[node] == node; }
};

/// numbers[root] = 1 + the number of roots before it.
inline void number_roots(const Picture& p, int32_t* numbers, Call& call) {
  const auto roots =
      thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), IsRoot{p.parents});
  size_t bytes = 0;
  cuda::check(cub::DeviceScan::InclusiveSum(nullptr, bytes, roots, numbers, int64_t(p.pixels),
                                            cuda::stream_of(call)),
              "label: planning the scan");
  void* storage = call.scratch().take<unsigned char>(bytes);
  cuda::check(cub::DeviceScan::InclusiveSum(storage, bytes, roots, numbers, int64_t(p.pixels),
                                            cuda::stream_of(call)),
              "label: numbering");
}

/// Writes the labels, if wanted, and founds the components, if wanted and zero before, by their
/// first pixels. Until finish(), a box holds its last column and row in place of width and height.
static __global__ void write(Picture p, const int32_t* numbers, AnyView labels,
                             Component* components) {
  const auto [node, x, y] = own_pixel(p);
  if (node >= p.pixels) return;
  const int32_t root = p.parents[node];
  const int32_t label = root == background ? 0 : numbers[root];
  if (labels) labels.as<int32_t, Space::device>().at(x, y) = label;
  if (!components || root != int32_t(node)) return;
  Component& c = components[label - 1];
  c.label = label;
  c.box.x = c.box.width = x;
  c.box.y = c.box.height = y;
}

__device__ inline void add(int64_t& sum, int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(&sum), static_cast<unsigned long long>(value));
}

/// A run of set pixels inside a warp is one component's: its first thread adds all of it.
static __global__ void gather(Picture p, const int32_t* numbers, Component* components) {
  const auto [node, x, y] = own_pixel(p);
  const unsigned lane = threadIdx.x % 32;
  const int32_t root = node < p.pixels ? p.parents[node] : background;
  const unsigned set = __ballot_sync(~0u, root != background);
  const bool begins = root != background && (lane == 0 || x == 0 || (set >> (lane - 1) & 1) == 0);
  const unsigned begin = __ballot_sync(~0u, begins);
  if (!begins) return;
  // Where the run ends: at the next unset pixel, the next run (of the next row), or the warp's end.
  const unsigned stops = (~set | begin) & (lane == 31 ? 0 : ~0u << (lane + 1));
  const int32_t length = (stops ? __ffs(int(stops)) - 1 : 32) - int32_t(lane);
  Component& c = components[numbers[root] - 1];
  add(c.area, length);
  add(c.sum_x, (2 * int64_t(x) + length - 1) * length / 2);
  add(c.sum_y, int64_t(y) * length);
  atomicMin(&c.box.x, x);
  atomicMax(&c.box.width, x + length - 1);
  atomicMax(&c.box.height, y);
}

static __global__ void finish(Component* components, int32_t count) {
  const uint32_t i = blockIdx.x * threads + threadIdx.x;
  if (i >= uint32_t(count)) return;
  Rect& box = components[i].box;
  box.width += 1 - box.x;
  box.height += 1 - box.y;
}

/// From flat nodes to everything that is wanted. The number of components and their list are host
/// objects: waits for the number, and for the list where one is wanted. Announces "number" and
/// "components".
inline void find_components(const LabelArgs& args, const Picture& p, Call& call) {
  static_assert(std::is_trivially_copyable_v<Component>);
  const cudaStream_t stream = cuda::stream_of(call);
  int32_t* numbers = call.scratch().take<int32_t>(p.pixels);
  const auto take_components = [&](size_t count) {
    return reinterpret_cast<Component*>(
        call.scratch().take<unsigned char>(count * sizeof(Component)));
  };
  const size_t room = std::min(size_t(p.pixels) / 2 + 1, components_at_once);
  Component* components = args.components ? take_components(room) : nullptr;
  const auto wait = [&] {
    cuda::check(cudaStreamSynchronize(stream), "label: waiting for the components");
  };

  call.stage("number");
  number_roots(p, numbers, call);
  int32_t count = 0;
  cuda::check(cudaMemcpyAsync(&count, numbers + (p.pixels - 1), sizeof count,
                              cudaMemcpyDeviceToHost, stream),
              "label: fetching the count");
  wait();
  *args.count = count;
  if (components && size_t(count) > room) components = take_components(size_t(count));
  if (components && count > 0) {
    // Their padding too: all of it is copied.
    cuda::check(cudaMemsetAsync(components, 0, size_t(count) * sizeof(Component), stream),
                "label: clearing the components");
  }
  if (args.labels || components) launch(write, p, call, numbers, args.labels, components);
  call.stage("components");
  if (args.components) args.components->resize(size_t(count));
  if (!components || count == 0) return;
  launch(gather, p, call, numbers, components);
  cuda::launch("label", finish, dim3((uint32_t(count) + threads - 1) / threads), dim3(threads), 0,
               stream, components, count);
  cuda::check(cudaMemcpyAsync(args.components->data(), components,
                              size_t(count) * sizeof(Component), cudaMemcpyDeviceToHost, stream),
              "label: fetching the components");
  wait();
}

}  // namespace cuesta::label_cuda
