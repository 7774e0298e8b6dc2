// What the parts of strategy `tensor-rows` share: how a stencil runs.
#pragma once

#include "cuda/tensor_rows.cuh"
#include "ops/convolve/cuda/tensor_run.cuh"

namespace cuesta::convolve_cuda {

/// The pictures as rows of samples.
template <class T, class Out>
cuda::tensor::RowsRequest<T, Out> rows_request(const ConvolveArgs& args) {
  const auto flat = [](auto view) {
    return decltype(view){view.data, view.width * view.channels, view.height, 1, view.stride_bytes};
  };
  return {{flat(args.src.as<T, Space::device>()), flat(args.dst.as<Out, Space::device>()),
           args.border.mode, border_sample<T>(args.border)},
          args.src.channels};
}

/// Windows of at most TapRows rows that reach 8 · Halves − 4 samples at most.
template <int TapRows, int Halves, class T, int Planes>
void run_rows(const ConvolveArgs& args, const TensorTaps& taps, Call& call) {
  with_rule<T, false>(args, taps, [&]<class Rule>(const Rule& rule) {
    cuda::tensor::run_by_rows<cuda::tensor::RowsForm<TapRows, Halves, T, Planes>>(
        "convolve", rows_request<T, typename Rule::Out>(args), window_of(taps), rule, call);
  });
}

/// How many samples the window reaches to the left or right at most.
inline int32_t row_reach(const ConvolveArgs& args) {
  return std::max(args.anchor_x, args.width - 1 - args.anchor_x) * args.src.channels;
}

}  // namespace cuesta::convolve_cuda
