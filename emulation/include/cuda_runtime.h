// CUDA C++ for a C++ compiler: the toolkit's types and the runtime's declarations, and in place of
// what only nvcc knows, what a CPU can do (emulation/README.md). The functions of the runtime are
// in emulation/runtime.cpp.
#pragma once

#include <cuda_runtime_api.h>
#include <vector_functions.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "emulated/block.hpp"

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __constant__
#undef __forceinline__
#undef __noinline__
#undef __launch_bounds__
#undef __grid_constant__
#undef __align__
#define __global__
#define __device__
#define __host__
#define __shared__ thread_local  // a block runs on one thread of the CPU
#define __constant__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) alignas(n)
// The instructions of this compute capability, and a runtime without loops in graphs.
#define __CUDA_ARCH__ 900
#undef CUDART_VERSION
#define CUDART_VERSION 12030

// ---- Launches

namespace emulated {

/// Runs `work` now, or keeps it where the stream is being captured.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);
/// A kernel with its arguments, as run_grid() runs it.
using Kernel = std::function<void(dim3 grid, dim3 block, size_t shared, bool together)>;

}  // namespace emulated

namespace emulated {

/// Appends the bytes of a kernel's argument as whole words. What is between its members, which may
/// be an address of an earlier call, becomes zero.
template <class Argument>
void append_words(std::vector<uint64_t>& words, Argument argument) {
  static_assert(std::is_trivially_copyable_v<Argument>);
  __builtin_clear_padding(&argument);
  const size_t before = words.size();
  words.resize(before + (sizeof argument + 7) / 8);
  std::memcpy(words.data() + before, &argument, sizeof argument);
}

}  // namespace emulated

// A call of the runtime as any other. Its arguments here are an emulated::Kernel, and the bytes of
// the kernel's own arguments with their number.
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  using All = std::tuple<std::decay_t<Parameters>...>;
  struct Launch {
    void (*kernel)(Parameters...);
    All all;
  };
  Launch launch{kernel, All(static_cast<Parameters>(arguments)...)};
  emulated::Kernel bound = [launch](dim3 grid, dim3 block, size_t shared, bool together) mutable {
    emulated::run_grid(
        grid, block, shared, together,
        [](void* context) {
          auto& one = *static_cast<Launch*>(context);
          std::apply(one.kernel, one.all);
        },
        &launch);
  };
  std::vector<uint64_t> words;
  std::apply([&](const auto&... each) { (emulated::append_words(words, each), ...); }, launch.all);
  size_t bytes = words.size() * sizeof(uint64_t);
  void* all[] = {&bound, words.data(), &bytes};
  return cudaLaunchKernelExC(config, reinterpret_cast<const void*>(kernel), all);
}

template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
template <class... Parameters>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*kernel)(Parameters...)) {
  return cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(kernel));
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* kernel, int threads,
                                                          size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, reinterpret_cast<const void*>(kernel), threads, shared);
}

// ---- Threads that meet

inline void __syncthreads() { emulated::meet_block(); }
inline int __syncthreads_count(int one) { return emulated::meet_block(one != 0); }
inline int __syncthreads_or(int one) { return emulated::meet_block(one != 0) > 0; }
inline void __syncwarp(unsigned mask = ~0u) {
  emulated::exchange(mask, 0, [](const emulated::Exchange&) { return 0; });
}
inline void __threadfence() {}
inline void __threadfence_block() {}

namespace emulated {

/// For shuffles: the value of lane `from(own lane)` where that is in the own part of `width`
/// lanes, else the own.
template <class T, class From>
T shuffle(unsigned mask, T value, int width, const From& from) {
  static_assert(std::is_trivially_copyable_v<T>);
  const int own = lane(), first = own / width * width;
  const int other = from(own, first);
  return exchange(mask, value, [&](const Exchange& all) {
    const bool there = other >= first && other < first + width && (all.arrived >> other & 1);
    return there ? all.at<T>(other) : value;
  });
}
/// For reductions: join(join(a, b), c)... of all lanes that are there.
template <class T, class Join>
T reduce(unsigned mask, T value, const Join& join) {
  return exchange(mask, value, [&](const Exchange& all) {
    bool first = true;
    T joined{};
    for (int i = 0; i < 32; ++i) {
      if (!(all.arrived >> i & 1)) continue;
      joined = first ? all.at<T>(i) : join(joined, all.at<T>(i));
      first = false;
    }
    return joined;
  });
}

}  // namespace emulated

