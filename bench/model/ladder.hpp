// The climb of one request on one GPU: every step from naive to production, by the model.
#pragma once

#include <string>
#include <vector>

#include "bench/engine/session.hpp"
#include "bench/model/gpu.hpp"

namespace cuesta::bench::model {

/// What is climbed for. The operation is one of convolve, sobel, canny, label and motion.
struct LadderRequest {
  std::string operation = "convolve", words = "filter gaussian:5";
  Window window{.width = 5, .height = 5, .separable = true, .frame = true};
  int32_t width = 4096, height = 4096;
  PixelType type = PixelType::u8;
  double search_steps = 0;  ///< of canny: steps that gain a pixel; 0: an eighth of the longer side
};

/// A strategy of the device, in the order of the climb.
struct LadderStep {
  std::string strategy{}, idea{};  ///< the idea is a sentence
  double us = 0;                   ///< predicted; 0: no formula
  double gain = 0;  ///< of the step before, divided by this; of measured times where either has no
                    ///< formula; 0: not known
  double copies = 0;           ///< of the request's picture, predicted
  std::string bound_by{};      ///< what limits it; without a formula: why there is none
  double measured_copies = 0;  ///< in the published climb; 0: it has another request
};

struct Ladder {
  std::string title{}, gpu{}, source{}, measured_on{};
  double copy_us = 0;
  std::vector<LadderStep> steps{};
  std::vector<std::string> notes{};
};

Ladder climb(const LadderRequest& request, const GpuModel& gpu);

std::string text_of(const Ladder& ladder);
/// One page without references to other files. Drawings of the steps are in it, where there are
/// some.
std::string html_of(const Ladder& ladder, const LadderRequest& request);

}  // namespace cuesta::bench::model
