// Rung `v1.5` (paper 004, future work: tile prefetching): v1.4 with double-buffered tiles. A block
// marches down `tiles` tiles; while it computes one it loads the next into the other buffer. From
// v1.4: loads wait for memory while the block computes, and samples do not pass through registers.
// copy=async: each thread copies 16 bytes by cp.async (a GPU before sm_80 does the same by a load
// and a store). copy=bulk, from sm_90: one instruction a row of the tile, by the copy engine, which
// counts the bytes down on a barrier in shared memory. Both want addresses in multiples of 16,
// which the rows of pictures between the steps have: a gray frame is copied first. Chunks that
// reach past the picture are loaded sample by sample. Bound: as v1.4. Bytes a pixel: as v1.1, and
// for a gray frame one more copy. Wastes: rows that two tiles share are loaded twice; fewer blocks,
// each with two tiles of shared memory, hide less latency by themselves than those of v1.4: a
// multiprocessor holds many of them.
#include <cuda_pipeline_primitives.h>

#include <cuda/ptx>

#include "cuda/instructions.cuh"
#include "ops/motion/ladder/unrolled.cuh"

namespace cuesta::motion_ladder {
namespace {

namespace ptx = ::cuda::ptx;

struct March {
  int32_t left, top;  // of a tile, from the block's place
  int32_t tiles;
  bool bulk;
};

__device__ int32_t own_thread() { return int32_t(threadIdx.y * blockDim.x + threadIdx.x); }
__device__ int32_t threads() { return int32_t(blockDim.x * blockDim.y); }

// Loads tiles whose first row is row `top` of the picture, or as far outside.
template <class Source>
class Tiles {
 public:
  __device__ Tiles(Source source, TileColumns columns, int32_t rows)
      : source_(source), columns_(columns), rows_(rows) {}

  // A thread a chunk inside the picture: by cp.async, unless the engine brings it. A row outside is
  // what never wins.
  __device__ void load_chunks(uint8_t* to, int32_t top, bool engine) const {
    const int32_t whole = columns_.whole_end - columns_.whole;
    for (int32_t n = own_thread(); n < rows_ * whole; n += threads()) {
      const int32_t r = n / whole, c = columns_.whole + n - r * whole, y = source_.row(top + r);
      uint8_t* there = to + r * tile_pitch + c * chunk;
      if (y < 0) {
        constexpr uint32_t v = Source::outside;
        *reinterpret_cast<uint4*>(there) = make_uint4(v, v, v, v);
      } else if (!engine) {
        __pipeline_memcpy_async(there, source_.src.row(y) + columns_.first + c * chunk, chunk);
      }
    }
  }

  // A thread a sample of the chunks that reach past the picture.
  __device__ void load_edges(uint8_t* to, int32_t top) const {
    const int32_t whole = columns_.whole_end - columns_.whole;
    const int32_t wide = (columns_.chunks - whole) * chunk;
    for (int32_t n = own_thread(); n < rows_ * wide; n += threads()) {
      const int32_t r = n / wide, i = n - r * wide;
      const int32_t column = i < columns_.whole * chunk ? i : i + whole * chunk;
      to[r * tile_pitch + column] = source_.at(columns_.first + column, top + r);
    }
  }

#if __CUDA_ARCH__ >= 900
  // The block's first warp has the engine copy the chunks inside the picture, and `arrived` wait
  // for their bytes.
  __device__ void load_rows(uint8_t* to, int32_t top, uint64_t* arrived) const {
    const int32_t lane = own_thread();
    if (lane >= 32) return;
    const auto bytes = uint32_t((columns_.whole_end - columns_.whole) * chunk);
    if (lane == 0) {
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, arrived,
                                     bytes * uint32_t(source_.rows_inside(top, rows_)));
    }
    __syncwarp();
    if (bytes == 0) return;
    const int32_t column = columns_.whole * chunk;
#pragma unroll 1
    for (int32_t r = lane; r < rows_; r += 32) {
      const int32_t y = source_.row(top + r);
      if (y < 0) continue;
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to + r * tile_pitch + column,
                         source_.src.row(y) + columns_.first + column, bytes, arrived);
    }
  }
#endif

 private:
  Source source_;
  TileColumns columns_;
  int32_t rows_;
};

