// The device tables of a CUDA build, handed over by this one call.
#include "ops/tables.hpp"

namespace cuesta {

std::span<const StrategyInfo<ConvolveArgs>> convolve_cuda_rows();
std::span<const StrategyInfo<SobelArgs>> sobel_cuda_rows();
std::span<const StrategyInfo<LogArgs>> log_cuda_rows();
std::span<const StrategyInfo<CannyArgs>> canny_cuda_rows();
std::span<const StrategyInfo<LabelArgs>> label_cuda_rows();
std::span<const StrategyInfo<BackgroundArgs>> background_cuda_rows();
std::span<const StrategyInfo<MotionArgs>> motion_cuda_rows();

const CudaTables& cuda_tables() {
  static const CudaTables tables{.convolve = convolve_cuda_rows(),
                                 .sobel = sobel_cuda_rows(),
                                 .log = log_cuda_rows(),
                                 .canny = canny_cuda_rows(),
                                 .label = label_cuda_rows(),
                                 .background = background_cuda_rows(),
                                 .motion = motion_cuda_rows()};
  return tables;
}

}  // namespace cuesta
