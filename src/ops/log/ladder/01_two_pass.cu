// Rungs `naive` to `separable-tiled` (paper 000): Gaussian 5 x 5, then Laplacian 3 x 3, each pass
// the public convolve with the strategy of that name pinned, on f32 samples; all sums are integers
// below 2^24, so nothing rounds. The Gaussian of u16 would pass 2^24 (289 · 65,535): there the
// Laplacian goes first, and what it leaves, in whatever order it is summed, reaches 181 · 65,535 at
// most. Where theirs smooths the picture and then extends what it smoothed
// (or skips the border), here the source is extended by three samples first: the answer is one 7 x
// 7 stencil's. Bytes a pixel of u8: 1 + 4 to extend, 8 a pass, 4 + 1 for the rule: 26; the
// fused row keeps 2. Wastes: four launches, three pictures of f32 through device memory.
// Times: docs/results/h200-ladder.md.
#include "cuesta/filter.hpp"
#include "ops/log/kernels.cuh"
#include "ops/log/ladder/ladder.hpp"

namespace cuesta::log_ladder {
namespace {

using namespace log_cuda;

using Samples = ImageView<float, Space::device>;

template <class T>
__global__ void extend(LogRequest q, Samples wide) {
  const int32_t x = int32_t(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t y = int32_t(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < wide.width && y < wide.height)
    wide.at(x, y) = float(q.sample<T>(x - q.radius, y - q.radius));
}

__global__ void apply_rule(LogRequest q, Samples response) {
  const int32_t x = int32_t(blockIdx.x * blockDim.x + threadIdx.x);
  const int32_t y = int32_t(blockIdx.y * blockDim.y + threadIdx.y);
  if (!q.inside(x, y)) return;
  q.store(x, y, [&](int dx, int dy) {
    return int32_t(response.at(x + dx + q.radius, y + dy + q.radius));
  });
}

Exec pinned(std::string_view strategy, std::span<const ParameterInfo> takes, const Call& call) {
  Exec exec = call.nested();
  exec.strategy = strategy;
  for (const ParameterInfo& info : takes)
    exec.parameters.emplace_back(info.name, call.parameters().text(info.name));
  return exec;
}

}  // namespace

void run_two_pass(const Passes& passes, const LogArgs& args, Call& call) {
  const log::Window window = log::window(args.options);
  const LogRequest q = request_of(args, window);
  const dim3 block(32, block_rows);
  const int32_t width = args.src.width + 2 * q.radius, height = args.src.height + 2 * q.radius;
  // Extended, then the response; smoothed.
  const Samples a = call.scratch().image<float, Space::device>(width, height);
  const Samples b = call.scratch().image<float, Space::device>(width, height);

  const bool bytes = args.src.type == PixelType::u8;
  call.stage("extend");
  cuda::launch("log", bytes ? extend<uint8_t> : extend<uint16_t>, cuda::tiles(a, 32, block_rows),
               block, 0, cuda::stream_of(call), q, a);
  // Along the rim these are wrong, and nobody reads them: the window of a pixel ends before.
  constexpr FilterOptions any_border{.border = {BorderMode::ignore}};
  const auto smooth = [&](const Samples& from, const Samples& to) {
    float gaussian[25];
    for (int i = 0; i < 25; ++i) gaussian[i] = float(window.taps[i / 5] * window.taps[i % 5]);
    call.stage("gaussian");
    correlate(from, to, Stencil::floats(5, 5, gaussian), any_border,
              pinned(passes.gaussian, passes.gaussian_takes, call));
  };
  const auto bend = [&](const Samples& from, const Samples& to) {
    constexpr float laplacian[9] = {0, 1, 0, 1, -4, 1, 0, 1, 0};
    call.stage("laplacian");
    correlate(from, to, Stencil::floats(3, 3, laplacian), any_border,
              pinned(passes.laplacian, passes.laplacian_takes, call));
  };
  if (bytes) {
    smooth(a, b);
    bend(b, a);
  } else {
    bend(a, b);
    smooth(b, a);
  }
  call.stage("rule");
  cuda::launch("log", apply_rule, cuda::tiles(args.src, 32, block_rows), block, 0,
               cuda::stream_of(call), q, a);
}

}  // namespace cuesta::log_ladder
