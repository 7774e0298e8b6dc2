// What a long piece of work has made so far of a result's rows, beside the result's place: a file
// of rows, and a journal that says how many of them are whole. A process that is killed leaves
// both, and the next one that makes the same continues from there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "cuesta/edges.hpp"

namespace cuesta::io {

class BandStage {
 public:
  /// `key` says in words what is made of what; rows that were left under another key, or with
  /// `resume` false, are forgotten. Throws Error{output} naming the target, also where another
  /// process is at it.
  BandStage(const std::filesystem::path& target, const std::string& key, int64_t row_bytes,
            bool resume);
  BandStage(const BandStage&) = delete;
  BandStage& operator=(const BandStage&) = delete;
  /// Removes both files, unless they are to be kept.
  ~BandStage();

  /// Rows that are whole and on the disc.
  int32_t rows() const { return rows_; }
  /// Thresholds that an earlier pass found.
  const std::optional<CannyResult>& thresholds() const { return thresholds_; }
  void set_thresholds(const CannyResult& thresholds);

  /// Samples of these rows that are not 0, as append() got them.
  int64_t set() const { return set_; }

  /// Writes `count` rows, which are `stride_bytes` apart, behind the others; `set` of their samples
  /// are not 0. They count when they are on the disc.
  void append(const void* rows, int64_t stride_bytes, int32_t count, int64_t set = 0);
  /// `bytes` from byte `offset` of row `row` on. Any number of threads may read at once.
  void read(int32_t row, int64_t offset, int64_t bytes, void* to) const;
  /// Leaves the files to the next attempt.
  void keep() { kept_ = true; }

 private:
  void take_journal(const std::string& key);
  void write_line(const std::string& line);
  [[noreturn]] void fail(int error) const;

  std::filesystem::path target_, rows_path_, journal_path_;
  int64_t row_bytes_;
  int rows_file_ = -1, journal_ = -1;
  int32_t rows_ = 0;
  int64_t set_ = 0;
  std::optional<CannyResult> thresholds_{};
  bool kept_ = false;
};

}  // namespace cuesta::io
