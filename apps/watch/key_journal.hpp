// Values under keys in a file that is written while it changes: whatever ends the process, what was
// flushed is there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "cli/results.hpp"

namespace cuesta::cli {

class KeyJournal {
 public:
  /// Gets each line of the file, in order: a key, and a value that replaces earlier ones. False,
  /// or an exception of Json: the line is damaged.
  using Take = std::function<bool(const std::string& key, const Json& value)>;

  /// Reads the file, if there is one, and writes what was taken as its beginning. A damaged file is
  /// set aside as FILE.damaged with a warning; its other lines are taken. Half a line at the end is
  /// what a process left that was killed, and no damage. Throws Error{output}.
  KeyJournal(std::filesystem::path file, const Take& take);
  KeyJournal(const KeyJournal&) = delete;
  KeyJournal& operator=(const KeyJournal&) = delete;
  ~KeyJournal();

  void put(const std::string& key, const Json& value);
  /// Appends what was put. The file is rewritten when it is more than twice as large as its
  /// values and `slack`. Throws Error{output}.
  void flush();

 private:
  static constexpr int64_t slack = int64_t(1) << 20;
  std::string read(const Take& take);
  bool take_line(const std::string& line, const Take& take);
  void set_aside(const std::string& why);
  void rewrite();
  [[noreturn]] void fail(int error) const;

  std::filesystem::path file_;
  std::map<std::string, std::string> lines_;  // of each key, with their ends
  std::string pending_;
  int64_t values_ = 0, size_ = 0;  // bytes
  int descriptor_ = -1;
};

}  // namespace cuesta::cli
