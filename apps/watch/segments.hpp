// The segments of a recording, and their index: segments.csv beside them.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>

namespace cuesta::cli {

/// What may be kept; nothing: no limit.
struct SegmentLimits {
  std::optional<int64_t> bytes{};
  std::optional<double> seconds{};
};
/// "7d", "12h", "30min", "200GB", "500MB", or two with a comma between them; empty: no limits.
/// Throws Error{invalid_argument} for other text.
SegmentLimits limits_of(const std::string& text);

/// A row of the index.
struct Segment {
  std::string file{};
  double begin = 0, end = 0;  ///< seconds of the run
  std::string begin_clock{}, end_clock{};
  int64_t bytes = -1;  ///< -1 while it is written
  double moving = 0;   ///< seconds with reported objects
  double max_score = 0;
  int64_t events = 0, objects = 0;  ///< that began, that were seen
};

class SegmentFolder {
 public:
  /// Begins the index of a folder, or continues with the one that it has: a segment whose run was
  /// killed keeps the name under which it grew. Throws Error{output}.
  explicit SegmentFolder(const std::string& folder);

  /// A name that is free, "segment-WHEN.mkv" or "segment-WHEN-2.mkv", now in the index.
  std::filesystem::path begin(const std::string& when, Segment segment);
  /// The segment that began last: it is whole, or it is not to be kept.
  void end(Segment segment);
  void drop();
  /// It could not be written to its end, and keeps the name under which it grew. The index is not
  /// written; does nothing where no segment is being written.
  void abandon(Segment segment);
  /// Removes segments of the index, the oldest first, until the limits hold. `growing` bytes belong
  /// to the one that is written. A file that is not as it was written stays.
  void keep(const SegmentLimits& limits, int64_t growing);

 private:
  void read(const std::filesystem::path& index);
  void write() const;
  bool is_ours(const Segment& segment) const;

  std::filesystem::path folder_;
  std::deque<Segment> segments_;
};

}  // namespace cuesta::cli
