#include "apps/watch/cameras.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "apps/watch/mqtt.hpp"
#include "cli/config.hpp"
#include "cli/inputs.hpp"
#include "cli/table_file.hpp"
#include "core/threads.hpp"
#include "io/address.hpp"

namespace cuesta::cli {
namespace {

// Options of the command itself, obeyed when they are read, and those of all cameras together.
const std::set<std::string> of_the_command = {"help", "quiet", "verbose", "cameras"};
const std::set<std::string> of_the_run = {"threads", "explain", "sandbox"};

bool is_flag(const CLI::Option& option) { return option.get_expected_max() == 0; }

// What `app` was given, as words, but its inputs and the options of these names.
std::vector<std::string> given(const CLI::App& app, const std::set<std::string>& except) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const std::string& name = option->get_lnames()[0];
    if (of_the_command.contains(name) || except.contains(name)) continue;
    for (const std::string& text : option->results())
      words.push_back(is_flag(*option) ? "--" + name : fmt::format("--{}={}", name, text));
  }
  return words;
}

// Among `count` cameras: with fewer than cores each has its share of them, else one thread.
std::unique_ptr<WatchedVideo> one_of(size_t count, std::unique_ptr<DetectOptions> options) {
  int& threads = options->common.threads;
  if (count > 1) threads = std::max(1, thread_count(threads) / int(count));
  return std::make_unique<WatchedVideo>(std::move(options));
}

std::unique_ptr<DetectOptions> parsed(std::vector<std::string> words) {
  auto options = std::make_unique<DetectOptions>();
  options->parser = std::make_shared<CLI::App>();
  add_detect_options(*options->parser, *options);
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    options->parser->parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorCode::invalid_argument, error.what());
  }
  return options;
}

// What an input is called where nobody named it, of letters that any file name may have.
std::string name_of_input(const std::string& input) {
  std::string name = input == "-" ? "stdin" : std::filesystem::path(input).stem().string();
  if (io::is_address(input)) {
    name = input.substr(input.find("://") + 3);
    name.resize(std::min(name.size(), name.find_first_of("?#")));
    const size_t at = name.substr(0, name.find('/')).rfind('@');
    if (at != name.npos) name.erase(0, at + 1);
  }
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_') c = '-';
  const size_t first = name.find_first_not_of("-."), last = name.find_last_not_of("-.");
  return first == name.npos ? "camera" : name.substr(first, last - first + 1);
}

// Makes a name its own: "yard", "yard-2", "yard-3".
std::string free_name(const std::string& wanted, std::set<std::string>& taken) {
  std::string name = wanted;
  for (int number = 2; !taken.insert(name).second; ++number)
    name = fmt::format("{}-{}", wanted, number);
  return name;
}

