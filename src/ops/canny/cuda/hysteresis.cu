// The production hysteresis of canny and boundaries on CUDA: a launch that resolves tiles
// (resolve.cuh), and where there is more than one two for what reaches their rims (seams.cuh). Each
// begins while the launch before it ends.
#include "cuda/limits.hpp"
#include "ops/canny/cuda/seams.cuh"

namespace cuesta {
namespace canny_cuda {
namespace {

template <class T>
void connect_tiles(std::string_view operation, const Masks& masks, const Batch& edges, Call& call) {
  const cudaStream_t stream = cuda::stream_of(call);
  const int64_t tiles = int64_t(canny_tiles::columns_of(masks.words_per_row, T::across)) *
                        canny_tiles::rows_of(masks.height, T::rows);
  const dim3 grid(unsigned((tiles + tile_warps - 1) / tile_warps), 1, unsigned(edges.count));
  const dim3 block(32, tile_warps);
  const size_t all = size_t(tiles) * grid.z;
  const auto labels = size_t(canny_tiles::labels_of(masks.words_per_row, masks.height));
  const Open open{call.scratch().take<int32_t>(labels * grid.z),
                  call.scratch().take<uint16_t>(labels * grid.z),
                  call.scratch().take<uint16_t>(labels * grid.z), call.scratch().take<int32_t>(all),
                  call.scratch().take<Rim>(all)};
  const DeviceBatch<uint8_t> dst{edges.first.as<uint8_t, Space::device>(), edges.step_bytes};
  constexpr size_t shared = sizeof(T) * tile_warps;
  cuda::launch_overlapped(operation, resolve<T>, grid, block, shared, stream, masks, open, dst);
  if (tiles == 1) return;
  cuda::launch_overlapped(operation, join_tiles<T>, grid, dim3(32, 2 * tile_warps), 0, stream,
                          masks, open);
  cuda::launch_overlapped(operation, write_open<T>, grid, block, 0, stream, masks, open, dst);
}

}  // namespace
}  // namespace canny_cuda

void hysteresis::connect(std::string_view operation, const Masks& masks, const Batch& edges,
                         Call& call) {
  using namespace canny_cuda;
  using Large = Tile<4, 4>;  // 128 × 32
  using Small = Tile<2, 4>;  // 128 × 16
  // Small pictures end sooner in tiles with less to do one after the other. H200, 2026-11-22,
  // graphs of whole calls, a photograph: 128 × 16 took 58, 64, 83 and 134 µs of 512², 1024², 2048²
  // and 4096², 128 × 32 67, 76, 89 and 122; 8192² 325 and 283.
  constexpr int64_t small = int64_t{1} << 23;
  if (int64_t(masks.width) * masks.height * edges.count < small)
    connect_tiles<Small>(operation, masks, edges, call);
  else
    connect_tiles<Large>(operation, masks, edges, call);
}

}  // namespace cuesta
