// cuesta generate: the man page and completion for shells, from the options of every verb. The
// build runs it (cli/CMakeLists.txt); help does not show it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/common.hpp"
#include "cli/help.hpp"
#include "cli/nearest.hpp"
#include "cli/program.hpp"
#include "cuesta/version.hpp"

namespace cuesta::cli {
namespace {

std::vector<const CLI::App*> verbs_of(const CLI::App& root) {
  std::vector<const CLI::App*> verbs;
  for (const auto& name : verb_names(root)) verbs.push_back(root.get_subcommand(name));
  return verbs;
}

// Verbs of cuesta-bench, which does `bench` without a word.
bool is_of_bench(const CLI::App& verb) {
  return verb.get_name() == "bench" || verb.get_name() == explain_ladder_verb;
}
bool is_bench(const CLI::App& root) {
  return std::ranges::all_of(verbs_of(root), [](const auto* verb) { return is_of_bench(*verb); });
}

std::string program_of(const CLI::App& root) {
  return is_bench(root) ? fmt::format("{}-bench", root.get_name()) : root.get_name();
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  auto options = app.get_options();
  std::erase_if(options, [](const CLI::Option* one) {
    return one->get_lnames().empty() || one->get_group().empty();
  });
  return {options.begin(), options.end()};
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* one) { return one->get_positional(); });
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// "FILE" of "FILE:{...}".
std::string placeholder_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::string in_single_quotes(const std::string& text) {
  return "'" + replaced(text, "'", R"('\'')") + "'";
}

// ---- the man page, in man(7)'s macros

std::string roff(const std::string& text) {
  std::string out = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
  if (out.starts_with('.') || out.starts_with('\'')) out = "\\&" + out;
  return replaced(replaced(out, "\n.", "\n\\&."), "\n'", "\n\\&'");
}

std::string man_option(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const auto& name : option.get_snames()) names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) names.push_back("--" + name);
  std::string head;
  for (const auto& name : names)
    head += fmt::format("{}\\fB{}\\fR", head.empty() ? "" : ", ", roff(name));
  if (takes_value(option)) head += fmt::format(" \\fI{}\\fR", roff(placeholder_of(option)));
  return fmt::format(".TP\n{}\n{}\n", head, roff(option.get_description()));
}

// Paragraphs are filled; lines that begin with blanks, and those before them, keep their form.
std::string man_text(const std::string& text) {
  std::string out;
  bool is_table = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool is_head = line.ends_with(':');
    if (line.starts_with(' ') || is_head) {
      if (!is_table) out += ".PP\n.nf\n";
      is_table = true;
    } else {
      if (is_table) out += ".fi\n";
      is_table = false;
      if (line.empty()) continue;
      out += ".PP\n";
    }
    out += roff(line) + '\n';
  }
  return is_table ? out + ".fi\n" : out;
}

std::string man_verb(const CLI::App& verb) {
  std::string out = fmt::format(".SH CUESTA {}\n.B cuesta {}\n[\\fIoptions\\fR]", verb.get_name(),
                                verb.get_name());
  std::string arguments;
  for (const auto* one : positionals_of(verb)) {
    const bool many = one->get_items_expected_max() > 1;
    out += fmt::format(" \\fI{}\\fR{}", roff(one->get_name(true)), many ? " ..." : "");
    arguments += fmt::format(".TP\n\\fI{}\\fR\n{}\n", roff(one->get_name(true)),
                             roff(one->get_description()));
  }
  out += '\n' + man_text(verb.get_description()) + arguments;
  std::vector<std::string> groups;
  for (const auto* option : options_of(verb))
    if (std::ranges::find(groups, option->get_group()) == groups.end())
      groups.push_back(option->get_group());
  for (const std::string& group : groups) {
    if (group != "Options") out += fmt::format(".SS {}\n", roff(group));
    for (const auto* option : options_of(verb))
      if (option->get_group() == group) out += man_option(*option);
  }
  return out + fmt::format(".SS Examples\n.nf\n{}.fi\n", roff(verb.get_footer()));
}

