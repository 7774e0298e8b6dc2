// --on-event: a program is run when an event begins and when it has ended.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/event_sink.hpp"

namespace cuesta::cli {

/// A command as words: parted at blanks, '...' and "..." keep theirs, \ takes the next sign as it
/// is but in '...'. Nothing is expanded: there is no shell. Throws Error{invalid_argument} for a
/// command without words and for quotes that do not end.
std::vector<std::string> words_of(const std::string& command);

/// Runs `command` with one line of JSON on its standard input, its standard output going to stderr.
/// At most 8 run at once, others wait; frames do not. Of one that cannot be started or fails, a
/// warning tells. finish() waits for all, 10 seconds after the last began at most.
std::unique_ptr<EventSink> event_hook(const std::string& command, const WatchFacts& facts);

}  // namespace cuesta::cli
