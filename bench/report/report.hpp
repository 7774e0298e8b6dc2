// A result as JSON and CSV, and against an earlier one. bench/FORMAT.md lists the fields.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "bench/engine/result.hpp"

namespace cuesta::bench {

std::string json_of(const Result& result);
/// One line a row under a line of names, the rows' scalar fields; stages and statistics as
/// name=value, ...
std::string csv_of(const Result& result);

/// What an earlier run says of the same rows.
struct Comparison {
  int64_t compared = 0, slower = 0, faster = 0;
  std::string table{};
};

/// An earlier run's JSON.
class Baseline {
 public:
  /// Throws Error{input} for a file that is no such JSON.
  explicit Baseline(const std::filesystem::path& file);
  /// Rows are the same when experiment, operation, strategy, space, both kinds of parameters, type,
  /// size and threads are. A row is slower (faster) where the medians are further apart than both
  /// spreads together.
  Comparison compare(const Result& now) const;

 private:
  struct Earlier {
    double ms = 0, spread = 0;
  };
  std::string name_;
  std::map<std::string, Earlier> rows_;
};

}  // namespace cuesta::bench
