// Makers of test pictures: the same bytes for the same seed, on every machine.
#pragma once

#include <cstdint>
#include <string_view>

#include "cuesta/image.hpp"

namespace cuesta::verify {

enum class Pattern : uint8_t {
  noise,     ///< uniform over the type's whole range (f32: -2..2)
  natural,   ///< smooth shading, shapes with sharp edges, a little noise: what photographs do to
             ///< edge detectors
  extremes,  ///< 0 or the largest value, at random: drives sums to their bounds
  impulse,   ///< one bright sample near the middle
  gradient,  ///< a ramp with plateaus: ties in magnitudes and directions
  blobs,     ///< a 0 / 255 mask of discs and specks
  constant,  ///< one mid value
  sparse,    ///< a mask with about 2 % set at random
  bands,     ///< a mask whose rows, a few at a time, are empty, full or random
};
std::string_view name_of(Pattern pattern);

/// A small, fixed generator (splitmix64).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  uint32_t below(uint32_t n) { return uint32_t((next() >> 32) * n >> 32); }

 private:
  uint64_t state_;
};

/// Fills a host picture of any type (bits included).
void fill(AnyView picture, Pattern pattern, uint64_t seed);

/// Every so manieth sample of a host picture of f32, at random, becomes a float of another kind:
/// zeros of both signs, denormals, infinities, NaNs of both signs and several payloads, and with
/// `largest` the largest numbers, whose sums overflow in one order and not in another.
void scatter_odd_floats(AnyView picture, uint32_t one_in, uint64_t seed, bool largest = true);

}  // namespace cuesta::verify
