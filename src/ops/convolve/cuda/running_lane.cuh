// Strategy `running`, what a lane does: sums down its columns, what stands before each sample in a
// row of those, results. running.cu says how lanes play together.
#pragma once

#include "cuda/any_alignment.cuh"
#include "cuda/instructions.cuh"
#include "cuda/shifted_words.cuh"
#include "ops/convolve/cuda/flat_rows.cuh"
#include "ops/convolve/cuda/rules.cuh"

namespace cuesta::convolve_cuda {

/// What sums become: a rounded quotient of sums of a box; sums below 2^31 as they are; anything.
enum class Becoming : uint8_t { quotient, whole, any };

/// A window of one value, `every`, with another one, `every` + `extra`, at the anchor.
template <class T, class Out>
struct RunningRequest : FlatRequest<T, Out> {
  convolution::Finish finish;
  std::conditional_t<sizeof(T) == 1, Division, WideDivision> divide{};
  int32_t every, extra, offset;
  bool absolute, aligned;  // rows of both pictures begin at multiples of 16 bytes
  int32_t rows, results;   // of a block
  int32_t before;          // samples between the first one of a block and its first window

  explicit RunningRequest(const ConvolveArgs& args)
      : FlatRequest<T, Out>(args),
        finish(args),
        offset(std::clamp(args.offset, -(1 << 30), 1 << 30)),
        absolute(args.absolute) {}

  __device__ bool clears() const { return this->mode == BorderMode::ignore; }
};

/// Samples of a lane, by channels.
template <int Channels>
struct RunningShape {
  static constexpr int samples = Channels == 3 ? 12 : Channels == 4 ? 16 : 8;
  static constexpr int quads = samples / 4;
};

/// A lane's samples of a row, as they are in memory.
template <class T, int Samples>
struct Run {
  static constexpr int words = Samples * int(sizeof(T)) / 4;
  uint32_t word[words];

  __device__ __forceinline__ uint32_t sample(int i) const {
    if constexpr (sizeof(T) == 1) return word[i / 4] >> (8 * (i % 4)) & 0xFF;
    return word[i / 2] >> (16 * (i % 2)) & 0xFFFF;
  }
  __device__ __forceinline__ void fill(T value) {
    const uint32_t both = sizeof(T) == 1 ? value * 0x01010101u : value * 0x00010001u;
#pragma unroll
    for (int i = 0; i < words; ++i) word[i] = both;
  }
  /// Reads a multiple of the widest load that its bytes are a multiple of.
  __device__ __forceinline__ void load_aligned(const T* from) {
    if constexpr (words % 4 == 0) {
#pragma unroll
      for (int i = 0; i < words; i += 4) {
        const uint4 v = __ldg(reinterpret_cast<const uint4*>(from) + i / 4);
        word[i] = v.x, word[i + 1] = v.y, word[i + 2] = v.z, word[i + 3] = v.w;
      }
    } else if constexpr (words % 2 == 0) {
#pragma unroll
      for (int i = 0; i < words; i += 2) {
        const uint2 v = __ldg(reinterpret_cast<const uint2*>(from) + i / 2);
        word[i] = v.x, word[i + 1] = v.y;
      }
    } else {
#pragma unroll
      for (int i = 0; i < words; ++i) word[i] = __ldg(reinterpret_cast<const uint32_t*>(from) + i);
    }
  }
  /// From any address, and so up to three bytes before and after what is wanted.
  __device__ __forceinline__ void load_any(const T* from) {
    const auto address = reinterpret_cast<uintptr_t>(from);
    const int odd = int(address & 3);
    const auto* at = reinterpret_cast<const uint32_t*>(address - odd);
    uint32_t low = __ldg(at);
#pragma unroll
    for (int i = 0; i < words; ++i) {
      const uint32_t high = odd == 0 && i + 1 == words ? 0 : __ldg(at + i + 1);
      word[i] = __funnelshift_r(low, high, 8 * odd);
      low = high;
    }
  }
};

/// The sums of as many rows as the window has, down a lane's columns. Those of u8 share words: 257
/// rows stay below 2^16.
template <class T, int Samples>
struct ColumnSums {
  static constexpr bool pairs = sizeof(T) == 1;
  static constexpr int count = pairs ? Samples / 2 : Samples;
  uint32_t sum[count] = {};

