// The public entries of convolve: check, bring the taps into the one form, choose a strategy, run.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/check.hpp"
#include "core/check_batch.hpp"
#include "ops/convolve/options.hpp"
#include "ops/convolve/reference.hpp"
#include "ops/shared/stencil_factors.hpp"

namespace cuesta {

namespace {

// What holds for every filter: its views, and what its options say of themselves.
template <class Options>
void check(ConstAnyView src, ConstAnyView dst, const Options& options, std::string_view what,
           bool same_type = false) {
  check_options(options, what);
  const std::string of_src = fmt::format("{}: src", what), of_dst = fmt::format("{}: dst", what);
  check_view(src, of_src, {PixelType::u8, PixelType::u16, PixelType::f32}, 1, 4);
  if (same_type)
    check_view(dst, of_dst, {src.type}, src.channels, src.channels);
  else if (src.type == PixelType::f32)
    check_view(dst, of_dst, {PixelType::f32, PixelType::s16}, src.channels, src.channels);
  else
    check_view(dst, of_dst, {src.type, PixelType::s16, PixelType::f32}, src.channels, src.channels);
  check_same_size(src, dst, of_src, of_dst);
  check_no_overlap(src, dst, of_src, of_dst);
}

// A window of taps before it meets a source. Memory of the caller.
struct Window {
  int32_t width, height, anchor_x, anchor_y;
  std::span<const int32_t> integers;
  int64_t divisor = 1;
  std::span<const float> floats;
};

template <class T>
std::span<T> take(Scratch& scratch, size_t count) {
  return {scratch.take<T>(count), count};
}

void set_integer_taps(ConvolveArgs& args, const Window& window, Scratch& scratch,
                      std::string_view what) {
  args.divisor = window.divisor;
  args.integers.window = window.integers;
  if (window.integers.empty()) {
    const auto q16 = take<int32_t>(scratch, window.floats.size());
    for (size_t i = 0; i < q16.size(); ++i) {
      const double scaled = std::nearbyint(double(window.floats[i]) * 65536);
      if (std::abs(scaled) > 0x7FFFFFFF) {
        throw_invalid(std::to_string(window.floats[i]),
                      "{}: stencil tap is {}; for a {} picture it must be within ±32767", what,
                      window.floats[i], name_of(args.src.type));
      }
      q16[i] = int32_t(scaled);
    }
    args.divisor = 65536;
    args.integers.window = q16;
  }
  const auto column = take<int32_t>(scratch, size_t(window.height));
  const auto row = take<int32_t>(scratch, size_t(window.width));
  if (factor(args.integers.window, column, row))
    args.integers.column = column, args.integers.row = row;
}

// Where the window has equal taps, and enough of them.
template <class T>
bool set_equal_taps(ConvolveArgs& args, std::span<const T> window, int64_t divisor) {
  const auto every = one_value_but_at(window, args.anchor_index());
  const T anchor = window[args.anchor_index()];
  if (!every || *every == 0 || anchor == 0) return false;
  const int32_t most = *every == anchor ? EqualTaps::max_box : EqualTaps::max_raised;
  if (window.size() <= size_t(most)) return false;
  args.equal = {float(*every), float(double(anchor) - double(*every)), float(divisor)};
  return bool(args.equal);
}

void set_float_taps(ConvolveArgs& args, const Window& window, Scratch& scratch) {
  const auto height = size_t(window.height), width = size_t(window.width);
  const auto column = take<float>(scratch, height), row = take<float>(scratch, width);
  const bool two_sided = height > 1 && width > 1;
  const auto quotient = [&](int32_t tap) { return float(double(tap) / double(window.divisor)); };
  if (window.integers.empty()) {
    if (set_equal_taps(args, window.floats, 1)) return;
    args.floats.window = window.floats;
    if (two_sided && factor(window.floats, column, row))
      args.floats.column = column, args.floats.row = row;
    return;
  }
  if (set_equal_taps(args, window.integers, window.divisor)) return;
  const auto whole = take<float>(scratch, window.integers.size());
  std::transform(window.integers.begin(), window.integers.end(), whole.begin(), quotient);
  args.floats.window = whole;
  const auto columns = take<int32_t>(scratch, height), rows = take<int32_t>(scratch, width);
  if (two_sided && factor(window.integers, columns, rows)) {
    std::transform(columns.begin(), columns.end(), column.begin(), quotient);
    std::copy(rows.begin(), rows.end(), row.begin());
    args.floats.column = column, args.floats.row = row;
  }
}

ConvolveArgs arguments(ConstAnyView src, AnyView dst, const Window& window,
                       const FilterOptions& options) {
  ConvolveArgs args;
  args.src = src, args.dst = dst;
  args.width = window.width, args.height = window.height;
  args.anchor_x = window.anchor_x, args.anchor_y = window.anchor_y;
  args.border = options.border, args.absolute = options.absolute, args.offset = options.offset;
  return args;
}

void run(ConstAnyView src, AnyView dst, const Window& window, const FilterOptions& options,
         const Exec& exec, Scratch& scratch, std::string_view what) {
  ConvolveArgs args = arguments(src, dst, window, options);
  if (src.type == PixelType::f32)
    set_float_taps(args, window, scratch);
  else
    set_integer_taps(args, window, scratch, what);
  dispatch(args, exec);
}

// `turned` turns the taps by 180 degrees.
void run_stencil(ConstAnyView src, AnyView dst, const Stencil& stencil, bool turned,
                 const FilterOptions& options, const Exec& exec, std::string_view what) {
  check(src, dst, options, what);
  if (stencil.width() == 0) throw_invalid("0 x 0", "{}: the stencil has no taps", what);
  Scratch scratch(exec, Space::host);
  Window window{stencil.width(),        stencil.height(),  stencil.anchor_x(),  stencil.anchor_y(),
                stencil.integer_taps(), stencil.divisor(), stencil.float_taps()};
  if (turned) {
    window.anchor_x = window.width - 1 - window.anchor_x;
    window.anchor_y = window.height - 1 - window.anchor_y;
    const auto reversed = [&]<class T>(std::span<const T> taps) -> std::span<const T> {
      const auto copy = take<T>(scratch, taps.size());
      std::reverse_copy(taps.begin(), taps.end(), copy.begin());
      return copy;
    };
    window.integers = reversed(window.integers);
    window.floats = reversed(window.floats);
  }
  run(src, dst, window, options, exec, scratch, what);
}

}  // namespace

void correlate(ConstAnyView src, OutView dst, const Stencil& stencil, const FilterOptions& options,
               const Exec& exec) {
  run_stencil(src, dst, stencil, false, options, exec, "correlate");
}

void convolve(ConstAnyView src, OutView dst, const Stencil& stencil, const FilterOptions& options,
              const Exec& exec) {
  run_stencil(src, dst, stencil, true, options, exec, "convolve");
}

void gaussian(ConstAnyView src, OutView dst, const GaussianOptions& options, const Exec& exec) {
  const auto& [sigma, wanted, border] = options;
  check(src, dst, options, "gaussian", true);
  if (sigma == 0 && wanted == 0)
    throw_invalid("0", "gaussian: sigma is 0 and ksize is 0; give one of the two");
  const int ksize = wanted ? wanted : gaussian_size(sigma);
  const auto size = size_t(ksize);
  std::array<double, Stencil::max_size> exact;
  std::array<int32_t, Stencil::max_size> q8;
  std::array<float, Stencil::max_size> rounded;
  ConvolveArgs args =
      arguments(src, dst, {ksize, ksize, ksize / 2, ksize / 2, {}, 1, {}}, {.border = border});
  if (src.type == PixelType::f32) {
    fill_gaussian(std::span(exact).first(size), sigma);
    std::copy_n(exact.begin(), size, rounded.begin());
    args.floats.column = args.floats.row = std::span<const float>(rounded).first(size);
  } else {
    fill_gaussian_q8(std::span(q8).first(size), sigma);
    args.integers.column = args.integers.row = std::span<const int32_t>(q8).first(size);
    args.divisor = 65536;
    args.rounding = Rounding::half_up;
  }
  dispatch(args, exec);
}

void box(ConstAnyView src, OutView dst, const BoxOptions& options, const Exec& exec) {
  const auto& [n, border] = options;
  check(src, dst, options, "box");
  const auto size = size_t(n);
  std::array<int32_t, Stencil::max_size> ones;
  std::array<float, Stencil::max_size> column, row;
  ConvolveArgs args = arguments(src, dst, {n, n, n / 2, n / 2, {}, 1, {}}, {.border = border});
  if (src.type == PixelType::f32 && n * n > EqualTaps::max_box) {
    args.equal = {1, 0, float(n * n)};
  } else if (src.type == PixelType::f32) {
    column.fill(float(1 / (double(n) * n)));
    row.fill(1);
    args.floats.column = std::span<const float>(column).first(size);
    args.floats.row = std::span<const float>(row).first(size);
  } else {
    ones.fill(1);
    args.integers.column = args.integers.row = std::span<const int32_t>(ones).first(size);
    args.divisor = int64_t(n) * n;
  }
  dispatch(args, exec);
}

void sharpen(ConstAnyView src, OutView dst, const SharpenOptions& options, const Exec& exec) {
  const auto& [n, border] = options;
  check(src, dst, options, "sharpen");
  Scratch scratch(exec, Space::host);
  const auto taps = take<int32_t>(scratch, size_t(n) * size_t(n));
  std::fill(taps.begin(), taps.end(), -1);
  taps[taps.size() / 2] = n * n;
  run(src, dst, {n, n, n / 2, n / 2, taps, 1, {}}, {.border = border}, exec, scratch, "sharpen");
}

void laplacian(ConstAnyView src, OutView dst, const FilterOptions& options, const Exec& exec) {
  static constexpr int32_t taps[] = {0, 1, 0, 1, -4, 1, 0, 1, 0};
  check(src, dst, options, "laplacian");
  Scratch scratch(exec, Space::host);
  run(src, dst, {3, 3, 1, 1, taps, 1, {}}, options, exec, scratch, "laplacian");
}

// ---- batches

void correlate(const ConstBatch& src, const Batch& dst, const Stencil& stencil,
               const FilterOptions& options, const Exec& exec) {
  each_picture(src, dst, "correlate: src", "correlate: dst",
               [&](ConstAnyView from, AnyView to) { correlate(from, to, stencil, options, exec); });
}

void convolve(const ConstBatch& src, const Batch& dst, const Stencil& stencil,
              const FilterOptions& options, const Exec& exec) {
  each_picture(src, dst, "convolve: src", "convolve: dst",
               [&](ConstAnyView from, AnyView to) { convolve(from, to, stencil, options, exec); });
}

void gaussian(const ConstBatch& src, const Batch& dst, const GaussianOptions& options,
              const Exec& exec) {
  each_picture(src, dst, "gaussian: src", "gaussian: dst",
               [&](ConstAnyView from, AnyView to) { gaussian(from, to, options, exec); });
}

void box(const ConstBatch& src, const Batch& dst, const BoxOptions& options, const Exec& exec) {
  each_picture(src, dst, "box: src", "box: dst",
               [&](ConstAnyView from, AnyView to) { box(from, to, options, exec); });
}

void sharpen(const ConstBatch& src, const Batch& dst, const SharpenOptions& options,
             const Exec& exec) {
  each_picture(src, dst, "sharpen: src", "sharpen: dst",
               [&](ConstAnyView from, AnyView to) { sharpen(from, to, options, exec); });
}

void laplacian(const ConstBatch& src, const Batch& dst, const FilterOptions& options,
               const Exec& exec) {
  each_picture(src, dst, "laplacian: src", "laplacian: dst",
               [&](ConstAnyView from, AnyView to) { laplacian(from, to, options, exec); });
}

}  // namespace cuesta
