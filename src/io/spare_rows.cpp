#include "io/spare_rows.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "io/errors.hpp"
#include "io/whole_io.hpp"

namespace cuesta::io {

SpareRows::SpareRows(const std::filesystem::path& target, int32_t rows, int64_t row_bytes)
    : target_(target), rows_(rows), row_bytes_(row_bytes) {
  std::error_code error;
  auto folder = std::filesystem::weakly_canonical(target, error).parent_path();
  if (folder.empty()) folder = ".";
  const auto space = std::filesystem::space(folder, error);
  if (error || int64_t(space.available) / 2 < rows * row_bytes) return;
  file_ = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

SpareRows::~SpareRows() { drop(); }

void SpareRows::drop() {
  if (file_ >= 0) close(file_);
  file_ = -1;
}

void SpareRows::append(ConstAnyView rows, int32_t first, int32_t end) {
  if (file_ < 0) return;
  int64_t offset = kept_ * row_bytes_;
  const auto* at = static_cast<const char*>(rows.data) + first * int64_t(rows.stride_bytes);
  const bool dense = rows.stride_bytes == row_bytes_;
  const int32_t count = end - first, at_once = dense ? count : 1;
  for (int32_t y = 0; y < count; y += at_once) {
    if (write_all(file_, at, at_once * row_bytes_, offset) != 0) return drop();
    at += at_once * int64_t(rows.stride_bytes), offset += at_once * row_bytes_;
  }
  kept_ += count;
}

void SpareRows::read(int32_t row, AnyView to) const {
  const bool dense = to.stride_bytes == row_bytes_;
  const int32_t at_once = dense ? to.height : 1;
  auto* at = static_cast<char*>(to.data);
  for (int32_t y = 0; y < to.height; y += at_once) {
    if (const int error = read_all(file_, at, at_once * row_bytes_, (row + y) * row_bytes_))
      throw_output_errno("rows kept for " + target_.string(), error);
    at += at_once * int64_t(to.stride_bytes);
  }
}

}  // namespace cuesta::io
