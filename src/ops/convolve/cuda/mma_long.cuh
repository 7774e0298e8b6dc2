// Strategy `mma-long`: the kernel and its plan. mma_long.cu says what it does.
#pragma once

#include "cuda/limits.hpp"
#include "ops/convolve/cuda/factors.hpp"
#include "ops/convolve/cuda/long_lane.cuh"

namespace cuesta::convolve_mma {

/// A block's samples, rows `plan.chunk` at a time.
template <class T, class K>
struct Chunks {
  using Request = typename K::Request;
  RowTile<T, K::warps> tile[2];
  LongBands taps;

  /// Begins to bring chunk `c` of the rows of a strip. All results together need `count` rows from
  /// row `first` of the strip on, which is row `top` of the picture. One warp brings them, another
  /// one each time.
  __device__ __forceinline__ void fetch(const Request& q, const LongPlan& plan, uint8_t* tiles,
                                        int32_t left, int32_t top, int c, int first, int count) {
    const int from = max(plan.chunk * c, first), to = min(plan.chunk * (c + 1), first + count);
    const int row = from - plan.chunk * c, rows = max(to - from, 0);
    uint8_t* there = tiles + (c % 2 * plan.chunk + row) * plan.shape.pitch;
    const int32_t y = top + from - first;
    const int warp = int(threadIdx.x) / 32;
    auto& place = tile[c % 2];
    if (warp == c % K::warps)
      place.arrive(
          place.template bring<K::aligned>(plan.shape, q, there, left, y, rows, row, 0, 1));
    if (K::aligned && y >= 0 && y + rows <= q.src.height)
      place.write_sides(plan.shape, q, there, left, y, rows, warp, K::warps);
    else
      place.template write_rest<K::aligned>(plan.shape, q, there, left, y, rows, warp, K::warps);
  }
  /// Both bands, in the order in which products want them.
  __device__ __forceinline__ void bring_bands(const LongBands& bands, const LongPlan& plan,
                                              uint4* to) {
    const auto* words = cuda::opaque(reinterpret_cast<const uint32_t*>(&bands));
    for (int i = int(threadIdx.x); i < int(sizeof bands / 4); i += 32 * K::warps)
      reinterpret_cast<uint32_t*>(&taps)[i] = words[i];
    __syncthreads();
    fill_bands<32 * K::warps>(taps, plan, to);
    __syncthreads();
  }
};

template <class T, class K>
__global__ void __launch_bounds__(32 * K::warps, K::blocks)
    mma_long_kernel(const __grid_constant__ typename K::Request q,
                    const __grid_constant__ LongPlan plan,
                    const __grid_constant__ LongBands bands) {
  CUESTA_DYNAMIC_SHARED(__align__(128) uint8_t, shared);
  __shared__ Chunks<T, K> in;
  const int32_t left = int32_t(blockIdx.x) * K::columns;
  const int32_t top = int32_t(blockIdx.y) * plan.rows, here = min(plan.rows, q.dst.height - top);
  const int first = plan.above - q.anchor_y, count = here + q.height - 1;
  const int steps = (here + step_rows - 1) / step_rows + plan.lag;
  const int chunk_steps = plan.chunk / step_rows, chunks = (steps + chunk_steps - 1) / chunk_steps;
  in.tile[0].init(1);
  in.tile[1].init(1);
  const int32_t from_row = top - q.anchor_y;
  in.fetch(q, plan, shared, left, from_row, 0, first, count);
  in.fetch(q, plan, shared, left, from_row, 1, first, count);
  auto* fragments = reinterpret_cast<uint4*>(shared + plan.bands_at);
  in.bring_bands(bands, plan, fragments);

  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32, g = lane / 4, t = lane % 4;
  const int32_t warp_left = left + warp_columns * warp;
  const bool whole = q.dst.width - warp_left >= warp_columns;
  using Lane = LongLane<T, K>;
  auto* sums = reinterpret_cast<uint4*>(shared + plan.sums_at) +
               warp * plan.groups * Lane::vectors * 32 + lane;
  Lane own{{q, nullptr, top, here, warp_left, warp, g, t, whole}, plan, sums};
  own.begin(fragments + lane);
  const uint8_t* place = shared + g * plan.shape.pitch + (warp_columns * warp + 4 * t) * K::size +
                         (K::aligned ? (16 - plan.shape.margin % 16) % 16 : 0);
  int step = 0;
#pragma unroll 1
  for (int c = 0; c < chunks; ++c) {
    auto& tile = in.tile[c % 2];
    tile.wait(c / 2 % 2);
    const uint8_t* from = place + c % 2 * plan.chunk * plan.shape.pitch;
#pragma unroll 1
    for (int row = 0; row < plan.chunk && step < steps && warp_left < q.dst.width; ++step) {
      // Rows that no result needs have no shift: whatever is there, within a piece.
      const uint32_t shift[2] = {K::aligned ? 0u : tile.shift[row + g] & 15u,
                                 K::aligned ? 0u : tile.shift[row + g + 8] & 15u};
      own.take(from, shift);
      own.emit(step);
      from += step_rows * plan.shape.pitch, row += step_rows;
    }
    if (c + 1 == chunks) break;
    __syncthreads();
    if (c + 2 < chunks) in.fetch(q, plan, shared, left, from_row, c + 2, first, count);
  }
}

/// Products of depth 32 that a reach needs.
inline int products_of(int64_t reach) { return int(std::max<int64_t>((reach + 8 + 15) / 16, 1)); }

/// Rows of a strip, for `slots` blocks at a time: as few rounds of them as possible, since each
/// strip begins with rows of sums across alone, which cost about half.
inline int rows_of_strip(int32_t height, int64_t columns, int64_t slots, int lead) {
  int best = height;
  double least = 1e30;
  for (int rounds = 1; rounds <= 8; ++rounds) {
    const int64_t strips = std::max<int64_t>(rounds * slots / columns, 1);
    const auto rows = int((height + strips - 1) / strips + step_rows - 1) / step_rows * step_rows;
    const int64_t blocks = columns * ((height + rows - 1) / rows);
    const double time = double((blocks + slots - 1) / slots) * (rows + 0.5 * lead + 16);
    if (time < least) least = time, best = rows;
  }
  return best;
}

/// How far a window reaches in one direction at most.
inline int64_t reach_in(int32_t n, int32_t anchor) { return std::max(anchor, n - 1 - anchor); }

/// Bytes of shared memory that sums across take, and all that a plan takes with as many rows at a
/// time.
template <class K>
size_t sums_bytes(const LongPlan& plan) {
  return size_t(K::warps * plan.groups * K::words * 128);
}
template <class K>
size_t shared_bytes(const LongPlan& plan, int chunk) {
  return size_t(2 * chunk) * size_t(plan.shape.pitch) + sums_bytes<K>(plan) +
         size_t(plan.across + plan.down) * 512;
}
/// What a kernel declares itself besides, and what the GPU reserves for a block.
constexpr size_t own_bytes = 4096;

/// Rows from which on sums that run down cost less: each step is three products, whatever the
/// height.
constexpr int32_t running_rows = 80;
inline bool runs(const ConvolveArgs& args) {
  const auto taps = args.integers.column;
  return args.height >= running_rows &&
         std::all_of(taps.begin(), taps.end(), [](int32_t tap) { return tap == 1; });
}

/// A plan but for what depends on the picture's size.
template <class K>
LongPlan plan_of(const ConvolveArgs& args) {
  LongPlan plan{};
  plan.across = products_of(reach_in(args.width, args.anchor_x) * args.src.channels);
  plan.shape = cuda::tensor::tile_shape(K::columns * K::size,
                                        reach_of_products(plan.across) * K::size, 16 * K::size);
  if (runs(args)) {
    plan.down = 3, plan.lag = args.height / 16 + 1, plan.groups = plan.lag + 2;
    plan.above = args.anchor_y;
  } else {
    plan.down = products_of(reach_in(args.height, args.anchor_y));
    plan.groups = 2 * plan.down, plan.lag = plan.groups - 1;
    plan.above = reach_of_products(plan.down);
  }
  return plan;
}

template <class K>
bool fits(const ConvolveArgs& args) {
  return shared_bytes<K>(plan_of<K>(args), step_rows) + own_bytes <= cuda::shared_limit();
}

/// The whole plan. Rows of four steps at a time where as many blocks as can be have room for them.
template <class K>
LongPlan whole_plan_of(const ConvolveArgs& args) {
  LongPlan plan = plan_of<K>(args);
  const size_t most = cuda::shared_limit();
  const auto resident = [&](int chunk) {
    const size_t blocks = most / (shared_bytes<K>(plan, chunk) + own_bytes);
    return int(std::min<size_t>(blocks, K::blocks));
  };
  plan.chunk = step_rows;
  for (const int chunk : {2 * step_rows, 4 * step_rows})
    if (resident(chunk) == resident(step_rows)) plan.chunk = chunk;
  plan.sums_at = 2 * plan.chunk * plan.shape.pitch;
  plan.bands_at = plan.sums_at + int(sums_bytes<K>(plan));
  plan.rows = rows_of_strip(
      args.dst.height, (int64_t(args.dst.width) * args.dst.channels + K::columns - 1) / K::columns,
      int64_t(std::max(resident(plan.chunk), 1)) * cuda::multiprocessors(), plan.lag * step_rows);
  return plan;
}

template <class Request>
LongBands bands_of(const ConvolveArgs& args, const Request& q, const LongPlan& plan) {
  LongBands bands{};
  for (int32_t i = 0; i < args.width; ++i)
    bands.across[LongBands::across_centre + (i - args.anchor_x) * q.channels] =
        uint8_t(args.integers.row[size_t(i)]);
  uint8_t* down = bands.down + LongBands::down_centre;
  if (runs(args)) {
    for (int j = 0; j < step_rows; ++j)
      down[args.height % step_rows + j] = 1, down[4 * step_rows + j] = uint8_t(-1);
  } else {
    for (int32_t j = 0; j < args.height; ++j)
      down[plan.above - args.anchor_y + j] = uint8_t(args.integers.column[size_t(j)]);
  }
  return bands;
}

template <class T, class K>
void launch_long(const ConvolveArgs& args, const typename K::Request& q, Call& call) {
  const LongPlan plan = whole_plan_of<K>(args);
  const size_t shared = shared_bytes<K>(plan, plan.chunk);
  const auto kernel = mma_long_kernel<T, K>;
  cuda::check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)),
      "convolve");
  const dim3 grid(cuda::blocks(q.dst.width, K::columns), cuda::blocks(q.dst.height, plan.rows));
  cuda::launch("convolve", kernel, grid, dim3(32 * K::warps), shared, cuda::stream_of(call), q,
               plan, bands_of(args, q, plan));
}

