// The device tables of a CUDA build, handed over by this one call.
#include "ops/tables.hpp"

namespace cuesta {

std::span<const StrategyInfo<SobelArgs>> sobel_cuda_rows();

const CudaTables& cuda_tables() {
  static const CudaTables tables{.sobel = sobel_cuda_rows()};
  return tables;
}

}  // namespace cuesta
