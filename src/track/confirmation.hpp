// Which objects have been seen for long enough to be reported, beyond TrackingOptions::min_hits.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "track/geometry.hpp"

namespace cuesta::track {

/// Parts of objects, and background that sways, are seen in a few consecutive frames, as objects
/// are. This keeps them from being reported:
///
/// - A part: what is smaller than an object beside it is one, for its first 10 frames.
/// - What comes to nothing: an object is seen for twice as many frames as what of at least half its
///   size came and went lately, where it was. 10 frames are always enough, 5 if it moved by a
///   quarter of its size. One that moved by its size need not wait.
///
/// Of each frame: begin(), stands() of all that stand, lost() of all that are lost, is_enough().
class Confirmation {
 public:
  void begin();
  /// An object of the frame that is reported, or was seen in min_hits consecutive frames.
  void stands(const Rect& box) { standing_.push_back(box); }
  /// An object that was seen in the frame before, and is not in this one.
  void lost(const TrackedObject& object);
  /// Whether an object of the frame may be reported, if it was seen in min_hits frames.
  bool is_enough(const TrackedObject& object) const;

 private:
  static constexpr int64_t long_life = 10;  // frames
  static constexpr size_t memory = 50;      // frames
  using Areas = std::array<int64_t, long_life>;

  bool is_part(const TrackedObject& object) const;
  int64_t needed_hits(int64_t area) const;

  std::vector<Rect> standing_;
  // By the frames that something was seen in: the largest area, in each of the last frames and in
  // all of them.
  std::array<Areas, memory> gone_{};
  Areas largest_{};
  size_t frames_ = 0;
};

}  // namespace cuesta::track
