// Tables of zones and of how much moves, over time.
#pragma once

#include <memory>
#include <string>

#include "cli/event_sink.hpp"

namespace cuesta::cli {

/// A row of CSV where the state of a zone changes: frame, time, clock, zone, motion, occupied (ON
/// or OFF), since (seconds), level.
std::unique_ptr<EventSink> zone_list(const std::string& path, const WatchFacts& facts);

/// A row of CSV for each frame: frame, time, clock, score, and the score of each zone under its
/// name.
std::unique_ptr<EventSink> score_list(const std::string& path, const WatchFacts& facts);

}  // namespace cuesta::cli