template <class T>
T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  return emulated::shuffle(mask, value, width,
                           [=](int, int first) { return first + (from & (width - 1)); });
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  return emulated::shuffle(mask, value, width, [=](int own, int) { return own - int(by); });
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  return emulated::shuffle(mask, value, width, [=](int own, int) { return own + int(by); });
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32) {
  return emulated::shuffle(mask, value, width, [=](int own, int) { return own ^ with; });
}
inline unsigned __ballot_sync(unsigned mask, int one) {
  return emulated::exchange(mask, int(one != 0), [](const emulated::Exchange& all) {
    unsigned ballot = 0;
    for (int i = 0; i < 32; ++i)
      if ((all.arrived >> i & 1) && all.at<int>(i)) ballot |= 1u << i;
    return ballot;
  });
}
inline int __any_sync(unsigned mask, int one) { return __ballot_sync(mask, one) != 0; }
inline int __all_sync(unsigned mask, int one) { return __ballot_sync(mask, one == 0) == 0; }
template <class T>
unsigned __match_any_sync(unsigned mask, T value) {
  return emulated::exchange(mask, value, [&](const emulated::Exchange& all) {
    unsigned same = 0;
    for (int i = 0; i < 32; ++i)
      if ((all.arrived >> i & 1) && all.at<T>(i) == value) same |= 1u << i;
    return same;
  });
}
template <class T>
T __reduce_add_sync(unsigned mask, T value) {
  return emulated::reduce(mask, value, [](T a, T b) { return T(unsigned(a) + unsigned(b)); });
}
template <class T>
T __reduce_min_sync(unsigned mask, T value) {
  return emulated::reduce(mask, value, [](T a, T b) { return a < b ? a : b; });
}
template <class T>
T __reduce_max_sync(unsigned mask, T value) {
  return emulated::reduce(mask, value, [](T a, T b) { return a > b ? a : b; });
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  return emulated::reduce(mask, value, [](unsigned a, unsigned b) { return a | b; });
}

// ---- Memory

