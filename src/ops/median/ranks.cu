// Strategy `ranks`: u16 with windows of 7 to 255, on tiles of the picture.
//
// 1. A block sorts the samples that the windows of a tile have, by counting. A sample's place in
//    that order is its rank; equal samples have different ranks, in any order. The ranks are cut
//    into 256 bins of equal size, so that bins are bytes whatever the samples are.
// 2. The march of lanes.cuh over the bytes finds the bin of each median, and how many samples of
//    the window in that bin come before it.
// 3. A thread a pixel passes over the samples of that bin in order of their ranks, and counts those
//    that its window has.
//
// The time does not depend on the samples, but for the atomics of the first step.
#include "cuda/tile_rows.hpp"
#include "ops/median/cuda.hpp"
#include "ops/median/lanes.cuh"

namespace cuesta {
namespace {

using namespace median_cuda;

constexpr int min_ksize = 7, bins = 256;
constexpr int sort_threads = 1024, sort_warps = sort_threads / 32;
constexpr int slab = 4 * sort_threads, max_slabs = 8;  // words that a block scans together
/// Bytes that the tiles of one round may have.
constexpr int64_t max_bytes = 256 << 20;

/// Division by a small number as a product: right while dividend · divisor is below 2^32.
struct Divisor {
  uint32_t value, factor;
  explicit Divisor(uint32_t v) : value(v), factor(uint32_t((uint64_t(1) << 32) / v + 1)) {}
  __device__ uint32_t quotient(uint32_t n) const { return __umulhi(n, factor); }
};

/// The tiles of one round. A tile has `tile` × `tile` results, and side × side samples. `bin` has
/// the bin of each sample, `place` y << 16 | x of each rank, `padded` of them a tile. `found` has
/// an entry a result: bin << 16 | samples of the window before the median in it. `spilled` has the
/// samples themselves where shared memory has no room for them.
struct Tiles {
  MedianRequest q;
  Divisor side, bin_size;
  int32_t tile, across, down, first, samples, padded;
  uint8_t* bin;
  uint16_t* spilled;
  uint32_t *place, *found;

  Tiles(const MedianRequest& request, int32_t results_a_side)
      : q(request),
        side(uint32_t(results_a_side + q.ksize - 1)),
        bin_size((side.value * side.value + 4 * bins - 1) / (4 * bins) * 4),
        tile(results_a_side),
        across(int32_t(cuda::blocks(q.src.width, tile))),
        down(int32_t(cuda::blocks(q.src.height, tile))),
        first(0),
        samples(int32_t(side.value * side.value)),
        padded((samples + 3) / 4 * 4),
        bin(nullptr),
        spilled(nullptr),
        place(nullptr),
        found(nullptr) {}
  /// Of the tile of index t in this round: its first result, and its channel.
  struct Origin {
    int32_t x, y, channel;
  };
  __device__ Origin origin(uint32_t t) const {
    const uint32_t n = uint32_t(first) + t, row = n / uint32_t(across);
    return {int32_t(n % uint32_t(across)) * tile, int32_t(row % uint32_t(down)) * tile,
            int32_t(row / uint32_t(down))};
  }
};

constexpr uint32_t every_lane = 0xFFFFFFFFu;

/// Counters of values in shared memory: a word each, or, `Packed`, two of 16 bits a word.
template <bool Packed>
struct Counters {
  uint32_t* words;

