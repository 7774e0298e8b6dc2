// Strategy `plain`: the definition stage after stage through device memory, a thread a pixel, for
// u8, u16 and f32 of one or three channels: gradients in 32 bits, magnitudes and limits in 64.
// Hysteresis is sets of candidates, named by their first pixels.
#include <span>

#include "cuda/launch.cuh"
#include "cuda/marks.cuh"
#include "cuesta/filter.hpp"
#include "ops/canny/channels.hpp"
#include "ops/canny/cuda.hpp"
#include "ops/canny/cuda/device.cuh"
#include "ops/canny/fractions.hpp"
#include "ops/canny/strength.hpp"
#include "ops/canny/suppression.hpp"

namespace cuesta {
namespace {

using namespace canny_cuda;

// Of gradients G: int32_t, or float of f32 sources.
template <class G>
struct Picture {
  using Magnitude = canny_channels::Magnitude<G>;

  int32_t channels;
  DeviceImage<G> gx[3], gy[3];       // of each channel; Measure leaves the pixel's in the first
  DeviceImage<Magnitude> magnitude;  // 0 where the mask is
  DeviceImage<const uint8_t> mask;   // no data: everywhere
  DeviceImage<uint8_t> marks;
  bool by_length;  // canny_thins_by_length()

  /// What thresholds compare.
  __device__ Magnitude size(int32_t x, int32_t y) const {
    const Magnitude own = magnitude.at(x, y);
    if constexpr (std::is_same_v<G, float>)
      if (by_length) return canny_sum_of(own, gx[0].at(x, y), gy[0].at(x, y));
    return own;
  }
};

// ---- stages: what a thread does with its pixel

template <class G>
struct Measure {
  Picture<G> p;
  Norm norm;
  ColorGradient color;
  bool divides;

  __device__ void operator()(int32_t x, int32_t y) const {
    canny_channels::Gradient<G> of[3];
    for (int32_t c = 0; c < p.channels; ++c) {
      of[c] = {p.gx[c].at(x, y), p.gy[c].at(x, y)};
      if constexpr (std::is_same_v<G, int32_t>)
        if (divides) of[c] = {sixteenth(of[c].x), sixteenth(of[c].y)};
    }
    const auto found = canny_channels::measure(of, p.channels, norm, color);
    p.gx[0].at(x, y) = found.gradient.x;
    p.gy[0].at(x, y) = found.gradient.y;
    p.magnitude.at(x, y) = p.mask.data && p.mask.at(x, y) == 0 ? 0 : found.magnitude;
  }
};

template <class G>
struct Count {
  Picture<G> p;
  Norm norm;
  int32_t first, end;  // rows
  unsigned long long* bins;

  __device__ void operator()(int32_t x, int32_t y) const {
    if (y < first || y >= end) return;
    if (p.mask.data && p.mask.at(x, y) == 0) return;
    const int32_t bin = canny_bin(p.size(x, y), norm);
    if (bin >= 0) atomicAdd(bins + bin, 1ull);
  }
};

template <class G>
struct Suppress {
  using Magnitude = typename Picture<G>::Magnitude;
  Picture<G> p;
  BasicCannyLimits<Magnitude> limits;

  __device__ Magnitude at(int32_t x, int32_t y) const {
    const bool inside = x >= 0 && y >= 0 && x < p.gx[0].width && y < p.gx[0].height;
    return inside ? p.magnitude.at(x, y) : 0;
  }
  __device__ void operator()(int32_t x, int32_t y) const {
    const Magnitude m = p.size(x, y);
    const uint8_t octant = canny_octant(p.gx[0].at(x, y), p.gy[0].at(x, y));
    const bool largest =
        canny_is_maximum(octant, [&](int dx, int dy) { return at(x + dx, y + dy); });
    p.marks.at(x, y) = !largest || m <= limits.low ? cuda::no_mark
                       : m > limits.high           ? cuda::strong_mark
                                                   : cuda::candidate_mark;
  }
};

// The strengths of maxima, 0 elsewhere.
template <class G, class S>
struct Strengths {
  Suppress<G> maxima;
  Norm norm;
  bool divides;
  DeviceImage<S> dst;

