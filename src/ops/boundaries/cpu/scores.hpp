// Scores of the maxima of BoundaryQuality::high on the CPU, each sample's at most once a strip.
#pragma once

#include "core/workspace.hpp"
#include "ops/boundaries/cues.hpp"

namespace cuesta::boundary {

using Shorts = ImageView<const int16_t>;
using Words = ImageView<const int32_t>;
using HostMaps = CueMaps<Shorts, Words>;

/// Half the samples both ways, of `from` shifted to the right; reduced() of the definition.
Words level_above(Words from, int32_t shift, Scratch& scratch, int threads);

/// Fills the figures of the whole picture from its strengths, its activity and the surround.
void fill_totals(Shorts activity, HostMaps& maps);

/// Looks at the maxima of a strip, row by row downwards.
class StripScores {
 public:
  /// `memory` has room for a row of samples at half size.
  StripScores(const HostMaps& maps, ScoreLimits limits, int32_t* memory)
      : maps_(maps), limits_(limits), row_(memory) {}

  /// Bits of `strong` are the maxima of row y that have a score. Afterwards `candidates` has those
  /// above the weak limit and `strong` those above the strong one.
  void settle(int32_t y, uint64_t* candidates, uint64_t* strong, int32_t words);

  /// The score of pixel (x, y).
  int32_t score_at(int32_t x, int32_t y);

 private:
  const HostMaps& maps_;
  ScoreLimits limits_;
  int32_t* row_;
  int32_t y_ = -1;  // of row_
};

}  // namespace cuesta::boundary