  __device__ __forceinline__ uint32_t add(int32_t key, uint32_t n) const {
    if constexpr (!Packed) return atomicAdd(words + key, n);
    const int shift = key % 2 * 16;
    return atomicAdd(words + key / 2, n << shift) >> shift & 0xFFFF;
  }
  /// Adds one to the counter of each lane whose key is not negative, and returns what it was before
  /// this lane's turn. Lanes with one key make one addition.
  __device__ __forceinline__ uint32_t count(int32_t key, int lane) const {
    const int32_t common = __shfl_sync(every_lane, key, 0);
    if (__all_sync(every_lane, key == common || key < 0)) {
      const uint32_t with = __ballot_sync(every_lane, key >= 0);
      uint32_t before = 0;
      if (lane == 0 && with != 0) before = add(key, uint32_t(__popc(with)));
      return __shfl_sync(every_lane, before, 0) + uint32_t(__popc(with & ((1u << lane) - 1)));
    }
    return key >= 0 ? add(key, 1) : 0;
  }
  /// The sum of a word's counters, and the word of the sums before each of them from `before` on.
  static __device__ uint32_t sum(uint32_t word) {
    return Packed ? (word & 0xFFFF) + (word >> 16) : word;
  }
  static __device__ uint32_t sums_before(uint32_t word, uint32_t before) {
    return Packed ? before | (before + word) << 16 : before;
  }
};

/// The samples of a tile, row after row, borders written out. A block together.
__device__ void load_samples(const Tiles& tiles, uint16_t* to) {
  const MedianRequest& q = tiles.q;
  const Tiles::Origin o = tiles.origin(blockIdx.x);
  const auto side = int32_t(tiles.side.value);
  for (int32_t y = int32_t(threadIdx.x) / 32; y < side; y += sort_warps) {
    const int32_t sy = map_index(q.mode, o.y - q.radius + y, q.src.height);
    const auto* row = reinterpret_cast<const uint16_t*>(static_cast<const char*>(q.src.data) +
                                                        max(sy, 0) * q.src.stride_bytes);
    for (int32_t x = int32_t(threadIdx.x) % 32; x < side; x += 32) {
      const int32_t at = o.x - q.radius + x;
      const int32_t sx =
          uint32_t(at) < uint32_t(q.src.width) ? at : map_index(q.mode, at, q.src.width);
      to[y * side + x] = (sx | sy) < 0 ? uint16_t(q.outside)
                                       : __ldg(row + int64_t(sx) * q.src.channels + o.channel);
    }
  }
}

/// Replaces each of the counters in `slabs` · slab words by the sum of those before it and
/// `before`. Returns the sum of all and `before`. A block together.
template <bool Packed>
__device__ uint32_t scan(uint32_t* words, int slabs, uint32_t before, uint32_t* totals) {
  using C = Counters<Packed>;
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
  const auto up_to_lane = [&](uint32_t sum) {
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
      const uint32_t left = __shfl_up_sync(every_lane, sum, unsigned(by));
      if (lane >= by) sum += left;
    }
    return sum;
  };
  auto* fours = reinterpret_cast<uint4*>(words) + threadIdx.x;
  uint32_t ahead[max_slabs];
#pragma unroll
  for (int i = 0; i < max_slabs; ++i) {
    if (i >= slabs) continue;
    const uint4 v = fours[i * sort_threads];
    const uint32_t sum = C::sum(v.x) + C::sum(v.y) + C::sum(v.z) + C::sum(v.w);
    const uint32_t to_here = up_to_lane(sum);
    ahead[i] = to_here - sum;
    if (lane == 31) totals[i * sort_warps + warp] = to_here;
  }
  __syncthreads();
  if (warp == 0) {
    uint32_t sum = 0;
    for (int i = 0; i < slabs; ++i) sum += totals[lane * slabs + i];
    const uint32_t to_here = up_to_lane(sum);
    sum = before + to_here - sum;
    for (int i = 0; i < slabs; ++i) {
      const uint32_t n = totals[lane * slabs + i];
      totals[lane * slabs + i] = sum;
      sum += n;
    }
    if (lane == 31) totals[slabs * sort_warps] = sum;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < max_slabs; ++i) {
    if (i >= slabs) continue;
    const uint4 v = fours[i * sort_threads];
    const uint32_t x = totals[i * sort_warps + warp] + ahead[i];
    const uint32_t y = x + C::sum(v.x), z = y + C::sum(v.y), w = z + C::sum(v.z);
    fours[i * sort_threads] = make_uint4(C::sums_before(v.x, x), C::sums_before(v.y, y),
                                         C::sums_before(v.z, z), C::sums_before(v.w, w));
  }
  const uint32_t all = totals[slabs * sort_warps];
  __syncthreads();
  return all;
}

/// A block a tile: ranks of its samples, as many of their values at a time as `slabs` · slab words
/// count.
template <bool Packed>
__global__ void __launch_bounds__(sort_threads)
    median_rank(const __grid_constant__ Tiles tiles, int slabs) {
  CUESTA_DYNAMIC_SHARED(uint32_t, words);
  __shared__ uint32_t totals[max_slabs * sort_warps + 1];
  const int lane = int(threadIdx.x) % 32, values = slabs * slab * (Packed ? 2 : 1);
  const auto n = uint32_t(tiles.samples);
  uint16_t* sample = tiles.spilled ? tiles.spilled + int64_t(blockIdx.x) * tiles.samples
                                   : reinterpret_cast<uint16_t*>(words + slabs * slab);
  uint8_t* bin = tiles.bin + int64_t(blockIdx.x) * tiles.samples;
  uint32_t* place = tiles.place + int64_t(blockIdx.x) * tiles.padded;
  const Counters<Packed> counters{words};
  load_samples(tiles, sample);
  if (threadIdx.x < uint32_t(tiles.padded) - n) place[n + threadIdx.x] = every_lane;
  uint32_t ranked = 0;
  for (int32_t least = 0; ranked < n; least += values) {
    const auto key_of = [&](uint32_t i) {
      const int32_t key = i < n ? int32_t(sample[i]) - least : -1;
      return Packed || key < values ? key : -1;
    };
    for (int i = 0; i < slabs; ++i)
      reinterpret_cast<uint4*>(words)[i * sort_threads + int(threadIdx.x)] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i / 32 * 32 < n; i += sort_threads)
      counters.count(key_of(i), lane);
    __syncthreads();
    ranked = scan<Packed>(words, slabs, ranked, totals);
    for (uint32_t i = threadIdx.x; i / 32 * 32 < n; i += sort_threads) {
      const int32_t key = key_of(i);
      const uint32_t rank = counters.count(key, lane);
      if (key < 0) continue;
      const uint32_t y = tiles.side.quotient(i);
      place[rank] = y << 16 | (i - y * tiles.side.value);
      bin[i] = uint8_t(tiles.bin_size.quotient(rank));
    }
    __syncthreads();
  }
}

