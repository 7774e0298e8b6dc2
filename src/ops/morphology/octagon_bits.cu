// Erosion, dilation, opening and closing of bits by an octagon (octagon.hpp), of `fused`: the steps
// of one call in one pass over memory. A warp marches down 32 words side by side, some rows at a
// time; of two steps each has a warp of its own, and rounds of rows go from one to the other
// through shared memory, two in flight. A step makes of each row the square's window, across by
// two joins of three and down by two more; then the rhombus as two or four points at a time, each
// the same shape at half the distance: 20 operations a word for disk:15, where rows of six widths
// take 35. All rows of a round take each operation before the next one: a shuffle is then as many
// independent ones, and nobody waits for it. What earlier rounds left stays in registers, in lines
// as long as the step looks back. Pixels move one way only, so that a word needs one neighbour:
// results are as many pixels to the right as steps reach, and are moved back when they are written.
// Bound by the integer pipe, which has joins and most of the moves; the multiplier's makes four of
// eleven. Rows above a march are made again for it, twice the reach a step.
#include "cuda/instructions.cuh"
#include "cuda/strip.cuh"
#include "ops/morphology/octagon.hpp"
#include "ops/morphology/step.cuh"

namespace cuesta {
namespace {

using namespace morphology_cuda;

/// Rows of a round, and the last Length rows of the rounds before.
template <int Round>
using Rows = uint32_t[Round];
template <int Length>
struct Line {
  uint32_t v[Length] = {};
  /// The row n before row i of a round that is not kept yet.
  template <int Round>
  __device__ __forceinline__ uint32_t before(const Rows<Round>& rows, int i, int n) const {
    return i >= n ? rows[(Round + i - n) % Round] : v[(Length + i - n) % Length];
  }
  template <int Round>
  __device__ __forceinline__ void keep(const Rows<Round>& rows) {
    static_assert(Length <= Round);
#pragma unroll
    for (int i = 0; i < Length; ++i) v[i] = rows[Round - Length + i];
  }
};

template <bool Dilate>
struct Join {
  static __device__ __forceinline__ uint32_t of(uint32_t a, uint32_t b) {
    return Dilate ? a | b : a & b;
  }
  static __device__ __forceinline__ uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    return Dilate ? a | b | c : a & b & c;
  }
};

/// The words to the right.
template <int Round>
__device__ __forceinline__ void next(const Rows<Round>& v, Rows<Round>& out) {
#pragma unroll
  for (int i = 0; i < Round; ++i) out[i] = __shfl_down_sync(~0u, v[i], 1);
}
/// Pixel x is v's pixel x + K.
template <int K>
__device__ __forceinline__ uint32_t moved(uint32_t v, uint32_t next_word) {
  return __funnelshift_r(v, next_word, K);
}

/// power[K] is 2^(32 − K), of a kernel's arguments: the compiler would make moves of constants.
struct Powers {
  uint32_t power[16];
};
/// The same by the multiplier.
template <int K>
__device__ __forceinline__ uint32_t moved(uint32_t v, uint32_t next_word, const Powers& by) {
  return __umulhi(v, by.power[K]) + next_word * by.power[K];
}

/// Joins with itself moved by K to all four sides: of the row K above the newest; pixel x is the
/// result's x + K + Extra.
template <bool Dilate, int K, int Extra>
struct FourPoints {
  Line<2 * K> line;
  template <int Round>
  __device__ __forceinline__ void push(Rows<Round>& v) {
    using J = Join<Dilate>;
    Rows<Round> ends, middle, next_ends, next_middle;
#pragma unroll
    for (int i = 0; i < Round; ++i) {
      ends[i] = J::of(v[i], line.before(v, i, 2 * K));
      middle[i] = line.before(v, i, K);
    }
    next(ends, next_ends);
    next(middle, next_middle);
    line.keep(v);
#pragma unroll
    for (int i = 0; i < Round; ++i)
      v[i] = J::of(moved<Extra>(middle[i], next_middle[i]),
                   moved<2 * K + Extra>(middle[i], next_middle[i]),
                   moved<K + Extra>(ends[i], next_ends[i]));
  }
};

/// One step: push() makes of a round of rows the results of the rows `reach` above each, whose
/// pixel x is its word's x − reach.
template <bool Dilate, int Square, int Rhombus>
class OctagonStep {
 public:
  static constexpr int reach = Square + Rhombus + 1;
  /// No line is longer, and rows before the first result are whole rounds.
  static constexpr int round = reach < 5 ? 2 * reach : reach;

