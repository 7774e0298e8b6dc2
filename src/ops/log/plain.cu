// Strategy `plain` (device): three kernels, a thread a pixel. The stencil is a sum of two products,
//
//     (g gᵀ) ∗ l = g sᵀ + s gᵀ,   s = g ∗ (1 −2 1),
//
// so two sums go down every column, then both across, then the rule reads the responses. The
// picture is extended by its border before anything is summed, so a column outside it has the sums
// of the column that stands for it. All integers: the order of sums does not show.
#include "ops/log/cuda.hpp"

#include "ops/log/kernels.cuh"

namespace cuesta {
namespace {

using namespace log_cuda;

/// The two sums down a column. g sums to 256 at most and |s| to 4 times that: 32 bits hold those of
/// u16.
struct Sums {
  int32_t smooth, bend;
};

template <class T>
struct Columns {
  LogRequest q;
  log::Factors taps;
  ImageView<Sums, Space::device> sums;

  __device__ void operator()(int32_t x, int32_t y) const {
    Sums sum{};
    for (int32_t j = 0; j < taps.size; ++j) {
      const int32_t v = q.sample<T>(x, y + j - q.radius);
      sum.smooth += taps.smooth[j] * v;
      sum.bend += taps.bend[j] * v;
    }
    sums.at(x, y) = sum;
  }
};

struct Rows {
  LogRequest q;
  log::Factors taps;
  Sums outside;  // of a column that no column stands for
  ImageView<const Sums, Space::device> sums;
  ImageView<int64_t, Space::device> response;

  __device__ void operator()(int32_t x, int32_t y) const {
    const Sums* row = sums.row(y);
    int64_t sum = 0;
    for (int32_t i = 0; i < taps.size; ++i) {
      const int32_t sx = map_index(q.mode, x + i - q.radius, sums.width);
      const Sums column = sx < 0 ? outside : row[sx];
      sum += int64_t(taps.bend[i]) * column.smooth + int64_t(taps.smooth[i]) * column.bend;
    }
    response.at(x, y) = sum;
  }
};

struct Store {
  LogRequest q;
  ImageView<const int64_t, Space::device> response;

  __device__ void operator()(int32_t x, int32_t y) const {
    q.store(x, y, [&](int32_t dx, int32_t dy) { return response.at(x + dx, y + dy); });
  }
};

}  // namespace

void log_cuda::plain(const LogArgs& args, Call& call) {
  const log::Window window = log::window(args.options);
  const LogRequest q = request_of(args, window);
  const log::Factors taps = log::factors(window);
  const int32_t width = args.src.width, height = args.src.height;
  const auto sums = call.scratch().image<Sums, Space::device>(width, height);
  const auto response = call.scratch().image<int64_t, Space::device>(width, height);
  Sums outside{};
  for (int32_t j = 0; j < taps.size; ++j) {
    outside.smooth += taps.smooth[j] * q.outside;
    outside.bend += taps.bend[j] * q.outside;
  }
  if (args.src.type == PixelType::u8)
    cuda::for_each_pixel("log", width, height, Columns<uint8_t>{q, taps, sums}, call);
  else
    cuda::for_each_pixel("log", width, height, Columns<uint16_t>{q, taps, sums}, call);
  cuda::for_each_pixel("log", width, height, Rows{q, taps, outside, sums, response}, call);
  cuda::for_each_pixel("log", width, height, Store{q, response}, call);
}

}  // namespace cuesta
