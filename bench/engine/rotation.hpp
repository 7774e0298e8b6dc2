// Device pictures that calls go round, so that none finds its input in the L2 cache.
#pragma once

#include <memory>
#include <vector>

#include "bench/engine/answers.hpp"
#include "bench/engine/device_timing.hpp"

namespace cuesta::bench {

/// How many slots of `slot_bytes` exceed the cache twice over: at least two, and a multiple of
/// `sources`.
constexpr size_t slots_past(size_t l2_bytes, size_t slot_bytes, size_t sources) {
  const size_t needed = slot_bytes ? (2 * l2_bytes + slot_bytes - 1) / slot_bytes : 2;
  const size_t slots = needed < 2 ? 2 : needed;
  return (slots + sources - 1) / sources * sources;
}

/// Slots of source, result and copy in one allocation each; slot i holds source i modulo their
/// number.
class Rotation {
 public:
  Rotation(const Work& work, size_t l2_bytes, void* stream);
  size_t slots() const { return slots_; }
  ConstAnyView source(size_t turn) const { return sources_.at(turn % slots_); }
  AnyView writable_source(size_t turn) const { return sources_.at(turn % slots_); }
  /// Without data where the work writes no picture.
  AnyView result(size_t turn) const { return results_.at(turn % slots_); }
  /// What the copy row copies, and where to.
  ConstAnyView copied(size_t turn) const { return (apart_ ? copied_ : sources_).at(turn % slots_); }
  AnyView copy(size_t turn) const { return copies_.at(turn % slots_); }
  /// Fills a result with bytes that no answer has everywhere.
  void poison(size_t turn);

 private:
  class Slab {
   public:
    Slab() = default;
    Slab(PixelType type, ConstAnyView shape, int32_t channels, size_t slots,
         const Placement& placement);
    AnyView at(size_t slot) const;
    static int32_t padded_rows(int32_t height) { return (height + 7) / 8 * 8; }
    size_t slot_bytes() const;

   private:
    Image<uint8_t, Space::device> memory_;
    AnyView first_;
    int32_t rows_ = 0;
  };
  size_t slots_;
  void* stream_;
  AnyImage poison_;
  bool apart_;  ///< what is copied is not the source
  Slab sources_, results_, copied_, copies_;
};

}  // namespace cuesta::bench