/// The march over the bins of a tile. The bins of all tiles are one picture of side columns.
struct Bins {
  MedianRequest q;
  int32_t tile, side;
  uint32_t* found;

  __device__ March march() const {
    const int32_t first = int32_t(blockIdx.y) * side + q.radius;
    return {q.radius + int32_t(blockIdx.x) * warp_lanes, first, first + tile, 0};
  }
  struct Writer {
    uint32_t* to;
    int32_t step;
    template <class Found>
    __device__ __forceinline__ void put(Found found) {
      *to = found.value << 16 | found.before;
      to += step;
    }
  };
  __device__ __forceinline__ Writer writer(const March& place) const {
    return {found + int64_t(blockIdx.y) * tile * tile + place.x - q.radius, tile};
  }
};

constexpr int refine_x = 32, refine_y = 8;

/// A thread a result: the median itself, from the samples of its bin, four at a time.
__global__ void __launch_bounds__(refine_x* refine_y)
    median_refine(const __grid_constant__ Tiles tiles) {
  const MedianRequest& q = tiles.q;
  const Tiles::Origin o = tiles.origin(blockIdx.z);
  const int32_t x = int32_t(blockIdx.x) * refine_x + int32_t(threadIdx.x);
  const int32_t y = int32_t(blockIdx.y) * refine_y + int32_t(threadIdx.y);
  if (o.x + x >= q.src.width || o.y + y >= q.src.height) return;
  // A place is in the window when both halves of its distance are below ksize: neither of them nor
  // of what bias adds has its sign set. A borrow into the upper half does not matter, because the
  // lower one then has its sign.
  const uint32_t from = uint32_t(y) << 16 | uint32_t(x);
  const uint32_t bias = (0x8000 - uint32_t(q.ksize)) * 0x00010001u;
  const auto inside = [&](uint32_t place) {
    const uint32_t distance = place - from;
    return ((distance | (distance + bias)) & 0x80008000u) == 0;
  };
  const uint32_t found =
      tiles.found[int64_t(blockIdx.z) * tiles.tile * tiles.tile + y * tiles.tile + x];
  const auto* at = reinterpret_cast<const uint4*>(tiles.place + int64_t(blockIdx.z) * tiles.padded +
                                                  (found >> 16) * tiles.bin_size.value);
  auto left = int32_t(found & 0xFFFF);
  uint4 four;
  for (;; ++at) {
    four = __ldg(at);
    const int32_t n = inside(four.x) + inside(four.y) + inside(four.z) + inside(four.w);
    if (left < n) break;
    left -= n;
  }
  uint32_t place = four.w;
  if (left < inside(four.x))
    place = four.x;
  else if (left < inside(four.x) + inside(four.y))
    place = four.y;
  else if (left < inside(four.x) + inside(four.y) + inside(four.z))
    place = four.z;
  const int32_t key = key_at<uint16_t>(q, o.x - q.radius + int32_t(place & 0xFFFF),
                                       o.y - q.radius + int32_t(place >> 16), o.channel);
  store_key<uint16_t>(q, o.x + x, o.y + y, o.channel, leaves(q, o.x + x, o.y + y) ? 0 : key);
}

