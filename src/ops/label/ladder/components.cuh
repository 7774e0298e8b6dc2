// From sets of pixels to numbers, labels and components.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include "cuda/launch.cuh"
#include "ops/label/args.hpp"

namespace cuesta::label_ladder {

inline constexpr uint32_t threads = 256;
inline constexpr int32_t background = -1;

// Nodes are pixels, y * width + x. LabelArgs::max_pixels makes the last one 2^31 - 1, an int32_t; a
// thread's own number may pass it by a block, so it is unsigned.
struct Picture {
  ConstAnyView mask;
  int32_t* parents;
  uint32_t pixels;
};
struct Pixel {
  uint32_t node;
  int32_t x, y;
};
__device__ inline Pixel own_pixel(const Picture& p) {
  const uint32_t node = blockIdx.x * threads + threadIdx.x;
  const uint32_t y = node / uint32_t(p.mask.width);
  return {node, int32_t(node - y * uint32_t(p.mask.width)), int32_t(y)};
}

struct IsRoot {
  const int32_t* parents;
  __host__ __device__ int32_t operator()(int64_t node) const { return parents[node] == node; }
};

// numbers[root] = 1 + the number of roots before it.
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

// Writes the labels, if wanted, and founds the components, if wanted and zero before, by their
// first pixels. Until finish(), a box holds its last column and row in place of width and height.
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

// A run of set pixels inside a warp is one component's: its first thread adds all of it.
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

}  // namespace cuesta::label_ladder
