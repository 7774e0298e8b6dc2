// Rows that were costly to decode, kept for a second pass in a file without a name, which goes with
// the process: nothing is synced, and nothing is left.
#pragma once

#include <cstdint>
#include <filesystem>

#include "cuesta/image.hpp"

namespace cuesta::io {

class SpareRows {
 public:
  /// Of `rows` rows of `row_bytes` bytes, in the folder of `target`. Keeps none where that has less
  /// than twice the room for them, or knows no files without names: then they are decoded again.
  SpareRows(const std::filesystem::path& target, int32_t rows, int64_t row_bytes);
  SpareRows(const SpareRows&) = delete;
  SpareRows& operator=(const SpareRows&) = delete;
  ~SpareRows();

  /// Takes rows [first, end) of `rows` as the next ones. What the disc does not take ends keeping.
  void append(ConstAnyView rows, int32_t first, int32_t end);
  /// Whether every row is here.
  bool whole() const { return file_ >= 0 && kept_ == rows_; }
  /// Fills `to` with the rows from `row` on. Throws Error{output}.
  void read(int32_t row, AnyView to) const;

 private:
  void drop();

  std::filesystem::path target_;
  int32_t rows_;
  int64_t row_bytes_;
  int32_t kept_ = 0;
  int file_ = -1;
};

}  // namespace cuesta::io
