#include "support/places.hpp"

namespace cuesta::test {

std::string source_file(const std::string& path) { return CUESTA_SOURCE_DIR "/" + path; }

#if defined(CUESTA_HAS_CLI)
std::string command_file() { return CUESTA_COMMAND; }
#endif

}  // namespace cuesta::test