/// Results a side of a tile. Larger tiles have fewer samples a result, and more in a bin. (H200,
/// 2026-11-28, 4096² u16, copies, tiles of 64, 128, 256. 15 × 15: 58, 66, 125; 63: 147, 129, 180;
/// 255: 1003, 524, 378. At 512² tiles of 32, 64, 128, µs. 15 × 15: 64, 87, 169; 255: 877, 654,
/// 914.)
int32_t tile_of(const MedianArgs& args) {
  const ConstAnyView& src = args.src;
  const int ksize = args.options.ksize;
  int32_t tile = ksize <= 31 ? 64 : ksize <= 159 ? 128 : 256;
  const int enough = ksize <= 95 ? cuda::multiprocessors() : cuda::multiprocessors() / 3;
  while (tile > 32 &&
         int64_t(cuda::blocks(src.width, tile)) * cuda::blocks(src.height, tile) * src.channels <
             enough)
    tile /= 2;
  return tile;
}

/// How a block keeps its counters and the samples of its tile.
struct Layout {
  bool packed, spills;
  int slabs;
  size_t shared;

  explicit Layout(const Tiles& tiles) : packed(false), spills(false), slabs(max_slabs), shared(0) {
    const size_t limit = cuda::shared_limit() - (max_slabs * sort_warps + 1) * sizeof(uint32_t);
    const auto bytes = [&] { return size_t(slabs) * slab * sizeof(uint32_t); };
    const size_t samples = size_t(tiles.samples) * sizeof(uint16_t);
    packed = tiles.samples < 65536 && bytes() <= limit;
    while (bytes() > limit) slabs /= 2;
    if (!packed && bytes() + samples > limit && slabs > 4 && bytes() / 2 + samples <= limit)
      slabs /= 2;
    spills = bytes() + samples > limit;
    shared = bytes() + (spills ? 0 : samples);
  }
};

}  // namespace

std::string_view median_cuda::ranks_supports(const MedianArgs& args, const Parameters&) {
  if (args.src.type != PixelType::u16) return "other types than u16";
  if (args.options.ksize < min_ksize) return "windows below 7";
  return cuda::tiles_take(args.src);
}

void median_cuda::ranks(const MedianArgs& args, Call& call) {
  const cudaStream_t stream = cuda::stream_of(call);
  Tiles tiles(request_of(args), tile_of(args));
  const Layout layout(tiles);
  const int64_t results = int64_t(tiles.tile) * tiles.tile;
  const int64_t all = int64_t(tiles.across) * tiles.down * args.src.channels;
  const int64_t bytes = tiles.samples * int64_t(layout.spills ? 7 : 5) + results * 4;
  const auto round = int32_t(std::min({all, max_bytes / bytes, int64_t(cuda::max_grid_y)}));
  Scratch& scratch = call.scratch();
  tiles.bin = scratch.take<uint8_t>(size_t(round) * size_t(tiles.samples));
  tiles.place = scratch.take<uint32_t>(size_t(round) * size_t(tiles.padded));
  tiles.found = scratch.take<uint32_t>(size_t(round) * size_t(results));
  if (layout.spills) tiles.spilled = scratch.take<uint16_t>(size_t(round) * size_t(tiles.samples));

  auto* rank = layout.packed ? median_rank<true> : median_rank<false>;
  cuda::allow_shared(rank, layout.shared, "median");
  Bins work{tiles.q, tiles.tile, int32_t(tiles.side.value), tiles.found};
  work.q.mode = BorderMode::replicate;
  for (int64_t first = 0; first < all; first += round) {
    const auto count = unsigned(std::min<int64_t>(round, all - first));
    tiles.first = int32_t(first);
    cuda::launch("median", rank, dim3(count), dim3(sort_threads), layout.shared, stream, tiles,
                 layout.slabs);
    work.q.src = {tiles.bin,     work.side,    int32_t(count) * work.side, 1, work.side,
                  PixelType::u8, Space::device};
    for_form(args.options.ksize, [&](auto form) {
      cuda::launch("median", median_lanes<decltype(form), Bins>,
                   dim3(unsigned(tiles.tile / warp_lanes), count), dim3(warp_lanes), 0, stream,
                   work);
    });
    cuda::launch("median", median_refine,
                 dim3(unsigned(tiles.tile / refine_x), unsigned(tiles.tile / refine_y), count),
                 dim3(refine_x, refine_y), 0, stream, tiles);
  }
}

}  // namespace cuesta