// Puts the camera's name for {name} in every name of a file that it reads or writes, and in its
// topic; where cameras have names, one without {name} is that of all, and each has its own below.
void fill_names(DetectOptions& options, const std::string& name) {
  constexpr std::string_view place = "{name}";
  const auto fill = [&](std::string& text) {
    for (size_t at = 0; (at = text.find(place, at)) != text.npos; at += name.size())
      text.replace(at, place.size(), name);
  };
  WatchOptions& watch = options.watch;
  if (!watch.mqtt.empty() && !options.camera.empty() && watch.mqtt.find(place) == watch.mqtt.npos)
    watch.mqtt = mqtt_below(watch.mqtt, place);
  for (std::string* text :
       {&options.out, &options.json, &options.mask_video, &watch.scene, &watch.mask,
        &watch.heat_map, &watch.report, &watch.clips, &watch.coco, &watch.mot, &watch.mqtt})
    fill(*text);
  for (std::string& text : watch.events) fill(text);
}

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
    std::vector<std::string> words = given(app_, mine_);
    words.insert(words.end(), words_.begin(), words_.end());
    return parsed(std::move(words));
  }

 private:
  void check_name() const {
    const auto name = text("name");
    if (name && (name->find('/') != name->npos || name->starts_with('.'))) {
      fail_at(where_ + ".name",
              fmt::format("\"{}\" cannot be a file name; it must not contain / or begin with a dot",
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
    if (of_the_command.contains(name) || of_the_run.contains(name))
      fail_at(place, "this option applies to the whole run; set it on the command line");
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

bool is_same_file(const std::string& a, const std::string& b) {
  return a != "-" && b != "-" && place_of(a) == place_of(b);
}

struct Written {
  const DetectOptions* camera;
  std::string option, name;
};

// "--json o.ndjson", and whose it is where there are several.
std::string shown(const Written& one) {
  return fmt::format("{} {}{}", one.option, one.name,
                     one.camera->camera.empty() ? "" : " of " + one.camera->camera);
}

void check_pair(const Written& a, const Written& b) {
  if (a.camera != b.camera && a.option == "--json" && b.option == "--json") return;
  const char* mend =
      a.camera == b.camera ? "" : "; {name} in a file's name stands for the camera's";
  if (a.name == "-" && b.name == "-") {
    usage_error("-", "{} and {}: standard output takes one of them; name a file{}", shown(a),
                shown(b), mend);
  }
  if (is_same_file(a.name, b.name))
    usage_error(b.name, "{} and {} are one file{}", shown(a), shown(b), mend);
}

}  // namespace

Cameras cameras_of(const CLI::App& app, std::span<const std::string> inputs) {
  Cameras cameras;
  std::set<std::string> taken;
  for (const std::string& input : inputs) {
    auto camera = parsed(given(app, {}));
    camera->input = input;
    const std::string name = free_name(name_of_input(input), taken);
    if (inputs.size() > 1) camera->camera = name;
    fill_names(*camera, name);
    cameras.push_back(one_of(inputs.size(), std::move(camera)));
  }
  return cameras;
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
      if (camera->camera.empty()) camera->camera = free_name(name_of_input(camera->input), taken);
      fill_names(*camera, camera->camera);
      cameras.push_back(one_of(tables.size(), std::move(camera)));
    } catch (const Error& error) {
      throw Error(error.code(), table.where() + ": " + error.what(), error.value(), error.hint());
    }
  }
  return cameras;
}

void check_names(const Cameras& cameras) {
  std::vector<Written> written;
  for (const auto& camera : cameras) {
    for (const auto& [option, name] : camera->options().outputs()) {
      const Written one{&camera->options(), option, name};
      for (const auto& other : cameras) {
        if (is_same_file(name, other->options().input)) {
          usage_error(name, "{}: this input would be overwritten; choose another name", shown(one));
        }
      }
      for (const Written& before : written) check_pair(before, one);
      written.push_back(one);
    }
  }
  const auto reads_stdin = [](const auto& camera) { return camera->options().input == "-"; };
  if (std::ranges::count_if(cameras, reads_stdin) > 1)
    usage_error("-", "standard input is used by several cameras; only one can read it");
}

int detect_all(const Cameras& cameras, int threads) {
  const int count = int(cameras.size());
  std::map<std::string, int> uses;  // of a place for lines
  bool has_stdout = false;
  for (const auto& camera : cameras) {
    const DetectOptions& options = camera->options();
    has_stdout |= options.json == "-" || options.out == "-";
    if (!options.json.empty()) ++uses[place_of(options.json)];
  }
  const StopOnSignal stop;
  Progress progress("frames", std::nullopt, has_stdout);
  Turns turns(std::min(thread_count(threads), count));
  Results together(io::Placing::growing);
  std::map<std::string, std::shared_ptr<JsonLines>> shared;
  const auto lines_of = [&](const DetectOptions& camera) -> std::shared_ptr<JsonLines> {
    if (camera.json.empty() || uses[place_of(camera.json)] < 2) return nullptr;
    auto& lines = shared[place_of(camera.json)];
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
