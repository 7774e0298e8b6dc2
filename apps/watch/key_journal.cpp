#include "apps/watch/key_journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/common.hpp"
#include "io/errors.hpp"
#include "io/text_file.hpp"

namespace cuesta::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view head = "{\"cuesta_journal\":1}\n";
constexpr size_t max_keys = 4096, longest_line = size_t(1) << 20;
constexpr int64_t largest_file = int64_t(1) << 28;

}  // namespace

KeyJournal::KeyJournal(fs::path file, const Take& take) : file_(std::move(file)) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(file_, error)))
    if (const std::string why = read(take); !why.empty()) set_aside(why);
  rewrite();
}

KeyJournal::~KeyJournal() {
  if (descriptor_ >= 0) close(descriptor_);
}

// Says what is wrong with the file; empty for nothing.
std::string KeyJournal::read(const Take& take) {
  std::string text;
  try {
    text = io::text_of_file(file_.string(), largest_file);
  } catch (const Error& error) {
    return error.what();
  }
  if (text.empty()) return {};
  if (!text.starts_with(head)) return file_.string() + ": it is no history of --live";
  std::string why;
  int64_t number = 1, damaged = 0;
  for (size_t begin = head.size(), end = 0; begin < text.size(); begin = end + 1) {
    end = text.find('\n', begin);
    if (end == text.npos) break;
    ++number;
    if (take_line(text.substr(begin, end - begin), take)) continue;
    if (++damaged == 1) why = fmt::format("{}: line {}", file_.string(), number);
  }
  if (damaged > 0) why += fmt::format(" is damaged ({} in all)", damaged);
  return why;
}

bool KeyJournal::take_line(const std::string& line, const Take& take) try {
  if (line.size() > longest_line) return false;
  const Json parsed = Json::parse(line);
  const std::string& key = parsed.at("key").get_ref<const std::string&>();
  if (lines_.size() >= max_keys && !lines_.contains(key)) return false;
  if (!take(key, parsed.at("value"))) return false;
  put(key, parsed.at("value"));
  return true;
} catch (const Json::exception&) {
  return false;
}

void KeyJournal::set_aside(const std::string& why) {
  fs::path aside = file_;
  aside += ".damaged";
  std::error_code error;
  fs::rename(file_, aside, error);
  if (error) fail(error.value());
  warn("{}; the file is set aside as {}, and what could be read is kept", why, aside.string());
}

void KeyJournal::put(const std::string& key, const Json& value) {
  std::string line = line_of(Json({{"key", key}, {"value", value}})) + "\n";
  std::string& known = lines_[key];
  if (known == line) return;
  values_ += int64_t(line.size()) - int64_t(known.size());
  pending_ += line;
  known = std::move(line);
}

void KeyJournal::flush() {
  if (size_ + int64_t(pending_.size()) > 2 * values_ + slack) return rewrite();
  for (size_t done = 0; done < pending_.size();) {
    const ssize_t wrote = ::write(descriptor_, pending_.data() + done, pending_.size() - done);
    if (wrote < 0 && errno != EINTR) fail(errno);
    if (wrote > 0) done += size_t(wrote);
  }
  size_ += int64_t(pending_.size());
  pending_.clear();
}

void KeyJournal::rewrite() {
  std::string text(head);
  for (const auto& [key, line] : lines_) text += line;
  const auto file = text_file(file_.string(), io::Placing::when_whole);
  file->write(text);
  file->finish();
  const int old = std::exchange(descriptor_, open(file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (old >= 0) close(old);
  if (descriptor_ < 0) fail(errno);
  size_ = int64_t(text.size());
  pending_.clear();
}

void KeyJournal::fail(int error) const {
  throw Error(ErrorCode::output, fmt::format("{}: {}", file_.string(), io::reason_of(error)),
              file_.string());
}

}  // namespace cuesta::cli
