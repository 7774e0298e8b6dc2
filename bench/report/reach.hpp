// Goals beside what was measured: the table of experiment `production`.
#pragma once

#include <string>
#include <string_view>

#include "bench/engine/result.hpp"

namespace cuesta::bench {

/// A line for each request of an experiment that has figures of source "goal" (any request of it):
/// the device strategy that ran, its time, times a copy, what it is judged by, reach, stretch,
/// whether they are met, NPP and OpenCV in times a copy of theirs. A table a size. "" where the
/// experiment has no goals.
std::string reach_text_of(const Result& result, std::string_view experiment);

}  // namespace cuesta::bench
