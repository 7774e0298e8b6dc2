#include "io/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "io/errors.hpp"

namespace cuesta::io {
namespace {

bool is_pipe_or_device(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return std::filesystem::is_fifo(status) || std::filesystem::is_character_file(status);
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& target, Placing placing, int64_t kept)
    : target_(target), name_(target.string()) {
  const bool stands = is_pipe_or_device(target);
  if (!stands && placing != Placing::growing) {
    staged_.emplace(target, placing == Placing::private_when_whole);
    descriptor_ = staged_->descriptor();
    is_file_ = true;
    return;
  }
  std::error_code ignored;
  if (target.filename().empty()) throw_output(target, "this is a folder; name a file");
  if (std::filesystem::is_directory(target, ignored))
    throw_output(target, "this is a folder; name a file");
  const int empties = kept > 0 && !stands ? 0 : O_TRUNC;
  descriptor_ = open(target.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | empties, 0666);
  if (descriptor_ < 0) {
    const int cause = errno;
    throw_output(target,
                 cause == ENOENT ? "its folder does not exist; create it first" : reason_of(cause));
  }
  owned_ = true;
  is_file_ = !stands;
  if (empties != 0) return;
  if (ftruncate(descriptor_, kept) != 0) throw_output(target, reason_of(errno));
  position_ = size_ = kept;
}

OutputFile::OutputFile(int descriptor, std::string name)
    : name_(std::move(name)), descriptor_(descriptor) {}

OutputFile::~OutputFile() {
  if (owned_) close(descriptor_);
}

bool OutputFile::put(std::span<const char> bytes) noexcept {
  const int64_t begin = position_;
  while (!bytes.empty() && error_ == 0) {
    const ssize_t n = is_file_ ? pwrite(descriptor_, bytes.data(), bytes.size(), position_)
                               : ::write(descriptor_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error_ = n < 0 ? errno : EIO;
      if (is_file_ && grows() && begin == size_) (void)!ftruncate(descriptor_, size_);
      break;
    }
    bytes = bytes.subspan(size_t(n));
    position_ += n;
  }
  if (error_ == 0 && position_ > size_) size_ = position_;
  return error_ == 0;
}

int64_t OutputFile::get(std::span<char> bytes) noexcept {
  if (!is_file_ || error_ != 0) return -1;
  ssize_t n = -1;
  do n = pread(descriptor_, bytes.data(), bytes.size(), position_);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    error_ = errno;
  else
    position_ += n;
  return n;
}

int64_t OutputFile::seek(int64_t offset, int whence) noexcept {
  const int64_t from = whence == SEEK_CUR ? position_ : whence == SEEK_END ? size_ : 0;
  int64_t to = 0;
  if (!is_file_ || __builtin_add_overflow(from, offset, &to) || to < 0) return -1;
  return position_ = to;
}

void OutputFile::check() const {
  if (error_ != 0) throw_output_errno(name_, error_);
}

void OutputFile::write(std::span<const char> bytes) {
  put(bytes);
  check();
}

void OutputFile::commit() {
  check();
  if (staged_) return staged_->commit();
  if (!owned_) return;
  if (is_file_) error_ = sync_descriptor(descriptor_);
  owned_ = false;
  if (close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR && error_ == 0) error_ = errno;
  check();
}

RecordFile::RecordFile(const std::filesystem::path& path, Placing placing, int64_t kept)
    : file_(std::make_unique<OutputFile>(path, placing, kept)) {}

RecordFile::RecordFile(int descriptor, std::string name)
    : file_(std::make_unique<OutputFile>(descriptor, std::move(name))) {}

RecordFile::~RecordFile() = default;

bool RecordFile::is_empty() const { return file_->size() == 0; }

void RecordFile::write(std::span<const char> record) { file_->write(record); }

void RecordFile::finish() { file_->commit(); }

}  // namespace cuesta::io
