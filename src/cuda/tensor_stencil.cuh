// Integer stencils of u8 pictures, up to four samples to every side and taps of one signed byte, on
// the int8 tensor cores. What becomes of the sums is a rule.
//
// A block makes 128 columns a warp and some rows. Its samples and those around them come into
// shared memory row by row, by the bulk copy engine where the GPU has one: whole pieces of 16 bytes
// whatever the row's address, so a row lies `shift` bytes into its place. A row above or below the
// picture is another row's address; samples left and right of it are written one by one, by the few
// blocks that have any.
//
// A row of the product is a patch of 4 x 4 outputs, K runs over the patch's 8 x 8 or 12 x 12
// samples (reach 2 or 4), N over 8 of its outputs, so two products make 16. The taps stay in
// registers. K is dealt so that lane (g, t) = (lane / 4, lane % 4) brings row t of every four and
// words of its own 8 columns of either half of the warp's 128; rows g and g + 8 of the product are
// the same patch of the two halves. Samples are multiplied as they lie in memory, and a lane
// receives 8 neighbouring sums of row t.
//
// Exact: products of u8 and s8, summed in s32.
#pragma once

#include <cuda/ptx>

#include "cuda/launch.cuh"
#include "cuda/row_words.cuh"
#include "cuda/tensor_band.hpp"
#include "cuesta/border.hpp"
#include "cuesta/image.hpp"

namespace cuesta::cuda::tensor {

namespace ptx = ::cuda::ptx;

/// Pictures and border, by value. The kernel takes `ignore` for `constant`.
template <class Out>
struct Request {
  ImageView<const uint8_t, Space::device> src;
  ImageView<Out, Space::device> dst;
  BorderMode mode;
  uint8_t outside;
};

// -- Products -------------------------------------------------------------------------------------

/// Registers of samples that must stand in a row.
struct Quad {
  uint32_t word[4];
};

/// d = a b + c, 32 samples a row.
__device__ inline void multiply(int32_t (&d)[4], const Quad& a, uint32_t b0, uint32_t b1,
                                int32_t c) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
      : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "r"(b0), "r"(b1), "r"(c));
#endif
}
/// d += a b, 32 samples a row.
__device__ inline void multiply_add(int32_t (&d)[4], const Quad& a, uint32_t b0, uint32_t b1) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "r"(b0), "r"(b1));
#endif
}
/// d += a b, 16 samples a row.
__device__ inline void multiply_add(int32_t (&d)[4], const uint32_t (&a)[2], uint32_t b) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 "
      "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b));
#endif
}

/// A lane's taps.
template <int Reach>
struct Taps {
  uint32_t word[2][Shape<Reach>::registers];  // of each half of a patch's outputs

  __device__ void load(const uint32_t* band) {
    const int lane = int(threadIdx.x) % 32;
#pragma unroll
    for (int n = 0; n < 2; ++n)
#pragma unroll
      for (int r = 0; r < Shape<Reach>::registers; ++r)
        word[n][r] = band[band_word<Reach>(n, r, lane / 4, lane % 4)];
  }
};

/// A lane's samples of a row, of its 8 columns in each half and those around them; add() multiplies
/// them by the taps of a row of samples, for its left and right patch.
template <int Reach>
struct Samples;

template <>
struct Samples<4> {
  static constexpr int words = 4;  // columns x0 − 4 .. x0 + 11
  uint32_t first[2], last[2];
  Quad middle;

  __device__ void set(const uint32_t (&w)[2][words]) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      first[half] = w[half][0], middle.word[half] = w[half][1];
      middle.word[2 + half] = w[half][2], last[half] = w[half][3];
    }
  }
  __device__ void start(int32_t (&left)[4], int32_t (&right)[4], const uint32_t* b,
                        int32_t from) const {
    multiply(left, middle, b[1], b[2], from);
    multiply(right, middle, b[0], b[1], from);
    multiply_add(left, first, b[0]);
    multiply_add(right, last, b[2]);
  }
  __device__ void add(int32_t (&left)[4], int32_t (&right)[4], const uint32_t* b) const {
    multiply_add(left, middle, b[1], b[2]);
    multiply_add(right, middle, b[0], b[1]);
    multiply_add(left, first, b[0]);
    multiply_add(right, last, b[2]);
  }
};

