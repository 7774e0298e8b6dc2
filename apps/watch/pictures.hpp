// A picture of each event: a file, or a message.
#pragma once

#include <memory>
#include <string>

#include "cli/event_sink.hpp"
#include "cuesta/image.hpp"

namespace cuesta::cli {

/// The best picture of the event in progress: the part of the frame around its object, as the
/// report shows it.
class EventPicture {
 public:
  void see(const io::Frame& frame, const SceneStep& step, const io::StreamFormat& format);
  /// As JPEG; empty where there is none.
  std::string jpeg() const;
  void clear() { best_ = {}; }

 private:
  Image<uint8_t> best_;
};

/// --pictures: writes FOLDER/event-0001.jpg and so on, named as clips are, when an event has ended.
/// Throws Error{output}, and Error{unsupported} in a build without picture files.
std::unique_ptr<EventSink> picture_folder(const std::string& folder, const WatchFacts& facts);

}  // namespace cuesta::cli