/// Calls with(across, down): how many products the kernel knows when it is compiled, those of the
/// usual windows of one and three channels.
template <class T, class With>
void by_products(const ConvolveArgs& args, With&& with) {
  const int across = products_of(reach_in(args.width, args.anchor_x) * args.src.channels);
  const int down = products_of(reach_in(args.height, args.anchor_y));
  const auto known = [&]<int Across, int Down>() {
    with(std::integral_constant<int, Across>(), std::integral_constant<int, Down>());
  };
  if (runs(args)) return known.template operator()<0, running>();
  if constexpr (sizeof(T) == 1) {
    if (across == 2 && down == 1) return known.template operator()<2, 1>();
    if (across == 4 && down == 2) return known.template operator()<4, 2>();
    if (across == down) {
      switch (down) {
        case 2: return known.template operator()<2, 2>();
        case 3: return known.template operator()<3, 3>();
        case 4: return known.template operator()<4, 4>();
        case 5: return known.template operator()<5, 5>();
        default: break;
      }
    }
  }
  known.template operator()<0, 0>();
}

/// Why windows are not taken, whatever their factors, or nothing.
inline std::string_view long_products_take(const ConvolveArgs& args) {
  if (const auto why = convolve_cuda::tiled_rows_take(args); !why.empty()) return why;
  if (reach_in(args.width, args.anchor_x) * args.src.channels > 520 ||
      reach_in(args.height, args.anchor_y) > 136)
    return "windows that reach more than 520 samples across or 136 rows";
  if (cuda::compute_capability() == 0) return {};
  const bool room = args.src.type == PixelType::u8
                        ? fits<LongKind<uint8_t, Results::sums, true, 0, 0>>(args)
                        : fits<LongKind<uint16_t, Results::sums, true, 0, 0>>(args);
  return room ? std::string_view() : "sums across that exceed shared memory";
}

}  // namespace cuesta::convolve_mma
