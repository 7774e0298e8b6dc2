// What the parent of a sandboxed child does for it.
#pragma once

#include <linux/seccomp.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "cli/fence_results.hpp"

namespace cuesta::cli {

/// Answers what the child asks: it makes the results that are allowed, and hands them over.
class Answers {
 public:
  /// `child` is a descriptor of the process (pidfd_open(2)).
  Answers(int listener, int child, FencedResults& results)
      : listener_(listener), child_(child), results_(results) {}
  /// Answers one question, if there still is one.
  void answer();

 private:
  static constexpr int answered = -1;

  uint64_t argument(int n) const { return asked_->data.args[n]; }
  int done();
  std::optional<std::string> path_at(int n, int folder = -1) const;
  std::optional<std::string> text_at(uint64_t address) const;
  int open_file(const std::optional<std::string>& path, int flags, mode_t mode);
  int hand_over(Descriptor file, int flags);
  int make_folder(const std::optional<std::string>& path, mode_t mode);
  int remove(const std::optional<std::string>& path);
  int rename_file(const std::optional<std::string>& from, const std::optional<std::string>& to);
  Descriptor opened_by_child(int number) const;
  Descriptor written_by_child(int number) const;
  int link_file(const std::optional<std::string>& from, const std::optional<std::string>& to);
  int change_rights(int number, mode_t mode);
  int lock(int number, int how);

  int listener_, child_;
  FencedResults& results_;
  const seccomp_notif* asked_ = nullptr;
};

}  // namespace cuesta::cli
