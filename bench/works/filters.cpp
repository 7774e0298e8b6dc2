#include "bench/works/filters.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "cuesta/filter.hpp"
#include "verify/patterns.hpp"

namespace cuesta::bench {
namespace {

// Rungs that do not work on the factors sum f32 in another order (src/ops/convolve/README.md).
double bound_of(const Stencil& stencil) {
  double sum = 0;
  for (int y = 0; y < stencil.height(); ++y)
    for (int x = 0; x < stencil.width(); ++x) sum += std::fabs(stencil.tap(x, y));
  return 2e-5 * 255 * sum;
}

}  // namespace

Stencil full_rank_stencil(int n, int most, int64_t divisor) {
  verify::Random random(static_cast<uint64_t>(n));
  std::vector<int32_t> taps;
  for (int i = 0; i < n * n; ++i)
    taps.push_back(int32_t(random.below(2 * uint32_t(most) + 1)) - most);
  return Stencil::integers(n, n, taps, divisor);
}

Stencil floats_of(const Stencil& stencil) {
  std::vector<float> taps;
  for (const int32_t tap : stencil.integer_taps()) taps.push_back(float(tap));
  return Stencil::floats(stencil.width(), stencil.height(), taps);
}

Work convolve_work(std::string experiment, std::string parameters, const Stencil& stencil,
                   ConstAnyView src, Border border) {
  Work work;
  work.experiment = std::move(experiment);
  work.operation = "convolve";
  work.parameters = std::move(parameters);
  work.sources = {src};
  work.result = src.type;
  work.bytes_per_pixel = 2.0 * bytes_per_sample(src.type);
  work.flops_per_pixel = 2.0 * stencil.width() * stencil.height();
  work.window = {stencil.width(), stencil.height(), stencil.factors().has_value(),
                 border.mode != BorderMode::ignore};
  work.bound = bound_of(stencil);
  work.border = name_of(border.mode);
  const auto held = std::make_shared<Stencil>(stencil);
  work.call = [held, border](ConstAnyView from, AnyView to, const Exec& exec) {
    correlate(from, to, *held, {.border = border}, exec);
  };
  std::vector<float> taps;
  for (int y = 0; y < stencil.height(); ++y)
    for (int x = 0; x < stencil.width(); ++x) taps.push_back(float(stencil.tap(x, y)));
  if (stencil.width() == stencil.height()) {
    work.opencv = [taps, n = stencil.width()](Peer& peer, ConstAnyView from, AnyView to) {
      peer.correlate(from, to, taps, n);
    };
    work.npp = [taps, n = stencil.width()](DevicePeer& peer, ConstAnyView from, AnyView to,
                                           void* stream) {
      peer.correlate(from, to, taps, n, stream);
    };
    // Whole taps give whole sums; others OpenCV rounds before it adds.
    work.opencv_equal = src.type == PixelType::u8 && stencil.divisor() == 1 &&
                        border.mode == BorderMode::reflect101;
  }
  return work;
}

Work gaussian_work(std::string experiment, int ksize, ConstAnyView src) {
  Work work;
  work.experiment = std::move(experiment);
  work.operation = "convolve";
  work.parameters = fmt::format("{0}x{0}", ksize);
  work.sources = {src};
  work.result = src.type;
  work.bytes_per_pixel = 2.0 * bytes_per_sample(src.type);
  work.flops_per_pixel = 4.0 * ksize;
  work.call = [ksize](ConstAnyView from, AnyView to, const Exec& exec) {
    gaussian(from, to, {.ksize = ksize}, exec);
  };
  if (src.type == PixelType::u16) return work;
  const std::vector<double> exact = gaussian_taps(ksize, 0);
  work.npp = [taps = std::vector<float>(exact.begin(), exact.end())](
                 DevicePeer& peer, ConstAnyView from, AnyView to, void* stream) {
    peer.gaussian(from, to, taps, stream);
  };
  if (src.type != PixelType::u8) return work;
  work.opencv = [ksize](Peer& peer, ConstAnyView from, AnyView to) {
    peer.gaussian(from, to, ksize, 0);
  };
  work.opencv_equal = true;
  return work;
}

Work median_work(std::string experiment, int ksize, ConstAnyView src) {
  Work work;
  work.experiment = std::move(experiment);
  work.operation = "median";
  work.parameters = fmt::format("{0}x{0}, {1}", ksize, name_of(src.type));
  work.sources = {src};
  work.result = src.type;
  work.bytes_per_pixel = 2.0 * bytes_per_sample(src.type);
  work.call = [ksize](ConstAnyView from, AnyView to, const Exec& exec) {
    median(from, to, {.ksize = ksize}, exec);
  };
  if (src.type == PixelType::u8 || ksize <= 5) {
    work.opencv = [ksize](Peer& peer, ConstAnyView from, AnyView to) {
      peer.median(from, to, ksize);
    };
    work.opencv_equal = true;
  }
  return work;
}

}  // namespace cuesta::bench