  __device__ __forceinline__ void push(Rows<round>& v, const Powers& by) {
    using J = Join<Dilate>;
    static_assert(Square == 2 || Square == 3);
    static_assert(2 * reach < 16);
    Rows<round> after, octagon, centres, tips;
    next(v, after);
    // The tips at the sides, above and below.
#pragma unroll
    for (int i = 0; i < round; ++i) {
      centres[i] = moved<reach>(v[i], after[i], by);
      tips[i] =
          J::of(v[i], moved<2 * reach>(v[i], after[i], by), centres_.before(centres, i, reach));
      octagon[i] = J::of(v[i], moved<1>(v[i], after[i], by), moved<2>(v[i], after[i], by));
    }
    centres_.keep(centres);
    square(octagon);
    if constexpr (Rhombus >= 1) one_.push(octagon);
    if constexpr (Rhombus >= 2) two_.push(octagon);
#pragma unroll
    for (int i = 0; i < round; ++i)
      v[i] = J::of(octagon_.before(octagon, i, 1), tips_.before(tips, i, reach), centres[i]);
    octagon_.keep(octagon);
    tips_.keep(tips);
  }

 private:
  /// Of windows across of three.
  __device__ __forceinline__ void square(Rows<round>& three) {
    using J = Join<Dilate>;
    constexpr int extra = Rhombus == 0 ? 1 : 0;
    Rows<round> right, across, down;
    next(three, right);
#pragma unroll
    for (int i = 0; i < round; ++i) {
      across[i] = J::of(moved<extra>(three[i], right[i]), moved<2 + extra>(three[i], right[i]));
      if constexpr (Square == 3) across[i] = J::of(across[i], moved<4 + extra>(three[i], right[i]));
      down[i] = J::of(across[i], across_.before(across, i, 1), across_.before(across, i, 2));
      three[i] = J::of(down[i], down_.before(down, i, 2));
      if constexpr (Square == 3) three[i] = J::of(three[i], down_.before(down, i, 2 * Square - 2));
    }
    across_.keep(across);
    down_.keep(down);
  }

  Line<2> across_;
  Line<2 * Square - 2> down_;
  FourPoints<Dilate, 1, Rhombus == 1 ? 1 : 0> one_;
  FourPoints<Dilate, Rhombus == 3 ? 2 : 1, 1> two_;
  Line<1> octagon_;
  Line<reach> centres_, tips_;
};

struct March {
  ConstAnyView src;
  AnyView dst;
  int32_t src_stride, dst_stride;  // bytes: a row's address is then one operation
  int32_t words, strips, rows;     // of 32 pixels a row; of warps side by side; of a warp
  uint32_t outside[2];             // what is around the source of each step
  Powers by;
};

constexpr int strip_words = 30;  // the first and the last word are there for their neighbours

/// Where a lane's march is. Inner: all that it reads is in the picture.
template <bool Inner>
struct Lane {
  const March& q;
  int32_t word, top, end, lane;

  __device__ Lane(const March& march, int32_t left, int32_t from)
      : q(march),
        word(left + int32_t(threadIdx.x % 32)),
        top(from),
        end(min(from + march.rows, march.src.height)),
        lane(int32_t(threadIdx.x % 32)) {}
  __device__ bool there() const { return word >= 0 && word < q.words; }
  /// The word's pixels that are the picture's, `by` pixels to the right.
  __device__ uint32_t own(int by) const {
    const int64_t pixel = int64_t(word) * 32 + by;
    return bit_range<uint32_t>(-pixel, q.src.width - pixel);
  }
};

/// Rows of the source, a round before they are wanted.
template <bool Inner, int Round>
struct Source {
  const Lane<Inner>& at;
  uint32_t own;
  const char* from;  // of the first row of a round
  uint32_t coming[Round];

