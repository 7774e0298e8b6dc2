// The constant-velocity Kalman filter of SORT (Bewley et al. 2016, section 3.2) on [u, v, s, r]: a
// box's middle, its area and its aspect. Its noise is diagonal and its motion couples each of u, v
// and s with its own velocity alone, so the 7 x 7 filter is three filters of two numbers and one of
// one, with the same answers (tests/track holds it against the matrices).
#pragma once

#include <cmath>
#include <optional>

#include "track/geometry.hpp"

namespace cuesta::track {

/// A number and its velocity.
struct MovingNumber {
  double value, velocity = 0;
  double noise, velocity_noise;  ///< added in each step
  double variance = 10, velocity_variance = 1e4, covariance = 0;

  void predict() {
    value += velocity;
    variance += 2 * covariance + velocity_variance + noise;
    covariance += velocity_variance;
    velocity_variance += velocity_noise;
  }
  void update(double measured, double measured_variance) {
    const double sum = variance + measured_variance;
    const double gain = variance / sum, velocity_gain = covariance / sum;
    const double error = measured - value;
    value += gain * error;
    velocity += velocity_gain * error;
    velocity_variance -= velocity_gain * covariance;
    covariance *= 1 - gain;
    variance *= 1 - gain;
  }
};

/// SORT's constants, as its authors' program has them.
class BoxFilter {
 public:
  explicit BoxFilter(const Rect& box)
      : u_{.value = middle_of(box).x, .noise = 1, .velocity_noise = 0.01},
        v_{.value = middle_of(box).y, .noise = 1, .velocity_noise = 0.01},
        s_{.value = double(box.width) * box.height, .noise = 1, .velocity_noise = 1e-4},
        r_(double(box.width) / box.height) {}

  void predict() {
    if (s_.value + s_.velocity <= 0) s_.velocity = 0;
    u_.predict();
    v_.predict();
    s_.predict();
    r_variance_ += 1;
  }
  void update(const Rect& box) {
    u_.update(middle_of(box).x, 1);
    v_.update(middle_of(box).y, 1);
    s_.update(double(box.width) * box.height, 10);
    const double gain = r_variance_ / (r_variance_ + 10);
    r_ += gain * (double(box.width) / box.height - r_);
    r_variance_ *= 1 - gain;
  }
  /// The box that it stands for; nothing where area or aspect came to be 0 or less.
  std::optional<Box> box() const {
    if (!(s_.value > 0 && r_ > 0)) return std::nullopt;
    const double width = std::sqrt(s_.value * r_), height = s_.value / width;
    return Box{u_.value - width / 2, v_.value - height / 2, u_.value + width / 2,
               v_.value + height / 2};
  }
  /// Pixels a step.
  Point velocity() const { return {u_.velocity, v_.velocity}; }

 private:
  MovingNumber u_, v_, s_;
  double r_, r_variance_ = 10;
};

}  // namespace cuesta::track
