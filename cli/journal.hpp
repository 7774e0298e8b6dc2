// --resume: what a run keeps of a recording, so that a later run continues it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/results.hpp"
#include "cli/run_lock.hpp"
#include "cuesta/io/clip.hpp"
#include "cuesta/io/frames.hpp"
#include "cuesta/io/record_file.hpp"

namespace cuesta::cli {

/// The state of a run before the first frame of a file.
struct Checkpoint {
  std::string file{};
  double time = 0;                 ///< of its first frame, seconds
  int64_t frame = 0;               ///< index of its first frame
  std::optional<int64_t> clock{};  ///< time of day at time 0, microseconds since 1970
  /// Whether no event is in progress. Only there can a run continue.
  bool is_quiet = false;
  int64_t next_event = 1, next_object = 1;
  std::map<std::string, int64_t> sizes{};  ///< bytes of each text that is a result
  Json states{};                           ///< of results, by name
};

/// A number that differs where the bytes of the file do; 0 for an empty name. Throws Error{input}.
int64_t digest_of(const std::string& path);

/// A text file with a line of JSON for every file of a recording that was begun. Each has a
/// checksum of itself and of the lines before it.
class RecordingJournal {
 public:
  /// Reads what an earlier run left, if it did. `min_frames` is how many frames the model needs
  /// before a checkpoint. Throws Error{input} for a file that is no journal or was changed, and
  /// where a result has lost lines since; Error{output} where another run writes the journal.
  RecordingJournal(std::string path, int64_t min_frames);

  /// Where this run continues; null where it begins.
  const Checkpoint* checkpoint() const { return point_ ? &*point_ : nullptr; }
  /// The files of a listing that are to be read: those that warm up the model, and all that were
  /// not finished.
  std::vector<std::string> left_of(std::vector<std::string> listed) const;
  /// Where reading begins.
  io::RecordingStart start() const;
  /// Whether a frame was reported by the earlier run: only the model sees it. Throws Error{input}
  /// where the files before the checkpoint have more or fewer frames than then.
  bool is_known(const io::Frame& frame);

  /// Starts to write. `settings` are compared with those of the earlier run: throws
  /// Error{invalid_argument} naming the first that differs, Error{output} where another run has
  /// begun to write it.
  void begin(const Json& settings);
  /// Adds a line.
  void add(const Checkpoint& now);

 private:
  void read();
  void choose(int64_t min_frames);

  std::string path_;
  std::shared_ptr<const RunLock> lock_;
  Json settings_{};                // of the earlier run; null where there was none
  std::vector<Checkpoint> files_;  // in the order in which they were begun
  std::optional<Checkpoint> point_;
  std::set<std::string> done_;        // paths of the files before the checkpoint
  std::vector<std::string> warm_up_;  // the last of them, in order
  io::RecordingStart start_{};
  bool is_known_ = false;
  int64_t sum_ = 0;  // of the lines
  std::unique_ptr<io::RecordFile> lines_;
};

}  // namespace cuesta::cli
