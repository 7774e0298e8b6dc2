// The production hysteresis of canny on CUDA: a launch that resolves tiles (resolve.cuh), and where
// there is more than one two for what reaches their rims (seams.cuh).
#include "cuda/limits.hpp"
#include "ops/canny/cuda/seams.cuh"

namespace cuesta::canny_cuda {
namespace {

template <class T>
void connect_tiles(const Masks& masks, const Batch& edges, Call& call) {
  const cudaStream_t stream = cuda::stream_of(call);
  const dim3 grid(unsigned(canny_tiles::columns_of(masks.words_per_row, T::across)),
                  unsigned(canny_tiles::rows_of(masks.height, T::rows)), unsigned(edges.count));
  const size_t tiles = size_t(grid.x) * grid.y * grid.z;
  const auto labels = size_t(canny_tiles::labels_of(masks.words_per_row, masks.height));
  const Open open{
      call.scratch().take<int32_t>(labels * grid.z), call.scratch().take<uint16_t>(labels * grid.z),
      call.scratch().take<uint16_t>(labels * grid.z), call.scratch().take<int32_t>(tiles)};
  const DeviceBatch<uint8_t> dst{edges.first.as<uint8_t, Space::device>(), edges.step_bytes};
  cuda::allow_shared(resolve<T>, sizeof(T), "canny");
  cuda::launch("canny", resolve<T>, grid, dim3(32, T::warps), sizeof(T), stream, masks, open, dst);
  if (grid.x == 1 && grid.y == 1) return;
  cuda::launch("canny", join_tiles<T>, grid, dim3(32, seam_warps), 0, stream, masks, open);
  cuda::launch("canny", write_open<T>, grid, dim3(32, seam_warps), 0, stream, masks, open, dst);
}

}  // namespace

void connect(const Masks& masks, const Batch& edges, Call& call) {
  using Wide = Tile<8, 4, 16>;   // 512 × 64
  using Narrow = Tile<4, 4, 8>;  // 256 × 64
  const int64_t wide = int64_t(canny_tiles::columns_of(masks.words_per_row, Wide::across)) *
                       canny_tiles::rows_of(masks.height, Wide::rows) * edges.count;
  // Small pictures end sooner in tiles that more multiprocessors share.
  if (wide < cuda::multiprocessors())
    connect_tiles<Narrow>(masks, edges, call);
  else
    connect_tiles<Wide>(masks, edges, call);
}

}  // namespace cuesta::canny_cuda
