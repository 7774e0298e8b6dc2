// The results that a sandboxed child may make, whatever paths and links lead to them.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cuesta::cli {

/// A descriptor that is closed with it.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

/// A file or folder by its system's numbers, whatever path leads to it.
using Identity = std::pair<dev_t, ino_t>;
std::optional<Identity> identity_of(int descriptor);

/// A name in a folder, which is open: nothing that is renamed meanwhile leads elsewhere.
struct Spot {
  Descriptor folder{};
  Identity where{};
  std::string name{};
};

std::optional<Spot> spot_of(const std::filesystem::path& path);
/// Where a folder is or will be, whatever links lead there: "link/../out" need not be "out".
std::filesystem::path folder_at(const std::string& path);

/// What the child may make, and what it has made so far that has a name of its own.
class FencedResults {
 public:
  FencedResults(const std::vector<std::string>& results, pid_t child);
  /// Whether a file may have that name, or be beside such a one until it is whole.
  bool may_be(const Spot& spot) const;
  bool is_staged(const Spot& spot) const;
  bool has_results(Identity folder) const;
  bool may_be_folder(const std::filesystem::path& wanted) const;
  void made_folder(const std::filesystem::path& path) {
    if (folders_to_be_.contains(path.string())) add_folder(path.string());
  }
  /// A name that was not there before, or is no more.
  void made(Spot spot) { made_.insert_or_assign({spot.where, spot.name}, std::move(spot.folder)); }
  void forget(const Spot& spot) { made_.erase({spot.where, spot.name}); }
  bool has_made(const Spot& spot) const { return made_.contains({spot.where, spot.name}); }
  /// Removes what a child that has ended left staged.
  void clean();

 private:
  void add_folder(const std::string& path);
  bool may_be_whole(Identity where, const std::string& name) const;

  std::string mark_;  // of what the child stages (io/staged_file.cpp)
  std::set<std::pair<Identity, std::string>> files_{};
  std::set<Identity> folders_{};
  std::set<std::string> folders_to_be_{};
  std::map<std::pair<Identity, std::string>, Descriptor> made_{};
};

}  // namespace cuesta::cli
