// What a long piece of work has made so far of a result's rows, beside the result's place: a file
// of rows, and a journal that says how many of them are whole. A process that is killed leaves
// both, and the next one that makes the same continues from there. Every line of the journal has a
// checksum of it and all before it, and one of the rows that it speaks of: nothing is continued
// from what was changed since.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/settled_canny.hpp"

namespace cuesta::io {

class BandStage {
 public:
  /// `key` says in words what is made of what; rows that were left under another key, beyond
  /// `height` or with `resume` false, are forgotten. Throws Error{output} naming the target, also
  /// where another process is at it, and where one of the files is there and is not ours alone.
  BandStage(const std::filesystem::path& target, const std::string& key, int64_t row_bytes,
            int32_t height, bool resume);
  BandStage(const BandStage&) = delete;
  BandStage& operator=(const BandStage&) = delete;
  /// Removes both files, unless they are to be kept.
  ~BandStage();

  /// Rows that are whole and on the disc.
  int32_t rows() const { return rows_; }
  /// What an earlier pass found.
  const std::optional<CannyFound>& found() const { return found_; }
  void settle(const CannyFound& found);

  /// Samples of these rows that are not 0, as append() got them.
  int64_t set() const { return set_; }

  /// Writes `height` rows, which are `stride_bytes` apart, behind the others; `set` of their
  /// samples are not 0. They count when they are on the disc.
  void append(const void* rows, int64_t stride_bytes, int32_t height, int64_t set = 0);
  /// `bytes` from byte `offset` of row `row` on. Any number of threads may read at once.
  void read(int32_t row, int64_t offset, int64_t bytes, void* to) const;
  /// Leaves the files to the next attempt.
  void keep() { kept_ = true; }

 private:
  struct Rows {  // that one append() made
    int32_t end = 0;
    int64_t set = 0;
    uint64_t checksum = 0;
  };
  void open_files();
  void begin(const std::string& key, bool resume);
  void take_journal(const std::string& key);
  bool take_line(const std::string& line);
  bool has(const Rows& rows) const;
  void count(const Rows& rows);
  void write_line(const std::string& line);
  void write_rows(const Rows& rows);
  [[noreturn]] void fail(int error) const;

  std::filesystem::path target_, rows_path_, journal_path_;
  int64_t row_bytes_;
  int32_t height_;
  int rows_file_ = -1, journal_ = -1;
  int32_t rows_ = 0;
  int64_t set_ = 0;
  std::optional<CannyFound> found_{};
  std::vector<Rows> all_{};
  uint64_t written_ = 0;  // checksum of the journal's lines
  bool kept_ = false;
};

}  // namespace cuesta::io
