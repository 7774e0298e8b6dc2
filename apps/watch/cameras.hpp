// Several videos in one run: where they are named, and how they share the machine.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/detecting.hpp"

namespace cuesta::cli {

using Cameras = std::vector<std::unique_ptr<WatchedVideo>>;

/// A camera for each input, with the options that `app` was given. Each is named after its input: a
/// file by its name without the extension, an address by host and path; what is taken gets a
/// number. One alone has no name. Throws Error.
Cameras cameras_of(const CLI::App& app, std::span<const std::string> inputs);

/// The cameras of a file, TOML or JSON: a list `cameras` of tables with `input`, `name` (else as
/// above) and options under their long names ("min-area" or "min_area", a value or a list of them),
/// which go before those that `app` was given. Throws Error naming the file and the place in it.
/// {name} in a file's name becomes the camera's, here and above.
Cameras read_cameras(const CLI::App& app, const std::string& path);

/// Throws Error{invalid_argument} for outputs that would be written over, or that are read. Several
/// cameras may share --json.
void check_names(const Cameras& cameras);

/// Watches all of them at once, until the last one's end, or a signal: as many frames at once as
/// `threads` says. A camera that fails is reported, and the others go on. Returns the highest exit
/// code.
int detect_all(const Cameras& cameras, int threads);

}  // namespace cuesta::cli