std::string man_page(const CLI::App& root) {
  const std::string program = program_of(root);
  std::string title = program;
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string out = fmt::format(
      ".TH {} 1 \"\" \"cuesta {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n", title,
      CUESTA_VERSION, program,
      is_bench(root) ? "verify, time and explain the strategies of cuesta"
                     : "find edges and moving objects in pictures and video");
  for (const auto* verb : verbs_of(root))
    out += fmt::format(".B cuesta {}\n[\\fIoptions\\fR] ...\n.br\n", verb->get_name());
  out += fmt::format(".SH DESCRIPTION\n{}\n", roff(root.get_description()));
  for (const auto* verb : verbs_of(root))
    out += fmt::format(".TP\n.B {}\n{}\n", verb->get_name(),
                       roff(first_sentence(verb->get_description())));
  for (const auto* verb : verbs_of(root)) out += man_verb(*verb);
  return out +
         ".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\nverify or bench found results that "
         "differ\n.TP\n2\n"
         "an option or argument that cannot be meant, or that this build refuses\n.TP\n3\na file, "
         "stream or picture that cannot be read\n.TP\n4\na result that cannot be "
         "written\n.TP\n5\nno "
         "usable GPU, a fault on it, or memory that is not there\n.TP\n130\ninterrupted\n"
         ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nmessages have no color\n.TP\n.B CUESTA_STRATEGY\n"
         "OPERATION:STRATEGY, pins a strategy\n.TP\n.B CUESTA_SIMD\nan instruction set of the CPU "
         "to "
         "use at most\n";
}

// ---- completion

std::vector<std::string> words_of(const CLI::App& verb) {
  std::vector<std::string> words;
  for (const auto* option : options_of(verb))
    for (const auto& name : option->get_lnames()) words.push_back("--" + name);
  return words;
}

// What a verb's options and arguments are, and the candidates for the value of one.
std::string bash_words(const CLI::App& verb) {
  std::string values, arguments, with_value;
  for (const auto* option : options_of(verb)) {
    if (!takes_value(*option)) continue;
    std::string names;
    for (const auto& name : option->get_lnames()) names += (names.empty() ? "--" : "|--") + name;
    for (const auto& name : option->get_snames()) names += "|-" + name;
    if (const auto choices = names_in_type(option->get_type_name()); !choices.empty())
      values += fmt::format("        {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n",
                            names, fmt::join(choices, " "));
    else
      with_value += (with_value.empty() ? "" : "|") + names;
  }
  for (const auto* one : positionals_of(verb))
    arguments += fmt::format("{}{}", arguments.empty() ? "" : " ",
                             fmt::join(names_in_type(one->get_type_name()), " "));
  if (!with_value.empty())
    values += fmt::format("        {}) compopt -o default; return ;;\n", with_value);
  const std::string cases =
      values.empty() ? "" : fmt::format("      case $before in\n{}      esac\n", values);
  return fmt::format("{}      options='{}' arguments='{}'\n", cases, fmt::join(words_of(verb), " "),
                     arguments);
}

