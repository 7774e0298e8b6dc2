// What the page of --live keeps over runs: a camera's history and last events.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "apps/watch/key_journal.hpp"
#include "apps/watch/live_board.hpp"
#include "cli/run_lock.hpp"

namespace cuesta::cli {

class LivePast {
 public:
  /// Reads FOLDER/live.ndjson, or begins it. Clips are those that `clips` has; empty for none.
  /// `mask` is the digest of a mask_privacy, 0 without: pictures and clips that were made with
  /// another, or without, are not shown where there is one. Throws Error{output}.
  LivePast(const std::string& folder, const std::filesystem::path& clips, uint64_t mask);

  /// Of the runs before: their history, and events by id.
  MotionHistory history{};
  std::map<int64_t, LiveEvent> events{};

  /// `picture` may be null: then it is the one that was put last.
  void put(const LiveEvent& event, const Jpeg& picture);
  /// Writes it, and what changed of a history.
  void flush(MotionHistory& now);

 private:
  bool take(const std::string& key, const Json& value);
  bool take_event(const Json& value);

  std::filesystem::path clips_;
  uint64_t mask_;
  std::shared_ptr<const RunLock> lock_;
  std::optional<KeyJournal> journal_;
};

}  // namespace cuesta::cli
