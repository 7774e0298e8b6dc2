// A number that tells data apart.
#pragma once

#include <cstdint>

namespace cuesta::cli {

/// FNV-1a, of 64 bits.
class Digest {
 public:
  void add(uint32_t value) { hash_ = (hash_ ^ value) * 1099511628211u; }
  /// Fits into a signed number, too.
  uint64_t value() const { return hash_ >> 1; }

 private:
  uint64_t hash_ = 14695981039346656037u;
};

}  // namespace cuesta::cli
