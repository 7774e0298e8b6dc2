// --clips: the part of the video that shows each event, as a file of its own.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "cli/event_sink.hpp"

namespace cuesta::cli {

class ClipFolder : public EventSink {
 public:
  /// The clip of the event that ended last; empty for none.
  const std::filesystem::path& last() const { return last_; }
  const std::filesystem::path& folder() const { return folder_; }

 protected:
  explicit ClipFolder(const std::string& folder) : folder_(folder) {}
  std::filesystem::path folder_, last_{};
};

/// "event-0001", with the time of day at which its clip begins, where it is known.
std::string event_name(const Event& event, const WatchFacts& facts);

/// Cuts FOLDER/event-0001.mp4 and so on out of the source when an event has ended, from the event's
/// clip_start to its clip_end, without encoding again. Those of live video grow while the event
/// lasts. The folder is made where it is not there. Throws Error{invalid_argument} for a source
/// that is not encoded, Error{output} for a folder that cannot be made.
std::unique_ptr<ClipFolder> clip_folder(const std::string& folder, const TrackingOptions& tracking,
                                        const WatchFacts& facts);

}  // namespace cuesta::cli
