// The picture that is shown, as a command line, a program in C++ or Python, and a file of settings.
#pragma once

#include <string>

#include "apps/tune/controls.hpp"
#include "apps/tune/film.hpp"

namespace cuesta::cli::tune {

/// What is known of the file.
struct Source {
  std::string path{};
  PixelType type = PixelType::u8;
  int channels = 1;  ///< 1 to 4
  Rect region{};     ///< that is looked at; empty: all
  int page = 0;      ///< from 1; 0: the only page
  int band = 0;      ///< from 1; 0: all channels
};

/// {"command": ..., "cpp": ..., "python": ..., "config": ...}.
Json copies_of_edges(const EdgesAsked& asked, const Source& source);
/// The same of a video; `scene` is what the file that the words name holds.
Json copies_of_detect(const DetectAsked& asked, const std::string& path, const Scene& scene);

/// "photo.jpg" and "-edges.png" to "photo-edges.png", where the command runs.
std::string beside(const std::string& path, const std::string& ending);

}  // namespace cuesta::cli::tune
