#include "ops/canny/ladder/hysteresis.cuh"

namespace cuesta::canny_ladder {
namespace {

__global__ void write(Marks marks, DeviceImage<uint8_t> dst) {
  const auto [x, y] = this_pixel();
  if (inside(marks, {x, y})) dst.at(x, y) = marks.at(x, y) >= strong ? 255 : 0;
}

}  // namespace

Hysteresis* hysteresis_named(std::string_view name) {
  // In the order of hysteresis_values.
  constexpr Hysteresis* all[] = {
      hysteresis_by_launches, hysteresis_by_queues, hysteresis_by_tiles, hysteresis_by_one_kernel,
      hysteresis_by_graph,    hysteresis_by_sets,   hysteresis_by_runs};
  static_assert(std::size(all) == std::size(hysteresis_values));
  return all[std::find(std::begin(hysteresis_values), std::end(hysteresis_values), name) -
             std::begin(hysteresis_values)];
}

bool tells(const Call& call) {
  if (!call.wants_statistics()) return false;
  auto capture = cudaStreamCaptureStatusNone;
  cuda::check(cudaStreamIsCapturing(cuda::stream_of(call), &capture), "canny");
  return capture == cudaStreamCaptureStatusNone;
}

void tell(std::string_view name, const uint32_t* there, Call& call) {
  if (!tells(call)) return;
  call.stage("counting");
  call.statistic(name, read_back(there, call));
}

void write_joined(const Marks& marks, AnyView dst, dim3 block, Call& call) {
  for_pixels(marks, block, call, write, marks, dst.as<uint8_t, Space::device>());
}

void run_hysteresis(Hysteresis* hysteresis, const Marks& marks, AnyView dst, dim3 block,
                    Call& call) {
  with_trees(IsStrong{marks}, dst, call, [&] { hysteresis(marks, dst, block, call); });
}

}  // namespace cuesta::canny_ladder
