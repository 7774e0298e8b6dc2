#include "io/band_stage.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <vector>

#include "io/errors.hpp"
#include "io/whole_io.hpp"

namespace cuesta::io {
namespace {

constexpr std::string_view head = "cuesta rows 1";
constexpr int64_t block_bytes = int64_t(1) << 22;

std::filesystem::path beside(const std::filesystem::path& target, std::string_view kind) {
  constexpr size_t longest = 200;  // a name has 255 bytes
  return target.parent_path() /
         fmt::format(".{}.{}", target.filename().string().substr(0, longest), kind);
}

int open_beside(const std::filesystem::path& path) {
  return open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

}  // namespace

BandStage::BandStage(const std::filesystem::path& target, const std::string& key, int64_t row_bytes,
                     bool resume)
    : target_(target), row_bytes_(row_bytes) {
  std::error_code ignored;
  const auto place = std::filesystem::weakly_canonical(target, ignored);
  if (place.filename().empty()) throw_output(target, "this is a folder; name a file");
  rows_path_ = beside(place, "cuesta-rows");
  journal_path_ = beside(place, "cuesta-journal");
  journal_ = open_beside(journal_path_);
  if (journal_ < 0) {
    const int error = errno;
    throw_output(target,
                 error == ENOENT ? "its folder does not exist; create it first" : reason_of(error));
  }
  if (flock(journal_, LOCK_EX | LOCK_NB) != 0) {
    close(journal_);
    throw_output(target, "another process is writing it; choose another name");
  }
  rows_file_ = open_beside(rows_path_);
  if (rows_file_ < 0) {
    const int error = errno;
    close(journal_);
    throw_output(rows_path_, reason_of(error));
  }
  try {
    if (resume) take_journal(key);
    if (ftruncate(rows_file_, rows_ * row_bytes_) != 0) fail(errno);
    // What is known is written again: half a line at the end must not become part of the next.
    if (ftruncate(journal_, 0) != 0) fail(errno);
    write_line(fmt::format("{}\nkey {}", head, key));
    if (thresholds_) set_thresholds(CannyResult(*thresholds_));
    if (rows_ > 0) write_line(fmt::format("rows {} {}", rows_, set_));
  } catch (...) {
    close(rows_file_);
    close(journal_);
    throw;
  }
}

BandStage::~BandStage() {
  if (!kept_) {
    std::error_code ignored;
    std::filesystem::remove(rows_path_, ignored);
    std::filesystem::remove(journal_path_, ignored);
  }
  close(rows_file_);
  close(journal_);
}

void BandStage::take_journal(const std::string& key) {
  struct stat status {};
  if (fstat(journal_, &status) != 0 || status.st_size == 0) return;
  std::string text(size_t(status.st_size), '\0');
  if (pread(journal_, text.data(), text.size(), 0) != ssize_t(text.size())) return;
  text.resize(text.rfind('\n') + 1);  // half a line is none
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != head) return;
  if (!std::getline(lines, line) || line != "key " + key) return;
  int32_t rows = 0;
  long long set = 0;
  while (std::getline(lines, line)) {
    CannyResult found;
    if (std::sscanf(line.c_str(), "thresholds %la %la", &found.low, &found.high) == 2)
      thresholds_ = found;
    else
      std::sscanf(line.c_str(), "rows %d %lld", &rows, &set);
  }
  if (fstat(rows_file_, &status) == 0 && rows > 0 && status.st_size >= rows * row_bytes_)
    rows_ = rows, set_ = set;
}

void BandStage::write_line(const std::string& line) {
  struct stat status {};
  const std::string whole = line + "\n";
  if (fstat(journal_, &status) != 0) fail(errno);
  if (const int error = write_all(journal_, whole.data(), int64_t(whole.size()), status.st_size))
    fail(error);
}

void BandStage::set_thresholds(const CannyResult& thresholds) {
  thresholds_ = thresholds;
  write_line(fmt::format("thresholds {:a} {:a}", thresholds.low, thresholds.high));
}

void BandStage::append(const void* rows, int64_t stride_bytes, int32_t count, int64_t set) {
  const auto* from = static_cast<const char*>(rows);
  int64_t offset = rows_ * row_bytes_;
  const auto write = [&](const char* bytes, int64_t size) {
    if (const int error = write_all(rows_file_, bytes, size, offset)) fail(error);
    offset += size;
  };
  if (stride_bytes == row_bytes_) {
    write(from, row_bytes_ * count);
  } else {
    const auto some = int32_t(std::clamp<int64_t>(block_bytes / row_bytes_, 1, count));
    std::vector<char> block(size_t(some * row_bytes_), '\0');
    for (int32_t y = 0; y < count; y += some) {
      const int32_t end = std::min(count, y + some);
      for (int32_t i = y; i < end; ++i)
        std::memcpy(block.data() + (i - y) * row_bytes_, from + i * stride_bytes,
                    size_t(row_bytes_));
      write(block.data(), (end - y) * row_bytes_);
    }
  }
  while (fdatasync(rows_file_) != 0)
    if (errno != EINTR) fail(errno);
  rows_ += count;
  set_ += set;
  write_line(fmt::format("rows {} {}", rows_, set_));
}

void BandStage::read(int32_t row, int64_t offset, int64_t bytes, void* to) const {
  if (const int error =
          read_all(rows_file_, static_cast<char*>(to), bytes, offset + row * row_bytes_))
    fail(error);
}

void BandStage::fail(int error) const {
  throw_output_errno(fmt::format("{} (rows of {})", rows_path_.string(), target_.string()), error);
}

}  // namespace cuesta::io
