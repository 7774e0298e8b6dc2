// CLI11's complaints about arguments in the form of our messages.
#pragma once

#include <string>

namespace cuesta::cli {

/// What is wrong, the value, what would work. `verb` is the command line's, as in "cuesta edges".
/// Complaints of other forms are returned as they are.
std::string in_our_form(const std::string& complaint, const std::string& verb);

}  // namespace cuesta::cli
