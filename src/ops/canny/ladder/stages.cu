// Paper 001's stages after the convolutions: magnitude and direction, non-maximum suppression,
// double threshold, each a launch with a thread a pixel. Suppression writes a picture of its own,
// as the paper's does against the race of working in place. Theirs takes arctan and a root of
// floats and compares rounded angles; ours compares integers, so that every strategy agrees. In
// theirs this array of the suppression's goes over the host, N² integers there and N² back, and
// takes a share of the time that the kernel does not explain. suppression=cpu makes that journey:
// magnitudes and directions to the host, the suppression there by its threads, maxima back, the
// host waiting meanwhile; suppression=copied has theirs, a kernel whose array goes to the host and
// back; suppression=gpu keeps all on the GPU.
// Bytes a pixel: magnitude 4 + 5 (gx, gy in; magnitude, direction out), suppression 5 + 4
// (neighbours from the caches; over the bus, where it goes over the host), threshold 4 + 1.
#include "ops/canny/ladder/stages.cuh"

#include "cuesta/device.hpp"
#include "ops/canny/ladder/hysteresis.cuh"
#include "ops/canny/suppression.hpp"

namespace cuesta::canny_ladder {
namespace {

struct Measured {
  DeviceImage<int32_t> magnitude;   // 0 where the mask is
  DeviceImage<uint8_t> direction;   // octants, as sobel's
  DeviceImage<const uint8_t> mask;  // no data: everywhere
  Norm norm;
};

__global__ void measure(Gradients g, Measured m) {
  const auto [x, y] = this_pixel();
  if (!inside(m.magnitude, {x, y})) return;
  const int32_t gx = g.gx.at(x, y), gy = g.gy.at(x, y);
  const bool outside = m.mask.data && m.mask.at(x, y) == 0;
  m.magnitude.at(x, y) = outside ? 0 : magnitude(gx, gy, m.norm);
  m.direction.at(x, y) = gradient::octant<int32_t>(gx, gy);  // |g| is below 2^14
}

// The magnitude where it is a maximum along its gradient, else 0.
__global__ void suppress(Measured m, DeviceImage<int32_t> maxima) {
  const auto [x, y] = this_pixel();
  if (!inside(maxima, {x, y})) return;
  const auto at = [&](int dx, int dy) { return at_or_zero(m.magnitude, x + dx, y + dy); };
  maxima.at(x, y) = canny_is_maximum(m.direction.at(x, y), at) ? m.magnitude.at(x, y) : 0;
}

// The same by the host, for it and from it.
void suppress_on_host(const Measured& m, const DeviceImage<int32_t>& maxima, Call& call) {
  const int32_t width = maxima.width, height = maxima.height;
  Scratch host(call.nested(), Space::host);
  const auto magnitude = host.image<int32_t>(width, height);
  const auto direction = host.image<uint8_t>(width, height);
  const auto found = host.image<int32_t>(width, height);
  download(m.direction, direction, call.stream());
  download(m.magnitude, magnitude, call.stream());
  parallel_rows(height, call.threads(), [&](int32_t first, int32_t end) {
    for (int32_t y = first; y < end; ++y) {
      for (int32_t x = 0; x < width; ++x) {
        const auto at = [&](int dx, int dy) {
          return inside(magnitude, {x + dx, y + dy}) ? magnitude.at(x + dx, y + dy) : 0;
        };
        found.at(x, y) = canny_is_maximum(direction.at(x, y), at) ? magnitude.at(x, y) : 0;
      }
    }
  });
  upload(found, maxima, call.stream());
  wait(call.stream());  // `found` goes
}

// Theirs: what the kernel wrote, to the host and back.
void copy_over_host(const DeviceImage<int32_t>& maxima, Call& call) {
  Scratch host(call.nested(), Space::host);
  const auto copied = host.image<int32_t>(maxima.width, maxima.height);
  download(maxima, copied, call.stream());
  upload(copied, maxima, call.stream());
  wait(call.stream());  // `copied` goes
}

__global__ void count(Measured m, uint32_t* bins) {
  const auto [x, y] = this_pixel();
  if (!inside(m.magnitude, {x, y}) || (m.mask.data && m.mask.at(x, y) == 0)) return;
  atomicAdd(bins + bin_of(m.magnitude.at(x, y), m.norm), 1u);
}

__global__ void compare(DeviceImage<int32_t> maxima, Limits limits, Marks marks) {
  const auto [x, y] = this_pixel();
  if (!inside(marks, {x, y})) return;
  const int32_t m = maxima.at(x, y);
  marks.at(x, y) = m <= limits.low ? none : m <= limits.high ? candidate : strong;
}

}  // namespace

void finish(const CannyArgs& args, const Gradients& g, dim3 block, Call& call) {
  const int32_t width = args.src.width, height = args.src.height;
  const Measured measured{device_image<int32_t>(call, width, height),
                          device_image<uint8_t>(call, width, height),
                          args.options.mask.as<uint8_t, Space::device>(), args.options.norm};
  const auto maxima = device_image<int32_t>(call, width, height);
  const Marks marks = device_image<uint8_t>(call, width, height);

  call.stage("magnitude");
  for_pixels(marks, block, call, measure, g, measured);
  call.stage("suppression");
  const std::string_view suppression = call.parameters().text("suppression");
  if (suppression == "cpu")
    suppress_on_host(measured, maxima, call);
  else
    for_pixels(marks, block, call, suppress, measured, maxima);
  if (suppression == "copied") copy_over_host(maxima, call);
  call.stage("threshold");
  find_thresholds<uint32_t>(args, bins_of(args), call, [&](uint32_t* bins) {
    for_pixels(marks, block, call, count, measured, bins);
  });
  for_pixels(marks, block, call, compare, maxima, limits_of(args), marks);
  run_hysteresis(hysteresis_named(call.parameters().text("hysteresis")), marks, args.dst, block,
                 call);
}

}  // namespace cuesta::canny_ladder