template <>
struct Samples<2> {
  static constexpr int words = 3;  // columns x0 − 2 .. x0 + 9
  Quad left_patch, right_patch;

  __device__ void set(const uint32_t (&w)[2][words]) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      left_patch.word[half] = w[half][0], left_patch.word[2 + half] = w[half][1];
      right_patch.word[half] = w[half][1], right_patch.word[2 + half] = w[half][2];
    }
  }
  __device__ void start(int32_t (&left)[4], int32_t (&right)[4], const uint32_t* b,
                        int32_t from) const {
    multiply(left, left_patch, b[0], b[1], from);
    multiply(right, right_patch, b[0], b[1], from);
  }
  __device__ void add(int32_t (&left)[4], int32_t (&right)[4], const uint32_t* b) const {
    multiply_add(left, left_patch, b[0], b[1]);
    multiply_add(right, right_patch, b[0], b[1]);
  }
};

// -- Samples into shared memory -------------------------------------------------------------------

/// map_index out of line, for the few columns and rows outside a picture.
static __device__ __noinline__ int32_t outside_index(BorderMode mode, int32_t i, int32_t n) {
  return map_index(mode, i, n);
}

/// The samples of a block of `Warps` warps: rows of its columns and four more on either side,
/// `pitch` bytes apart (32 modulo 128, so that four rows lie in different banks).
template <int Warps>
struct Tile {
  static constexpr int columns = 128 * Warps, pitch = columns + 32, most_rows = 64;

  uint64_t arrived;          // an mbarrier
  uint8_t shift[most_rows];  // where in its place a row's column left − 4 lies

  /// The column or row that stands for i; −1: none.
  __device__ static int32_t inside(BorderMode mode, int32_t i, int32_t n) {
    return uint32_t(i) < uint32_t(n) ? i : outside_index(mode, i, n);
  }

  __device__ void init() {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
      ptx::mbarrier_init(&arrived, Warps);
      ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
#endif
    __syncthreads();
  }

  /// Begins to bring rows top .. top + rows − 1 to `tile`. All threads of the block call it, then
  /// synchronise, then wait(). A bulk copy is issued lane by lane, so the warps share the rows.
  template <bool Aligned, class Out>
  __device__ void fetch(const Request<Out>& q, uint8_t* tile, int32_t left, int32_t top, int rows) {
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    const int32_t width = q.src.width, height = q.src.height;
    const auto pieces = [&](const uint8_t* row) {
      return pieces_of(Aligned ? 0 : uint32_t(reinterpret_cast<uintptr_t>(row)), left, width,
                       columns);
    };
    // Where column 0 of row r would lie.
    const auto place = [&](int r, const Pieces& p) {
      return tile + r * pitch + int(p.shift) - (left - 4);
    };
#if __CUDA_ARCH__ >= 900
    int bytes = 0;
#pragma unroll 1
    for (int r = warp + Warps * lane; r < rows; r += 32 * Warps) {
      const int32_t y = inside(q.mode, top + r, height);
      const uint8_t* row = q.src.row(max(y, 0));
      const Pieces p = pieces(row);
      if (!Aligned) shift[r] = uint8_t(p.shift);
      if (y < 0 || p.from == p.to) continue;
      bytes += p.to - p.from;
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, place(r, p) + p.from, row + p.from,
                         uint32_t(p.to - p.from), &arrived);
    }
    bytes = __reduce_add_sync(0xFFFFFFFF, bytes);
    if (lane == 0)
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived,
                                     uint32_t(bytes));
