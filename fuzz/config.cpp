// Files of options, as --config takes them: what they put behind the verb is parsed as if it had
// been typed, and what they refuse, they refuse by cuesta::Error. The first byte chooses the verb.
#include "cli/config.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/common.hpp"
#include "cuesta/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cuesta::cli;
  if (size == 0) return 0;
  static const int file = memfd_create("config", 0);
  if (ftruncate(file, 0) != 0 || pwrite(file, data + 1, size - 1, 0) != ssize_t(size - 1))
    std::abort();
  constexpr const char* names[] = {"edges", "filter", "detect"};
  std::vector<std::string> arguments = {names[data[0] % 3], "--config",
                                        "/proc/self/fd/" + std::to_string(file), "a.png"};
  CLI::App app("", "cuesta");
  app.require_subcommand(1);
  const Verb verbs[] = {add_edges(app), add_filter(app), add_detect(app)};
  try {
    add_config(app, arguments);
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Error&) {
  } catch (const cuesta::Error&) {
  }
  (void)verbs;
  set_verbosity(0);
  return 0;
}
