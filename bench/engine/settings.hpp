// What a run is asked.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cuesta::bench {

/// A strategy parameter and the values to try.
using Sweep = std::pair<std::string, std::vector<std::string>>;

struct Settings {
  std::vector<int32_t> sizes{};     ///< squares, pixels a side; empty: what each experiment takes
  int threads = 0;                  ///< 0: all
  bool quick = false;               ///< shorter batches
  std::vector<std::string> only{};  ///< tables of `cpu` and `production`; empty: all
  bool every_row = false;           ///< every production row, not only the chosen one
  int device = -1;                  ///< the GPU by the runtime's index; -1: none
  std::string why_no_device{};      ///< where there is none: the reason, for the tables
  /// Without a device: whose times the model predicts, a file or a name of known_gpus().
  std::string gpu_model{};
  /// Asked for each operation before it is first timed: in what its strategies differ from the
  /// reference, on verify's own pictures. What differs is not timed. Empty: nobody is asked.
  std::function<std::vector<std::string>(std::string_view operation)> verify{};
  std::vector<Sweep> sweeps{};  ///< tried by every strategy that declares the parameter
  std::string command{};        ///< the path of `cuesta`; empty: its rows are left out
  /// Receives the tables as they are made.
  std::function<void(std::string_view)> print = [](std::string_view) {};
};

}  // namespace cuesta::bench