#else
    for (int r = warp; r < rows; r += Warps) {
      const int32_t y = inside(q.mode, top + r, height);
      const uint8_t* row = q.src.row(max(y, 0));
      const Pieces p = pieces(row);
      if (!Aligned && lane == 0) shift[r] = uint8_t(p.shift);
      if (y < 0) continue;
      for (int32_t x = p.from + 16 * lane; x < p.to; x += 16 * 32)
        *reinterpret_cast<uint4*>(place(r, p) + x) = __ldg(reinterpret_cast<const uint4*>(row + x));
    }
#endif
    // What no whole piece holds: at and beyond the picture's sides, and rows that none stands for.
    const bool sides = left == 0 || width - left < columns + 4 + 15;
    const bool no_rows = q.mode == BorderMode::constant || q.mode == BorderMode::ignore;
    if (!sides && !(no_rows && (top < 0 || top + rows > height))) return;
    const int32_t stop = stop_of(left, width, columns), first = left - 4 + lane,
                  last = stop - 1 - lane;
    const int32_t first_from = inside(q.mode, first, width),
                  last_from = inside(q.mode, last, width);
    for (int r = warp; r < rows; r += Warps) {
      const int32_t y = inside(q.mode, top + r, height);
      const uint8_t* row = q.src.row(max(y, 0));
      const Pieces p = pieces(row);
      uint8_t* at = place(r, p);
      if (y < 0) {
        for (int32_t x = first; x < stop; x += 32) at[x] = q.outside;
        continue;
      }
      const Rest rest = rest_of(p, left, stop);
      if (first < rest.before) at[first] = first_from < 0 ? q.outside : __ldg(row + first_from);
      if (last >= rest.after) at[last] = last_from < 0 ? q.outside : __ldg(row + last_from);
    }
  }

  /// For the copies of the fetch of this number: 0, 1, 2, ..., modulo 2.
  __device__ void wait(int parity) {
#if __CUDA_ARCH__ >= 900
    while (!ptx::mbarrier_try_wait_parity(&arrived, uint32_t(parity))) {
    }
#endif
  }
};

// -- Results out ----------------------------------------------------------------------------------

/// 8 neighbouring results as they lie in memory.
template <class Out>
struct Results {
  static constexpr int words = 2 * sizeof(Out), bytes = 4 * words;
  uint32_t word[words];

  /// All 8, to an address that is a multiple of 8 and, where they are more bytes, of 16.
  __device__ void store(Out* to) const {
    if constexpr (words == 2) {
      *reinterpret_cast<uint2*>(to) = make_uint2(word[0], word[1]);
    } else {
#pragma unroll
      for (int i = 0; i < words; i += 4)
        reinterpret_cast<uint4*>(to)[i / 4] =
            make_uint4(word[i], word[i + 1], word[i + 2], word[i + 3]);
    }
  }
  /// Those of 8 that lie before column `room`, where the first is `column`; one by one: few lanes
  /// do, so the code is short, not fast.
  __device__ void store(Out* to, int column, int32_t room) const {
    constexpr int in_word = 4 / sizeof(Out);
#pragma unroll
    for (int w = 0; w < words; ++w) {
      uint32_t v = word[w];
#pragma unroll 1
      for (int i = w * in_word; i < (w + 1) * in_word && column + i < room; ++i) {
        if constexpr (sizeof(Out) == 4) {
          reinterpret_cast<uint32_t*>(to)[i] = v;
        } else {
          to[i] = Out(v);
          v >>= 8 * sizeof(Out);
        }
      }
    }
  }
};