  __device__ __forceinline__ Source(const Lane<Inner>& lane, int32_t y)
      : at(lane),
        own(lane.own(0)),
        from(cuda::steps_on(static_cast<const char*>(lane.q.src.data) + int64_t(lane.word) * 4, y,
                            lane.q.src_stride)) {
    load(y);
  }
  __device__ __forceinline__ void load(int32_t y) {
#pragma unroll
    for (int i = 0; i < Round; ++i) {
      const auto* row = reinterpret_cast<const uint32_t*>(cuda::steps_on(from, i, at.q.src_stride));
      if constexpr (Inner) {
        coming[i] = __ldg(row);
      } else {
        coming[i] = at.q.outside[0];
        if (at.there() && uint32_t(y + i) < uint32_t(at.q.src.height)) coming[i] = __ldg(row);
      }
    }
  }
  /// The rows from y on; those after them are in flight.
  __device__ __forceinline__ void take(int32_t y, Rows<Round>& rows) {
    from = cuda::steps_on(from, Round, at.q.src_stride);
#pragma unroll
    for (int i = 0; i < Round; ++i)
      rows[i] = Inner ? coming[i] : (coming[i] & own) | (at.q.outside[0] & ~own);
    load(y + Round);
  }
};

/// Results after rows from y on, All above them and All pixels to the right.
template <bool Inner, int Round, int All>
struct Target {
  const Lane<Inner>& at;
  uint32_t own;
  int32_t writes;
  char* to;  // of the result of the first row of a round

