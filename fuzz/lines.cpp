// Lines of drawn pictures: refused by cuesta::Error, or points inside the picture, finite and the
// same whatever the number of threads.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "cuesta/error.hpp"
#include "cuesta/lines.hpp"
#include "lines/options.hpp"
#include "ops/canny/options.hpp"
#include "ops/log/options.hpp"
#include "verify/draw.hpp"

namespace {

using namespace cuesta;

void check(const Polylines& lines, const Polylines& again, int32_t width, int32_t height) {
  if (lines != again) std::abort();
  for (const Polyline& line : lines) {
    if (line.points.empty() || !std::isfinite(line.length) || !std::isfinite(line.strength))
      std::abort();
    for (const LinePoint& point : line.points) {
      // A point is at most a pixel beside the one that it is of.
      if (!(point.x >= -1 && point.x <= width && point.y >= -1 && point.y <= height) ||
          !std::isfinite(point.strength))
        std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  verify::Bytes bytes({data, size});
  const bool by_log = bytes.below(2) == 1;
  const auto how = verify::draw_options<TraceOptions>(bytes);
  const auto canny = verify::draw_options<CannyOptions>(bytes);
  const auto log = verify::draw_options<LogOptions>(bytes);
  Image<uint8_t> picture(1 + bytes.below(64), 1 + bytes.below(64));
  const uint8_t step = uint8_t(1 + bytes.below(8));
  for (int32_t y = 0; y < picture.height(); ++y)  // patches: noise has no long edges
    for (int32_t x = 0; x < picture.width(); ++x)
      picture.at(x, y) =
          x % step || y % step ? picture.at(x - x % step, y - y % step) : bytes.next();
  try {
    const auto traced = [&](int threads) {
      const Exec exec{.threads = threads};
      return by_log ? trace(picture, log, how, exec) : trace(picture, canny, how, exec);
    };
    const Polylines once = traced(1);
    check(once, traced(3), picture.width(), picture.height());
  } catch (const Error&) {
  }
  return 0;
}
