// The requests whose times the model predicts: what `bench model` times, and what the profiler
// counts of them.
#pragma once

#include <vector>

#include "bench/engine/session.hpp"

namespace cuesta::bench {

/// One picture in both types, and works that look at it.
struct ModelWorks {
  explicit ModelWorks(int32_t side);
  ModelWorks(const ModelWorks&) = delete;
  ModelWorks& operator=(const ModelWorks&) = delete;

  Image<uint8_t> bytes;
  Image<float> floats;
  std::vector<Work> works{};
};

}  // namespace cuesta::bench
