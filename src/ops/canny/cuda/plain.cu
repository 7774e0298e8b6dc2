// Strategy `plain`: the definition stage after stage through device memory, a thread a pixel, for
// u8 and u16 of one or three channels: gradients in 32 bits, magnitudes and limits in 64.
// Hysteresis is sets of candidates, named by their first pixels.
#include <span>

#include "cuda/launch.cuh"
#include "cuda/marks.cuh"
#include "cuesta/filter.hpp"
#include "ops/canny/channels.hpp"
#include "ops/canny/cuda.hpp"
#include "ops/canny/cuda/device.cuh"
#include "ops/canny/suppression.hpp"

namespace cuesta {
namespace {

using namespace canny_cuda;

struct Picture {
  int32_t channels;
  DeviceImage<int32_t> gx[3], gy[3];  // of each channel; Measure leaves the pixel's in the first
  DeviceImage<int64_t> magnitude;     // 0 where the mask is
  DeviceImage<const uint8_t> mask;    // no data: everywhere
  DeviceImage<uint8_t> marks;
};

// ---- stages: what a thread does with its pixel

template <class T>
struct TakeChannel {
  DeviceImage<const T> src;
  DeviceImage<T> plane;
  int32_t channel;

  __device__ void operator()(int32_t x, int32_t y) const {
    plane.at(x, y) = src.row(y)[int64_t(x) * src.channels + channel];
  }
};

struct Measure {
  Picture p;
  Norm norm;
  ColorGradient color;
  bool divides;

  __device__ void operator()(int32_t x, int32_t y) const {
    canny_channels::Gradient of[3];
    for (int32_t c = 0; c < p.channels; ++c) {
      of[c] = {p.gx[c].at(x, y), p.gy[c].at(x, y)};
      if (divides) of[c] = {sixteenth(of[c].x), sixteenth(of[c].y)};
    }
    const auto found = canny_channels::measure(of, p.channels, norm, color);
    p.gx[0].at(x, y) = found.gradient.x;
    p.gy[0].at(x, y) = found.gradient.y;
    p.magnitude.at(x, y) = p.mask.data && p.mask.at(x, y) == 0 ? 0 : found.magnitude;
  }
};

struct Count {
  Picture p;
  Norm norm;
  int32_t first, end;  // rows
  unsigned long long* bins;

  __device__ void operator()(int32_t x, int32_t y) const {
    if (y < first || y >= end) return;
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
    const bool inside = x >= 0 && y >= 0 && x < p.gx[0].width && y < p.gx[0].height;
    return inside ? p.magnitude.at(x, y) : 0;
  }
  __device__ void operator()(int32_t x, int32_t y) const {
    const int64_t m = at(x, y);
    const uint8_t octant = gradient::octant<int64_t>(p.gx[0].at(x, y), p.gy[0].at(x, y));
    const bool largest =
        canny_is_maximum(octant, [&](int dx, int dy) { return at(x + dx, y + dy); });
    p.marks.at(x, y) = !largest || m <= limits.low ? cuda::no_mark
                       : m > limits.high           ? cuda::strong_mark
                                                   : cuda::candidate_mark;
  }
};

// Marks of a band as the host keeps them (CannyBand), a word of candidates and one of strong pixels
// a thread.
struct Pack {
  DeviceImage<const uint8_t> marks;
  int32_t words, first;
  uint64_t* packed;

