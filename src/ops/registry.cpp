#include "ops/registry.hpp"

#include "ops/tables.hpp"

namespace cuesta {

// One row an operation: its name, what it is for, its table.
std::span<const OperationEntry> operation_entries() {
  static constexpr OperationEntry entries[] = {
      {PixelArgs::operation, "gray, difference, threshold, histogram, packed masks",
       describe<PixelArgs>},
      {ConvolveArgs::operation, "linear filters: correlation, convolution, Gaussian, box",
       describe<ConvolveArgs>},
      {SobelArgs::operation, "gradients, magnitude and direction", describe<SobelArgs>},
      {LogArgs::operation, "Laplacian of Gaussian: threshold or zero crossings", describe<LogArgs>},
      {CannyArgs::operation, "edges by hysteresis", describe<CannyArgs>},
      {MorphologyArgs::operation, "erosion, dilation, opening and closing by any element",
       describe<MorphologyArgs>},
      {LabelArgs::operation, "connected components: boxes, areas, centroids", describe<LabelArgs>},
      {BackgroundArgs::operation, "models of the background of a video", describe<BackgroundArgs>},
      {MotionArgs::operation, "moving objects: the whole chain from a frame to boxes",
       describe<MotionArgs>},
  };
  return entries;
}

std::vector<StrategyDescription> list_strategies() {
  std::vector<StrategyDescription> out;
  for (const auto& entry : operation_entries()) entry.describe(out);
  return out;
}

std::vector<std::string_view> list_operations() {
  std::vector<std::string_view> out;
  for (const auto& entry : operation_entries()) out.push_back(entry.name);
  return out;
}

}  // namespace cuesta