/// Both halves of a row of a warp whose 128 columns lie inside the picture, at any address: a
/// lane's words are shifted into place, the first taking what the lane before has left, and what no
/// whole word holds at either end goes out in samples. All lanes call it; `wanted` is a row's.
template <class Out>
__device__ void store_shifted(const Results<Out> (&r)[2], Out* to, bool wanted) {
  constexpr int words = Results<Out>::words;
  const int lane = int(threadIdx.x) % 32, g = lane / 4;
  const uint32_t before = __shfl_up_sync(0xFFFFFFFF, r[0].word[words - 1], 4);
  const uint32_t last = g == 7 ? r[0].word[words - 1] : r[1].word[words - 1];
  const uint32_t before_second = __shfl_sync(0xFFFFFFFF, last, (lane + 28) % 32);
  if (!wanted) return;
  const auto address = reinterpret_cast<uintptr_t>(to);
  const uint32_t odd = address & 3;  // the same for a row's lanes
  auto* aligned = reinterpret_cast<uint32_t*>(address - odd);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int i = 0; i < words; ++i) {
      const uint32_t low = i ? r[half].word[i ? i - 1 : 0] : half ? before_second : before;
      const uint32_t v = __funnelshift_l(low, r[half].word[i], 8 * odd);
      if (half || i || g > 0 || odd == 0) aligned[8 * words * half + i] = v;
    }
  }
  if (odd == 0 || (g != 0 && g != 7)) return;
  // Of the row's first word what comes before a whole word, or of its last what comes after one.
  const uint32_t v = g == 0 ? r[0].word[0] : r[1].word[words - 1] >> (8 * (4 - odd));
  const int bytes = g == 0 ? 4 - int(odd) : int(odd);
  auto* sample = reinterpret_cast<Out*>(g == 0 ? address : address + 9 * Results<Out>::bytes - odd);
#pragma unroll
  for (int i = 0; i < 4; i += int(sizeof(Out)))
    if (i < bytes) sample[i / sizeof(Out)] = Out(v >> (8 * i));
}

// -- The kernel -----------------------------------------------------------------------------------

/// One warp's part of a tile: 128 columns of `rows` rows from `top` on.
template <int Reach, bool Aligned, int Warps, class Rule>
__device__ void make_rows(const Request<typename Rule::Out>& q, const uint8_t* tile,
                          const uint8_t* shift, const Taps<Reach>& taps, const Rule& rule,
                          int32_t left, int32_t top, int rows) {
  using Out = typename Rule::Out;
  using T = Tile<Warps>;
  constexpr int groups = Shape<Reach>::groups;
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32, g = lane / 4, t = lane % 4;
  const int32_t room = q.src.width - left - 128 * warp - 8 * g;  // columns from the lane's first on
  if (room + 8 * g <= 0) return;

  const uint8_t* from = tile + t * T::pitch + 128 * warp + 8 * g;
  int row = t, next_shift = Aligned ? 0 : shift[row];
  const auto take = [&](Samples<Reach>& s) {
    constexpr int words = Samples<Reach>::words;
    uint32_t w[2][words];
    if constexpr (Aligned) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        uint32_t v[4];  // from 4 to the left on
#pragma unroll
        for (int i = 0; i < 4; ++i)
          v[i] = *reinterpret_cast<const uint32_t*>(from + 12 + 64 * half + 4 * i);
#pragma unroll
        for (int i = 0; i < words; ++i)
          w[half][i] = Reach == 4 ? v[i] : __byte_perm(v[i], v[(i + 1) % 4], 0x5432);
      }
    } else {
      const uint32_t offset = uint32_t(next_shift) + (4 - Reach), odd = offset & 3;
      const uint8_t* at = from + (offset - odd);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        uint32_t low = *reinterpret_cast<const uint32_t*>(at + 64 * half);
#pragma unroll
        for (int i = 0; i < words; ++i) {
          const uint32_t high = *reinterpret_cast<const uint32_t*>(at + 64 * half + 4 * i + 4);
          w[half][i] = __funnelshift_r(low, high, 8 * odd);
          low = high;
        }
      }
      row += 4;
      next_shift = shift[row];  // a step ahead; after the last row whatever lies there
    }
    s.set(w);
    from += 4 * T::pitch;
  };

  Samples<Reach> s[groups];  // take turns, so that nothing moves