  /// Adds a run and subtracts another one.
  __device__ __forceinline__ void step(const Run<T, Samples>& comes, const Run<T, Samples>& goes) {
    if constexpr (pairs) {
#pragma unroll
      for (int i = 0; i < count / 2; ++i) {
        sum[2 * i] += (comes.word[i] & 0x00FF00FF) - (goes.word[i] & 0x00FF00FF);
        sum[2 * i + 1] += (comes.word[i] >> 8 & 0x00FF00FF) - (goes.word[i] >> 8 & 0x00FF00FF);
      }
    } else {
#pragma unroll
      for (int i = 0; i < count; ++i) sum[i] += comes.sample(i) - goes.sample(i);
    }
  }
  __device__ __forceinline__ void add(const Run<T, Samples>& comes) {
    Run<T, Samples> none;
    none.fill(0);
    step(comes, none);
  }
  __device__ __forceinline__ uint32_t operator[](int i) const {
    if constexpr (!pairs) return sum[i];
    return sum[i / 4 * 2 + i % 2] >> (16 * (i % 4 / 2)) & 0xFFFF;
  }
};

/// Sums in front of each of a lane's samples, of its channel, modulo 2^32: those of the lane, then
/// of the warp. `total` gets the whole warp's.
template <int Channels, int Samples, class Sums>
__device__ __forceinline__ void sum_before(const Sums& column, uint32_t (&before)[Samples],
                                           uint32_t (&total)[Channels]) {
  const int lane = int(threadIdx.x) % 32;
  uint32_t own[Channels] = {}, upto[Channels];
#pragma unroll
  for (int i = 0; i < Samples; ++i) {
    before[i] = own[i % Channels];
    own[i % Channels] += column[i];
  }
#pragma unroll
  for (int c = 0; c < Channels; ++c) {
    upto[c] = own[c];
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
      const uint32_t other = __shfl_up_sync(0xFFFFFFFFu, upto[c], by);
      if (lane >= by) upto[c] += other;
    }
    total[c] = __shfl_sync(0xFFFFFFFFu, upto[c], 31);
    upto[c] -= own[c];
  }
#pragma unroll
  for (int i = 0; i < Samples; ++i) before[i] += upto[i % Channels];
}

/// A row of sums in shared memory, four neighbours a piece: lanes write and read pieces side by
/// side, so that they meet in no bank.
template <int Quads>
struct QuadRow {
  static constexpr int spare = 1;  // the last lane's pieces are read one further
  static __host__ __device__ constexpr int bytes(int threads) {
    return Quads * (threads + spare) * 16;
  }
  uint4* quad;
  int threads;

  __device__ __forceinline__ uint4& at(int lane_quad) const {
    return quad[lane_quad % Quads * (threads + spare) + lane_quad / Quads + int(threadIdx.x)];
  }
};

/// A lane's sums, `from` samples further on: of its pieces and the following one, by selections.
template <int Quads>
__device__ __forceinline__ void read_sums(const QuadRow<Quads>& row, int from,
                                          uint32_t (&to)[4 * Quads]) {
  uint32_t word[4 * Quads + 4];
#pragma unroll
  for (int k = 0; k <= Quads; ++k) {
    const uint4 v = row.at(from / 4 + k);
    word[4 * k] = v.x, word[4 * k + 1] = v.y, word[4 * k + 2] = v.z, word[4 * k + 3] = v.w;
  }
  cuda::select_words(word, from % 4, to);
}

/// What a sum of the whole box and the sample at the anchor become.
template <Becoming B, class T, class Out>
__device__ __forceinline__ Out result_of(const RunningRequest<T, Out>& q, uint32_t box,
                                         uint32_t sample) {
  if constexpr (B == Becoming::any) {
    return q.finish.template sample<Out>(int64_t(q.every) * int64_t(box) +
                                         int64_t(q.extra) * int64_t(sample));
  } else {
    constexpr int32_t least = std::numeric_limits<Out>::min(),
                      most = std::numeric_limits<Out>::max();
    int32_t v;
    if constexpr (B == Becoming::quotient) {
      v = q.divide(box + uint32_t(q.divide.start));
    } else {
      v = q.every * int32_t(box) + q.extra * int32_t(sample);
      if (q.absolute) v = abs(v);
    }
    return Out(min(max(v + q.offset, least), most));
  }
}

/// Writes a lane's results, where the picture has `room` more samples of the row.
template <class Out, int Samples>
__device__ __forceinline__ void store_results(const Out (&out)[Samples], Out* to, int32_t room,
                                              bool aligned) {
  constexpr int in_word = 4 / int(sizeof(Out)), bits = 8 * int(sizeof(Out));
  uint32_t word[Samples / in_word] = {};
  if constexpr (std::is_same_v<Out, float>) {
#pragma unroll
    for (int i = 0; i < Samples; ++i) word[i] = __float_as_uint(out[i]);
    if (room >= Samples) {
      auto* const at = reinterpret_cast<uint32_t*>(to);
#pragma unroll
      for (int i = 0; i < Samples; ++i) at[i] = word[i];
      return;
    }
#pragma unroll
    for (int i = 0; i < Samples; ++i)
      if (i < room) to[i] = out[i];
  } else {
#pragma unroll
    for (int i = 0; i < Samples; ++i)
      word[i / in_word] |= (uint32_t(out[i]) & ((1u << bits) - 1)) << (bits * (i % in_word));
    cuda::store_neighbours(to, word, room, aligned);
  }
}

}  // namespace cuesta::convolve_cuda
