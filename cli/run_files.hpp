// The files of one run: no result may be a file that is read, or another result.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/folder.hpp"

namespace CLI {
class App;
}

namespace cuesta::cli {

/// Compares files by device and inode. Every verb names here what it reads and writes, before it
/// opens a result. "-" is standard input or output; empty names, addresses and, unless writes_in()
/// names them, folders are skipped. Each function throws Error{invalid_argument} where a file that
/// is read would be written, or one would be written twice.
class RunFiles {
 public:
  static constexpr std::string_view remedy_of_one = "choose another name";

  /// What options of every verb name: those of type FILE are read, --save-config is written.
  explicit RunFiles(const CLI::App& verb);

  void reads_input(const std::string& path) { reads(path, "the input"); }
  /// Messages show `what` and the path: "--scene yard.toml".
  void reads(const std::string& path, std::string_view what);
  /// The same; `whose` follows the path, and `remedy` ends the message.
  void writes(const std::string& path, std::string_view what, std::string_view whose = "",
              std::string_view remedy = remedy_of_one);
  /// The folder, and every file there whose name begins with `prefix`.
  void writes_in(const std::string& folder, const std::string& prefix, std::string_view what,
                 std::string_view whose, std::string_view remedy);

 private:
  struct Entry {
    io::FilePlace place{};
    std::string path{};
    bool is_file = false;    // exists, and what is written there would be lost
    bool takes_all = false;  // the null device: anything may be written there
    std::string shown{};
    std::string prefix{};  // of files in the folder
  };
  static std::optional<Entry> entry_of(const std::string& path, int standard_stream,
                                       std::string shown);
  void refuse_read(const Entry& result, std::string_view remedy) const;
  void add_result(Entry entry, std::string_view remedy);

  std::vector<Entry> read_, written_;
};

}  // namespace cuesta::cli
