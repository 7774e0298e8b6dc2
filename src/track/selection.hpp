// Which detections count: zones, a mask, joining, limits.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cuesta/tracking.hpp"

namespace cuesta::track {

/// Throws Error{invalid_argument}: "WHAT: a corner is (1.2, 0.5); ..."
void check_zone(const Zone& zone, const std::string& what);
void check_line(const CountingLine& line, const std::string& what);

class Selection {
 public:
  /// Throws as SceneWatch does.
  Selection(Size size, const Scene& scene, const TrackingOptions& options);

  /// In this order: what stands outside the mask or in an excluded zone goes; near boxes are
  /// joined, boxes inside another become part of it, and what then stands there goes too; of the
  /// rest stays what a zone takes, or without included zones what is within the limits.
  void apply(std::span<const Detection> detections);
  /// The zones that take part, by bits; the others neither include nor exclude.
  void set_active(uint64_t zones) { active_ = zones; }
  uint64_t active() const { return active_; }
  /// What stayed, in the order of the first detection of each, and bit i for each zone that took
  /// it.
  std::span<const Detection> detections() const { return chosen_; }
  std::span<const uint64_t> zones() const { return zones_; }

 private:
  struct Area {  // a zone in pixels
    std::vector<Point> polygon;
    uint64_t bit;
    int64_t min_area, max_area;
    double min_aspect, max_aspect;
    bool takes(const Detection& detection) const;
  };
  bool is_left_out(const Rect& box) const;

  Size size_;
  int join_;
  uint64_t active_ = ~uint64_t(0);
  std::vector<uint8_t> mask_;  // a byte a pixel; empty: everywhere
  std::vector<Area> included_, excluded_;
  Area everywhere_;
  std::vector<Detection> allowed_, chosen_;
  std::vector<uint64_t> zones_;
};

/// Detections with fewer than `pixels` between them as one, until no two boxes are that near: box
/// around both, areas added, centroid of all. In the order of the first detection of each.
std::vector<Detection> joined(std::span<const Detection> detections, int pixels);

/// Detections with each box that is inside another added to it: the largest box that holds it,
/// the first of equal ones. Area and centroid are those of all. In the order of the first detection
/// of each.
std::vector<Detection> without_nested(std::span<const Detection> detections);

}  // namespace cuesta::track
