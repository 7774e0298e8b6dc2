// Strategy `plain`: the definition stage after stage through device memory, a thread a pixel, for
// u8 and u16: gradients in 32 bits, magnitudes and limits in 64. Hysteresis is sets of candidates,
// named by their first pixels.
#include <limits>

#include "cuda/each_pixel.cuh"
#include "cuda/union_find.cuh"
#include "cuesta/filter.hpp"
#include "ops/canny/cuda/device.cuh"
#include "ops/canny/reference.hpp"

namespace cuesta {
namespace {

using namespace canny_cuda;

enum Mark : uint8_t { none, candidate, strong };

struct Picture {
  DeviceImage<int32_t> gx, gy;      // divided by 16 for aperture 7 by measure()
  DeviceImage<int64_t> magnitude;   // 0 where the mask is
  DeviceImage<const uint8_t> mask;  // no data: everywhere
  DeviceImage<uint8_t> marks;
};

__device__ bool masked_out(const Picture& p, int32_t x, int32_t y) {
  return p.mask.data && p.mask.at(x, y) == 0;
}

__global__ void measure(Picture p, Norm norm, bool divides) {
  cuda::for_each_pixel(p.gx.width, p.gx.height, [&](int32_t x, int32_t y) {
    int32_t &gx = p.gx.at(x, y), &gy = p.gy.at(x, y);
    if (divides) gx = sixteenth(gx), gy = sixteenth(gy);
    const int64_t a = gx, b = gy;
    const int64_t magnitude =
        norm == Norm::l1 ? (a < 0 ? -a : a) + (b < 0 ? -b : b) : a * a + b * b;
    p.magnitude.at(x, y) = masked_out(p, x, y) ? 0 : magnitude;
  });
}

__global__ void count(Picture p, Norm norm, unsigned long long* bins) {
  cuda::for_each_pixel(p.gx.width, p.gx.height, [&](int32_t x, int32_t y) {
    if (masked_out(p, x, y)) return;
    int64_t m = p.magnitude.at(x, y);
    if (norm == Norm::l2) m = gradient::floor_sqrt(m);
    atomicAdd(bins + (m < canny_bins ? m : canny_bins - 1), 1ull);
  });
}

__global__ void suppress(Picture p, CannyLimits limits) {
  cuda::for_each_pixel(p.gx.width, p.gx.height, [&](int32_t x, int32_t y) {
    const auto at = [&](int32_t dx, int32_t dy) -> int64_t {
      const int32_t u = x + dx, v = y + dy;
      const bool inside = u >= 0 && v >= 0 && u < p.gx.width && v < p.gx.height;
      return inside ? p.magnitude.at(u, v) : 0;
    };
    const int64_t m = at(0, 0);
    bool largest = false;
    switch (gradient::octant<int64_t>(p.gx.at(x, y), p.gy.at(x, y))) {
      case 0: largest = m > at(-1, 0) && m >= at(1, 0); break;
      case 1: largest = m > at(-1, -1) && m > at(1, 1); break;
      case 2: largest = m > at(0, -1) && m >= at(0, 1); break;
      case 3: largest = m > at(1, -1) && m > at(-1, 1); break;
    }
    p.marks.at(x, y) = !largest || m <= limits.low ? none : m > limits.high ? strong : candidate;
  });
}

// ---- hysteresis: Node is wide enough to number all pixels

template <class Node>
__device__ Node node_at(const DeviceImage<uint8_t>& marks, int32_t x, int32_t y) {
  return Node(y) * marks.width + x;
}

template <class Node>
__global__ void start_sets(DeviceImage<uint8_t> marks, Node* parents) {
  cuda::for_each_pixel(marks.width, marks.height, [&](int32_t x, int32_t y) {
    const auto node = node_at<Node>(marks, x, y);
    if (marks.at(x, y) != none) parents[node] = node;
  });
}

// With all candidates that come before in raster order.
template <class Node>
__global__ void join_sets(DeviceImage<uint8_t> marks, Node* parents) {
  cuda::for_each_pixel(marks.width, marks.height, [&](int32_t x, int32_t y) {
    if (marks.at(x, y) == none) return;
    const auto join = [&](int32_t u, int32_t v) {
      if (u < 0 || v < 0 || u >= marks.width || marks.at(u, v) == none) return;
      cuda::unite(parents, node_at<Node>(marks, x, y), node_at<Node>(marks, u, v));
    };
    join(x - 1, y);
    join(x - 1, y - 1);
    join(x, y - 1);
    join(x + 1, y - 1);
  });
}

// Where one of a set is strong its root becomes so. Threads that meet there write one value, and a
// root that is read before or after that makes no difference.
template <class Node>
__global__ void raise_roots(DeviceImage<uint8_t> marks, Node* parents) {
  cuda::for_each_pixel(marks.width, marks.height, [&](int32_t x, int32_t y) {
    if (marks.at(x, y) != strong) return;
    const Node root = cuda::flatten(parents, node_at<Node>(marks, x, y));
    marks.at(int32_t(root % marks.width), int32_t(root / marks.width)) = strong;
  });
}

template <class Node>
__global__ void write(DeviceImage<uint8_t> marks, Node* parents, DeviceImage<uint8_t> dst) {
  cuda::for_each_pixel(marks.width, marks.height, [&](int32_t x, int32_t y) {
    uint8_t edge = 0;
    if (marks.at(x, y) != none) {
      const Node root = cuda::find(parents, node_at<Node>(marks, x, y));
      const int32_t u = int32_t(root % marks.width), v = int32_t(root / marks.width);
      edge = marks.at(u, v) == strong ? 255 : 0;
    }
    dst.at(x, y) = edge;
  });
}

// ---- the order of the stages

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const CannyArgs& args, Call& call,
            Arguments&&... arguments) {
  cuda::launch_each_pixel("canny", kernel, args.src.width, args.src.height, call,
                          std::forward<Arguments>(arguments)...);
}

// Smoothing and gradients by the public operations.
Picture gradients(const CannyArgs& args, Call& call) {
  const int32_t width = args.src.width, height = args.src.height;
  const Exec exec = call.nested();
  ConstAnyView seen = args.src;
  if (args.options.sigma > 0) {
    call.stage("gaussian");
    const AnyView smoothed = seen.type == PixelType::u8
                                 ? AnyView(cuda::device_image<uint8_t>(call, width, height))
                                 : AnyView(cuda::device_image<uint16_t>(call, width, height));
    gaussian(seen, smoothed, args.options.ksize, args.options.sigma, {BorderMode::reflect101},
             exec);
    seen = smoothed;
  }
  call.stage("sobel");
  const Picture p{cuda::device_image<int32_t>(call, width, height),
                  cuda::device_image<int32_t>(call, width, height),
                  cuda::device_image<int64_t>(call, width, height),
                  args.options.mask.as<uint8_t, Space::device>(),
                  cuda::device_image<uint8_t>(call, width, height)};
  sobel(seen, {.gx = p.gx, .gy = p.gy},
        {.aperture = args.options.aperture, .border = {BorderMode::replicate}}, exec);
  return p;
}

// The thresholds are the call's result: automatic ones are waited for.
CannyResult thresholds(const CannyArgs& args, const Picture& p, Call& call) {
  if (!args.options.thresholds.is_automatic) return canny_given(args.options);
  using Bin = unsigned long long;
  static_assert(sizeof(Bin) == sizeof(uint64_t));
  const cudaStream_t stream = cuda::stream_of(call);
  auto* bins = call.scratch().take<Bin>(canny_bins);
  cuda::check(cudaMemsetAsync(bins, 0, canny_bins * sizeof(Bin), stream), "canny");
  launch(count, args, call, p, args.options.norm, bins);
  Scratch host(call.nested(), Space::host);
  const std::span<uint64_t> counted(host.take<uint64_t>(canny_bins), canny_bins);
  cuda::check(cudaMemcpyAsync(counted.data(), bins, canny_bins * sizeof(Bin),
                              cudaMemcpyDeviceToHost, stream),
              "canny");
  cuda::check(cudaStreamSynchronize(stream), "canny");
  return canny_automatic(args.options, counted);
}

template <class Node>
void hysteresis(const CannyArgs& args, const DeviceImage<uint8_t>& marks, Call& call) {
  Node* parents = call.scratch().take<Node>(size_t(marks.width) * size_t(marks.height));
  launch(start_sets<Node>, args, call, marks, parents);
  launch(join_sets<Node>, args, call, marks, parents);
  launch(raise_roots<Node>, args, call, marks, parents);
  launch(write<Node>, args, call, marks, parents, args.dst.as<uint8_t, Space::device>());
}

}  // namespace

void canny_plain(const CannyArgs& args, Call& call) {
  const Picture p = gradients(args, call);
  call.stage("magnitude");
  launch(measure, args, call, p, args.options.norm, args.options.aperture == 7);
  call.stage("threshold");
  *args.result = thresholds(args, p, call);
  call.stage("suppression");
  launch(suppress, args, call, p, canny_limits(args, *args.result));
  call.stage("hysteresis");
  if (int64_t(args.src.width) * args.src.height <= int64_t(std::numeric_limits<int32_t>::max()) + 1)
    hysteresis<int32_t>(args, p.marks, call);
  else
    hysteresis<int64_t>(args, p.marks, call);
}

}  // namespace cuesta
