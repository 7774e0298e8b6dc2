// Lists of events and of objects in the formats of other programs.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/event_sink.hpp"

namespace cuesta::cli {

/// Events and blind times, one an entry, as the extension says: .csv (RFC 4180, a head line), .edl
/// (CMX 3600), or .ndjson (a line each, as --json has them). Throws Error{invalid_argument} for
/// other names.
std::unique_ptr<EventSink> event_list(const std::string& path, const WatchFacts& facts);
/// Whether there is such a list; else throws as event_list does.
void check_event_list(const std::string& path);

/// Objects of every frame, one a row of CSV (RFC 4180, a head line): frame, time, id, box, zones.
std::unique_ptr<EventSink> object_list(const std::string& path, const WatchFacts& facts);
/// How often each line was crossed each way, in every hour: line, way, day, hour, count. Days are
/// dates where the time of day is known; else they and their hours count from 0 at the video's time
/// 0. An hour's rows are written when it is over.
std::unique_ptr<EventSink> count_list(const std::string& path, const WatchFacts& facts);
/// Throws Error{invalid_argument} for a name that is neither empty nor ends in .csv.
void check_table(std::string_view option, const std::string& path);

/// Objects of every frame: COCO's JSON with a track_id for each annotation; images are named as
/// CVAT names the frames of a video.
std::unique_ptr<EventSink> coco_file(const std::string& path, const WatchFacts& facts);

/// Objects of every frame: MOTChallenge's lines (frame, id, left, top, width, height, 1, -1, -1,
/// -1), where frames and pixels count from 1.
std::unique_ptr<EventSink> mot_file(const std::string& path, const WatchFacts& facts);

}  // namespace cuesta::cli