  __device__ void operator()(int32_t word, int32_t row) const {
    uint64_t candidates = 0, strong = 0;
    const int32_t begin = word * 64;
    for (int32_t x = begin; x < marks.width && x < begin + 64; ++x) {
      const uint8_t mark = marks.at(x, first + row);
      candidates |= uint64_t(mark != cuda::no_mark) << (x - begin);
      strong |= uint64_t(mark == cuda::strong_mark) << (x - begin);
    }
    uint64_t* to = packed + int64_t(row) * 2 * words + word;
    to[0] = candidates;
    to[words] = strong;
  }
};

// ---- the order of the stages

template <class Body>
void each_pixel(const CannyArgs& args, Call& call, const Body& body) {
  cuda::for_each_pixel("canny", args.src.width, args.src.height, body, call);
}

AnyView image_like(ConstAnyView src, int32_t channels, Call& call) {
  if (src.type == PixelType::u8)
    return call.scratch().image<uint8_t, Space::device>(src.width, src.height, channels);
  return call.scratch().image<uint16_t, Space::device>(src.width, src.height, channels);
}

template <class T>
void take_channel(const CannyArgs& args, ConstAnyView src, int32_t channel, AnyView plane,
                  Call& call) {
  each_pixel(args, call,
             TakeChannel<T>{src.as<T, Space::device>(), plane.as<T, Space::device>(), channel});
}

// Smoothing and gradients by the public operations, channel after channel.
Picture gradients(const CannyArgs& args, Call& call) {
  const int32_t width = args.src.width, height = args.src.height;
  const Exec exec = call.nested();
  ConstAnyView seen = args.src;
  if (args.options.sigma > 0) {
    call.stage("gaussian");
    const AnyView smoothed = image_like(seen, seen.channels, call);
    gaussian(seen, smoothed, {.sigma = args.options.sigma, .ksize = args.options.ksize}, exec);
    seen = smoothed;
  }
  call.stage("sobel");
  Picture p{.channels = seen.channels,
            .magnitude = device_image<int64_t>(call, width, height),
            .mask = args.options.mask.as<uint8_t, Space::device>(),
            .marks = device_image<uint8_t>(call, width, height)};
  const AnyView plane = seen.channels > 1 ? image_like(seen, 1, call) : AnyView();
  for (int32_t c = 0; c < seen.channels; ++c) {
    p.gx[c] = device_image<int32_t>(call, width, height);
    p.gy[c] = device_image<int32_t>(call, width, height);
    if (plane) {
      seen.type == PixelType::u8 ? take_channel<uint8_t>(args, seen, c, plane, call)
                                 : take_channel<uint16_t>(args, seen, c, plane, call);
    }
    sobel(plane ? ConstAnyView(plane) : seen, {.gx = p.gx[c], .gy = p.gy[c]},
          {.aperture = args.options.aperture, .border = {BorderMode::replicate}}, exec);
  }
  return p;
}

using Bin = unsigned long long;
static_assert(sizeof(Bin) == sizeof(uint64_t));

std::span<const Bin> bins_of_rows(const CannyArgs& args, const Picture& p, int32_t first,
                                  int32_t end, Scratch& host, Call& call) {
  return counted_bins<Bin>(canny_bins, host, call, [&](Bin* bins) {
    each_pixel(args, call, Count{p, args.options.norm, first, end, bins});
  });
}

// The thresholds are the call's result: automatic ones are waited for.
CannyResult thresholds(const CannyArgs& args, const Picture& p, Call& call) {
  if (!args.options.thresholds.is_automatic()) return canny_given(args.options);
  Scratch host(call.nested(), Space::host);
  const auto counted = bins_of_rows(args, p, 0, args.src.height, host, call);
  const std::span<uint64_t> bins(host.take<uint64_t>(canny_bins), canny_bins);
  std::copy(counted.begin(), counted.end(), bins.begin());
  return canny_automatic(args.options, bins);
}

void give_marks(const CannyArgs& args, const Picture& p, Call& call) {
  const CannyBand& band = *args.band;
  const int32_t words = canny_words(args.src.width), rows = band.end - band.first;
  const size_t all = size_t(2) * size_t(words) * size_t(rows);
  auto* packed = call.scratch().take<uint64_t>(all);
  cuda::for_each_pixel("canny", words, rows, Pack{p.marks, words, band.first, packed}, call);
  const cudaStream_t stream = cuda::stream_of(call);
  cuda::check(
      cudaMemcpyAsync(band.marks, packed, all * sizeof(uint64_t), cudaMemcpyDeviceToHost, stream),
      "canny");
  cuda::check(cudaStreamSynchronize(stream), "canny");
}

}  // namespace

void canny_cuda::plain(const CannyArgs& args, Call& call) {
  const Picture p = gradients(args, call);
  call.stage("magnitude");
  each_pixel(args, call,
             Measure{p, args.options.norm, args.options.color, args.options.aperture == 7});
  if (args.band && args.band->bins) {
    Scratch host(call.nested(), Space::host);
    return add_bins(bins_of_rows(args, p, args.band->first, args.band->end, host, call),
                    *args.band);
  }
  call.stage("threshold");
  *args.result = thresholds(args, p, call);
  call.stage("suppression");
  each_pixel(args, call, Suppress{p, canny_limits(args, *args.result)});
  if (args.band) return give_marks(args, p, call);
  call.stage("hysteresis");
  cuda::join_marks("canny", p.marks, args.dst.as<uint8_t, Space::device>(),
                   call.parameters().text("numbers") == "64", call);
}

}  // namespace cuesta