#pragma unroll
  for (int i = 0; i + 1 < groups; ++i) take(s[i]);
  Out* to = q.dst.row(top + min(t, rows - 1)) + left + 128 * warp + 8 * g;
  // Rows from the lane's own on: one register less than a count and t.
  int own = rows - t;
  while (__any_sync(0xFFFFFFFF, own > 0)) {
#pragma unroll
    for (int turn = 0; turn < groups; ++turn) {
      if (turn && !__any_sync(0xFFFFFFFF, own > 0)) break;
      take(s[(turn + groups - 1) % groups]);
      int32_t left_sums[2][4], right_sums[2][4];  // of both halves of the patches' outputs
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        s[turn].start(left_sums[n], right_sums[n], taps.word[n], Rule::start());
#pragma unroll
        for (int k = 1; k < groups; ++k)
          s[(turn + k) % groups].add(left_sums[n], right_sums[n], taps.word[n] + groups * k);
      }
      Results<Out> out[2];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        constexpr int patch = Results<Out>::words / 2;
        const int a = 2 * half, b = a + 1;
        rule.results(left_sums[0][a], left_sums[0][b], left_sums[1][a], left_sums[1][b],
                     out[half].word);
        rule.results(right_sums[0][a], right_sums[0][b], right_sums[1][a], right_sums[1][b],
                     out[half].word + patch);
      }
      const bool wanted = own > 0;
      if (!Aligned && room + 8 * g >= 128) {
        store_shifted(out, to, wanted);
      } else if (wanted) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          if (Aligned && room >= 64 * half + 8)
            out[half].store(to + 64 * half);
          else
            out[half].store(to + 64 * half, 64 * half, room);
        }
      }
      to = reinterpret_cast<Out*>(reinterpret_cast<uint8_t*>(to) + 4 * q.dst.stride_bytes);
      own -= 4;
    }
  }
}

/// `Rule` has Out, the type of results; few_registers, whether it leaves registers for one block
/// more; start(), what every sum starts at; results(a, b, c, d, words): four neighbouring sums as
/// they lie in memory. Aligned: rows of the source begin at multiples of 16, those of the results
/// where Results::store() wants them.
template <int Reach, bool Aligned, int Warps, int Blocks, class Rule>
__global__ void __launch_bounds__(32 * Warps, Blocks)
    stencil(const __grid_constant__ Request<typename Rule::Out> q, int rows,
            const __grid_constant__ Band<Reach> band, const __grid_constant__ Rule rule) {
  using T = Tile<Warps>;
  extern __shared__ __align__(128) uint8_t tile[];
  __shared__ T in;
  __shared__ uint32_t taps_there[Band<Reach>::down * Band<Reach>::across];
  const int32_t left = int32_t(blockIdx.x) * T::columns;
  const uint32_t y0 = (blockIdx.z * gridDim.y + blockIdx.y) * uint32_t(rows);
  if (y0 >= uint32_t(q.src.height)) return;
  const auto top = int32_t(y0), here = min(rows, q.src.height - top);
  // By an address of which nothing is known: an argument read by an index that differs between
  // lanes would be read once for each.
  const uint32_t* words = band.words;
  asm("" : "+l"(words));
  constexpr int count = Band<Reach>::down * Band<Reach>::across, threads = 32 * Warps;
  uint32_t own_words[(count + threads - 1) / threads];
#pragma unroll
  for (int i = 0; i * threads < count; ++i)
    own_words[i] = words[min(int(threadIdx.x) + i * threads, count - 1)];
  in.init();
  in.template fetch<Aligned>(q, tile, left, top - Reach,
                             (here + 3) / 4 * 4 + 4 * (Shape<Reach>::groups - 1));
#pragma unroll
  for (int i = 0; i * threads < count; ++i)
    taps_there[min(int(threadIdx.x) + i * threads, count - 1)] = own_words[i];
  __syncthreads();
  Taps<Reach> taps;
  taps.load(taps_there);
  in.wait(0);
  make_rows<Reach, Aligned, Warps>(q, tile, in.shift, taps, rule, left, top, here);
}

