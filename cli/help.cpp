#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace cuesta::cli {
namespace {

constexpr size_t left = 26, right = 79;  // columns of the descriptions

// Appends the words of `text` to `out`, whose last line ends at `column`; further lines begin at
// column `indent`.
void append_words(std::string& out, size_t column, std::string_view text, size_t indent) {
  bool begins = true;
  while (!text.empty()) {
    const size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    if (!begins && column + 1 + word.size() > right) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!begins) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    begins = false;
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

// `text` in lines from column `left`, after a head that stands before it.
std::string two_columns(const std::string& head, std::string_view text) {
  std::string out = "  " + head;
  if (out.size() + 2 > left)
    out += '\n' + std::string(left, ' ');
  else
    out.append(left - out.size(), ' ');
  append_words(out, left, text, left);
  return out + '\n';
}

// The lines of `text` within the page. The second column of a line that begins with blanks stays
// one.
std::string wrapped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (line.size() <= right) {
      out += line;
    } else {
      const size_t words = line.find_first_not_of(' ');
      const size_t gap = words > 0 ? line.find("  ", words) : line.npos;
      const size_t begin = gap == line.npos ? words : line.find_first_not_of(' ', gap);
      out += line.substr(0, begin);
      append_words(out, begin, line.substr(begin), begin);
    }
    out += '\n';
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return out;
}

}  // namespace

HelpFormatter::HelpFormatter() {
  label("Positionals", "Arguments");
  label("SUBCOMMAND", "VERB");
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  const std::string about = app->get_description();
  const size_t end = about.find('\n');
  std::string out = wrapped(about.substr(0, end)) + '\n' + make_usage(app, std::move(name));
  out += fmt::format("\nExamples:\n{}\n", app->get_footer());
  if (end != about.npos) out += wrapped(about.substr(end + 1)) + '\n';
  out += make_positionals(app);
  out += make_groups(app, mode);
  out += make_subcommands(app, mode);
  // CLI11 parts groups by two empty lines.
  for (size_t at = out.find("\n\n\n"); at != std::string::npos; at = out.find("\n\n\n"))
    out.erase(at, 1);
  return out;
}

std::string first_sentence(std::string text) {
  text = text.substr(0, text.find('\n'));
  const size_t end = text.find(". ");
  return end == text.npos ? text : text.substr(0, end + 1);
}

std::string summary_of(const CLI::Option& option) {
  std::string text = first_sentence(option.get_description());
  if (text.ends_with('.') && !text.ends_with("..")) text.pop_back();
  return text;
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
  return two_columns(head, summary_of(*option));
}

}  // namespace cuesta::cli
