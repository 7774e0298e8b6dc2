// Several videos in one run: where they are named, and how they share the machine.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cli/detecting.hpp"

namespace CLI {
class Option;
}

namespace cuesta::cli {

using Cameras = std::vector<std::unique_ptr<WatchedVideo>>;

/// A camera for each input, with the options that `app` was given. Each is named after its input: a
/// file by its name without the extension, an address by host and path; what is taken gets a
/// number. One alone has no name. Throws Error.
Cameras cameras_of(const CLI::App& app, std::span<const std::string> inputs);

/// Throws Error{invalid_argument} for outputs that would be written over, or that are read. Several
/// cameras may share --json.
void check_names(const CLI::App& app, const Cameras& cameras);

// ---- for files of cameras (apps/watch)

/// Options of the command itself, obeyed when they are read, and those of all cameras together.
const std::set<std::string>& options_of_the_command();
const std::set<std::string>& options_of_the_run();
bool is_flag(const CLI::Option& option);
/// The options that `app` was given, as words, without its inputs and the options of these names.
std::vector<std::string> words_given(const CLI::App& app, const std::set<std::string>& except);
/// The options of a camera. Throws Error{invalid_argument}.
std::unique_ptr<DetectOptions> parse_camera(std::vector<std::string> words);
/// One of `count` cameras: fewer cameras than cores share the cores, more have one thread each.
std::unique_ptr<WatchedVideo> make_camera(size_t count, std::unique_ptr<DetectOptions> options);
/// The name of a camera that has none, after its input, with a number where it is `taken`.
std::string free_name_of(const std::string& input, std::set<std::string>& taken);
/// Puts the camera's name for {name} in every file name that it reads or writes, and in its topic.
/// Where cameras have names, each has a topic of its own below one without {name}.
void fill_names(DetectOptions& options, const std::string& name);

}  // namespace cuesta::cli