template <int Reach, bool Aligned, int Warps, int Blocks, class Rule>
void launch_stencil(std::string_view operation, const Request<typename Rule::Out>& q, int rows,
                    const Band<Reach>& band, const Rule& rule, cudaStream_t stream) {
  using T = Tile<Warps>;
  const unsigned strips = blocks(q.src.height, rows), high = std::min(strips, max_grid_y);
  const dim3 grid(blocks(q.src.width, T::columns), high, (strips + high - 1) / high);
  const size_t shared = size_t((rows + 3) / 4 * 4 + 4 * (Shape<Reach>::groups - 1)) * T::pitch;
  launch(operation, stencil<Reach, Aligned, Warps, Blocks, Rule>, grid, dim3(32 * Warps), shared,
         stream, q, rows, band, rule);
}

/// Rows that a block makes: few, where the picture is small, so that it fills the GPU; more, where
/// it is large, since the rows around them are read again. H200, 2026-11-22, squares of 512 to
/// 16,384 a side, 4 to 32 rows tried: those of the fastest.
template <int Reach, class Out>
int rows_of_block(int64_t pixels) {
  if (pixels < 3 << 19) return 4;  // 1024 x 1024 and less
  if (sizeof(Out) == 4) return 8;
  if (pixels < 1 << 23) return Reach == 2 ? 8 : 12;   // 2048 x 2048
  if (pixels < 1 << 25) return Reach == 2 ? 12 : 16;  // 4096 x 4096
  if (pixels < 1 << 27) return Reach == 2 ? 16 : 24;  // 8192 x 8192
  return Reach == 2 ? 24 : 32;
}

/// A window of taps and the sample of it that lies over the output; Tap as band_of() has it.
template <class Tap>
struct Window {
  int32_t width, height, anchor_x, anchor_y;
  Tap tap;
};

template <class Out>
struct Clear {
  ImageView<Out, Space::device> dst;
  __device__ void operator()(int32_t x, int32_t y) const { dst.at(x, y) = Out(0); }
};

/// What `rule` makes of a window's sums, enqueued; with the border `ignore` the frame is cleared by
/// a thin launch more.
///
/// Four warps a block: at 8192 x 8192, two take 1.14 of their time (H200, 2026-11-22). As many
/// blocks at once as leave a kernel its registers.
template <int Reach, class Rule, class Tap>
void run(std::string_view operation, const Request<typename Rule::Out>& q,
         const Window<Tap>& window, const Rule& rule, Call& call) {
  using Out = typename Rule::Out;
  constexpr bool bytes = sizeof(Out) == 1;
  constexpr int warps = 4, blocks = Reach == 2                     ? (bytes ? 8 : 7)
                                    : bytes && Rule::few_registers ? 6
                                                                   : 5;
  const int32_t width = q.dst.width, height = q.dst.height;
  const int rows = rows_of_block<Reach, Out>(int64_t(width) * height);
  const auto band =
      band_of<Reach>(window.width, window.height, window.anchor_x, window.anchor_y, window.tap);
  const auto stream = stream_of(call);
  if (has_word_rows(q.src, 16) && has_word_rows(q.dst, std::min(16, int(8 * sizeof(Out)))))
    launch_stencil<Reach, true, warps, blocks>(operation, q, rows, band, rule, stream);
  else
    launch_stencil<Reach, false, warps, blocks - (Reach == 2)>(operation, q, rows, band, rule,
                                                               stream);
  if (q.mode == BorderMode::ignore) {
    for_each_frame_pixel(
        operation,
        frame_of(width, height, window.width, window.height, window.anchor_x, window.anchor_y),
        Clear<Out>{q.dst}, call);
  }
}

}  // namespace cuesta::cuda::tensor
