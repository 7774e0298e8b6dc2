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

#include "core/checksum.hpp"
#include "io/errors.hpp"
#include "io/whole_io.hpp"

namespace cuesta::io {
namespace {

constexpr std::string_view head = "cuesta rows 2";
constexpr int64_t block_bytes = int64_t(1) << 22;

std::filesystem::path beside(const std::filesystem::path& target, std::string_view kind) {
  constexpr size_t longest = 200;  // a name has 255 bytes
  return target.parent_path() /
         fmt::format(".{}.{}", target.filename().string().substr(0, longest), kind);
}

// Whether nobody else may have written the file, or reaches it by another name.
bool is_ours_alone(const struct stat& status) {
  return S_ISREG(status.st_mode) && status.st_uid == geteuid() && status.st_nlink == 1 &&
         (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

// A file that was made here, or by us before; -1 and errno where that fails. EPERM: it is not ours
// alone.
int open_own(const std::filesystem::path& path) {
  constexpr int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  for (int attempt = 0; attempt < 100; ++attempt) {  // others may make and remove it meanwhile
    int file = open(path.c_str(), flags | O_CREAT | O_EXCL, 0600);
    if (file >= 0 || errno != EEXIST) return file;
    file = open(path.c_str(), flags);
    if (file < 0 && errno == ENOENT) continue;
    struct stat status {};
    if (file >= 0 && fstat(file, &status) == 0 && is_ours_alone(status)) return file;
    if (file >= 0) close(file);
    errno = EPERM;
    return -1;
  }
  errno = EEXIST;
  return -1;
}

bool is_still_named(int file, const std::filesystem::path& path) {
  struct stat open_one {
  }, named{};
  return fstat(file, &open_one) == 0 && lstat(path.c_str(), &named) == 0 &&
         open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

}  // namespace

BandStage::BandStage(const std::filesystem::path& target, const std::string& key, int64_t row_bytes,
                     int32_t height, bool resume)
    : target_(target), row_bytes_(row_bytes), height_(height) {
  std::error_code ignored;
  const auto place = std::filesystem::weakly_canonical(target, ignored);
  if (place.filename().empty()) throw_output(target, "this is a folder; name a file");
  rows_path_ = beside(place, "cuesta-rows");
  journal_path_ = beside(place, "cuesta-journal");
  try {
    open_files();
    begin(key, resume);
  } catch (...) {
    if (rows_file_ >= 0) close(rows_file_);
    if (journal_ >= 0) close(journal_);
    throw;
  }
}

void BandStage::open_files() {
  const auto refuse = [&](const std::filesystem::path& path) {
    const int error = errno;
    if (error == ENOENT) throw_output(target_, "its folder does not exist; create it first");
    if (error == EPERM)
      throw_output(path,
                   "a file of this name is not yours alone; remove it or choose another name");
    throw_output(path, reason_of(error));
  };
  do {
    if (journal_ >= 0) close(journal_);
    journal_ = open_own(journal_path_);
    if (journal_ < 0) refuse(journal_path_);
    if (flock(journal_, LOCK_EX | LOCK_NB) != 0)
      throw_output(target_, "another process is writing it; choose another name");
  } while (!is_still_named(journal_, journal_path_));  // who had the lock before removes it
  rows_file_ = open_own(rows_path_);
  if (rows_file_ < 0) refuse(rows_path_);
}

void BandStage::begin(const std::string& key, bool resume) {
  if (resume) take_journal(key);
  if (ftruncate(rows_file_, rows_ * row_bytes_) != 0) fail(errno);
  // What is known is written again: half a line at the end must not become part of the next.
  if (ftruncate(journal_, 0) != 0) fail(errno);
  written_ = 0;
  write_line(std::string(head));
  write_line("key " + key);
  if (found_) settle(CannyFound(*found_));
  for (const Rows& rows : all_) write_rows(rows);
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

// Stops at the first line that is not as it was written, or whose rows are not.
void BandStage::take_journal(const std::string& key) {
  struct stat status {};
  if (fstat(journal_, &status) != 0 || status.st_size == 0) return;
  std::string text(size_t(status.st_size), '\0');
  if (read_all(journal_, text.data(), status.st_size, 0) != 0) return;
  text.resize(text.rfind('\n') + 1);  // half a line is none
  std::istringstream lines(text);
  uint64_t before = 0;
  int number = 0;
  for (std::string line; std::getline(lines, line); ++number) {
    const size_t end = line.rfind(' ');
    if (end == line.npos) return;
    const std::string said = line.substr(0, end);
    before = checksum_of(said, before);
    if (line.substr(end + 1) != fmt::format("{:016x}", before)) return;
    if (number == 0 ? said != head : number == 1 && said != "key " + key) return;
    if (number > 1 && !take_line(said)) return;
  }
}

bool BandStage::take_line(const std::string& line) {
  CannyFound found;
  CannyResult& used = found.thresholds;
  if (std::sscanf(line.c_str(), "canny %la %la %la", &found.sigma, &used.low, &used.high) == 3) {
    found_ = found;
    return true;
  }
  Rows rows;
  long long set = 0;
  unsigned long long sum = 0;
  if (std::sscanf(line.c_str(), "rows %d %lld %llx", &rows.end, &set, &sum) != 3) return false;
  rows.set = set, rows.checksum = sum;
  if (!has(rows)) return false;
  count(rows);
  return true;
}

// Whether the file has these rows, behind the others.
bool BandStage::has(const Rows& rows) const {
  if (rows.end <= rows_ || rows.end > height_) return false;
  std::vector<char> block(size_t(std::min(block_bytes, (rows.end - rows_) * row_bytes_)));
  Checksum sum;
  const int64_t end = rows.end * row_bytes_;
  for (int64_t at = rows_ * row_bytes_; at < end;) {
    const auto size = std::min(int64_t(block.size()), end - at);
    if (read_all(rows_file_, block.data(), size, at) != 0) return false;
    sum.add(block.data(), size);
    at += size;
  }
  return sum.value() == rows.checksum;
}

void BandStage::count(const Rows& rows) {
  rows_ = rows.end;
  set_ += rows.set;
  all_.push_back(rows);
}

void BandStage::write_line(const std::string& line) {
  struct stat status {};
  written_ = checksum_of(line, written_);
  const std::string whole = fmt::format("{} {:016x}\n", line, written_);
  if (fstat(journal_, &status) != 0) fail(errno);
  if (const int error = write_all(journal_, whole.data(), int64_t(whole.size()), status.st_size))
    fail(error);
}

void BandStage::write_rows(const Rows& rows) {
  write_line(fmt::format("rows {} {} {:x}", rows.end, rows.set, rows.checksum));
}

void BandStage::settle(const CannyFound& found) {
  found_ = found;
  const CannyResult& used = found.thresholds;
  write_line(fmt::format("canny {:a} {:a} {:a}", found.sigma, used.low, used.high));
}

void BandStage::append(const void* rows, int64_t stride_bytes, int32_t height, int64_t set) {
  const auto* from = static_cast<const char*>(rows);
  int64_t offset = rows_ * row_bytes_;
  Rows made{rows_ + height, set, 0};
  Checksum sum;
  const auto write = [&](const char* bytes, int64_t size) {
    if (const int error = write_all(rows_file_, bytes, size, offset)) fail(error);
    sum.add(bytes, size);
    offset += size;
  };
  if (stride_bytes == row_bytes_) {
    write(from, row_bytes_ * height);
  } else {
    const auto some = int32_t(std::clamp<int64_t>(block_bytes / row_bytes_, 1, height));
    std::vector<char> block(size_t(some * row_bytes_), '\0');
    for (int32_t y = 0; y < height; y += some) {
      const int32_t end = std::min(height, y + some);
      for (int32_t i = y; i < end; ++i)
        std::memcpy(block.data() + (i - y) * row_bytes_, from + i * stride_bytes,
                    size_t(row_bytes_));
      write(block.data(), (end - y) * row_bytes_);
    }
  }
  while (fdatasync(rows_file_) != 0)
    if (errno != EINTR) fail(errno);
  made.checksum = sum.value();
  count(made);
  write_rows(made);
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
