// Strategy `tensor`: small windows of u8 as one stencil of signed bytes, by products of matrices on
// the tensor cores (cuda/tensor_stencil.cuh): edges by a threshold, or the response; rules.cuh. 49
// products a pixel of the paper's window cost no more than their 144 places in the product.
#include "core/border_sample.hpp"
#include "cuda/tensor_stencil.cuh"
#include "ops/log/cuda.hpp"
#include "ops/log/rules.cuh"
#include "ops/log/window.hpp"

namespace cuesta {
namespace {

using namespace log_cuda;

template <class Rule>
void run(const LogArgs& args, const log::ByteStencil& stencil, const Rule& rule, Call& call) {
  using Out = typename Rule::Out;
  const int32_t size = stencil.size;
  const cuda::tensor::Window window{size, size, size / 2, size / 2, [&](int32_t i, int32_t j) {
                                      return stencil.weights[j * size + i];
                                    }};
  const Border& border = args.options.border;
  cuda::tensor::run<4>("log",
                       cuda::tensor::Request<uint8_t, Out>{
                           args.src.as<uint8_t, Space::device>(), args.dst.as<Out, Space::device>(),
                           border.mode, border_sample<uint8_t>(border)},
                       window, rule, call);
}

}  // namespace

void log_cuda::tensor(const LogArgs& args, Call& call) {
  const log::ByteStencil stencil = log::byte_stencil(log::window(args.options));
  if (args.dst.type == PixelType::s32) return run(args, stencil, Response{}, call);
  const int64_t threshold = std::min<int64_t>(stencil.threshold, stencil.most);
  if (Edge::takes(stencil.most, threshold))
    run(args, stencil, Edge(threshold), call);
  else
    run(args, stencil, WideEdge{int32_t(threshold)}, call);
}

}  // namespace cuesta
