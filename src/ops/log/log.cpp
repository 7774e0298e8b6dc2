// The public entry of log: check, choose a strategy, run.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/check.hpp"
#include "core/check_batch.hpp"
#include "core/workspace.hpp"
#include "cuesta/bands.hpp"
#include "cuesta/filter.hpp"
#include "cuesta/stencil.hpp"
#include "ops/log/options.hpp"
#include "ops/log/reference.hpp"

namespace cuesta {
namespace {

// floor(scale * t) of the exact product: the rounded one may be on the integer above.
int64_t undivided(double t, int32_t scale) {
  constexpr auto beyond = double(int64_t(1) << 40);
  const double product = scale * t;
  if (product >= beyond) return int64_t(1) << 40;
  const double whole = std::floor(product);
  const bool rounded_up = whole == product && std::fma(double(scale), t, -product) < 0;
  return int64_t(whole) - rounded_up;
}

void check_log(const LogOptions& options) {
  check_options(options, "log");
  // Compared before gaussian_size, which counts in int.
  constexpr int most = log::Window::max_size, max_sigma = (most - 3) / 6;
  if (options.ksize == 0 && options.sigma > max_sigma) {
    throw_invalid(fmt::to_string(*options.sigma),
                  "log: sigma is {}; without a ksize it must be at most {} (for more, {})",
                  *options.sigma, max_sigma, smaller_first);
  }
}

// Taps in 256ths leave the Laplacian of a wider Gaussian too rough (docs/user/accuracy.md). So it
// is made of two, of sigma / √2 each: the first smooths what is left by the second's rounded taps.
bool smooths_twice(const LogOptions& options) {
  constexpr double widest_at_once = 2.2;
  return options.ksize == 0 && options.sigma > widest_at_once;
}
LogOptions half_of(LogOptions options) {
  *options.sigma /= std::numbers::sqrt2;
  return options;
}

}  // namespace

int32_t reach_of(const LogOptions& options) {
  check_log(options);
  const int32_t crossing = options.mode == LogMode::zero_crossings ? 1 : 0;
  if (!smooths_twice(options)) return log::window(options).radius() + crossing;
  const LogOptions half = half_of(options);
  return gaussian_size(*half.sigma) / 2 + log::window(half).radius() + crossing;
}

log::Window log::window(const LogOptions& options) {
  Window w;
  if (is_papers_window(options)) {
    w.size = PaperGaussian::ksize;
    std::copy_n(PaperGaussian::taps, w.size, w.taps);
  } else {
    const auto [sigma, ksize, border] = smoothing_of(options);
    w.size = ksize ? ksize : sigma > 0 ? gaussian_size(sigma) : 1;
    gaussian_taps_q8(std::span(w.taps, size_t(w.size)), sigma);
  }
  w.scale = scale_of(options);
  w.threshold = undivided(options.threshold, w.scale);
  return w;
}

log::Factors log::factors(const Window& window) {
  Factors f;
  f.size = window.size + 2;
  std::copy_n(window.taps, window.size, f.smooth + 1);
  for (int32_t i = 0; i < f.size; ++i) {
    f.bend[i] =
        (i > 0 ? f.smooth[i - 1] : 0) - 2 * f.smooth[i] + (i + 1 < f.size ? f.smooth[i + 1] : 0);
  }
  return f;
}

log::ByteStencil log::byte_stencil(const Window& window) {
  ByteStencil out;
  if (window.size + 2 > ByteStencil::max_size) return out;
  const Factors f = factors(window);
  const auto weight = [&](int32_t i, int32_t j) {
    return f.smooth[j] * f.bend[i] + f.bend[j] * f.smooth[i];
  };
  int32_t shared = 0;
  for (int32_t j = 0; j < f.size; ++j)
    for (int32_t i = 0; i < f.size; ++i) shared = std::gcd(shared, weight(i, j));
  int32_t positive = 0;
  for (int32_t j = 0; j < f.size; ++j) {
    for (int32_t i = 0; i < f.size; ++i) {
      const int32_t w = weight(i, j) / shared;
      if (w < -128 || w > 127) return out;
      out.weights[j * f.size + i] = int8_t(w);
      positive += std::max(w, 0);
    }
  }
  out.size = f.size;
  out.factor = shared;
  out.most = 255 * positive;  // the weights sum to 0
  out.threshold = window.threshold / shared;
  return out;
}

void log_edges(ConstAnyView src, OutView dst, const LogOptions& options, const Exec& exec) {
  check_view(src, "log: src", {PixelType::u8, PixelType::u16});
  check_view(dst, "log: dst", {PixelType::u8, PixelType::s32});
  check_same_size(src, dst, "log: src", "log: dst");
  check_no_overlap(src, dst, "log: src", "log: dst");
  check_log(options);
  if (!smooths_twice(options)) return dispatch(LogArgs{src, dst, options}, exec);
  const LogOptions half = half_of(options);
  Exec before = exec;  // a pinned strategy is log's
  before.strategy.clear(), before.parameters.clear();
  const auto both = [&](AnyView smooth) {
    gaussian(src, smooth, {.sigma = *half.sigma, .border = options.border}, before);
    dispatch(LogArgs{smooth, dst, half}, exec);
  };
  if (exec.choices) return both(placeholder(src.width, src.height, src.type, 1, src.space));
  Scratch scratch(exec, src.space);
  const ptrdiff_t stride = detail::padded_stride(ptrdiff_t(src.width) * bytes_per_sample(src.type));
  both(AnyView(scratch.take<std::byte>(size_t(stride) * size_t(src.height)), src.width, src.height,
               1, stride, src.type, src.space));
}

void log_edges(const ConstBatch& src, const Batch& dst, const LogOptions& options,
               const Exec& exec) {
  each_picture(src, dst, "log: src", "log: dst",
               [&](ConstAnyView from, AnyView to) { log_edges(from, to, options, exec); });
}

}  // namespace cuesta
