// The reference's answers to one request, and holding others against them.
#pragma once

#include <string>
#include <vector>

#include "bench/engine/session.hpp"

namespace cuesta::bench {

/// An owned host picture of any type.
class AnyImage {
 public:
  AnyImage() = default;
  AnyImage(PixelType type, int32_t width, int32_t height, int32_t channels = 1);
  AnyView plane() { return plane_; }
  ConstAnyView plane() const { return plane_; }

 private:
  Image<uint8_t> bytes_;
  AnyView plane_;
};

class Answers {
 public:
  /// Runs the reference once on every source.
  Answers(const Work& work, const Exec& reference);
  /// "" or the first difference; f32 may be off by work.bound where `bounded`. Pixels nearer than
  /// `rim` to an edge are not compared.
  std::string compare(size_t source, ConstAnyView got, bool bounded, int32_t rim = 0) const;
  /// The same for what Work::answer gives now.
  std::string compare_answer(size_t source) const;
  /// A call of the reference when it gave them, the mean over the sources.
  double ms() const { return ms_; }

 private:
  const Work& work_;
  std::vector<AnyImage> pictures_;
  std::vector<std::string> texts_;
  double ms_ = 0;
};

}  // namespace cuesta::bench
