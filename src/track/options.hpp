// What there is to say of the options of objects over time.
#pragma once

#include "core/options.hpp"
#include "cuesta/tracking.hpp"

namespace cuesta {

template <>
struct Described<TrackingOptions> {
  static constexpr auto fields = std::tuple(
      field<&TrackingOptions::min_area>("min_area", at_least(0),
                                        "drop smaller objects; area in pixels"),
      field<&TrackingOptions::max_area>("max_area", at_least(0).or_own("no limit"),
                                        "drop larger objects; area in pixels"),
      field<&TrackingOptions::min_aspect>("min_aspect", at_least(0),
                                          "drop boxes narrower than this, width / height"),
      field<&TrackingOptions::max_aspect>("max_aspect", at_least(0).or_own("no limit"),
                                          "drop boxes wider than this, width / height"),
      field<&TrackingOptions::join>("join", between(0, 1 << 20),
                                    "join boxes with fewer pixels between them"),
      field<&TrackingOptions::min_hits>("min_hits", between(1, 1 << 20),
                                        "report objects after this number of consecutive frames, "
                                        "parts and what sways after more. 1: everything at once"),
      field<&TrackingOptions::max_age>("max_age", between(0, 1 << 20),
                                       "keep an unseen object for this number of frames"),
      field<&TrackingOptions::min_iou>("min_iou", between(0, 1),
                                       "require this overlap of consecutive boxes (IoU). At 0 they "
                                       "must still overlap"),
      field<&TrackingOptions::max_step>("max_step", between(0, 1000),
                                        "follow new objects that moved this far without overlap, "
                                        "in their own sizes. 0: follow overlaps alone"),
      field<&TrackingOptions::min_moved>("min_moved", at_least(0),
                                         "report objects that moved this far, in pixels"),
      field<&TrackingOptions::line_band>("line_band", between(0, 10),
                                         "count a crossing when the object is this fraction of its "
                                         "height past the line"),
      field<&TrackingOptions::min_score>("min_score", between(0, 100),
                                         "make an event of motion of at least this percentage of "
                                         "the frame or zone. 0: of reported objects"),
      field<&TrackingOptions::merge_window>("merge_window", at_least(0),
                                            "join events with shorter gaps, in seconds. post_roll "
                                            "counts where it is longer"),
      field<&TrackingOptions::pre_roll>("pre_roll", at_least(0),
                                        "begin clips this long before an event, in seconds"),
      field<&TrackingOptions::post_roll>("post_roll", at_least(0),
                                         "end clips this long after an event, in seconds"),
      field<&TrackingOptions::min_event>("min_event", at_least(0),
                                         "drop shorter events, in seconds"),
      field<&TrackingOptions::max_event>("max_event", at_least(1),
                                         "cut longer events, in seconds"));
};

}  // namespace cuesta
