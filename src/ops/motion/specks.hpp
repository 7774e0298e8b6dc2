// Specks: snow, rain, insects and noise make small components that come and go. Those that do set
// the area below which components are no objects, where `min_area` does not.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cuesta/motion.hpp"

namespace cuesta::motion {

/// Whether `min_area` is left to what comes and goes. `first` is paper 004's chain.
inline bool finds_specks(const MotionOptions& options) {
  return options.min_area == 0 && options.background.model != BackgroundModel::first;
}

class Specks {
 public:
  Specks();

  void forget();
  /// Returns the area of the smallest object of the next frame, whose components are these, and
  /// learns them.
  int64_t min_area(std::span<const Component> components, Size frame);

  template <class Visit>
  void each_part(Visit&& visit) {
    visit(followed_), visit(gone_);
  }

 private:
  // A small component of the last frame.
  struct Speck {
    Rect box{};
    int32_t area = 0, age = 0;  // the largest so far; frames
  };
  static constexpr size_t room = 64;  // specks that are followed
  static constexpr size_t bins = 32;  // of areas
  using Areas = std::array<int64_t, bins>;

  static Areas areas_up_to(int64_t largest);
  Speck speck(size_t i) const;
  void note(const Speck& speck, const Areas& areas);

  std::vector<uint8_t> followed_;  // Specks, those behind the last one empty
  std::vector<uint8_t> gone_;      // of each bin: how many came and went of late, 2^-16 (uint32_t)
};

}  // namespace cuesta::motion
