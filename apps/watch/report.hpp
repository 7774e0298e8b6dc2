// --report: a run on one page that needs nothing beside it.
#pragma once

#include <memory>
#include <string>

#include "apps/watch/heat_map.hpp"
#include "cli/event_sink.hpp"

namespace cuesta::cli {

/// HTML: what was watched, filters, a timeline, blind times, counts by hour where the time of day
/// is known, how often each line was crossed, visits of zones, every event with its best picture
/// (of the first 1000), the heat map; and the events as JSON in the element with the id "events".
/// `heat` must live until finish(). Throws Error{unsupported} in a build without picture files.
std::unique_ptr<EventSink> html_report(const std::string& path, const WatchFacts& facts,
                                       const HeatMap& heat);

}  // namespace cuesta::cli