std::string bash(const CLI::App& root) {
  const std::string program = program_of(root);
  const std::string function = "_" + replaced(program, "-", "_");
  std::string out = fmt::format(R"(# Completion of {} for bash, made by `{} generate bash`.
{}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options arguments
  COMPREPLY=()
)",
                                program, program, function);
  if (is_bench(root)) {
    auto verbs = verbs_of(root);
    std::ranges::reverse(verbs);  // "*" comes last
    out += "  case ${COMP_WORDS[1]} in\n";
    for (const auto* verb : verbs)
      out += fmt::format("    {})\n{}      ;;\n",
                         verb->get_name() == "bench" ? "*" : verb->get_name(), bash_words(*verb));
    out += "  esac\n";
  } else {
    out += fmt::format(R"(  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{} help version --help --version' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
    help) COMPREPLY=($(compgen -W '{}' -- "$word")); return ;;
    bench | explain-ladder)
      declare -F _cuesta_bench >/dev/null || _comp_load cuesta-bench || __load_completion cuesta-bench
      _cuesta_bench
      return ;;
)",
                       fmt::join(verb_names(root), " "), fmt::join(verb_names(root), " "));
    for (const auto* verb : verbs_of(root))
      if (!is_of_bench(*verb))
        out += fmt::format("    {})\n{}      ;;\n", verb->get_name(), bash_words(*verb));
    out += "    *) return ;;\n  esac\n";
  }
  return out + fmt::format(R"(  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ $arguments ]]; then
    COMPREPLY=($(compgen -W "$arguments" -- "$word"))
  else
    compopt -o default
  fi
}}
complete -F {} {}
)",
                           function, program);
}

// Of an argument specification of _arguments: brackets and colons are its own.
std::string zsh_text(const std::string& text) {
  std::string out = replaced(text, "\\", "\\\\");
  for (const std::string_view one : {"[", "]", ":"})
    out = replaced(out, one, "\\" + std::string(one));
  return out;
}

std::string zsh_words(const CLI::App& verb) {
  std::string out = "      _arguments -s";
  for (const auto* option : options_of(verb)) {
    std::vector<std::string> names;
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    for (const auto& name : option->get_snames()) names.push_back("-" + name);
    std::string rest = fmt::format("[{}]", zsh_text(summary_of(*option)));
    if (takes_value(*option)) {
      const auto choices = names_in_type(option->get_type_name());
      rest +=
          fmt::format(":{}:{}", zsh_text(placeholder_of(*option)),
                      choices.empty() ? "_files" : fmt::format("({})", fmt::join(choices, " ")));
    }
    for (const auto& name : names) out += " \\\n        " + in_single_quotes(name + rest);
  }
  const auto positionals = positionals_of(verb);
  if (!positionals.empty()) {
    const auto choices = names_in_type(positionals[0]->get_type_name());
    out += " \\\n        " +
           in_single_quotes(
               "*:" + zsh_text(positionals[0]->get_name(true)) + ":" +
               (choices.empty() ? "_files" : fmt::format("({})", fmt::join(choices, " "))));
  }
  return out;
}

std::string zsh(const CLI::App& root) {
  const std::string program = program_of(root);
  std::string out =
      fmt::format("#compdef {}\n# Completion of {} for zsh, made by `{} generate zsh`.\n_{}() {{\n",
                  program, program, program, program);
  if (is_bench(root)) {
    auto verbs = verbs_of(root);
    std::ranges::reverse(verbs);  // "*" comes last
    out += "  case $words[1] in\n";
    for (const auto* verb : verbs)
      out += fmt::format("    {})\n{} ;;\n", verb->get_name() == "bench" ? "*" : verb->get_name(),
                         zsh_words(*verb));
    return out + fmt::format("  esac\n}}\n_{} \"$@\"\n", program);
  }
  out += "  local -a verbs=(\n";
  for (const auto* verb : verbs_of(root)) {
    out += "    " +
           in_single_quotes(verb->get_name() + ":" +
                            zsh_text(first_sentence(verb->get_description()))) +
           "\n";
  }
  out +=
      "  )\n  local -a words_alone=('help:Show the help of a verb.' 'version:Show the "
      "version.')\n"
      "  if ((CURRENT == 2)); then\n    _describe verb verbs -- words_alone\n    return\n  fi\n"
      "  local verb=$words[2]\n  shift words\n  ((CURRENT--))\n  case $verb in\n"
      "    help) ((CURRENT == 2)) && _describe verb verbs ;;\n"
      "    bench | explain-ladder) (( $+functions[_cuesta-bench] )) && _cuesta-bench ;;\n";
  for (const auto* verb : verbs_of(root))
    if (!is_of_bench(*verb))
      out += fmt::format("    {})\n{} ;;\n", verb->get_name(), zsh_words(*verb));
  return out + "  esac\n}\n_cuesta \"$@\"\n";
}

