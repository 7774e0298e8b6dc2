// Strategy `plain`: the definition stage after stage through device memory, a thread a pixel, for
// u8 and u16: gradients in 32 bits, magnitudes and limits in 64. Hysteresis is sets of candidates,
// named by their first pixels.
#include <span>

#include "cuda/launch.cuh"
#include "cuda/union_find.cuh"
#include "cuesta/filter.hpp"
#include "ops/canny/cuda.hpp"
#include "ops/canny/cuda/device.cuh"
#include "ops/canny/suppression.hpp"

namespace cuesta {
namespace {

using namespace canny_cuda;

enum Mark : uint8_t { none, candidate, strong };

struct Picture {
  DeviceImage<int32_t> gx, gy;      // divided by 16 for aperture 7 by Measure
  DeviceImage<int64_t> magnitude;   // 0 where the mask is
  DeviceImage<const uint8_t> mask;  // no data: everywhere
  DeviceImage<uint8_t> marks;
};

// ---- stages: what a thread does with its pixel

struct Measure {
  Picture p;
  Norm norm;
  bool divides;

  __device__ void operator()(int32_t x, int32_t y) const {
    int32_t &gx = p.gx.at(x, y), &gy = p.gy.at(x, y);
    if (divides) gx = sixteenth(gx), gy = sixteenth(gy);
    const int64_t a = gx, b = gy;
    const bool outside = p.mask.data && p.mask.at(x, y) == 0;
    p.magnitude.at(x, y) = outside            ? 0
                           : norm == Norm::l1 ? (a < 0 ? -a : a) + (b < 0 ? -b : b)
                                              : a * a + b * b;
  }
};

struct Count {
  Picture p;
  Norm norm;
  unsigned long long* bins;

  __device__ void operator()(int32_t x, int32_t y) const {
    if (p.mask.data && p.mask.at(x, y) == 0) return;
    int64_t m = p.magnitude.at(x, y);
    if (norm == Norm::l2) m = gradient::floor_sqrt(m);
    atomicAdd(bins + (m < canny_bins ? m : canny_bins - 1), 1ull);
  }
};

struct Suppress {
  Picture p;
  CannyLimits limits;

  __device__ int64_t at(int32_t x, int32_t y) const {
    const bool inside = x >= 0 && y >= 0 && x < p.gx.width && y < p.gx.height;
    return inside ? p.magnitude.at(x, y) : 0;
  }
  __device__ void operator()(int32_t x, int32_t y) const {
    const int64_t m = at(x, y);
    const uint8_t octant = gradient::octant<int64_t>(p.gx.at(x, y), p.gy.at(x, y));
    const bool largest =
        canny_is_maximum(octant, [&](int dx, int dy) { return at(x + dx, y + dy); });
    p.marks.at(x, y) = !largest || m <= limits.low ? none : m > limits.high ? strong : candidate;
  }
};

// ---- hysteresis: sets of candidates, a node each; Node is wide enough to number all pixels

template <class Node>
struct Sets {
  DeviceImage<uint8_t> marks;
  Node* parents;

