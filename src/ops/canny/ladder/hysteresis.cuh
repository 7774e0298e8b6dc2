// What the ways to do hysteresis share: how they are called, and what they tell an observer.
#pragma once

#include "ops/canny/ladder/stages.cuh"

namespace cuesta::canny_ladder {

/// From marks to edges of 0 and 255 in `dst`, a device picture of their size; changes the marks.
/// `block` is the shape of a block of kernels with a thread a pixel.
using Hysteresis = void(const Marks& marks, AnyView dst, dim3 block, Call& call);

Hysteresis hysteresis_by_launches, hysteresis_by_queues, hysteresis_by_tiles,
    hysteresis_by_one_kernel, hysteresis_by_graph, hysteresis_by_sets, hysteresis_by_runs;
/// The one of a value of the parameter `hysteresis`.
Hysteresis* hysteresis_named(std::string_view name);

/// What joins in a step is marked with the step's color, three in turn, so that what joined in the
/// step before is distinguished from what joins now. Strong pixels are step 0.
constexpr uint8_t color_of(int step) { return uint8_t(strong + step % 3); }

/// Whether figures are wanted and are available: a stream that is being captured is not waited for.
bool tells(const Call& call);

/// A value from device memory, once the GPU is there.
template <class T>
T read_back(const T* there, Call& call) {
  const cudaStream_t stream = cuda::stream_of(call);
  T value;
  cuda::check(cudaMemcpyAsync(&value, there, sizeof value, cudaMemcpyDeviceToHost, stream),
              "canny");
  cuda::check(cudaStreamSynchronize(stream), "canny");
  return value;
}

/// `count` objects of zeros in the call's scratch.
template <class T>
T* cleared(size_t count, Call& call) {
  T* there = call.scratch().take<T>(count);
  cuda::check(cudaMemsetAsync(there, 0, count * sizeof(T), cuda::stream_of(call)), "canny");
  return there;
}

/// Tells a figure that the GPU counted. It is waited for in a stage of its own, so that the one
/// before is as long as without an observer.
void tell(std::string_view name, const uint32_t* there, Call& call);

/// Edges from marks: whatever joined is `strong` or more.
void write_joined(const Marks& marks, AnyView dst, dim3 block, Call& call);

// ---- trees

struct IsStrong {
  Marks marks;
  __device__ bool operator()(int32_t x, int32_t y) const { return marks.at(x, y) == strong; }
};
struct IsEdge {
  DeviceImage<const uint8_t> edges;
  __device__ bool operator()(int32_t x, int32_t y) const { return edges.at(x, y) != 0; }
};
template <class Holds>
struct CountWhere {
  Holds holds;
  uint32_t* counter;
  __device__ void operator()(int32_t x, int32_t y) const {
    if (holds(x, y)) atomicAdd(counter, 1u);
  }
};

/// Announces and runs `hysteresis`, which writes `dst`. Tells "trees at the start", the pixels
/// where holds(x, y) is true on the device before, and "trees at the end", the edges.
template <class Holds, class Run>
void with_trees(const Holds& at_the_start, AnyView dst, Call& call, Run&& hysteresis) {
  const bool counts = tells(call);
  uint32_t* const trees = counts ? cleared<uint32_t>(2, call) : nullptr;
  const auto count = [&](const auto& holds, uint32_t* counter) {
    call.stage("counting");
    const CountWhere body{holds, counter};
    cuda::for_each_pixel("canny", dst.width, dst.height, body, call);
  };
  if (counts) count(at_the_start, trees);
  call.stage("hysteresis");
  hysteresis();
  if (!counts) return;
  count(IsEdge{dst.as<uint8_t, Space::device>()}, trees + 1);
  call.statistic("trees at the start", read_back(trees, call));
  call.statistic("trees at the end", read_back(trees + 1, call));
}

/// The same from marks.
void run_hysteresis(Hysteresis* hysteresis, const Marks& marks, AnyView dst, dim3 block,
                    Call& call);

}  // namespace cuesta::canny_ladder
