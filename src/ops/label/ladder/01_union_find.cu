// Rung `union-find` (paper 004, initCCL, mergeCCL, compressCCL): every set pixel is a node that
// starts as its own root; a thread a pixel joins it to the neighbours of Rosenfeld's mask by
// atomics; then every node is pointed at its root, the first pixel of its component in raster
// order. Theirs stops there and gets boxes by a flood fill on the host, from the picture of labels;
// ours numbers the roots by a scan and gathers the components on the GPU, so that only they travel.
// Bound: memory traffic while components are small, chains of dependent reads where they are long.
// Bytes a pixel, every pixel set: mask 1 or 1/8 read; parents written by init, read and written by
// merge and by compress, read by the scan, by `write` and by `gather`, 4 each time; numbers written
// by the scan; labels written: about 41. Held: 8.
// Wastes: a tree walk for every pixel where one for a block of 2 x 2 would do; a pass over memory
// for each of init, merge and compress; waits once for the count and once for the components.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <type_traits>

#include "cuda/launch.cuh"
#include "cuda/union_find.cuh"
#include "ops/label/ladder/ladder.hpp"

namespace cuesta::label_ladder {
namespace {

constexpr uint32_t threads = 256;
constexpr int32_t background = -1;
// Room that follows from the size alone; a mask with more components takes more.
constexpr size_t components_at_once = 1 << 16;

// Nodes are pixels, y * width + x. LabelArgs::max_pixels makes the last one 2^31 - 1, an int32_t; a
// thread's own number may pass it by a block, so it is unsigned.
struct Picture {
  ConstPlane mask;
  int32_t* parents;
  uint32_t pixels;
};
struct Pixel {
  uint32_t node;
  int32_t x, y;
};
__device__ Pixel own_pixel(const Picture& p) {
  const uint32_t node = blockIdx.x * threads + threadIdx.x;
  const uint32_t y = node / uint32_t(p.mask.width);
  return {node, int32_t(node - y * uint32_t(p.mask.width)), int32_t(y)};
}

__global__ void init(Picture p) {
  const auto [node, x, y] = own_pixel(p);
  if (node >= p.pixels) return;
  const char* row = static_cast<const char*>(p.mask.data) + ptrdiff_t(y) * p.mask.stride_bytes;
  const bool set = p.mask.type == PixelType::u8
                       ? row[x] != 0
                       : (reinterpret_cast<const uint64_t*>(row)[x >> 6] >> (x & 63)) & 1;
  p.parents[node] = set ? int32_t(node) : background;
}

// 8-way, the links left out follow from others: what is left and right of the pixel above is joined
// to it along its own row, and what is above the left neighbour is joined to that.
template <bool Eight>
__global__ void merge(Picture p) {
  const auto [node, x, y] = own_pixel(p);
  if (node >= p.pixels) return;
  const auto is_set = [&](int32_t other) {
    return cuda::parent_of(p.parents, other) != background;
  };
  const int32_t here = int32_t(node), up = here - p.mask.width;
  if (!is_set(here)) return;
  const bool left = x > 0 && is_set(here - 1), above = y > 0 && is_set(up);
  if (above) cuda::unite(p.parents, here, up);
  if constexpr (Eight) {
    if (above) return;
    if (left)
      cuda::unite(p.parents, here, here - 1);
    else if (x > 0 && y > 0 && is_set(up - 1))
      cuda::unite(p.parents, here, up - 1);
    if (y > 0 && x + 1 < p.mask.width && is_set(up + 1)) cuda::unite(p.parents, here, up + 1);
  } else {
    if (left) cuda::unite(p.parents, here, here - 1);
  }
}

__global__ void compress(Picture p) {
  const uint32_t node = blockIdx.x * threads + threadIdx.x;
  // Nobody makes a set pixel a background one, so the first look needs no other thread's write.
  if (node >= p.pixels || cuda::parent_of(p.parents, int32_t(node)) == background) return;
  cuda::flatten(p.parents, int32_t(node));
}

struct IsRoot {
  const int32_t* parents;
  __host__ __device__ int32_t operator()(int64_t node) const { return parents[node] == node; }
};

// numbers[root] = 1 + the number of roots before it.
void number_roots(const Picture& p, int32_t* numbers, Call& call) {
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

// Writes the labels, if wanted, and founds the components, if wanted, by their first pixels. Until
// finish(), a box holds its last column and row in place of width and height.
__global__ void write(Picture p, const int32_t* numbers, Plane labels, Component* components) {
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
  c.area = c.sum_x = c.sum_y = 0;
}

__device__ void add(int64_t& sum, int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(&sum), static_cast<unsigned long long>(value));
}

// A run of set pixels inside a warp is one component's: its first thread adds all of it.
__global__ void gather(Picture p, const int32_t* numbers, Component* components) {
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

__global__ void finish(Component* components, int32_t count) {
  const uint32_t i = blockIdx.x * threads + threadIdx.x;
  if (i >= uint32_t(count)) return;
  Rect& box = components[i].box;
  box.width += 1 - box.x;
  box.height += 1 - box.y;
}

}  // namespace

void union_find(const LabelArgs& args, Call& call) {
  static_assert(std::is_trivially_copyable_v<Component>);
  const cudaStream_t stream = cuda::stream_of(call);
  const auto pixels = uint32_t(int64_t(args.mask.width) * args.mask.height);
  const dim3 grid((pixels + threads - 1) / threads);
  const Picture picture{args.mask, call.scratch().take<int32_t>(pixels), pixels};
  int32_t* numbers = call.scratch().take<int32_t>(pixels);
  const auto take_components = [&](size_t count) {
    return reinterpret_cast<Component*>(
        call.scratch().take<unsigned char>(count * sizeof(Component)));
  };
  const size_t room = std::min(size_t(pixels) / 2 + 1, components_at_once);
  Component* components = args.components ? take_components(room) : nullptr;
  const auto wait = [&] {
    cuda::check(cudaStreamSynchronize(stream), "label: waiting for the components");
  };

  call.stage("init");
  cuda::launch("label", init, grid, dim3(threads), 0, stream, picture);
  call.stage("merge");
  cuda::launch("label", args.options.connectivity == 8 ? merge<true> : merge<false>, grid,
               dim3(threads), 0, stream, picture);
  call.stage("compress");
  cuda::launch("label", compress, grid, dim3(threads), 0, stream, picture);
  call.stage("number");
  number_roots(picture, numbers, call);
  int32_t count = 0;
  cuda::check(
      cudaMemcpyAsync(&count, numbers + (pixels - 1), sizeof count, cudaMemcpyDeviceToHost, stream),
      "label: fetching the count");
  wait();
  *args.count = count;
  if (components && size_t(count) > room) components = take_components(size_t(count));
  if (args.labels || components) {
    cuda::launch("label", write, grid, dim3(threads), 0, stream, picture, numbers, args.labels,
                 components);
  }
  call.stage("components");
  if (args.components) args.components->resize(size_t(count));
  if (!components || count == 0) return;
  cuda::launch("label", gather, grid, dim3(threads), 0, stream, picture, numbers, components);
  cuda::launch("label", finish, dim3((uint32_t(count) + threads - 1) / threads), dim3(threads), 0,
               stream, components, count);
  cuda::check(cudaMemcpyAsync(args.components->data(), components,
                              size_t(count) * sizeof(Component), cudaMemcpyDeviceToHost, stream),
              "label: fetching the components");
  wait();
}

}  // namespace cuesta::label_ladder
