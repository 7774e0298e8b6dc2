// What the project's programs, cuesta and cuesta-bench, do alike: parse, run the verb, report.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/common.hpp"

namespace cuesta::cli {

/// Gives `app` the verbs that `add` adds, parses `arguments` (without the program's name), and
/// calls `run` with the verb that they name. "help", "help VERB" and "version" are options too.
/// Returns the exit code: that of `run`; exit_usage, after a message, for arguments that do not
/// parse.
int run_verb(CLI::App& app, const std::function<std::vector<Verb>(CLI::App&)>& add,
             std::vector<std::string> arguments, const std::function<int(const Verb&)>& run);

/// What main() does: keeps the standard streams, installs the signal handlers, and runs `work`;
/// errors become messages and exit codes.
int main_of(const std::function<int()>& work);

/// The first sentence of bench's help, there and in the command's list of verbs.
inline constexpr const char* bench_summary =
    "Verifies every strategy, then times it beside a copy of the picture and OpenCV.";

/// The other verb of cuesta-bench, and its summary.
inline constexpr const char* explain_ladder_verb = "explain-ladder";
inline constexpr const char* explain_ladder_summary =
    "Explains the steps from a naive GPU kernel to production, with predicted times.";

/// The path of another program of the project, beside this one or in a folder of PATH; empty where
/// there is none.
std::string find_program(std::string_view name);

}  // namespace cuesta::cli
