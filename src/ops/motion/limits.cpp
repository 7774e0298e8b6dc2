#include "ops/motion/limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "core/options.hpp"
#include "core/threads.hpp"
#include "ops/shared/background_models.hpp"

namespace cuesta::motion {
namespace {

template <class T>
void fill_limits(ConstAnyView thresholds, int32_t gray_level, ImageView<T> limits) {
  constexpr double most = std::numeric_limits<T>::max();
  for (int32_t y = 0; y < limits.height; ++y) {
    const float* from = thresholds.as<float>().row(y);
    T* to = limits.row(y);
    for (int32_t x = 0; x < limits.width; ++x)
      to[x] = T(std::min(std::floor(double(from[x]) * gray_level), most));
  }
}

template <class T>
void keep_row(const T* limits, T* difference, int32_t width) {
  for (int32_t x = 0; x < width; ++x)
    difference[x] = difference[x] > limits[x] ? difference[x] : T(0);
}

}  // namespace

void check_thresholds(ConstAnyView levels) {
  check_view(levels, "motion: levels", {PixelType::f32});
  if (levels.space != Space::host)
    throw_invalid("device", "motion: levels is on the device; it must be on the host");
  for (int32_t y = 0; y < levels.height; ++y) {
    for (int32_t x = 0; x < levels.width; ++x) {
      const float level = levels.as<float>().at(x, y);
      if (level >= 0 && std::isfinite(level)) continue;
      throw_invalid(text_of(double(level)),
                    "motion: the threshold of pixel ({}, {}) is {}; it must be finite, 0 or more",
                    x, y, level);
    }
  }
}

AnyImage limits_from(ConstAnyView thresholds, PixelType frames) {
  AnyImage limits(thresholds.size(), 1, frames);
  const int32_t gray_level = background::gray_level_of(frames);
  if (frames == PixelType::u16)
    fill_limits(thresholds, gray_level, limits.as<uint16_t>());
  else
    fill_limits(thresholds, gray_level, limits.as<uint8_t>());
  return limits;
}

void keep_above(const MotionArgs& args, AnyView difference, Call& call) {
#if CUESTA_HAS_CUDA
  if (args.space() == Space::device) return motion_cuda::keep_above(args, difference, call);
#endif
  parallel_rows(difference.height, call.threads(), [&](int32_t first, int32_t end) {
    for (int32_t y = first; y < end; ++y) {
      if (difference.type == PixelType::u16) {
        keep_row(args.limits.as<uint16_t>().row(y), difference.as<uint16_t>().row(y),
                 difference.width);
      } else {
        keep_row(args.limits.as<uint8_t>().row(y), difference.as<uint8_t>().row(y),
                 difference.width);
      }
    }
  });
}

}  // namespace cuesta::motion
