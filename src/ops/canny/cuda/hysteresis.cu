// The production hysteresis of canny on CUDA: a launch that resolves tiles (resolve.cuh), and where
// there is more than one two for what reaches their rims (seams.cuh).
#include "ops/canny/cuda/seams.cuh"

namespace cuesta::canny_cuda {
namespace {

template <class T>
void connect_tiles(const Masks& masks, const Batch& edges, Call& call) {
  const cudaStream_t stream = cuda::stream_of(call);
  const dim3 grid(unsigned(canny_tiles::columns_of(masks.words_per_row)),
                  unsigned(canny_tiles::rows_of(masks.height, T::rows)), unsigned(edges.count));
  const size_t tiles = size_t(grid.x) * grid.y * grid.z;
  const auto labels = size_t(canny_tiles::labels_of(masks.words_per_row, masks.height));
  const Open open{call.scratch().take<int32_t>(labels * grid.z),
                  call.scratch().take<uint16_t>(tiles * T::nodes),
                  call.scratch().take<uint16_t>(tiles * T::nodes),
                  call.scratch().take<int32_t>(tiles)};
  const DeviceBatch<uint8_t> dst{edges.first.as<uint8_t, Space::device>(), edges.step_bytes};
  cuda::allow_shared(resolve<T>, sizeof(T), "canny");
  cuda::launch("canny", resolve<T>, grid, dim3(32, T::warps), sizeof(T), stream, masks, open, dst, 8);
  if (grid.x == 1 && grid.y == 1) return;
  cuda::launch("canny", join_tiles<T>, grid, dim3(32, seam_warps), 0, stream, masks, open);
  cuda::launch("canny", write_open<T>, grid, dim3(32, seam_warps), 0, stream, masks, open, dst);
}

}  // namespace

void connect(const Masks& masks, const Batch& edges, Call& call) {
  connect_tiles<Tile<8, 8>>(masks, edges, call);
}

}  // namespace cuesta::canny_cuda