template <class T>
T __ldg(const T* from) {
  return *from;
}
template <class T>
T __ldcs(const T* from) {
  return *from;
}
template <class T>
T atomicAdd(T* at, std::type_identity_t<T> v) {
  return __atomic_fetch_add(at, v, __ATOMIC_RELAXED);
}
template <class T>
T atomicSub(T* at, std::type_identity_t<T> v) {
  return __atomic_fetch_sub(at, v, __ATOMIC_RELAXED);
}
template <class T>
T atomicOr(T* at, std::type_identity_t<T> v) {
  return __atomic_fetch_or(at, v, __ATOMIC_RELAXED);
}
template <class T>
T atomicAnd(T* at, std::type_identity_t<T> v) {
  return __atomic_fetch_and(at, v, __ATOMIC_RELAXED);
}
template <class T>
T atomicExch(T* at, std::type_identity_t<T> v) {
  return __atomic_exchange_n(at, v, __ATOMIC_RELAXED);
}
template <class T>
T atomicCAS(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> v) {
  __atomic_compare_exchange_n(at, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
template <class T>
T atomicMin(T* at, std::type_identity_t<T> v) {
  T old = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (v < old &&
         !__atomic_compare_exchange_n(at, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}
template <class T>
T atomicMax(T* at, std::type_identity_t<T> v) {
  T old = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (old < v &&
         !__atomic_compare_exchange_n(at, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}

namespace emulated {
struct Texture {
  cudaResourceDesc resource{};
};
}  // namespace emulated
template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  return cudaCreateChannelDesc(8 * sizeof(T), 0, 0, 0, cudaChannelFormatKindUnsigned);
}
/// Nearest sample of a pitched texture whose addresses are clamped.
template <class T>
T tex2D(cudaTextureObject_t texture, float x, float y) {
  const auto& plane = reinterpret_cast<const emulated::Texture*>(texture)->resource.res.pitch2D;
  const auto within = [](float at, size_t n) {
    return size_t(std::fmin(std::fmax(std::floor(at), 0.0f), float(n - 1)));
  };
  const auto* row =
      static_cast<const char*>(plane.devPtr) + within(y, plane.height) * plane.pitchInBytes;
  return reinterpret_cast<const T*>(row)[within(x, plane.width)];
}

// ---- Arithmetic

namespace emulated {

/// f of `count` lanes of two or three words.
template <class Lane, class F, class... Words>
unsigned lanes(const F& f, Words... words) {
  constexpr int bits = 8 * sizeof(Lane);
  unsigned result = 0;
  for (int at = 0; at < 32; at += bits) {
    using Bits = std::make_unsigned_t<Lane>;
    result |= unsigned(Bits(f(int64_t(Lane(words >> at))...))) << at;
  }
  return result;
}
inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

}  // namespace emulated

template <class A, class B>
requires(std::is_integral_v<A>&& std::is_integral_v<B>) auto min(A a, B b) {
  using Both = std::common_type_t<A, B>;
  return Both(a) < Both(b) ? Both(a) : Both(b);
}
template <class A, class B>
requires(std::is_integral_v<A>&& std::is_integral_v<B>) auto max(A a, B b) {
  using Both = std::common_type_t<A, B>;
  return Both(a) > Both(b) ? Both(a) : Both(b);
}
inline float min(float a, float b) { return std::fmin(a, b); }
inline float max(float a, float b) { return std::fmax(a, b); }
inline double min(double a, double b) { return std::fmin(a, b); }
inline double max(double a, double b) { return std::fmax(a, b); }

inline int __popc(unsigned v) { return std::popcount(v); }
inline int __clz(int v) { return std::countl_zero(unsigned(v)); }
inline int __ffs(int v) { return v == 0 ? 0 : std::countr_zero(unsigned(v)) + 1; }
inline int __ffsll(long long v) {
  return v == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(v)) + 1;
}
inline unsigned __brev(unsigned v) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= (v >> i & 1) << (31 - i);
  return reversed;
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const uint64_t bytes = uint64_t(b) << 32 | a;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i)
    result |= (unsigned(bytes >> (8 * (selector >> (4 * i) & 7))) & 255) << (8 * i);
  return result;
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  return unsigned((uint64_t(high) << 32 | low) >> (by & 31));
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  return unsigned((uint64_t(high) << 32 | low) << (by & 31) >> 32);
}
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned(uint64_t(a) * b >> 32); }
inline unsigned __sad(int a, int b, unsigned more) {
  return unsigned(std::llabs(int64_t(a) - b)) + more;
}
inline unsigned __dp2a_lo(unsigned pair, unsigned bytes, unsigned sum) {
  return sum + (pair & 0xFFFF) * (bytes & 255) + (pair >> 16) * (bytes >> 8 & 255);
}
inline int __dp2a_lo(int pair, int bytes, int sum) {
  return int(unsigned(sum) + unsigned(int16_t(pair) * int8_t(bytes)) +
             unsigned(int16_t(pair >> 16) * int8_t(bytes >> 8)));
}
inline unsigned __dp2a_hi(unsigned pair, unsigned bytes, unsigned sum) {
  return __dp2a_lo(pair, bytes >> 16, sum);
}
inline int __dp2a_hi(int pair, int bytes, int sum) { return __dp2a_lo(pair, bytes >> 16, sum); }
inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  for (int at = 0; at < 32; at += 8) sum += (a >> at & 255) * (b >> at & 255);
  return sum;
}
inline int __dp4a(int a, int b, int sum) {
  for (int at = 0; at < 32; at += 8)
    sum = int(unsigned(sum) + unsigned(int8_t(a >> at) * int8_t(b >> at)));
  return sum;
}

