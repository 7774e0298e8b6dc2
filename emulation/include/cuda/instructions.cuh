// src/cuda/instructions.cuh in C++: the same functions, for the emulated device.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "cuda/permute_bytes.hpp"

#define CUESTA_DYNAMIC_SHARED(T, name) \
  T* const name = static_cast<std::remove_reference_t<decltype(*name)>*>(emulated::dynamic_shared())

namespace cuesta::cuda {

template <class T>
T* opaque(T* words) {
  return words;
}
inline int32_t kept(int32_t v) { return v; }

inline uint32_t saturate_s16(int32_t low, int32_t high) {
  const auto half = [](int32_t v) { return uint32_t(std::clamp(v, -32768, 32767)) & 0xFFFF; };
  return half(high) << 16 | half(low);
}
inline uint32_t saturate_u16(int32_t low, int32_t high) {
  const auto half = [](int32_t v) { return uint32_t(std::clamp(v, 0, 65535)); };
  return half(high) << 16 | half(low);
}
inline uint32_t saturate_u8(int32_t low, int32_t high, uint32_t above) {
  const auto byte = [](int32_t v) { return uint32_t(std::clamp(v, 0, 255)); };
  return above << 16 | byte(high) << 8 | byte(low);
}

inline uint32_t multiply_add_words(uint32_t a, uint32_t b, uint32_t c) { return a * b + c; }
template <class Byte>
Byte* steps_on(Byte* from, int32_t n, int32_t bytes) {
  return reinterpret_cast<Byte*>(reinterpret_cast<uintptr_t>(from) + uintptr_t(int64_t(n) * bytes));
}

inline float approximate_root(float v) { return std::sqrt(v); }
inline float quotient_in_range(float a, float b) { return a / b; }

inline void store_if(bool on, uint32_t* to, uint32_t v) {
  if (on) *to = v;
}
inline void store_if(bool on, uint4* to, uint4 v) {
  if (on) *to = v;
}
inline void store_shared(uint4* to, uint32_t v) { *to = make_uint4(v, v, v, v); }

template <int Byte, int Step>
void add_to_shared(bool on, uint32_t* from, uint32_t places, uint32_t v) {
  if (on) from[(places >> (8 * Byte) & 255) * (Step / 4)] += v;
}

template <int Barrier>
void arrive_at_barrier(bool odd) {
  emulated::meet_at(Barrier + odd, 64, false);
}
template <int Barrier>
void wait_at_barrier(bool odd) {
  emulated::meet_at(Barrier + odd, 64, true);
}

inline void launch_dependents() {}
inline void wait_for_dependencies() {}

namespace tensor {

/// As the PTX manual lays out m16n8k32 and m16n8k16: lane 4 g + t has of rows g and g + 8 of `a`
/// bytes 4 t .. 4 t + 3 of every 16, of column g of `b` the same, and of the sums columns 2 t and
/// 2 t + 1.
template <class A, class B, int Pieces>
void multiply_add_pieces(int32_t (&sum)[4], const uint32_t* a, const uint32_t* b) {
  struct Own {
    uint32_t a[2 * Pieces], b[Pieces];
  } own;
  std::copy_n(a, 2 * Pieces, own.a);
  std::copy_n(b, Pieces, own.b);
  const int g = emulated::lane() / 4, t = emulated::lane() % 4;
  emulated::exchange(~0u, own, [&](const emulated::Exchange& all) {
    for (int i = 0; i < 4; ++i) {
      const int column = 2 * t + i % 2;
      uint32_t more = 0;
      for (int other = 0; other < 4; ++other) {
        const Own row = all.at<Own>(4 * g + other), down = all.at<Own>(4 * column + other);
        for (int piece = 0; piece < Pieces; ++piece)
          for (int at = 0; at < 32; at += 8)
            more += uint32_t(int32_t(A(row.a[2 * piece + i / 2] >> at)) *
                             int32_t(B(down.b[piece] >> at)));
      }
      sum[i] = int32_t(uint32_t(sum[i]) + more);
    }
    return 0;
  });
}

template <class A, class B>
void multiply_add(int32_t (&sum)[4], const uint32_t* a, uint32_t b0, uint32_t b1) {
  const uint32_t b[] = {b0, b1};
  multiply_add_pieces<A, B, 2>(sum, a, b);
}
template <class A, class B>
void multiply_add(int32_t (&sum)[4], const uint32_t* a, uint32_t b) {
  multiply_add_pieces<A, B, 1>(sum, a, &b);
}

}  // namespace tensor
}  // namespace cuesta::cuda
