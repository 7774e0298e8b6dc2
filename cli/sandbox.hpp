// What is left to a process that decodes files from strangers, once it has all it needs.
#pragma once

#include <string>
#include <vector>

namespace cuesta::cli {

/// What a process in the sandbox has.
struct SandboxRights {
  /// Files and folders that it reads, and folders whose names it lists (cli/sandbox_files.hpp).
  std::vector<std::string> read{}, listed{};
  /// Descriptors that stay open beside the standard streams.
  std::vector<int> descriptors{};
  /// Whether it accepts connections on a socket that it has, and answers them.
  bool serves = false;
};

/// From here on this process reads these files, writes to what it has open, and works, by the calls
/// that sandbox_filter() lists. Making, opening for writing, naming, renaming, locking and removing
/// a file, changing its rights and making a folder is asked of whoever holds the descriptor that
/// this returns, once for each such call, which waits for the answer (seccomp_unotify(2);
/// cli/fence_answers.hpp answers). All other calls fail. There is no way back. For a process with
/// one thread. Throws Error{unsupported} where the system has no sandbox.
int enter_sandbox(const SandboxRights& rights);

}  // namespace cuesta::cli
