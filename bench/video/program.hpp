// Other programs as peers.
#pragma once

#include <string>
#include <vector>

namespace cuesta::bench {

/// Runs a program by its name on the PATH, or its path, without input and output, and returns its
/// exit code; −1 where there is none of that name, 128 and more where a signal ended it.
int run_program(const std::vector<std::string>& words);

}  // namespace cuesta::bench