inline unsigned __vminu2(unsigned a, unsigned b) {
  return emulated::lanes<uint16_t>(emulated::least, a, b);
}
inline unsigned __vmaxu2(unsigned a, unsigned b) {
  return emulated::lanes<uint16_t>(emulated::most, a, b);
}
inline unsigned __vmins2(unsigned a, unsigned b) {
  return emulated::lanes<int16_t>(emulated::least, a, b);
}
inline unsigned __vmaxs2(unsigned a, unsigned b) {
  return emulated::lanes<int16_t>(emulated::most, a, b);
}
inline unsigned __vmaxu4(unsigned a, unsigned b) {
  return emulated::lanes<uint8_t>(emulated::most, a, b);
}
inline unsigned __vminu4(unsigned a, unsigned b) {
  return emulated::lanes<uint8_t>(emulated::least, a, b);
}
inline unsigned __vabsdiffu4(unsigned a, unsigned b) {
  return emulated::lanes<uint8_t>([](int64_t x, int64_t y) { return x > y ? x - y : y - x; }, a, b);
}
inline unsigned __vsadu4(unsigned a, unsigned b) {
  return __dp4a(__vabsdiffu4(a, b), 0x01010101u, 0u);
}
inline unsigned __vcmpeq2(unsigned a, unsigned b) {
  return emulated::lanes<uint16_t>([](int64_t x, int64_t y) { return x == y ? -1 : 0; }, a, b);
}
inline unsigned __vcmpeq4(unsigned a, unsigned b) {
  return emulated::lanes<uint8_t>([](int64_t x, int64_t y) { return x == y ? -1 : 0; }, a, b);
}
inline unsigned __vcmpne4(unsigned a, unsigned b) { return ~__vcmpeq4(a, b); }
// Sums of lanes wrap before they are compared.
inline unsigned __viaddmax_u16x2(unsigned a, unsigned b, unsigned c) {
  return emulated::lanes<uint16_t>(
      [](int64_t x, int64_t y, int64_t z) { return emulated::most(uint16_t(x + y), z); }, a, b, c);
}
inline unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c) {
  return emulated::lanes<uint16_t>(
      [](int64_t x, int64_t y, int64_t z) { return emulated::least(uint16_t(x + y), z); }, a, b, c);
}
inline unsigned __viaddmax_s16x2(unsigned a, unsigned b, unsigned c) {
  return emulated::lanes<int16_t>(
      [](int64_t x, int64_t y, int64_t z) { return emulated::most(int16_t(x + y), z); }, a, b, c);
}
inline unsigned __viaddmin_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return emulated::lanes<int16_t>(
      [](int64_t x, int64_t y, int64_t z) {
        return emulated::most(emulated::least(int16_t(x + y), z), 0);
      },
      a, b, c);
}
inline int __viaddmax_s32(int a, int b, int c) {
  const int sum = int(unsigned(a) + unsigned(b));
  return sum > c ? sum : c;
}
inline unsigned __vimin3_u16x2(unsigned a, unsigned b, unsigned c) {
  return __vminu2(__vminu2(a, b), c);
}
inline unsigned __vimax3_u16x2(unsigned a, unsigned b, unsigned c) {
  return __vmaxu2(__vmaxu2(a, b), c);
}

inline unsigned __float_as_uint(float v) { return std::bit_cast<unsigned>(v); }
inline int __float_as_int(float v) { return std::bit_cast<int>(v); }
inline float __uint_as_float(unsigned v) { return std::bit_cast<float>(v); }
inline float __int_as_float(int v) { return std::bit_cast<float>(v); }
inline int __double2hiint(double v) { return int(std::bit_cast<uint64_t>(v) >> 32); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline float __fsqrt_rn(float v) { return std::sqrt(v); }
inline double __dsqrt_rn(double v) { return std::sqrt(v); }
