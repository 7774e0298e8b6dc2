// Strategy `tensor`: small windows of u8 as one stencil of signed bytes, by products of matrices on
// the tensor cores (cuda/tensor_stencil.cuh): edges by a threshold, or the response; rules.cuh. 49
// products a pixel of the paper's window cost no more than their 144 places in the product.
#include <limits>

#include "core/border_sample.hpp"
#include "cuda/tensor_stencil.cuh"
#include "ops/log/crossings.cuh"
#include "ops/log/cuda.hpp"
#include "ops/log/rules.cuh"
#include "ops/log/window.hpp"

namespace cuesta {
namespace {

using namespace log_cuda;

auto window_of(const log::ByteStencil& stencil) {
  const int32_t size = stencil.size;
  return cuda::tensor::Window{
      size, size, size / 2, size / 2,
      [&stencil, size](int32_t i, int32_t j) { return stencil.weights[j * size + i]; }};
}

template <class T, class Out>
cuda::tensor::StencilRequest<T, Out> request_of(const LogArgs& args) {
  const Border& border = args.options.border;
  return {args.src.as<T, Space::device>(), args.dst.as<Out, Space::device>(), border.mode,
          border_sample<T>(border)};
}

template <class T, class Rule>
void run(const LogArgs& args, const log::ByteStencil& stencil, const Rule& rule, Call& call) {
  cuda::tensor::run<4>("log", request_of<T, typename Rule::Out>(args), window_of(stencil), rule,
                       call);
}

/// Rows of results of a block: as many as make whole groups of four with the two around them.
int rows_of_block(int64_t pixels) {
  if (pixels < 3 << 19) return 6;  // 1024 x 1024 and less
  if (pixels < 1 << 23) return 14;
  return pixels < 1 << 25 ? 18 : 22;
}

template <class T>
void run_crossings(const LogArgs& args, const log::ByteStencil& stencil, Call& call) {
  const CrossingRequest<T> q{request_of<T, uint8_t>(args),
                             uint32_t(std::max<int64_t>(stencil.threshold, 1)),
                             args.options.border.mode == BorderMode::ignore ? stencil.size / 2 : 0};
  const auto bands = cuda::tensor::bands_of<4, 1>(window_of(stencil));
  const int rows = rows_of_block(int64_t(q.src.width) * q.src.height);
  const auto with = [&](auto aligned) {
    using K = cuda::tensor::Kind<4, 1, T, aligned(), CrossingTile::warps>;
    launch_crossings<K, sizeof(T) == 1 ? 5 : 4>(q, bands, rows, cuda::stream_of(call));
  };
  if (cuda::has_word_rows(q.src, 16) && cuda::has_word_rows(q.dst, 8))
    with(std::true_type());
  else
    with(std::false_type());
}

template <class T>
void run(const LogArgs& args, Call& call) {
  const log::ByteStencil stencil = log::byte_stencil(log::window(args.options));
  if (args.dst.type == PixelType::s32) return run<T>(args, stencil, Response{}, call);
  if (args.options.mode == LogMode::zero_crossings) return run_crossings<T>(args, stencil, call);
  const int64_t most = int64_t(stencil.most) * std::numeric_limits<T>::max() / 255;
  const int64_t threshold = std::min<int64_t>(stencil.threshold, most);
  if (Edge::takes(most, threshold))
    run<T>(args, stencil, Edge(threshold), call);
  else
    run<T>(args, stencil, WideEdge{int32_t(threshold)}, call);
}

}  // namespace

void log_cuda::tensor(const LogArgs& args, Call& call) {
  args.src.type == PixelType::u8 ? run<uint8_t>(args, call) : run<uint16_t>(args, call);
}

}  // namespace cuesta
