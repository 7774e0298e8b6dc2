// A prediction in words.
#pragma once

#include <string>

#include "bench/model/predict.hpp"

namespace cuesta::bench::model {

/// How the time of a call comes about: per kernel its counts, what each takes alone, and which of
/// them decides. `what` names the request.
std::string words_of(const Prediction& prediction, const std::string& what, const GpuModel& gpu);

}  // namespace cuesta::bench::model
