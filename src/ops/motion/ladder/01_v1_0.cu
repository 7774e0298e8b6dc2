// Rung `v1.0` (paper 004, GPU v1.0): every buffer allocated and freed for every frame, the blur's
// matrix and the elements made and sent, and the first frame made gray and smoothed again with
// every frame. Filters read global memory, blocks are 32 x 32, masks are bytes, as theirs.
// boxes=host is theirs too: labels come down and are filled there, as in every version of the
// paper. Bound: load instructions, and a wait for the GPU at each cudaMalloc and cudaFree. A pixel
// loads 2 * k^2 samples and 2 * k^2 taps, 4 * 149 samples and 4 * 149 offsets. Bytes a pixel: two
// frames of 3, 23 between the steps, 29 to 37 in `label`; the caches serve the windows. Wastes:
// half of the blurring, all of the allocating, the memory of a frame.
// Times: docs/results/h200-ladder.md.
#include "ops/motion/ladder/global.cuh"

namespace cuesta::motion_ladder {
namespace {

__global__ void __launch_bounds__(cuda::any_block)
    difference(ConstPicture a, ConstPicture b, Picture dst) {
  const Place p;
  if (!p.inside(a)) return;
  dst.at(p.x, p.y) = uint8_t(abs(int32_t(a.at(p.x, p.y)) - int32_t(b.at(p.x, p.y))));
}

// The first frame as it came stays with the caller: the model keeps only what became of it.
void keep_first_frame(const MotionArgs& args, Call& call) {
  const ConstAnyView frame = args.frame;
  auto& kept = args.memory->first_frame;
  if (kept.width() != frame.width || kept.height() != frame.height ||
      kept.channels() != frame.channels)
    kept = Image<uint8_t, Space::device>(frame.width, frame.height, frame.channels);
  cuda::check(
      cudaMemcpy2DAsync(kept.row(0), size_t(kept.view().stride_bytes), frame.data,
                        size_t(frame.stride_bytes), size_t(frame.width) * frame.channels,
                        size_t(frame.height), cudaMemcpyDeviceToDevice, cuda::stream_of(call)),
      "motion: keeping the first frame");
}

template <bool Masks>
void find(const MotionArgs& args, Call& call, const Exec& exec, Scratch& scratch) {
  const dim3 block(32, 32);
  Chain chain(args, call, exec, scratch, block, GlobalFilters<false, Masks>(call, scratch, block));
  const Picture behind = chain.take();
  chain.smooth(args.memory->first_frame, behind);
  chain.smooth(args.frame, chain.second);
  call.stage(stages::difference);
  cuda::launch("motion", difference, cuda::tiles(chain.second, 32, 32), block, 0,
               cuda::stream_of(call), chain.second, behind, chain.first);
  args.background->push(chain.second, {}, 0, exec);  // `first` learns its initialising frame only
  chain.find_objects();
}

}  // namespace

void v1_0(const MotionArgs& args, Call& call) {
  call.stage(stages::memory);
  Workspace of_this_frame;
  Exec exec = call.nested();
  exec.workspace = &of_this_frame;
  Scratch scratch(exec, Space::device);
  if (args.background->frames() == 0) keep_first_frame(args, call);
  with_windows(call, [&](auto masks) { find<masks>(args, call, exec, scratch); });
  // Here, before the workspace would gather its blocks in one for a next call.
  of_this_frame.release_memory();
}

}  // namespace cuesta::motion_ladder
