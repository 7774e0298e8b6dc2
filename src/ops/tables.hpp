// Every operation's Args, and the device tables that the CUDA part hands over.
#pragma once

#include "ops/background/args.hpp"
#include "ops/canny/args.hpp"
#include "ops/convolve/args.hpp"
#include "ops/label/args.hpp"
#include "ops/log/args.hpp"
#include "ops/morphology/args.hpp"
#include "ops/motion/args.hpp"
#include "ops/pixel/args.hpp"
#include "ops/sobel/args.hpp"

namespace cuesta {

/// Device rows of every operation; an operation without any has an empty span.
struct CudaTables {
  std::span<const Strategy<PixelArgs>> pixel{};
  std::span<const Strategy<ConvolveArgs>> convolve{};
  std::span<const Strategy<SobelArgs>> sobel{};
  std::span<const Strategy<LogArgs>> log{};
  std::span<const Strategy<CannyArgs>> canny{};
  std::span<const Strategy<MorphologyArgs>> morphology{};
  std::span<const Strategy<LabelArgs>> label{};
  std::span<const Strategy<BackgroundArgs>> background{};
  std::span<const Strategy<MotionArgs>> motion{};
};

/// Defined by src/cuda/tables.cpp in a CUDA build, else by ops/no_cuda_tables.cpp. No static
/// constructor is involved.
const CudaTables& cuda_tables();

}  // namespace cuesta