  __device__ __forceinline__ Target(const Lane<Inner>& lane, int32_t y)
      : at(lane),
        own(lane.own(0)),
        writes(lane.lane > 0 && lane.lane <= strip_words && lane.there() ? lane.end - lane.top : 0),
        to(cuda::steps_on(static_cast<char*>(lane.q.dst.data) + int64_t(lane.word) * 4, y - All,
                          lane.q.dst_stride)) {}
  __device__ __forceinline__ void put(int32_t y, const Rows<Round>& rows) {
#pragma unroll
    for (int i = 0; i < Round; ++i) {
      const uint32_t v = __funnelshift_l(__shfl_up_sync(~0u, rows[i], 1), rows[i], All);
      cuda::store_if(Inner ? writes > 0 && y >= at.top + All
                           : uint32_t(y + i - All - at.top) < uint32_t(writes),
                     reinterpret_cast<uint32_t*>(cuda::steps_on(to, i, at.q.dst_stride)),
                     Inner ? v : v & own);
    }
    to = cuda::steps_on(to, Round, at.q.dst_stride);
  }
};

template <class Step, bool Inner>
__device__ __forceinline__ void march_one(const Lane<Inner>& lane) {
  constexpr int reach = Step::reach, round = Step::round;
  Source<Inner, round> source(lane, lane.top - reach);
  Target<Inner, round, reach> target(lane, lane.top - reach);
  Step step;
#pragma unroll 1
  for (int32_t y = lane.top - reach; y < lane.end + reach; y += round) {
    Rows<round> rows;
    source.take(y, rows);
    step.push(rows, lane.q.by);
    target.put(y, rows);
  }
}

/// Rounds that the first step's warp gives the second's, two at a time.
template <int Round>
struct Ring {
  uint32_t rows[2][Round][32];
};
// Barriers of both warps, one for each of the two: rows are there; have been read. Their numbers
// are constants, chosen from without a branch: of numbers known at run time a block takes all
// sixteen, and four blocks a multiprocessor's.
constexpr int there = 1, read = 3;

template <class First, bool Inner>
__device__ __forceinline__ void march_first(const Lane<Inner>& lane, Ring<First::round>& ring) {
  constexpr int all = 2 * First::reach, round = First::round;
  Source<Inner, round> source(lane, lane.top - all);
  First first;
  int turn = 0;
#pragma unroll 1
  for (int32_t y = lane.top - all; y < lane.end + all; y += round, ++turn) {
    Rows<round> rows;
    source.take(y, rows);
    first.push(rows, lane.q.by);
    if (turn >= 2) cuda::wait_at_barrier<read>(turn % 2);
#pragma unroll
    for (int i = 0; i < round; ++i) ring.rows[turn % 2][i][lane.lane] = rows[i];
    cuda::arrive_at_barrier<there>(turn % 2);
  }
}
template <class Second, bool Inner>
__device__ __forceinline__ void march_second(const Lane<Inner>& lane, Ring<Second::round>& ring) {
  constexpr int reach = Second::reach, all = 2 * reach, round = Second::round;
  const uint32_t own = lane.own(reach), outside = lane.q.outside[1];
  Target<Inner, round, all> target(lane, lane.top);
  Second second;
  int turn = 0;
#pragma unroll 1
  for (int32_t y = lane.top - all; y < lane.end + all; y += round, ++turn) {
    Rows<round> rows;
    cuda::wait_at_barrier<there>(turn % 2);
#pragma unroll
    for (int i = 0; i < round; ++i) rows[i] = ring.rows[turn % 2][i][lane.lane];
    if (y + 2 * round < lane.end + all) cuda::arrive_at_barrier<read>(turn % 2);
    if (y < lane.top) continue;  // nothing of the second step's first window yet
    if constexpr (!Inner) {
#pragma unroll
      for (int i = 0; i < round; ++i)
        rows[i] = uint32_t(y + i - reach) < uint32_t(lane.q.src.height)
                      ? (rows[i] & own) | (outside & ~own)
                      : outside;
    }
    second.push(rows, lane.q.by);
    target.put(y, rows);
  }
}

template <class First, class Second, int Steps, bool Inner>
__device__ __forceinline__ void march_steps(const March& q, int32_t left, int32_t top) {
  const Lane<Inner> lane(q, left, top);
  if constexpr (Steps == 1) {
    march_one<First>(lane);
  } else {
    static_assert(2 * First::reach % First::round == 0);
    __shared__ Ring<First::round> ring;
    if (threadIdx.x < 32)
      march_first<First>(lane, ring);
    else
      march_second<Second>(lane, ring);
  }
}

// A block is a march: the compiler then knows that all of a warp marches the same way.
template <class First, class Second, int Steps>
__global__ void __launch_bounds__(Steps * 32) march_down(const __grid_constant__ March q) {
  constexpr int all = Steps * First::reach, round = First::round;
  const auto strip = int32_t(blockIdx.x % unsigned(q.strips));
  const auto top = int32_t(int64_t(blockIdx.x / unsigned(q.strips)) * q.rows);
  const int32_t left = strip * strip_words - 1;
  const bool inner = left >= 0 && int64_t(left + 33) * 32 <= q.src.width && top >= all &&
                     int64_t(top) + q.rows + all + round <= q.src.height;
  if (inner)
    march_steps<First, Second, Steps, true>(q, left, top);
  else
    march_steps<First, Second, Steps, false>(q, left, top);
}

uint32_t outside_word(const Rule& rule) {
  return (rule.neutral ? !rule.dilate : rule.outside != 0) ? ~0u : 0;
}

/// Marches a multiprocessor, of one step and of two: more are shorter and make more rows twice. A
/// multiprocessor has room for four marches of two steps, whose barriers have numbers known at run
/// time. (H200, 2026-11-22, 8192²: two dilations 22.5 µs with 12, 21.9 with 20; close + open 34.3
/// with 4, 46.1 with 6, 40.9 with 8; 4096²: 16.5 with 4, 20.6 with 5.)
constexpr int marches[] = {20, 4};

template <int Square, int Rhombus>
void launch(ConstAnyView src, AnyView dst, const Rule& first, const Rule* second, Call& call) {
  using Dilation = OctagonStep<true, Square, Rhombus>;
  using Erosion = OctagonStep<false, Square, Rhombus>;
  March q{src, dst, int32_t(src.stride_bytes), int32_t(dst.stride_bytes), half_words(src.width)};
  q.strips = (q.words - 1) / strip_words + 1;
  q.outside[0] = outside_word(first);
  q.outside[1] = second ? outside_word(*second) : 0;
  for (int k = 1; k < 16; ++k) q.by.power[k] = 1u << (32 - k);
  q.rows = cuda::rows_of_marches(q.strips, src.height, (second ? 4 : 2) * Dilation::reach,
                                 marches[second ? 1 : 0], Dilation::round);
  const auto kernel =
      second ? first.dilate ? march_down<Dilation, Erosion, 2> : march_down<Erosion, Dilation, 2>
      : first.dilate ? march_down<Dilation, Dilation, 1>
                     : march_down<Erosion, Erosion, 1>;
  cuda::launch("morphology", kernel, dim3(unsigned(q.strips) * cuda::blocks(src.height, q.rows)),
               dim3(second ? 64 : 32), 0, cuda::stream_of(call), q);
}

}  // namespace

void morphology_cuda::bits_by_octagon(ConstAnyView src, AnyView dst, const morph::Octagon& octagon,
                                      const Rule& first, const Rule* second, Call& call) {
  switch (octagon.square * 4 + octagon.rhombus) {
    case 2 * 4 + 0: return launch<2, 0>(src, dst, first, second, call);
    case 2 * 4 + 1: return launch<2, 1>(src, dst, first, second, call);
    case 3 * 4 + 1: return launch<3, 1>(src, dst, first, second, call);
    case 3 * 4 + 2: return launch<3, 2>(src, dst, first, second, call);
    default: return launch<3, 3>(src, dst, first, second, call);
  }
}

}  // namespace cuesta
