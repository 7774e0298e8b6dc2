#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace cuesta::cli {
namespace {

constexpr size_t left = 26, right = 96;  // columns of the descriptions

// `text` in lines from column `left`, after a head that stands before it.
std::string two_columns(const std::string& head, std::string_view text) {
  std::string out = "  " + head;
  if (out.size() + 2 > left)
    out += '\n' + std::string(left, ' ');
  else
    out.append(left - out.size(), ' ');
  size_t column = left;
  while (!text.empty()) {
    const size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    if (column > left && column + 1 + word.size() > right) {
      out += '\n' + std::string(left, ' ');
      column = left;
    } else if (column > left) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return out + '\n';
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  std::string out = fmt::format("Examples:\n{}\n{}\n\n", app->get_footer(), app->get_description());
  out += make_usage(app, std::move(name));
  out += make_positionals(app);
  out += make_groups(app, mode);
  out += make_subcommands(app, mode);
  // CLI11 parts groups by two empty lines.
  for (size_t at = out.find("\n\n\n"); at != std::string::npos; at = out.find("\n\n\n"))
    out.erase(at, 1);
  return out;
}

std::string first_sentence(std::string text) {
  text = text.substr(0, text.find("\n\n"));
  std::ranges::replace(text, '\n', ' ');
  const size_t end = text.find(". ");
  return end == text.npos ? text : text.substr(0, end + 1);
}

std::string HelpFormatter::make_subcommand(const CLI::App* app) const {
  return two_columns(app->get_name(), first_sentence(app->get_description()));
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string head = option->get_name(is_positional, !is_positional);
  if (!is_positional && option->get_items_expected_max() > 0) {
    // Checks append what they allow to the type's name; the descriptions say it in words.
    const std::string type = option->get_type_name();
    head += ' ' + type.substr(0, type.find(':'));
  }
  return two_columns(head, option->get_description());
}

}  // namespace cuesta::cli
