// Instructions of the GPU that CUDA C++ has no name for: all of the assembly there is. The emulated
// device has a file of this name with the same functions in C++ (emulation/README.md).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "cuda/permute_bytes.hpp"

/// Declares `name`, the block's shared memory of the size that its launch asks for, as T's.
#define CUESTA_DYNAMIC_SHARED(T, name) extern __shared__ T name[]

namespace cuesta::cuda {

/// `words`, about which the compiler knows nothing: a kernel's argument that is read by an index
/// that differs between lanes would otherwise be read once for each.
template <class T>
__device__ __forceinline__ T* opaque(T* words) {
  asm("" : "+l"(words));
  return words;
}

/// The same number, which the compiler keeps in a register: it would compute it again in every
/// turn of a loop.
__device__ __forceinline__ int32_t kept(int32_t v) {
  asm volatile("" : "+r"(v));
  return v;
}

/// Two numbers, saturated, as halves of a word: `low` and `high`.
__device__ __forceinline__ uint32_t saturate_s16(int32_t low, int32_t high) {
  uint32_t pair;
  asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(pair) : "r"(high), "r"(low));
  return pair;
}
__device__ __forceinline__ uint32_t saturate_u16(int32_t low, int32_t high) {
  uint32_t pair;
  asm("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(pair) : "r"(high), "r"(low));
  return pair;
}
/// Two numbers, saturated, as the low bytes of a word, below the low half of `above`.
__device__ __forceinline__ uint32_t saturate_u8(int32_t low, int32_t high, uint32_t above) {
  uint32_t bytes;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(high), "r"(low), "r"(above));
  return bytes;
}

/// a b + c modulo 2^32, by one operation.
__device__ __forceinline__ uint32_t multiply_add_words(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t sum;
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
  return sum;
}
/// `n` steps of `bytes` on, by one operation that is not the integer pipe's.
template <class Byte>
__device__ __forceinline__ Byte* steps_on(Byte* from, int32_t n, int32_t bytes) {
  uint64_t at;
  asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(at) : "r"(n), "r"(bytes), "l"(from));
  return reinterpret_cast<Byte*>(at);
}

/// The root, at most 1 ulp off.
__device__ __forceinline__ float approximate_root(float v) {
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(v));
  return root;
}

/// a / b, rounded once, where a is 0 or both magnitudes are in [2^-60, 2^60]: what the compiler
/// makes of a division, without its branch for all other numbers, which it takes where a is 0.
__device__ __forceinline__ float quotient_in_range(float a, float b) {
  float near;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(near) : "f"(b));
  const float inverse = __fmaf_rn(near, __fmaf_rn(-b, near, 1.0f), near);
  const float q = __fmul_rn(a, inverse);
  return __fmaf_rn(inverse, __fmaf_rn(-b, q, a), q);
}

/// Stores to global memory without a branch: a branch a row would end what the compiler can
/// overlap.
__device__ __forceinline__ void store_if(bool on, uint32_t* to, uint32_t v) {
  asm volatile(
      "{ .reg .pred on; setp.ne.s32 on, %0, 0; @on st.global.b32 [%1], %2; }" ::"r"(int(on)),
      "l"(to), "r"(v));
}
__device__ __forceinline__ void store_if(bool on, uint4* to, uint4 v) {
  asm volatile(
      "{ .reg .pred on; setp.ne.s32 on, %0, 0; @on st.global.v4.b32 [%1], {%2, %3, %4, %5}; "
      "}" ::"r"(int(on)),
      "l"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w));
}
/// A store to shared memory that the compiler does not leave out where nothing reads it.
__device__ __forceinline__ void store_shared(uint4* to, uint32_t v) {
  asm volatile(
      "st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(uint32_t(__cvta_generic_to_shared(to))),
      "r"(v)
      : "memory");
}

