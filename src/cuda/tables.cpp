// The device tables of a CUDA build, handed over by this one call.
#include "ops/tables.hpp"

namespace cuesta {

std::span<const Strategy<PixelArgs>> pixel_cuda_rows();
std::span<const Strategy<ConvolveArgs>> convolve_cuda_rows();
std::span<const Strategy<SobelArgs>> sobel_cuda_rows();
std::span<const Strategy<LogArgs>> log_cuda_rows();
std::span<const Strategy<CannyArgs>> canny_cuda_rows();
std::span<const Strategy<MorphologyArgs>> morphology_cuda_rows();
std::span<const Strategy<LabelArgs>> label_cuda_rows();
std::span<const Strategy<BackgroundArgs>> background_cuda_rows();
std::span<const Strategy<MotionArgs>> motion_cuda_rows();

const CudaTables& cuda_tables() {
  static const CudaTables tables{.pixel = pixel_cuda_rows(),
                                 .convolve = convolve_cuda_rows(),
                                 .sobel = sobel_cuda_rows(),
                                 .log = log_cuda_rows(),
                                 .canny = canny_cuda_rows(),
                                 .morphology = morphology_cuda_rows(),
                                 .label = label_cuda_rows(),
                                 .background = background_cuda_rows(),
                                 .motion = motion_cuda_rows()};
  return tables;
}

}  // namespace cuesta
