// Which part of a recording is watched, and what one is made of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/common.hpp"
#include "cuesta/io/frames.hpp"

namespace cuesta::cli {

/// The options as given.
struct RecordingChoice {
  std::string from{}, to{};  ///< seconds, M:S or H:M:S
  int64_t every = 1;
  double growing = 0;  ///< seconds
  bool join = false, strict = false;
  std::string resume{};               ///< a file
  std::vector<std::string> inputs{};  ///< with --join-inputs: all that make the recording
};
void add_recording_options(CLI::App& app, RecordingChoice& choice);
/// Throws Error{invalid_argument} for what does not fit together, or not to `input`.
void check_recording(const RecordingChoice& choice, const std::string& input,
                     const CommonOptions& common);

class RecordingJournal;

/// The files that `input`, or the inputs that are joined, stand for. Throws Error{input}.
std::vector<std::string> files_of(const RecordingChoice& choice, const std::string& input);
/// The same, and none where --growing waits for the first.
std::vector<std::string> files_there(const RecordingChoice& choice, const std::string& input);

/// The file whose sound goes with the pictures: none of a live input, of several files, of a part,
/// of one that grows.
std::string sound_of(const RecordingChoice& choice, const std::string& input);

/// As open_stream(); `from`, `to` and `every` hold for any input, the rest for files. `ring` gets
/// the packets of a live input, or is null; `journal` says what is left of the files, or is null.
std::unique_ptr<io::FrameSource> open_recording(
    const RecordingChoice& choice, const std::string& input, const CommonOptions& common,
    const StopOnSignal& stop, std::optional<io::GpuDecoding> gpu, bool keep_depth,
    std::shared_ptr<io::PacketRing> ring, const RecordingJournal* journal);

}  // namespace cuesta::cli
