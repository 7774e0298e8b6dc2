#include "io/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "io/errors.hpp"

namespace cuesta::io {
namespace {

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

}  // namespace

std::string text_of_file(const std::string& path, int64_t most) {
  // A pipe that nobody writes to does not hold it up.
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status {};
  if (file.number < 0 || fstat(file.number, &status) != 0) throw_input(path, reason_of(errno));
  if (S_ISDIR(status.st_mode)) throw_input(path, "this is a folder; name a file");
  if (!S_ISREG(status.st_mode)) throw_input(path, "this is not a regular file");
  const auto refuse = [&] {
    throw_input(path, fmt::format("the file exceeds the limit of {} bytes", most));
  };
  if (status.st_size > most) refuse();
  std::string text;
  for (;;) {  // what /proc has says no size
    const size_t have = text.size();
    text.resize(have + size_t(std::clamp<int64_t>(status.st_size - int64_t(have), 4096, 1 << 20)));
    const ssize_t n = read(file.number, text.data() + have, text.size() - have);
    if (n < 0 && errno != EINTR) throw_input(path, reason_of(errno));
    text.resize(have + size_t(std::max<ssize_t>(n, 0)));
    if (n == 0) return text;
    if (int64_t(text.size()) > most) refuse();
  }
}

std::string csv_cell(std::string_view text) {
  std::string cell;
  if (!text.empty() && std::string_view("=+-@\t\r").find(text[0]) != text.npos) cell = "'";
  cell += text;
  if (cell.find_first_of("\",\r\n") == cell.npos) return cell;
  std::string out = "\"";
  for (const char c : cell) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

}  // namespace cuesta::io
