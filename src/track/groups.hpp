// Objects that are not seen alone or not seen whole: people who meet, cars that pass each other,
// and what goes behind something.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "track/geometry.hpp"

namespace cuesta::track {

/// The objects in a detection, two or more, and where in it each is.
struct ObjectGroup {
  size_t detection;
  struct Member {
    size_t target;
    Rect box;
    bool is_seen;  ///< an edge of the detection is its own; else it is behind others
  };
  std::vector<Member> members;
};

/// Detections that hold several objects. `expected` is where each object should be, in the size
/// that it last had alone; nothing for those that are not known well enough. An object belongs to a
/// detection that holds at least half of it, unless it has another detection (`detection_of`, -1
/// for none). A detection that is hardly larger than one of its objects is no group: one hides the
/// others.
struct Sharing {
  std::vector<ObjectGroup> groups{};
  std::vector<char> hides{};  ///< by detection: there are others behind its object
};
Sharing sharing_of(std::span<const std::optional<Box>> expected, std::span<const int> detection_of,
                   std::span<const Detection> detections);

/// For each detection that no object has (`is_taken` is 0) the object that it is a part of, -1 for
/// none: most of it is where the object is expected, and with what the object has already
/// (`detection_of`) it is hardly larger than the object. What goes behind a pole has parts on both
/// sides.
std::vector<int> parts_of(std::span<const std::optional<Box>> expected,
                          std::span<const int> detection_of, std::span<const char> is_taken,
                          std::span<const Detection> detections);

/// Where an object is whose detection became smaller from one side, because it goes behind
/// something or leaves the picture: in its own size, at the edge that is where it was expected. Any
/// other detection is returned as it is.
Rect uncovered(const Box& expected, const Rect& detection);

}  // namespace cuesta::track
