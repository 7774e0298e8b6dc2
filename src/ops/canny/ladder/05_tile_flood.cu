// Rung `tile-flood`: a block takes a tile of 32 × 32 pixels into shared memory, with the pixels
// around it, and lets edges run through its candidates until nothing changes; only then is there
// another launch, for the tiles that a neighbour touched: where a pixel at a tile's rim joins and
// beyond it is a candidate, that candidate's tile is put on the list. From `bfs-queue`: a launch
// follows an edge through a whole tile instead of by a pixel, so that launches grow with the tiles
// that the longest way crosses. What a launch lets join has its round's color: a block sees of its
// neighbours what the round before left, whatever runs beside it, and rounds are the same on every
// run. Bound: launches and waits; in a block two barriers a step, and a step for each pixel of the
// longest path in the tile. Wastes: a pixel a step where a row of them is one addition (`runs`);
// the first round takes every tile, with or without candidates.
//
// Statistics: "rounds" is the number of launches that gained.
#include "ops/canny/ladder/nms_marks.cuh"

namespace cuesta::canny_ladder {
namespace {

constexpr int side = 32, thread_rows = 8, pixels_a_thread = side / thread_rows;

struct Counters {
  uint32_t listed, gained;  // tiles for the next round, tiles that gained
};

struct Tiles {
  Marks marks;
  int32_t across;
  const int32_t* now;  // the tiles of this round; none: all
  int32_t* next;       // those of the next
  int32_t* listed_in;  // the last round that put a tile on the list
  Counters* counters;

  __device__ void list(int32_t tile, int32_t round) const {
    if (atomicExch(listed_in + tile, round) != round) next[atomicAdd(&counters->listed, 1u)] = tile;
  }
};

using Shared = uint8_t[side + 2][side + 2];  // a tile's marks, and those around it

__device__ bool touches_strong(const Shared& tile, int u, int v) {
  bool touches = false;
  for (int n = 0; n < 9; ++n) touches |= tile[v + n / 3 - 1][u + n % 3 - 1] == strong;
  return touches;
}

__global__ void __launch_bounds__(side* thread_rows) flood(Tiles tiles, int32_t round) {
  __shared__ Shared tile;
  const int32_t number = tiles.now ? tiles.now[blockIdx.x] : int32_t(blockIdx.x);
  // The pixel of the tile's first place, around it.
  const int32_t left = number % tiles.across * side - 1, top = number / tiles.across * side - 1;
  const uint8_t before = color_of(round - 1), color = color_of(round);
  const auto is_own = [](int i) { return i >= 1 && i <= side; };
  for (int i = int(threadIdx.y * side + threadIdx.x); i < (side + 2) * (side + 2);
       i += side * thread_rows) {
    const int u = i % (side + 2), v = i / (side + 2);
    const uint8_t mark = at_or_zero(tiles.marks, left + u, top + v);
    // Beside the tile, what joined in the round before counts, and what had not by then: a
    // neighbour may have colored it meanwhile. What joined earlier has brought this tile before.
    const bool joined = is_own(u) && is_own(v) ? mark >= strong : mark == before;
    const bool open = mark == candidate || mark == color;
    tile[v][u] = joined ? strong : open ? candidate : none;
  }
  __syncthreads();

  const int u = int(threadIdx.x) + 1;
  const auto row = [](int k) { return int(threadIdx.y) + k * thread_rows + 1; };
  uint32_t gained = 0;  // bit k: this thread's pixel in row(k)
  for (bool again = true; again;) {
    uint32_t joins = 0;
    for (int k = 0; k < pixels_a_thread; ++k) {
      if (tile[row(k)][u] == candidate && touches_strong(tile, u, row(k))) joins |= 1u << k;
    }
    again = __syncthreads_or(int(joins)) != 0;  // all have read
    for (int k = 0; k < pixels_a_thread; ++k) {
      if (joins >> k & 1) tile[row(k)][u] = strong;
    }
    gained |= joins;
    __syncthreads();
  }

  for (int k = 0; k < pixels_a_thread; ++k) {
    if ((gained >> k & 1) == 0) continue;
    const int v = row(k);
    tiles.marks.at(left + u, top + v) = color;
    for (int n = 0; n < 9; ++n) {
      const int x = u + n % 3 - 1, y = v + n / 3 - 1;
      if ((is_own(x) && is_own(y)) || tile[y][x] != candidate) continue;
      const int32_t beside = x < 1 ? -1 : x > side, below = y < 1 ? -1 : y > side;
      tiles.list(number + below * tiles.across + beside, round);
    }
  }
  if (__syncthreads_or(int(gained)) && threadIdx.x == 0 && threadIdx.y == 0)
    atomicAdd(&tiles.counters->gained, 1u);
}

}  // namespace

void hysteresis_by_tiles(const Marks& marks, AnyView dst, dim3 block, Call& call) {
  const cudaStream_t stream = cuda::stream_of(call);
  const auto across = int32_t(cuda::blocks(marks.width, side));
  const uint32_t all = unsigned(across) * cuda::blocks(marks.height, side);
  int32_t* lists[] = {call.scratch().take<int32_t>(all), call.scratch().take<int32_t>(all)};
  Tiles tiles{marks,
              across,
              nullptr,
              lists[0],
              cleared<int32_t>(all, call),
              call.scratch().take<Counters>(1)};
  int rounds = 0, round = 1;
  for (uint32_t count = all; count > 0; ++round) {
    cuda::check(cudaMemsetAsync(tiles.counters, 0, sizeof(Counters), stream), "canny");
    cuda::launch("canny", flood, dim3(count), dim3(side, thread_rows), 0, stream, tiles, round);
    const Counters found = read_back(tiles.counters, call);
    rounds += found.gained > 0;
    count = found.listed;
    tiles.now = tiles.next;
    tiles.next = lists[round % 2];
  }
  call.statistic("rounds", rounds);
  write_joined(marks, dst, block, call);
}

void tile_flood(const CannyArgs& args, Call& call) { behind_nms(args, call, hysteresis_by_tiles); }

}  // namespace cuesta::canny_ladder