  __device__ void operator()(int32_t x, int32_t y) const {
    const auto& p = maxima.p;
    const auto m = p.size(x, y);
    const uint8_t octant = canny_octant(p.gx[0].at(x, y), p.gy[0].at(x, y));
    const bool largest =
        canny_is_maximum(octant, [&](int dx, int dy) { return maxima.at(x + dx, y + dy); });
    dst.at(x, y) = largest ? S(canny_strength(m, norm, divides)) : S(0);
  }
};

// Marks of a band as the host keeps them (CannyBandMarks), a word of candidates and one of strong
// pixels a thread.
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
  Scratch& scratch = call.scratch();
  switch (src.type) {
    case PixelType::u8:
      return scratch.image<uint8_t, Space::device>(src.width, src.height, channels);
    case PixelType::u16:
      return scratch.image<uint16_t, Space::device>(src.width, src.height, channels);
    default: return scratch.image<float, Space::device>(src.width, src.height, channels);
  }
}

void take_channel(const CannyArgs& args, ConstAnyView src, int32_t channel, AnyView plane,
                  Call& call) {
  const auto take = [&]<class T>(T) {
    each_pixel(args, call,
               TakeChannel<T>{src.as<T, Space::device>(), plane.as<T, Space::device>(), channel});
  };
  switch (src.type) {
    case PixelType::u8: return take(uint8_t{});
    case PixelType::u16: return take(uint16_t{});
    default: return take(float{});
  }
}

// One of the gradients that were given.
template <class G>
void take_gradient(const CannyArgs& args, ConstAnyView gradient, int32_t channel,
                   DeviceImage<G> plane, Call& call) {
  using From = std::conditional_t<std::is_same_v<G, float>, float, int16_t>;
  each_pixel(args, call, TakeChannel<From, G>{gradient.as<From, Space::device>(), plane, channel});
}

// Smoothing and gradients by the public operations, channel after channel; or those given.
template <class G>
Picture<G> gradients(const CannyArgs& args, Call& call) {
  const int32_t width = args.src.width, height = args.src.height;
  const Exec exec = call.nested();
  ConstAnyView seen = args.src;
  if (args.options.sigma > 0) {
    call.stage("gaussian");
    const AnyView smoothed = image_like(seen, seen.channels, call);
    gaussian(seen, smoothed, {.sigma = *args.options.sigma, .ksize = args.options.ksize}, exec);
    seen = smoothed;
  }
  if (!args.gy) call.stage("sobel");
  Picture<G> p{.channels = seen.channels,
               .magnitude = device_image<canny_channels::Magnitude<G>>(call, width, height),
               .mask = args.options.mask.as<uint8_t, Space::device>(),
               .marks = device_image<uint8_t>(call, width, height),
               .by_length = canny_thins_by_length(args)};
  const AnyView plane = seen.channels > 1 && !args.gy ? image_like(seen, 1, call) : AnyView();
  for (int32_t c = 0; c < seen.channels; ++c) {
    p.gx[c] = device_image<G>(call, width, height);
    p.gy[c] = device_image<G>(call, width, height);
    if (args.gy) {
      take_gradient(args, args.src, c, p.gx[c], call);
      take_gradient(args, args.gy, c, p.gy[c], call);
      continue;
    }
    if (plane) take_channel(args, seen, c, plane, call);
    sobel(plane ? ConstAnyView(plane) : seen, {.gx = p.gx[c], .gy = p.gy[c]},
          {.aperture = args.options.aperture, .border = {BorderMode::replicate}}, exec);
  }
  return p;
}

using Bin = unsigned long long;
static_assert(sizeof(Bin) == sizeof(uint64_t));

template <class G>
void give_marks(const CannyArgs& args, const Picture<G>& p, Call& call) {
  const CannyBand& band = *args.band;
  const int32_t words = canny_words(args.src.width), rows = band.end - band.first;
  const size_t all = size_t(2) * size_t(words) * size_t(rows);
  auto* packed = call.scratch().take<uint64_t>(all);
  cuda::for_each_pixel("canny", words, rows, Pack{p.marks, words, band.first, packed}, call);
  const cudaStream_t stream = cuda::stream_of(call);
  cuda::check(cudaMemcpyAsync(band.marks()->words, packed, all * sizeof(uint64_t),
                              cudaMemcpyDeviceToHost, stream),
              "canny");
  cuda::check(cudaStreamSynchronize(stream), "canny");
}

template <class G, class S>
void give_strengths(const CannyArgs& args, const Picture<G>& p, Call& call) {
  call.stage("suppression");
  each_pixel(
      args, call,
      Strengths<G, S>{
          {p, {}}, args.options.norm, args.options.aperture == 7, args.dst.as<S, Space::device>()});
}

template <class G>
void run(const CannyArgs& args, Call& call) {
  const Picture<G> p = gradients<G>(args, call);
  call.stage("magnitude");
  each_pixel(
      args, call,
      Measure<G>{p, canny_thinning_norm(args), args.options.color, args.options.aperture == 7});
  const auto count = [&](int32_t first, int32_t end) {
    return [&, first, end](Bin* bins) {
      each_pixel(args, call, Count<G>{p, args.options.norm, first, end, bins});
    };
  };
  if (args.band && args.band->bins()) {
    Scratch host(call.nested(), Space::host);
    const auto rows = count(args.band->first, args.band->end);
    return add_bins(counted_bins<Bin>(canny_bins, host, call, rows), *args.band->bins());
  }
  if (args.makes_strengths())
    return args.dst.type == PixelType::u16 ? give_strengths<G, uint16_t>(args, p, call)
                                           : give_strengths<G, float>(args, p, call);
  call.stage("threshold");
  find_thresholds<Bin>(args, canny_bins, call, count(0, args.src.height));
  call.stage("suppression");
  using Magnitude = typename Picture<G>::Magnitude;
  each_pixel(args, call, Suppress<G>{p, canny_limits_in<Magnitude>(args, *args.result)});
  if (args.band) return give_marks(args, p, call);
  call.stage("hysteresis");
  cuda::join_marks("canny", p.marks, args.dst.as<uint8_t, Space::device>(),
                   call.parameters().text("numbers") == "64", call);
}

}  // namespace

void canny_cuda::plain(const CannyArgs& args, Call& call) {
  canny_has_floats(args) ? run<float>(args, call) : run<int32_t>(args, call);
}

}  // namespace cuesta
