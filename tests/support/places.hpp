// Where this checkout and its programs are. places.cpp alone is compiled with their names, so that
// the objects of all other tests serve any checkout.
#pragma once

#include <string>

namespace cuesta::test {

/// A file of the sources, by its path from their root.
std::string source_file(const std::string& path);

/// The command; only where CUESTA_HAS_CLI is defined.
std::string command_file();

}  // namespace cuesta::test
