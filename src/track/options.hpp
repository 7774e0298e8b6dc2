// What there is to say of the options of objects over time.
#pragma once

#include "core/options.hpp"
#include "cuesta/tracking.hpp"

namespace cuesta {

template <>
struct Described<TrackingOptions> {
  static constexpr auto fields = std::tuple(
      field<&TrackingOptions::min_area>("min_area", at_least(0),
                                        "smaller objects are left out, in pixels"),
      field<&TrackingOptions::max_area>("max_area", at_least(0).or_own("no limit"),
                                        "larger objects are left out, in pixels"),
      field<&TrackingOptions::min_aspect>("min_aspect", at_least(0),
                                          "objects with a box narrower than this are left out, "
                                          "width over height"),
      field<&TrackingOptions::max_aspect>("max_aspect", at_least(0).or_own("no limit"),
                                          "objects with a box wider than this are left out, width "
                                          "over height"),
      field<&TrackingOptions::join>("join", between(0, 1 << 20),
                                    "boxes with fewer pixels between them are one object"),
      field<&TrackingOptions::min_hits>("min_hits", between(1, 1 << 20),
                                        "frames in a row that an object is seen in before it is "
                                        "reported"),
      field<&TrackingOptions::max_age>("max_age", between(0, 1 << 20),
                                       "frames that an object is kept without being seen"),
      field<&TrackingOptions::min_iou>("min_iou", between(0, 1),
                                       "overlap that makes a box the next one of an object, "
                                       "intersection over union"),
      field<&TrackingOptions::min_moved>("min_moved", at_least(0),
                                         "how far an object goes before it is reported, in pixels"),
      field<&TrackingOptions::merge_window>("merge_window", at_least(0),
                                            "events with less between them are one, in seconds"),
      field<&TrackingOptions::pre_roll>("pre_roll", at_least(0),
                                        "what an event's clip shows before it, in seconds"),
      field<&TrackingOptions::post_roll>("post_roll", at_least(0), "and after it, in seconds"),
      field<&TrackingOptions::min_event>("min_event", at_least(0),
                                         "shorter events are none, in seconds"),
      field<&TrackingOptions::max_event>("max_event", at_least(1),
                                         "longer events are cut there, in seconds"));
};

}  // namespace cuesta
