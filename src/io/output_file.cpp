#include "io/output_file.hpp"

#include <fcntl.h>
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

OutputFile::OutputFile(const std::filesystem::path& target, Placing placing) : target_(target) {
  if (is_pipe_or_device(target)) return;  // opening a pipe twice would end it for its reader
  if (placing == Placing::when_whole) {
    staged_.emplace(target);
    return;
  }
  std::error_code ignored;
  if (target.filename().empty()) throw_output(target, "that names a folder");
  if (std::filesystem::is_directory(target, ignored)) throw_output(target, "that is a folder");
  const int file = open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    const int cause = errno;
    throw_output(target, cause == ENOENT ? "its folder does not exist" : reason_of(cause));
  }
  close(file);
}

void OutputFile::commit() {
  if (staged_) staged_->commit();
}

RecordFile::RecordFile(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)) {}

RecordFile::RecordFile(const std::string& path, Placing placing)
    : place_(std::in_place, path, placing),
      descriptor_(open(place_->path().c_str(), O_WRONLY | O_CLOEXEC)),
      name_(path) {
  if (descriptor_ < 0) throw_output_errno(name_, errno);
}

RecordFile::~RecordFile() {
  if (place_ && descriptor_ >= 0) close(descriptor_);
}

void RecordFile::write(std::span<const char> record) {
  std::span<const char> rest = record;
  while (!rest.empty()) {
    const ssize_t n = ::write(descriptor_, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int cause = errno;
      if (place_ && rest.size() < record.size()) (void)!ftruncate(descriptor_, written_);
      throw_output_errno(name_, cause);
    }
    rest = rest.subspan(size_t(n));
  }
  written_ += int64_t(record.size());
}

void RecordFile::finish() {
  if (!place_) return;
  if (close(std::exchange(descriptor_, -1)) != 0) throw_output_errno(name_, errno);
  place_->commit();
}

}  // namespace cuesta::io
