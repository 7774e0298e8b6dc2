// What the page shows controls for, from the command's own options; and back: values of controls as
// the words of a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/described.hpp"
#include "cli/edges.hpp"

namespace cuesta::cli::tune {

using Json = nlohmann::ordered_json;

/// One object for each option: its name, and by owner ("canny"; "" where it has one) what it is:
/// {"name": "sigma", "by": {"canny": {"kind": "number", "words": ..., "low": 0, "value": "1.4"}}}.
Json controls_of(const DescribedOptions& described);

/// The words that give these values: {"sigma": "2", "steady": true} to --sigma 2 --steady. `names`
/// are those that may be given. Throws Error{invalid_argument} for others, and for values that are
/// neither texts nor true.
std::vector<std::string> words_of(const Json& values, const std::vector<std::string>& names);
std::vector<std::string> names_in(const DescribedOptions& described);

/// Words as a shell takes them.
std::string in_shell(const std::vector<std::string>& words);

/// A verb's options, read from words by the command's own parser. Throws Error{invalid_argument} as
/// the command would say it.
template <class Options>
class Asked {
 public:
  Asked(const char* verb, void (*add)(CLI::App&, Options&), std::vector<std::string> words)
      : words_(std::move(words)), root_("", "cuesta") {
    CLI::App* const app = root_.add_subcommand(verb);
    add(*app, options_);
    // Inputs and results are the tuner's own.
    for (CLI::Option* option : app->get_options()) option->required(false);
    parse(verb);
  }
  Asked(const Asked&) = delete;  // the parser refers to the options
  Asked& operator=(const Asked&) = delete;
  const Options& operator*() const { return options_; }
  const Options* operator->() const { return &options_; }
  const std::vector<std::string>& words() const { return words_; }

 private:
  void parse(const char* verb) {
    std::vector<std::string> arguments = words_;
    arguments.insert(arguments.begin(), verb);
    try {
      root_.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::ParseError& error) {
      usage_error("", "{}", words_for(root_, arguments, error.what()));
    }
  }

  std::vector<std::string> words_;
  CLI::App root_;
  Options options_;
};

/// `cuesta edges` of values of the page. Where they say {"lines": true}, lines are wanted too, in a
/// file `lines`.
class EdgesAsked : public Asked<EdgesArguments> {
 public:
  EdgesAsked(const Json& values, const std::string& lines);
};
/// The method, then its thresholds, then what its struct describes, then lines. What follows from
/// the mode of log where it is not given is by mode: {"by_mode": {"threshold": "1.4"}}.
Json edges_controls();

}  // namespace cuesta::cli::tune