// make(own, x, y) for every pixel of the block's tiles, whose window of Wide x High begins at
// `own`. Tile s is in buffer s % 2. It is loaded after the barrier that ends tile s - 2, and read
// after its loads have ended and a barrier has made them everybody's.
template <int Wide, int High, class Source, class Make>
__device__ void march_down(Source source, const March& march, const Make& make) {
  CUESTA_DYNAMIC_SHARED(uint4, buffers);
  const int32_t block_y = int32_t(blockDim.y), rows = block_y + High - 1;
  const int32_t x0 = int32_t(blockIdx.x * blockDim.x);
  const int32_t y0 = int32_t(blockIdx.y) * block_y * march.tiles;
  const int32_t width = source.src.width, height = source.src.height;
  const int32_t tiles = min(march.tiles, (height - y0 + block_y - 1) / block_y);
  const TileColumns columns(x0 + march.left, int32_t(blockDim.x) + Wide - 1, width);
  const Tiles<Source> loader(source, columns, rows);
  const auto buffer = [&](int32_t s) {
    return reinterpret_cast<uint8_t*>(buffers) + (s & 1) * rows * tile_pitch;
  };
#if __CUDA_ARCH__ >= 900
  const bool bulk = march.bulk;
  __shared__ uint64_t arrived[2];
  if (bulk) {
    if (own_thread() == 0) {
      for (uint64_t& one : arrived) ptx::mbarrier_init(&one, 1);
      ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
  }
#else
  constexpr bool bulk = false;
#endif
  const auto load = [&](int32_t s) {
    const int32_t top = y0 + s * block_y + march.top;
    loader.load_chunks(buffer(s), top, bulk);
    loader.load_edges(buffer(s), top);
#if __CUDA_ARCH__ >= 900
    if (bulk) loader.load_rows(buffer(s), top, &arrived[s & 1]);
#endif
  };

  load(0);
  __pipeline_commit();
  for (int32_t s = 0; s < tiles; ++s) {
    if (s + 1 < tiles) load(s + 1);
    __pipeline_commit();  // one for every tile, an empty one after the last
    __pipeline_wait_prior(1);
#if __CUDA_ARCH__ >= 900
    if (bulk) {
      // A barrier's phases are the tiles of its buffer.
      while (!ptx::mbarrier_try_wait_parity(&arrived[s & 1], uint32_t(s >> 1 & 1))) {
      }
    }
#endif
    __syncthreads();
    const int32_t x = x0 + int32_t(threadIdx.x), y = y0 + s * block_y + int32_t(threadIdx.y);
    if (x < width && y < height) {
      make(buffer(s) + int32_t(threadIdx.y) * tile_pitch + columns.shift + int32_t(threadIdx.x), x,
           y);
    }
#if __CUDA_ARCH__ >= 900
    // What threads wrote and read here comes before what the engine writes here next.
    if (bulk) ptx::fence_proxy_async(ptx::space_shared);
#endif
    __syncthreads();
  }
}

template <int Side>
__global__ void __launch_bounds__(cuda::any_block)
    blur_buffered(ConstPicture src, Picture dst, const __grid_constant__ Matrix matrix,
                  March march) {
  march_down<Side, Side>(Reflected{src}, march, [&](const uint8_t* own, int32_t x, int32_t y) {
    dst.at(x, y) = uint8_t(weighted_sum<Side>(own, matrix) >> 16);
  });
}

template <int Element, bool Dilate>
__global__ void __launch_bounds__(cuda::any_block)
    morph_buffered(ConstPicture src, Picture dst, March march) {
  constexpr UnrolledElement element = unrolled_elements[Element];
  march_down<element.wide, element.high>(Surrounded<Dilate>{src}, march,
                                         [&](const uint8_t* own, int32_t x, int32_t y) {
                                           dst.at(x, y) = uint8_t(best_cell<Element, Dilate>(own));
                                         });
}

class BufferedFilters : public UnrolledWindows {
 public:
  static constexpr bool scratch_only = true;

  BufferedFilters(Call& call, dim3 block)
      : UnrolledWindows(call, block),
        tiles_(call.parameters().integer("tiles")),
        bulk_(call.parameters().text("copy") == "bulk") {}

  void blur(ConstPicture src, Picture dst) {
    const auto kernel = with_constant<unrolled_sides>(
        matrix_->side / 2 - 1, [](auto n) { return blur_buffered<side_of(n)>; });
    const int32_t reach = matrix_->side / 2;
    launch(kernel, grid(src), shared(matrix_->side), src, dst, *matrix_, march(-reach, -reach));
  }
  void morph(ConstPicture src, Picture dst, bool dilate, bool turned) {
    const auto kernel = with_constant<unrolled_count>(index_, [&](auto n) {
      return dilate ? morph_buffered<n, true> : morph_buffered<n, false>;
    });
    const auto [left, top] = corner(turned);
    launch(kernel, grid(src), shared(element_->height()), src, dst, march(left, top));
  }

 private:
  dim3 grid(ConstPicture p) const {
    return cuda::tiles(p, int32_t(block_.x), int32_t(block_.y) * tiles_);
  }
  March march(int32_t left, int32_t top) const { return {left, top, tiles_, bulk_}; }
  // Two tiles.
  size_t shared(int window_height) const {
    return 2 * tile_pitch * (size_t(block_.y) + size_t(window_height) - 1);
  }

  int32_t tiles_;
  bool bulk_;
};

}  // namespace

bool has_bulk_copies() {
  cudaFuncAttributes found{};
  cuda::check(cudaFuncGetAttributes(&found, blur_buffered<3>), "motion: asking for bulk copies");
  return found.ptxVersion >= 90;
}

void v1_5(const MotionArgs& args, Call& call) {
  const dim3 block = block_of(call);
  run_chain(args, call, block, BufferedFilters(call, block));
}

}  // namespace cuesta::motion_ladder