/// Where `on`, adds `v` to the word Step bytes times byte `Byte` of `places` after `from`, in
/// shared memory, without a branch.
template <int Byte, int Step>
__device__ __forceinline__ void add_to_shared(bool on, uint32_t* from, uint32_t places,
                                              uint32_t v) {
  const uint32_t at =
      __dp4a(places, uint32_t(Step) << (8 * Byte), uint32_t(__cvta_generic_to_shared(from)));
  asm volatile(
      "{ .reg .pred on; setp.ne.s32 on, %0, 0; @on red.shared.add.u32 [%1], %2; }" ::"r"(int(on)),
      "r"(at), "r"(v)
      : "memory");
}

/// The block's barrier of number Barrier + odd, at which 64 threads meet: those that arrive
/// continue at once. Numbers known at run time only would take all sixteen barriers of a block, so
/// both are written and one is chosen without a branch.
template <int Barrier>
__device__ __forceinline__ void arrive_at_barrier(bool odd) {
  asm volatile(
      "{ .reg .pred odd; setp.ne.s32 odd, %0, 0; @!odd bar.arrive %1, 64; @odd bar.arrive %2, 64; "
      "}" ::"r"(int(odd)),
      "n"(Barrier), "n"(Barrier + 1)
      : "memory");
}
template <int Barrier>
__device__ __forceinline__ void wait_at_barrier(bool odd) {
  asm volatile(
      "{ .reg .pred odd; setp.ne.s32 odd, %0, 0; @!odd bar.sync %1, 64; @odd bar.sync %2, 64; "
      "}" ::"r"(int(odd)),
      "n"(Barrier), "n"(Barrier + 1)
      : "memory");
}

/// The launch after this one on the stream may begin, and this one's reads what those before wrote
/// (cuda/overlap.cuh). Nothing before compute capability 9.0.
__device__ __forceinline__ void launch_dependents() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}
__device__ __forceinline__ void wait_for_dependencies() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

namespace tensor {

// Products of matrices of bytes on the int8 tensor cores, summed in s32: a warp's, 16 rows of `a`
// times 8 columns of `b`. From compute capability 8.0.
#if __CUDA_ARCH__ >= 800
#define CUESTA_MULTIPLY_BYTES_32(types)                                      \
  asm("mma.sync.aligned.m16n8k32.row.col.s32." types                         \
      ".s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])               \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))
#define CUESTA_MULTIPLY_BYTES_16(types)                          \
  asm("mma.sync.aligned.m16n8k16.row.col.s32." types             \
      ".s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" \
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])   \
      : "r"(a[0]), "r"(a[1]), "r"(b))
#else
#define CUESTA_MULTIPLY_BYTES_32(types)
#define CUESTA_MULTIPLY_BYTES_16(types)
#endif

/// sum += a b over 32 bytes of a row; `a` has four registers of them. A and B, uint8_t or int8_t,
/// say whether the bytes have signs.
template <class A, class B>
__device__ __forceinline__ void multiply_add(int32_t (&sum)[4], const uint32_t* a, uint32_t b0,
                                             uint32_t b1) {
  if constexpr (std::is_signed_v<A>)
    CUESTA_MULTIPLY_BYTES_32("s8.u8");
  else if constexpr (std::is_signed_v<B>)
    CUESTA_MULTIPLY_BYTES_32("u8.s8");
  else
    CUESTA_MULTIPLY_BYTES_32("u8.u8");
  static_assert(!std::is_signed_v<A> || !std::is_signed_v<B>);
}
/// The same over 16 bytes, two registers.
template <class A, class B>
__device__ __forceinline__ void multiply_add(int32_t (&sum)[4], const uint32_t* a, uint32_t b) {
  static_assert(!std::is_signed_v<A>);
  if constexpr (std::is_signed_v<B>)
    CUESTA_MULTIPLY_BYTES_16("u8.s8");
  else
    CUESTA_MULTIPLY_BYTES_16("u8.u8");
}
#undef CUESTA_MULTIPLY_BYTES_32
#undef CUESTA_MULTIPLY_BYTES_16

}  // namespace tensor
}  // namespace cuesta::cuda
