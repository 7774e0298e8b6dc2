// Files of cameras, and several cameras in one run.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "cli/config.hpp"
#include "cli/table_file.hpp"
#include "cli/watch.hpp"
#include "core/threads.hpp"

namespace cuesta::cli {
namespace {

// One table of a file of cameras.
class CameraTable {
 public:
  CameraTable(const CLI::App& app, const Json& table, std::string where)
      : app_(app), table_(table), where_(std::move(where)) {
    if (!table.is_object()) fail_at(where_, fmt::format("{} must be a table", shown(table)));
    for (const auto& [key, value] : table.items()) {
      if (key == "name" || key == "input") {
        if (!value.is_string() || value.get<std::string>().empty())
          fail_at(where_ + "." + key,
                  fmt::format("{} must be text that is not empty", shown(value)));
      } else {
        add(key, value);
      }
    }
    if (!table.contains("input")) fail_at(where_, "\"input\" is missing");
    check_name();
  }

  std::optional<std::string> text(const char* key) const {
    const auto found = table_.find(key);
    return found == table_.end() ? std::nullopt : std::optional(found->get<std::string>());
  }
  const std::string& where() const { return where_; }

  std::unique_ptr<DetectOptions> options() const {
    std::vector<std::string> words = words_given(app_, mine_);
    words.insert(words.end(), words_.begin(), words_.end());
    return parse_camera(std::move(words));
  }

 private:
  void check_name() const {
    const auto name = text("name");
    if (name && (name->find('/') != name->npos || name->starts_with('.') || has_control(*name))) {
      fail_at(where_ + ".name", fmt::format("\"{}\" cannot be a file name; it must not contain / "
                                            "or control codes, or begin with a dot",
                                            *name));
    }
  }
  void add(const std::string& key, const Json& value) {
    std::string name = key;
    std::ranges::replace(name, '_', '-');
    const std::string place = where_ + "." + key;
    const CLI::Option* option = find_option(app_, "--" + name);
    if (!option) {
      fail_at(place,
              "there is no such option; use name, input or the long name of an option of detect "
              "(cuesta detect --help)");
    }
    if (options_of_the_command().contains(name) || options_of_the_run().contains(name))
      fail_at(place, "this option applies to the whole run; set it on the command line");
    if (starts_programs(name) && find_option(app_, "--allow-hooks")->count() == 0)
      fail_at(place, fmt::format("this option starts a program; {}", allow_hooks_first));
    if (!mine_.insert(name).second) fail_at(place, "this option is set twice; set it once");
    if (is_flag(*option)) {
      if (!value.is_boolean())
        fail_at(place, fmt::format("{} must be true or false", shown(value)));
      if (value.get<bool>()) words_.push_back("--" + name);
      return;
    }
    const Json list = value.is_array() ? value : Json::array({value});
    for (const Json& one : list) {
      if (!one.is_string() && !one.is_number())
        fail_at(place, fmt::format("{} must be text or a number", shown(one)));
      words_.push_back(
          fmt::format("--{}={}", name, one.is_string() ? one.get<std::string>() : one.dump()));
    }
  }

  const CLI::App& app_;
  const Json& table_;
  std::string where_;
  std::set<std::string> mine_;  // options that this table has, whatever the command line says
  std::vector<std::string> words_;
};

}  // namespace

void add_cameras_option(CLI::App& app, std::string& path) {
  app.add_option("--cameras", path, "watch the cameras of a .toml or .json file concurrently")
      ->type_name("FILE");
}

Cameras read_cameras(const CLI::App& app, const std::string& path) {
  const Json all = read_tables(path, "a list of cameras");
  const Table file(all, path, {"cameras"});
  std::vector<CameraTable> tables;
  std::set<std::string> taken;
  for (const Json& table : file.list("cameras")) {
    tables.emplace_back(app, table, fmt::format("{}: cameras[{}]", path, tables.size()));
    const auto name = tables.back().text("name");
    if (name && !taken.insert(*name).second)
      fail_at(tables.back().where() + ".name",
              fmt::format("\"{}\" is used by two cameras; names must differ", *name));
  }
  if (tables.empty()) fail_at(path, "there are no cameras; add a [[cameras]] table for each");
  Cameras cameras;
  for (const CameraTable& table : tables) {
    try {
      auto camera = table.options();
      camera->input = *table.text("input");
      camera->camera = table.text("name").value_or("");
      if (camera->camera.empty()) camera->camera = free_name_of(camera->input, taken);
      fill_names(*camera, camera->camera);
      cameras.push_back(make_camera(tables.size(), std::move(camera)));
    } catch (const Error& error) {
      throw Error(error.code(), table.where() + ": " + error.what(), error.value(), error.hint());
    }
  }
  return cameras;
}

int detect_all(const Cameras& cameras, int threads) {
  const int count = int(cameras.size());
  std::map<std::string, int> uses;  // of a file of lines
  bool has_stdout = false;
  for (const auto& camera : cameras) {
    const DetectOptions& options = camera->options();
    has_stdout |= options.json == "-" || options.out == "-";
    if (!options.json.empty()) ++uses[options.json];
  }
  const StopOnSignal stop;
  Progress progress("frames", std::nullopt, has_stdout);
  Turns turns(std::min(thread_count(threads), count));
  Results together(io::Placing::growing);
  std::map<std::string, std::shared_ptr<JsonLines>> shared;
  const auto lines_of = [&](const DetectOptions& camera) -> std::shared_ptr<JsonLines> {
    if (camera.json.empty() || uses[camera.json] < 2) return nullptr;
    auto& lines = shared[camera.json];
    if (!lines) {
      lines = std::make_shared<JsonLines>(camera.json, together.placing());
      together.add(camera.json, [lines] { lines->finish(); });
    }
    return lines;
  };
  std::vector<Company> companies;
  for (const auto& camera : cameras)
    companies.push_back({progress, turns, lines_of(camera->options())});
  std::vector<int> codes(cameras.size(), exit_done);
  {
    std::vector<std::jthread> watchers;
    for (size_t i = 0; i < cameras.size(); ++i) {
      watchers.emplace_back([&, i] {
        codes[i] = reported([&] { return cameras[i]->watch(stop, &companies[i]); },
                            cameras[i]->options().camera);
      });
    }
  }
  const int highest = *std::ranges::max_element(codes);
  const Ending ending = stop.came()            ? Ending::interrupted
                        : highest == exit_done ? Ending::whole
                                               : Ending::faulty;
  const int finished = reported([&] {
    together.finish(ending, fmt::format("{} cameras", count), progress.done());
    return int(exit_done);
  });
  const auto failed = std::ranges::count_if(
      codes, [](int code) { return code != exit_done && code != exit_interrupted; });
  if (failed > 0) note("{} of {} cameras failed", failed, count);
  return std::max(highest, finished);
}

}  // namespace cuesta::cli
