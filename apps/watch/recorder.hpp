// --record: live video in segments, without encoding.
#pragma once

#include <memory>
#include <string>

#include "apps/watch/segments.hpp"
#include "cli/event_sink.hpp"

namespace cuesta::cli {

struct RecorderOptions {
  double length = 300;       ///< of a segment, seconds; it ends at the next key frame
  bool motion_only = false;  ///< keeps segments with reported objects
  SegmentLimits limits{};
};

/// Records what a live video sends, from its packet ring, into a folder. `trims`: nobody else says
/// which packets the ring may drop. While the folder cannot be written, the recording pauses, with
/// a warning; finish() then throws the first error. Throws Error{invalid_argument} for video that
/// is not live or not encoded, or has parts that are painted out.
std::unique_ptr<EventSink> recorder(const std::string& folder, const RecorderOptions& options,
                                    bool trims, const WatchFacts& facts);

}  // namespace cuesta::cli