// `head` is the beginning of each line: the command and the condition.
std::string fish_words(const CLI::App& verb, const std::string& head) {
  std::string out;
  for (const auto* option : options_of(verb)) {
    out += head;
    for (const auto& name : option->get_lnames()) out += " -l " + name;
    for (const auto& name : option->get_snames()) out += " -s " + name;
    const auto choices = names_in_type(option->get_type_name());
    if (takes_value(*option))
      out += choices.empty() ? " -r" : fmt::format(" -x -a '{}'", fmt::join(choices, " "));
    out += " -d " + in_single_quotes(replaced(summary_of(*option), "\\", "\\\\")) + "\n";
  }
  for (const auto* one : positionals_of(verb))
    if (const auto choices = names_in_type(one->get_type_name()); !choices.empty())
      out += fmt::format("{} -f -a '{}'\n", head, fmt::join(choices, " "));
  return out;
}

std::string fish(const CLI::App& root) {
  const std::string program = program_of(root);
  std::string out =
      fmt::format("# Completion of {} for fish, made by `{} generate fish`.\n", program, program);
  if (is_bench(root)) {
    for (const auto* verb : verbs_of(root))
      out += fish_words(
          *verb, fmt::format("complete -c {} -n '{}__fish_seen_subcommand_from {}'", program,
                             verb->get_name() == "bench" ? "not " : "", explain_ladder_verb));
    return out;
  }
  for (const auto* verb : verbs_of(root)) {
    out += fmt::format("complete -c cuesta -n __fish_use_subcommand -f -a {} -d {}\n",
                       verb->get_name(), in_single_quotes(first_sentence(verb->get_description())));
  }
  out +=
      "complete -c cuesta -n __fish_use_subcommand -f -a help -d 'Show the help of a "
      "verb.'\n"
      "complete -c cuesta -n __fish_use_subcommand -f -a version -d 'Show the version.'\n";
  out += fmt::format("complete -c cuesta -n '__fish_seen_subcommand_from help' -f -a '{}'\n",
                     fmt::join(verb_names(root), " "));
  out +=
      "complete -c cuesta -n '__fish_seen_subcommand_from bench explain-ladder' "
      "-a '(complete -C (string replace -r \"^\\s*cuesta(\\s+bench\\b)?\" cuesta-bench "
      "(commandline -cp)))'\n";
  for (const auto* verb : verbs_of(root)) {
    if (is_of_bench(*verb)) continue;
    out += fish_words(*verb, fmt::format("complete -c cuesta -n '__fish_seen_subcommand_from {}'",
                                         verb->get_name()));
  }
  return out;
}

}  // namespace

Verb add_generate(CLI::App& parent) {
  auto what = std::make_shared<std::string>();
  CLI::App* app = parent.add_subcommand(
      "generate", "Writes the man page, or completion for a shell, to standard output.");
  app->footer("  cuesta generate man > cuesta.1\n  cuesta generate bash > cuesta.bash\n");
  app->group("");  // for packages; people find it in cli/CMakeLists.txt
  app->add_option("WHAT", *what, "man, bash, zsh or fish")
      ->type_name("")
      ->required()
      ->check(one_of_names({"man", "bash", "zsh", "fish"}));
  CLI::App* root = &parent;
  return {app, [what, root] {
            // What a package has beside the command is not here yet when the build asks.
            for (CLI::App* one : root->get_subcommands([](CLI::App*) { return true; }))
              if (is_of_bench(*one)) one->group(verb_group);
            print_data(*what == "man"    ? man_page(*root)
                       : *what == "bash" ? bash(*root)
                       : *what == "zsh"  ? zsh(*root)
                                         : fish(*root));
            return int(exit_done);
          }};
}

}  // namespace cuesta::cli
