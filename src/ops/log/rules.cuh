// What the int8 tensor cores' sums become in log: an edge, or the response.
#pragma once

#include <cstdint>

namespace cuesta::log_cuda {

/// |L| > T in 16 bits: (L + T) mod 2^16 > 2 T, where |L| + T stays below 2^16. What is above 2 T is
/// cut to 2 T + 1 and lifted to 2^15, so that its sign says it: 2 T + 1 <= 2^15, and no half of a
/// word carries into the other.
struct Edge {
  using Out = uint8_t;
  static constexpr bool few_registers = true;
  static constexpr bool takes(int64_t largest, int64_t threshold) {
    return threshold < (1 << 14) && largest + threshold < (1 << 16);
  }
  uint32_t add, top, lift;
  explicit Edge(int64_t threshold)
      : add(uint32_t(threshold) * 65537),
        top(uint32_t(2 * threshold + 1) * 65537),
        lift(uint32_t(0x8000 - (2 * threshold + 1)) * 65537) {}
  __device__ static int32_t start() { return 0; }
  __device__ void results(int32_t a, int32_t b, int32_t c, int32_t d, uint32_t* words) const {
    const uint32_t p =
        __viaddmin_u16x2(__byte_perm(uint32_t(a), uint32_t(b), 0x5410), add, top) + lift;
    const uint32_t q =
        __viaddmin_u16x2(__byte_perm(uint32_t(c), uint32_t(d), 0x5410), add, top) + lift;
    words[0] = cuda::permute_bytes<0xFDB9>(p, q);  // the signs of the halves
  }
};

/// The same for any T that 32 bits hold.
struct WideEdge {
  using Out = uint8_t;
  static constexpr bool few_registers = true;
  int32_t threshold;
  __device__ static int32_t start() { return 0; }
  __device__ void results(int32_t a, int32_t b, int32_t c, int32_t d, uint32_t* words) const {
    const auto beyond = [&](int32_t v) { return uint32_t(threshold - abs(v)); };
    words[0] = __byte_perm(cuda::permute_bytes<0x00FB>(beyond(a), beyond(b)),
                           cuda::permute_bytes<0x00FB>(beyond(c), beyond(d)), 0x5410);
  }
};

/// L itself.
struct Response {
  using Out = int32_t;
  static constexpr bool few_registers = false;
  __device__ static int32_t start() { return 0; }
  __device__ void results(int32_t a, int32_t b, int32_t c, int32_t d, uint32_t* words) const {
    words[0] = uint32_t(a), words[1] = uint32_t(b), words[2] = uint32_t(c), words[3] = uint32_t(d);
  }
};

}  // namespace cuesta::log_cuda
