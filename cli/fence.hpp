// A verb in a process of its own, in a sandbox: whatever a file does to the decoder that reads it,
// what this process makes are the results that the command line names.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cuesta::cli {

/// Whether the parsed verb is to run in one, by --sandbox. Throws Error{invalid_argument} where its
/// other options ask for what there is none of in a sandbox: a GPU, the network, programs.
bool wants_sandbox(const CLI::App& verb);

/// What a run in the sandbox is given.
struct FencedRun {
  std::vector<std::string> inputs{}, results{};
  std::vector<std::string> also_read{};   ///< other files that options name
  std::vector<std::string> listed{};      ///< folders whose names are read
  int64_t max_memory = int64_t(1) << 30;  ///< --max-memory (cli/fence_watch.hpp)
  std::vector<int> descriptors{};         ///< that the child keeps
  bool serves = false;                    ///< on a socket that is one of them
};
/// What the verb's arguments and options name.
FencedRun fenced_run_of(const CLI::App& verb);

/// Runs `work` in a child that enters the sandbox before it, and answers for it there: of files it
/// makes and replaces the results, what it stages beside them, and in those that are folders
/// pictures, videos and lists by any name that is not hidden. Signals that come here go there. The
/// child is ended with this process, and where it takes too much memory, or too long after SIGALRM.
/// Returns the child's exit code, in the child that of `work`. Throws Error{input} where a signal
/// ended the child that did not come from here, Error{unsupported} where the system has no sandbox.
int run_fenced(const FencedRun& run, const std::function<int()>& work);

}  // namespace cuesta::cli
