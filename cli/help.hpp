// How --help is laid out: examples first, then what the verb does, then its options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace cuesta::cli {

/// A verb's footer holds its examples; its description's first line is its summary.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_subcommand(const CLI::App* app) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
};

/// Up to the first full stop; in one line.
std::string first_sentence(std::string text);

}  // namespace cuesta::cli
