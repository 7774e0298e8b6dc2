// From finished sets to the answer, for every device row of label: numbers by a scan over the
// roots, labels, components. What a node is, the row knows.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <type_traits>

#include "cuda/launch.cuh"
#include "cuda/sums.cuh"
#include "ops/label/reference.hpp"

namespace cuesta::label_cuda {

/// Room for components that follows from the size alone; a mask with more takes more.
inline constexpr size_t components_at_once = 1 << 16;

/// sums[i] = count(0) + ... + count(i), 0 <= i < n.
template <class Count>
void sum_up(const Count& count, int64_t n, int32_t* sums, Call& call) {
  const auto counts = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), count);
  size_t bytes = 0;
  cuda::check(cub::DeviceScan::InclusiveSum(nullptr, bytes, counts, sums, n, cuda::stream_of(call)),
              "label: planning the scan");
  void* storage = call.scratch().take<unsigned char>(bytes);
  cuda::check(cub::DeviceScan::InclusiveSum(storage, bytes, counts, sums, n, cuda::stream_of(call)),
              "label: numbering");
}

/// Makes a component, zero before, of its first pixel. Until finish(), a box holds its last column
/// and row in place of width and height.
__device__ inline void found(Component& c, int32_t label, int32_t x, int32_t y) {
  c.label = label;
  c.box.x = c.box.width = x;
  c.box.y = c.box.height = y;
}

/// Adds `length` pixels from (x, y) on, beside any number of threads. Its first row it has.
__device__ inline void gather_run(Component& c, int32_t x, int32_t y, int32_t length) {
  cuda::add(c.area, length);
  cuda::add(c.sum_x, (2 * int64_t(x) + length - 1) * length / 2);
  cuda::add(c.sum_y, int64_t(y) * length);
  atomicMin(&c.box.x, x);
  atomicMax(&c.box.width, x + length - 1);
  atomicMax(&c.box.height, y);
}

inline constexpr uint32_t finish_threads = 256;

static __global__ void __launch_bounds__(finish_threads)
    finish(Component* components, int32_t count) {
  const uint32_t i = blockIdx.x * finish_threads + threadIdx.x;
  if (i >= uint32_t(count)) return;
  Rect& box = components[i].box;
  box.width += 1 - box.x;
  box.height += 1 - box.y;
}

/// Gathers the components from a copy of the picture of labels, as the host does it.
inline void gather_on_host(ConstAnyView labels, std::vector<Component>& components, Call& call) {
  Scratch host(call.nested(), Space::host);
  const auto copy = host.image<int32_t>(labels.width, labels.height);
  cuda::check(
      cudaMemcpy2DAsync(copy.data, size_t(copy.stride_bytes), labels.data,
                        size_t(labels.stride_bytes), size_t(labels.width) * sizeof(int32_t),
                        size_t(labels.height), cudaMemcpyDeviceToHost, cuda::stream_of(call)),
      "label: fetching the labels");
  cuda::check(cudaStreamSynchronize(cuda::stream_of(call)), "label: waiting for the labels");
  gather_components(copy, components);
}

/// From finished sets to everything that is wanted. The number of components and their list are
/// host objects: waits for the number, and for the list where one is wanted. Announces "number" and
/// "components". `Sets` has
///   number(call)                     numbers the sets by their first pixels in raster order;
///                                    returns where on the device their number will be;
///   write(labels, components, call)  writes the labels, unless that view is none, and initialises
///   the
///                                    components, zero before, unless that pointer is null;
///   gather(components, call)         adds all runs to the components.
/// With `on_host` the host gathers the components, from a copy of the labels.
template <class Sets>
void find_components(const LabelArgs& args, Sets sets, Call& call, bool on_host = false) {
  static_assert(std::is_trivially_copyable_v<Component>);
  const cudaStream_t stream = cuda::stream_of(call);
  const int32_t width = args.mask.width, height = args.mask.height;
  const auto take_components = [&](size_t count) {
    return reinterpret_cast<Component*>(
        call.scratch().take<unsigned char>(count * sizeof(Component)));
  };
  const size_t room = std::min(size_t(int64_t(width) * height / 2 + 1), components_at_once);
  on_host &= args.components() != nullptr;
  AnyView labels = args.labels();
  if (on_host && !labels) labels = call.scratch().image<int32_t, Space::device>(width, height);
  Component* components = args.components() && !on_host ? take_components(room) : nullptr;
  const auto wait = [&] {
    cuda::check(cudaStreamSynchronize(stream), "label: waiting for the components");
  };

  call.stage("number");
  const int32_t* number = sets.number(call);
  int32_t count = 0;
  cuda::check(cudaMemcpyAsync(&count, number, sizeof count, cudaMemcpyDeviceToHost, stream),
              "label: fetching the count");
  wait();
  args.set_count(count);
  if (components && size_t(count) > room) components = take_components(size_t(count));
  if (components && count > 0) {
    // Their padding too: all of it is copied.
    cuda::check(cudaMemsetAsync(components, 0, size_t(count) * sizeof(Component), stream),
                "label: clearing the components");
  }
  if (labels || components) sets.write(labels, components, call);
  call.stage("components");
  if (args.components()) args.components()->resize(size_t(count));
  if (!args.components() || count == 0) return;
  if (on_host) return gather_on_host(labels, *args.components(), call);
  sets.gather(components, call);
  cuda::launch("label", finish, dim3((uint32_t(count) + finish_threads - 1) / finish_threads),
               dim3(finish_threads), 0, stream, components, count);
  cuda::check(cudaMemcpyAsync(args.components()->data(), components,
                              size_t(count) * sizeof(Component), cudaMemcpyDeviceToHost, stream),
              "label: fetching the components");
  wait();
}

}  // namespace cuesta::label_cuda
