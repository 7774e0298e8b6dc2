// Strategy `areas` (device): labels by label(), areas by atomics, a run of a warp's 32 pixels at
// once, and a pass that looks up the area of each pixel's component. Only their number comes to the
// host.
//
// Traffic a pixel: 4 bytes of labels written and read twice, the mask, the result.
#include "ops/clean/cuda.hpp"
#include "ops/clean/device.cuh"
#include "ops/clean/reference.hpp"

namespace cuesta {
namespace {

constexpr uint32_t at_rim = 1u << 31;  // of an area, which is below 2^31 pixels
constexpr int32_t columns = 32, rows = 8;

/// Adds the pixels of each label to its area, and marks areas that reach the picture's rim.
__global__ void __launch_bounds__(columns* rows)
    add_areas(const __grid_constant__ ImageView<const int32_t, Space::device> labels,
              uint32_t* areas) {
  const int32_t lane = int32_t(threadIdx.x);
  const int64_t x = int64_t(blockIdx.x) * columns + lane;
  const bool is_inside = x < labels.width;
  for (int64_t y = int64_t(blockIdx.y) * rows + threadIdx.y; y < labels.height;
       y += int64_t(gridDim.y) * rows) {
    const int32_t label = is_inside ? labels.at(int32_t(x), int32_t(y)) : 0;
    const int32_t left = __shfl_up_sync(~0u, label, 1);
    const bool begins = lane == 0 || left != label;
    const uint32_t begin = __ballot_sync(~0u, begins);
    if (label == 0) continue;
    uint32_t* const area = areas + (label - 1);
    if (begins) {
      const uint32_t later = begin & (0xFFFFFFFEu << lane);
      atomicAdd(area, uint32_t((later == 0 ? columns : __ffs(int(later)) - 1) - lane));
    }
    if (x == 0 || y == 0 || x == labels.width - 1 || y == labels.height - 1) atomicOr(area, at_rim);
  }
}

struct Result {
  ImageView<const int32_t, Space::device> labels;
  const uint32_t* areas;
  int64_t max_area;
  bool fills;

  __device__ bool at(int32_t x, int32_t y) const {
    const int32_t label = labels.at(x, y);
    if (label == 0) return fills;
    const uint32_t area = areas[label - 1];
    const bool changes = int64_t(area & ~at_rim) <= max_area && !(fills && (area & at_rim));
    return changes == fills;
  }
};

}  // namespace

void clean_cuda::areas(const CleanArgs& args, Call& call) {
  const ConstAnyView source = looked_at(args, call);
  const auto labels = call.scratch().image<int32_t, Space::device>(source.width, source.height);
  const auto count =
      size_t(label(source, labels, nullptr, {.connectivity = args.connectivity}, call.nested()));
  auto* counted = call.scratch().take<uint32_t>(count);
  const cudaStream_t stream = cuda::stream_of(call);
  cuda::check(cudaMemsetAsync(counted, 0, count * sizeof *counted, stream), "clean");
  const dim3 grid(cuda::blocks(source.width, columns),
                  std::min(cuda::blocks(source.height, rows), cuda::max_grid_y));
  cuda::launch("clean", add_areas, grid, dim3(columns, rows), 0, stream,
               ImageView<const int32_t, Space::device>(labels), counted);
  write_result(args, Result{labels, counted, args.max_area, args.fills}, call);
}

}  // namespace cuesta
