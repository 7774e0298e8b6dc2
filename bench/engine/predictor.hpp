// A model that says how long a device strategy takes before it runs. The engine asks; bench/model
// answers.
#pragma once

#include <string>
#include <vector>

#include "bench/engine/session.hpp"

namespace cuesta::bench {

class Predictor {
 public:
  virtual ~Predictor() = default;
  /// The GPU that is spoken of.
  virtual const std::string& gpu() const = 0;
  /// Sets the row's predicted_ms, bound_by and predicted_stages as far as the strategy, its
  /// parameters and the request are known.
  virtual void predict(const Work& work, Row& row) const = 0;
};

}  // namespace cuesta::bench
