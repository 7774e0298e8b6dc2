// What becomes of the gradients of a pixel's channels: one gradient and its magnitude. Host and
// device.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "cuesta/border.hpp"
#include "cuesta/edges.hpp"
#include "ops/shared/gradient.hpp"

namespace cuesta::canny_channels {

using gradient::Gradient;  // whole numbers, or of f32 pictures floats
/// What holds |gx| + |gy| and gx² + gy². Squares of floats are exact in a double, so that sums of
/// two are rounded once, whether a compiler makes them by fma or not.
template <class G>
using Magnitude = std::conditional_t<std::is_same_v<G, float>, double, int64_t>;
template <class G, class M = Magnitude<G>>
struct Measured {
  Gradient<G> gradient;
  M magnitude = 0;
};

template <class M>
CUESTA_HOST_DEVICE constexpr M absolute(M v) {
  return v < 0 ? -v : v;
}

/// The gradient of the largest magnitude, the first of equal ones; 1 to 3 channels. M holds every
/// magnitude.
template <class M, class G>
CUESTA_HOST_DEVICE constexpr Measured<G, M> strongest(const Gradient<G>* channels, int32_t count,
                                                      Norm norm) {
  Measured<G, M> most;
  for (int32_t c = 0; c < count; ++c) {
    const M x = channels[c].x, y = channels[c].y;
    const M magnitude = norm == Norm::l1 ? absolute(x) + absolute(y) : x * x + y * y;
    if (c == 0 || magnitude > most.magnitude) most = {channels[c], magnitude};
  }
  return most;
}

/// √(a² + b²), floored of whole numbers: exactly where it is below 2^30, as of u8 pictures, beyond
/// from the double next to it.
CUESTA_HOST_DEVICE inline double hypotenuse(double a, double b) {
  return std::sqrt(std::fma(a, a, b * b));
}
CUESTA_HOST_DEVICE inline int64_t hypotenuse(int64_t a, int64_t b) {
  constexpr int64_t exact = int64_t{1} << 30;
  if (absolute(a) < exact && absolute(b) < exact) return gradient::floor_sqrt(a * a + b * b);
  return int64_t(hypotenuse(double(a), double(b)));
}

/// Of J = Σ (gx, gy)ᵀ (gx, gy) the largest eigenvalue, floored of whole numbers, and a vector in
/// the octant of its direction θ: tan 2θ = 2 Jxy / (Jxx − Jyy), so that octants end where the two
/// are equal. Gradients below 2^22, or floats.
template <class G>
CUESTA_HOST_DEVICE Measured<G> of_structure(const Gradient<G>* channels, int32_t count) {
  Magnitude<G> xx = 0, yy = 0, xy = 0;
  for (int32_t c = 0; c < count; ++c) {
    const Magnitude<G> x = channels[c].x, y = channels[c].y;
    xx += x * x;
    yy += y * y;
    xy += x * y;
  }
  const Magnitude<G> across = xx - yy, along = 2 * xy;
  const Magnitude<G> largest = (xx + yy + hypotenuse(across, along)) / 2;
  if (across > absolute(along)) return {{1, 0}, largest};
  if (-across > absolute(along)) return {{0, 1}, largest};
  return {{1, G(along < 0 ? -1 : 1)}, largest};
}

/// The one that the options ask for; M holds every magnitude.
template <class G, class M = Magnitude<G>>
CUESTA_HOST_DEVICE Measured<G, M> measure(const Gradient<G>* channels, int32_t count, Norm norm,
                                          ColorGradient color) {
  if (count != 3 || color != ColorGradient::structure) return strongest<M>(channels, count, norm);
  const Measured<G> found = of_structure(channels, count);
  return {found.gradient, M(found.magnitude)};
}

}  // namespace cuesta::canny_channels