  __device__ bool has(int32_t x, int32_t y) const { return marks.at(x, y) != none; }
  __device__ Node node(int32_t x, int32_t y) const { return Node(y) * marks.width + x; }
  __device__ uint8_t& mark(Node node) const {
    return marks.at(int32_t(node % marks.width), int32_t(node / marks.width));
  }
};

template <class Node>
struct Start {
  Sets<Node> sets;
  __device__ void operator()(int32_t x, int32_t y) const {
    if (sets.has(x, y)) sets.parents[sets.node(x, y)] = sets.node(x, y);
  }
};

// With all candidates that come before in raster order.
template <class Node>
struct Join {
  Sets<Node> sets;
  __device__ void with(Node here, int32_t x, int32_t y) const {
    if (x >= 0 && y >= 0 && x < sets.marks.width && sets.has(x, y))
      cuda::unite(sets.parents, here, sets.node(x, y));
  }
  __device__ void operator()(int32_t x, int32_t y) const {
    if (!sets.has(x, y)) return;
    const Node here = sets.node(x, y);
    with(here, x - 1, y);
    with(here, x - 1, y - 1);
    with(here, x, y - 1);
    with(here, x + 1, y - 1);
  }
};

// Where one of a set is strong its root becomes so. All threads that write there write one value,
// and it makes no difference whether a root's own thread reads it before or after.
template <class Node>
struct Raise {
  Sets<Node> sets;
  __device__ void operator()(int32_t x, int32_t y) const {
    if (sets.marks.at(x, y) == strong)
      sets.mark(cuda::flatten(sets.parents, sets.node(x, y))) = strong;
  }
};

template <class Node>
struct Write {
  Sets<Node> sets;
  DeviceImage<uint8_t> dst;
  __device__ void operator()(int32_t x, int32_t y) const {
    const bool edge =
        sets.has(x, y) && sets.mark(cuda::find(sets.parents, sets.node(x, y))) == strong;
    dst.at(x, y) = edge ? 255 : 0;
  }
};

// ---- the order of the stages

template <class Body>
void each_pixel(const CannyArgs& args, Call& call, const Body& body) {
  cuda::for_each_pixel("canny", args.src.width, args.src.height, body, call);
}

// Smoothing and gradients by the public operations.
Picture gradients(const CannyArgs& args, Call& call) {
  const int32_t width = args.src.width, height = args.src.height;
  const Exec exec = call.nested();
  ConstAnyView seen = args.src;
  if (args.options.sigma > 0) {
    call.stage("gaussian");
    const AnyView smoothed = seen.type == PixelType::u8
                                 ? AnyView(device_image<uint8_t>(call, width, height))
                                 : AnyView(device_image<uint16_t>(call, width, height));
    gaussian(seen, smoothed, {.sigma = args.options.sigma, .ksize = args.options.ksize}, exec);
    seen = smoothed;
  }
  call.stage("sobel");
  const Picture p{
      device_image<int32_t>(call, width, height), device_image<int32_t>(call, width, height),
      device_image<int64_t>(call, width, height), args.options.mask.as<uint8_t, Space::device>(),
      device_image<uint8_t>(call, width, height)};
  sobel(seen, {.gx = p.gx, .gy = p.gy},
        {.aperture = args.options.aperture, .border = {BorderMode::replicate}}, exec);
  return p;
}

// The thresholds are the call's result: automatic ones are waited for.
CannyResult thresholds(const CannyArgs& args, const Picture& p, Call& call) {
  if (!args.options.thresholds.is_automatic()) return canny_given(args.options);
  using Bin = unsigned long long;
  static_assert(sizeof(Bin) == sizeof(uint64_t));
  const cudaStream_t stream = cuda::stream_of(call);
  auto* bins = call.scratch().take<Bin>(canny_bins);
  cuda::check(cudaMemsetAsync(bins, 0, canny_bins * sizeof(Bin), stream), "canny");
  each_pixel(args, call, Count{p, args.options.norm, bins});
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
  const auto pixels = size_t(marks.width) * size_t(marks.height);
  const Sets<Node> sets{marks, call.scratch().take<Node>(pixels)};
  each_pixel(args, call, Start<Node>{sets});
  each_pixel(args, call, Join<Node>{sets});
  each_pixel(args, call, Raise<Node>{sets});
  each_pixel(args, call, Write<Node>{sets, args.dst.as<uint8_t, Space::device>()});
}

}  // namespace

void canny_cuda::plain(const CannyArgs& args, Call& call) {
  const Picture p = gradients(args, call);
  call.stage("magnitude");
  each_pixel(args, call, Measure{p, args.options.norm, args.options.aperture == 7});
  call.stage("threshold");
  *args.result = thresholds(args, p, call);
  call.stage("suppression");
  each_pixel(args, call, Suppress{p, canny_limits(args, *args.result)});
  call.stage("hysteresis");
  const int64_t pixels = int64_t(args.src.width) * args.src.height;
  if (pixels > int64_t(1) << 31 || call.parameters().text("numbers") == "64")
    hysteresis<int64_t>(args, p.marks, call);
  else
    hysteresis<int32_t>(args, p.marks, call);
}

}  // namespace cuesta
