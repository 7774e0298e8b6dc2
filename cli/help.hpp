// The layout of --help: summary, usage, examples, details, options; at most 79 columns.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace cuesta::cli {

/// A verb's footer holds its examples. The first line of its description is its summary; further
/// lines are details, and those that begin with blanks are tables. Of an option --help shows the
/// first sentence; the man page has all of them.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_subcommand(const CLI::App* app) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
};

/// The group of the verbs in the command's own help.
inline constexpr const char* verb_group = "Verbs";

/// The first line, up to its first full stop.
std::string first_sentence(std::string text);
/// The first sentence of an option's description, without the full stop.
std::string summary_of(const CLI::Option& option);

}  // namespace cuesta::cli
