// Options of a verb in a TOML file: a table named after the verb, a key for each option by its long
// name, as `--save-config` writes it and `--config` reads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cuesta::cli {

/// Puts what the file that `--config` names says of the verb behind `arguments`, but for options
/// that these give. Throws Error{input} for a file that cannot be read, Error{invalid_argument} for
/// a key that is no option of the verb.
void add_config(const CLI::App& root, std::vector<std::string>& arguments);

/// Whether an option starts programs: files set it only where the command line has --allow-hooks.
bool starts_programs(const std::string& name);
inline constexpr std::string_view allow_hooks_first =
    "add --allow-hooks to the command line to permit that";

/// Writes the options of a parsed verb where it has `--save-config`, but for its inputs and -o.
/// One that contains a password is for its owner alone (mode 600). Throws Error{output}.
void save_config(const CLI::App& verb);

/// The option of that name ("--sigma"), or null. (CLI11's own get_option_no_throw() ends the
/// process where memory is short.)
const CLI::Option* find_option(const CLI::App& app, const std::string& name);

}  // namespace cuesta::cli
