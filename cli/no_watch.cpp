// Builds without apps/watch (CUESTA_WATCH=OFF).
#include <CLI/CLI.hpp>

#include "cli/watch.hpp"

namespace cuesta::cli {
namespace {

[[noreturn]] void throw_left_out(const std::string& what) {
  throw Error(ErrorCode::unsupported,
              fmt::format("{} is not in this build; build it with -D CUESTA_WATCH=ON", what), what);
}

void add_left_out(CLI::App& app, const std::string& name) {
  app.add_option_function<std::string>(name, [name](const std::string&) { throw_left_out(name); })
      ->group("");  // help lists what is installed
}

}  // namespace

void add_watch_result_options(CLI::App& app, WatchOptions&) {
  for (const char* name :
       {"--events", "--report",   "--clips",  "--objects",    "--counts",         "--coco",
        "--mot",    "--on-event", "--mqtt",   "--mqtt-qos",   "--mqtt-discovery", "--zones",
        "--scores", "--heatmap",  "--live",   "--live-token", "--live-history",   "--pictures",
        "--record", "--keep",     "--segment"})
    add_left_out(app, name);
  app.add_flag_callback("--mqtt-objects", [] { throw_left_out("--mqtt-objects"); })->group("");
  app.add_flag_callback("--mqtt-pictures", [] { throw_left_out("--mqtt-pictures"); })->group("");
  app.add_flag_callback("--record-motion", [] { throw_left_out("--record-motion"); })->group("");
  app.add_flag_callback("--allow-hooks", [] { throw_left_out("--allow-hooks"); })->group("");
}

void check_watch_results(const WatchOptions&) {}
WatchResults watch_results(const WatchOptions&, const WatchFacts&) { return {}; }
std::shared_ptr<LivePage> begin_live(const WatchOptions&, std::vector<std::string>) { return {}; }
void put_topic_below(WatchOptions&, std::string_view) {}
void add_cameras_option(CLI::App& app, std::string&) { add_left_out(app, "--cameras"); }
Cameras read_cameras(const CLI::App&, const std::string&) { throw_left_out("--cameras"); }
int detect_all(const Cameras&, int) { throw_left_out("watching several videos"); }

}  // namespace cuesta::cli
