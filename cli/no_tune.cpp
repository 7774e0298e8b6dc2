// Builds without apps/tune (CUESTA_TUNE=OFF, or no cpp-httplib).
#include <CLI/CLI.hpp>

#include "cli/common.hpp"

namespace cuesta::cli {

Verb add_tune(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("tune", "Not in this build.");
  app->group("");  // help lists what is installed
  app->allow_extras();
  return {app, []() -> int {
            throw Error(ErrorCode::unsupported,
                        "tune is not in this build; build it with cpp-httplib and -D "
                        "CUESTA_TUNE=ON",
                        "tune");
          }};
}

}  // namespace cuesta::cli
