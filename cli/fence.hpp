// A verb in a process of its own, in a sandbox: whatever a file does to the decoder that reads it,
// what this process makes are the results that the command line names.
#pragma once

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
/// Its arguments.
std::vector<std::string> inputs_of(const CLI::App& verb);
/// The files and folders that its options of type OUT name.
std::vector<std::string> results_of(const CLI::App& verb);

/// Runs `work` in a child that enters the sandbox before it, and answers for it there: of files it
/// makes and replaces `results`, what it stages beside them, and in those that are folders
/// pictures, videos and lists by any name that is not hidden. Signals that come here go there.
/// Returns the child's exit code, in the child that of `work`. Throws Error{input} where a signal
/// ended the child that did not come from here, Error{unsupported} where the system has no sandbox.
int run_fenced(const std::vector<std::string>& inputs, const std::vector<std::string>& results,
               const std::function<int()>& work);

}  // namespace cuesta::cli
