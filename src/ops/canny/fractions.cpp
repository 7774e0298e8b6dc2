#include "ops/canny/fractions.hpp"

#include <algorithm>
#include <cmath>

#include "core/memory.hpp"
#include "core/workspace.hpp"
#include "cuesta/filter.hpp"
#include "cuesta/objects.hpp"
#include "cuesta/smoothing.hpp"
#include "cuesta/strategies.hpp"
#include "ops/canny/options.hpp"

namespace cuesta {
namespace {

// The spread in pixels above which each type's rounding shows (tests/recipes/test_edges.cpp), and
// above which the l1 norm's directions do: crests of neighbouring directions part.
constexpr double widest_u8 = 3, widest_u16 = 5, widest_l1 = 5;

// Whether the Gaussian that its window leaves spreads further than this.
bool spreads_beyond(const CannyOptions& options, double limit) {
  const GaussianOptions smoothing = smoothing_of(options);
  const double sigma = smoothing.sigma;
  if (!(sigma > limit)) return false;  // a window only narrows it; canny() refuses a NaN
  if (smoothing.ksize == 0 && sigma > canny_max_sigma) return true;  // canny() refuses it
  const int reach = (smoothing.ksize ? smoothing.ksize : gaussian_size(sigma)) / 2;
  double sum = 1, squares = 0;
  for (int i = 1; i <= reach; ++i) {
    const double weight = 2 * std::exp(-double(i) * i / (2 * sigma * sigma));
    sum += weight;
    squares += weight * i * i;
  }
  return squares > limit * limit * sum;
}

// Pictures of a batch that have f32 copies at the same time.
int32_t at_once(const CannyArgs& args, ptrdiff_t bytes) {
  constexpr ptrdiff_t most = ptrdiff_t(1) << 28;
  return int32_t(std::clamp<ptrdiff_t>(most / bytes, 1, args.count));
}

}  // namespace

bool canny_keeps_fractions(PixelType type, const CannyOptions& options) {
  if (type == PixelType::u8) return spreads_beyond(options, widest_u8);
  return type == PixelType::u16 && spreads_beyond(options, widest_u16);
}

bool canny_thins_by_length(const CannyArgs& args) {
  return args.src.type == PixelType::f32 && !args.gy && args.options.norm == Norm::l1 &&
         (args.by_length || spreads_beyond(args.options, widest_l1));
}

namespace {

// Calls before canny's strategy: those in f32, and those with the border of the smoothing.
struct Before {
  bool keeps = false, smooths = false;

  explicit Before(const CannyArgs& args)
      : keeps(!args.gy && canny_keeps_fractions(args.src.type, args.options)),
        smooths(!args.gy && args.options.sigma > 0 &&
                args.options.border.mode != BorderMode::reflect101) {}
  int pictures() const { return int(keeps) + int(smooths); }

  // What is left to do, of a picture of this type.
  CannyArgs after(CannyArgs args, ConstAnyView src) const {
    args.src = src;
    if (!smooths) return args;
    args.by_length = canny_thins_by_length(args);
    args.options.sigma = 0, args.options.ksize = 0;
    args.options.border = {};
    return args;
  }
};

}  // namespace

void canny_dispatch(const CannyArgs& args, const Exec& exec) {
  const Before before(args);
  if (before.pictures() == 0) return dispatch(args, exec);
  const ConstAnyView src = args.src;
  const PixelType type = before.keeps ? PixelType::f32 : src.type;
  const GaussianOptions smoothing = smoothing_of(args.options);
  Exec around = exec;  // a pinned strategy is canny's
  around.strategy.clear(), around.parameters.clear();
  if (exec.choices) {
    const auto made = [&] {
      return placeholder(src.width, src.height, type, src.channels, src.space);
    };
    if (before.keeps) scale(src, made(), 1, around);
    if (before.smooths) gaussian(made(), made(), smoothing, around);
    return dispatch(before.after(args, made()), exec);
  }
  Scratch scratch(exec, src.space);
  const ptrdiff_t stride = detail::padded_stride(detail::row_bytes(type, src.width, src.channels));
  const ptrdiff_t bytes = stride * src.height;
  const int32_t most = at_once(args, bytes * before.pictures());
  const auto pictures = [&] {
    return AnyView(scratch.take<std::byte>(size_t(bytes) * size_t(most)), src.width, src.height,
                   src.channels, stride, type, src.space);
  };
  const AnyView copies = before.keeps ? pictures() : AnyView();
  const AnyView smooth = before.smooths ? pictures() : AnyView();
  for (int32_t i = 0; i < args.count; i += most) {
    const int32_t n = std::min(most, args.count - i);
    CannyArgs some = args.part(i, n);
    if (before.keeps) {
      scale(ConstBatch(some.src, n, args.src_step), Batch(copies, n, bytes), 1, around);
      some.src = copies, some.src_step = bytes;
    }
    if (before.smooths) {
      gaussian(ConstBatch(some.src, n, some.src_step), Batch(smooth, n, bytes), smoothing, around);
      some.src = smooth, some.src_step = bytes;
    }
    dispatch(before.after(some, some.src), exec);
  }
}

}  // namespace cuesta
