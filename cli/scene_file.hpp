// Scenes as people write them: zones, lines and a mask in a TOML or JSON file.
#pragma once

#include <string>
#include <vector>

#include "cli/schedule.hpp"
#include "cuesta/tracking.hpp"

namespace cuesta::cli {

struct SceneFile {
  Scene scene{};
  /// Paths of pictures, relative to where the command runs; empty for none.
  std::string mask{}, mask_privacy{};
  std::vector<Schedule> when{};  ///< of each zone
};

/// Reads a file of these keys, all of them optional, and no others:
///
///     mask = "everywhere-but-the-road.png"      # beside the file
///     mask_privacy = "windows.png"              # beside the file; black is painted out
///     [[zones]]
///     name = "door"
///     kind = "include"                          # or "exclude"
///     polygon = [[0.1, 0.2], [0.5, 0.2], [0.5, 0.9]]
///     min_area = 400                            # max_area, min_aspect, max_aspect,
///                                               # min_hits, min_moved, min_score, threshold
///     when = "22:00-06:00"                      # else always
///     [[lines]]
///     name = "gate"
///     from = [0.2, 0.5]
///     to = [0.8, 0.5]
///     ways = ["in", "out"]                      # to the right and to the left
///
/// The extension says which language: .toml or .json. Throws Error{input} naming the file, the
/// place in it, and the value; Error{unsupported} for TOML in a build without toml++.
SceneFile read_scene(const std::string& path);
/// The same of what stands in such a file.
SceneFile parse_scene(const std::string& text, const std::string& path);

/// The path of its mask. Empty where there is none, and where the scene cannot be read twice (a
/// pipe) or is wrong, which is reported where it is used.
std::string mask_of_scene(const std::string& scene);
/// The same of its mask_privacy.
std::string privacy_of_scene(const std::string& scene);

}  // namespace cuesta::cli
