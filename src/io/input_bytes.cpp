#include "io/input_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "cuesta/io/input.hpp"
#include "io/errors.hpp"

namespace cuesta::io {
namespace {

constexpr size_t buffer_bytes = 1 << 16;

}  // namespace

InputBytes::InputBytes(int descriptor, std::string name, const StreamLimits& limits)
    : descriptor_(descriptor), name_(std::move(name)), limits_(limits) {
  limits_.with_stop();
  look();
}

// A named pipe is opened before its writer comes: waiting for it is waiting for data.
InputBytes::InputBytes(const std::string& path, const StreamLimits& limits)
    : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)),
      owned_(true),
      name_(path),
      limits_(limits) {
  if (descriptor_ < 0) throw_input(name_, reason_of(errno));
  limits_.with_stop();
  look();
}

InputBytes::~InputBytes() {
  if (owned_) close(descriptor_);
}

void InputBytes::look() {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return;
  grows_ = limits_.growing > 0;
  if (grows_) return;
  const off_t at = lseek(descriptor_, 0, SEEK_CUR);
  if (at < 0) return;
  size_ = status.st_size;
  position_ = at;
}

// False where reading was stopped.
bool InputBytes::wait_for_data() {
  if (size_ >= 0) return !stopped();
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto silent = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  bool reported = false;
  while (!stopped()) {
    std::array<pollfd, 2> watched{
        {{descriptor_, POLLIN, 0}, {limits_.stop->descriptor(), POLLIN, 0}}};
    const double left = std::clamp(limits_.timeout - silent(), 0.0, 1e6);
    const int ready = poll(watched.data(), watched.size(),
                           reported || !limits_.report ? -1 : int(left * 1000) + 1);
    if (ready < 0 && errno != EINTR) return true;  // read() will say what is wrong
    if (watched[1].revents) return false;
    if (ready > 0 && watched[0].revents) {
      if (reported) limits_.report(fmt::format("{}: data again after {:.1f} s", name_, silent()));
      return true;
    }
    if (!reported && silent() >= limits_.timeout && limits_.report) {
      limits_.report(fmt::format("{}: no data for {:g} s; waiting", name_, limits_.timeout));
      reported = true;
    }
  }
  return false;
}

// False where the file has not grown for as long as limits say, or reading was stopped.
bool InputBytes::wait_for_growth() {
  using Clock = std::chrono::steady_clock;
  constexpr double pause = 0.1;
  const auto begin = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - begin).count() < limits_.growing) {
    struct stat status {};
    const off_t at = lseek(descriptor_, 0, SEEK_CUR);
    if (at < 0 || fstat(descriptor_, &status) != 0) throw_input(name_, reason_of(errno));
    if (status.st_size < at) throw_input(name_, "the file became shorter while it was read");
    if (status.st_size > at) return true;
    if (limits_.stop->wait(pause)) return false;
  }
  grows_ = false;
  return false;
}

size_t InputBytes::take(char* to, size_t count) {
  for (;;) {
    if (!wait_for_data()) return 0;
    const ssize_t n = ::read(descriptor_, to, count);
    if (n == 0 && grows_ && wait_for_growth()) continue;
    if (n >= 0) return size_t(n);
    if (errno != EINTR && errno != EAGAIN) throw_input(name_, reason_of(errno));
  }
}

std::string_view InputBytes::peek(size_t count) {
  if (buffer_.empty()) buffer_.resize(std::max(count, buffer_bytes));
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_, begin_ = 0;
  }
  if (buffer_.size() < count) buffer_.resize(count);
  while (end_ < count) {
    const size_t n = take(buffer_.data() + end_, buffer_.size() - end_);
    if (n == 0) break;
    end_ += n;
  }
  return {buffer_.data(), std::min(count, end_)};
}

size_t InputBytes::read_some(char* to, size_t count) {
  if (count == 0) return 0;
  if (begin_ == end_) {
    if (count >= buffer_bytes) {
      const size_t n = take(to, count);
      position_ += int64_t(n);
      return n;
    }
    if (buffer_.empty()) buffer_.resize(buffer_bytes);
    begin_ = 0;
    end_ = take(buffer_.data(), buffer_.size());
  }
  const size_t n = std::min(count, end_ - begin_);
  std::memcpy(to, buffer_.data() + begin_, n);
  begin_ += n;
  position_ += int64_t(n);
  return n;
}

size_t InputBytes::read(void* to, size_t count) {
  size_t done = 0;
  while (done < count) {
    const size_t n = read_some(static_cast<char*>(to) + done, count - done);
    if (n == 0) break;
    done += n;
  }
  return done;
}

int InputBytes::get() {
  if (begin_ < end_) {
    ++position_;
    return static_cast<unsigned char>(buffer_[begin_++]);
  }
  char byte = 0;
  return read_some(&byte, 1) == 1 ? static_cast<unsigned char>(byte) : -1;
}

void InputBytes::seek(int64_t position) {
  if (lseek(descriptor_, position, SEEK_SET) < 0) throw_input(name_, reason_of(errno));
  position_ = position;
  begin_ = end_ = 0;
}

std::vector<uint8_t> InputBytes::read_all() {
  std::vector<uint8_t> bytes;
  for (size_t have = 0;;) {
    bytes.resize(have + std::max(have, buffer_bytes));
    const size_t n = read(bytes.data() + have, bytes.size() - have);
    have += n;
    if (have == bytes.size()) continue;
    bytes.resize(have);
    return bytes;
  }
}

namespace {

std::unique_ptr<InputBytes>& kept_standard_input() {
  static std::unique_ptr<InputBytes> kept;
  return kept;
}

std::unique_ptr<InputBytes> open_standard_input(const StreamLimits& limits) {
  if (isatty(STDIN_FILENO))
    throw_input("standard input", "standard input is a terminal; pipe a video to it");
  return std::make_unique<InputBytes>(STDIN_FILENO, "standard input", limits);
}

}  // namespace

std::string_view peek_standard_input(size_t count) {
  auto& kept = kept_standard_input();
  if (!kept) kept = open_standard_input({});
  return kept->peek(count);
}

std::unique_ptr<InputBytes> take_standard_input(const StreamLimits& limits) {
  auto kept = std::move(kept_standard_input());
  if (!kept) return open_standard_input(limits);
  kept->limits_ = limits;
  kept->limits_.with_stop();
  return kept;
}

std::vector<uint8_t> read_standard_input() { return take_standard_input({})->read_all(); }

}  // namespace cuesta::io
