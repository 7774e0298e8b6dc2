// Runs of ones in the words of a mask: what the rung `runs` does with a word. Host and device.
#pragma once

#include <cstdint>

#include "cuda/word_runs.hpp"

namespace cuesta::mask_runs {

/// Labels that a word's runs may need: runs do not touch, so that pixel / 2 tells them apart.
inline constexpr int labels_per_word = word_pixels / 2;

/// The runs of `open` that hold one of `seeds`, a subset, whole.
CUESTA_HOST_DEVICE inline uint32_t fill_runs(uint32_t open, uint32_t seeds) {
  // Upwards: adding the seeds clears each run from its lowest seed on.
  uint32_t filled = (open & ~(open + seeds)) | seeds;
  // Downwards, in doubling steps.
  for (int step = 1; step < word_pixels; step *= 2) {
    filled |= open & (filled >> step);
    open &= open >> step;
  }
  return filled;
}

/// Four words of a row.
struct Row4 {
  uint32_t words[4];
};
/// Pixels and their neighbours among the four words.
CUESTA_HOST_DEVICE inline Row4 widen(const Row4& row) {
  Row4 wide;
  for (int i = 0; i < 4; ++i) {
    wide.words[i] = widen(row.words[i]);
    if (i > 0) wide.words[i] |= row.words[i - 1] >> 31;
    if (i < 3) wide.words[i] |= row.words[i + 1] << 31;
  }
  return wide;
}
/// One step of a flood: the candidates that edges, widened, in this row, above or below, reach;
/// whole runs of a word. Says whether that is more than `edges`.
CUESTA_HOST_DEVICE inline bool grow(const Row4& candidates, const Row4& wide, const Row4& up,
                                    const Row4& down, Row4& edges) {
  uint32_t gained = 0;
  for (int i = 0; i < 4; ++i) {
    const uint32_t open = candidates.words[i];
    const uint32_t filled = fill_runs(open, (wide.words[i] | up.words[i] | down.words[i]) & open);
    gained |= filled ^ edges.words[i];
    edges.words[i] = filled;
  }
  return gained != 0;
}

/// Pixels of the middle word that are one of `a`'s or touch one.
CUESTA_HOST_DEVICE inline uint32_t touched(const Around& a) {
  return widen(a.up | a.here | a.down) | (a.up_left | a.left | a.down_left) >> 31 |
         (a.up_right | a.right | a.down_right) << 31;
}

/// Unites the runs of weak.here with the runs that touch them in the word to the left and in the
/// row above, and with the edges where they touch one. run(dx, dy, start) is the label of the run
/// of a neighbouring word that begins at its pixel `start`, `edge` the label of all edges.
template <class Run, class Unite>
CUESTA_HOST_DEVICE void unite_runs(const Around& weak, const Around& edges, int32_t edge, Run&& run,
                                   Unite&& unite) {
  const uint32_t at_edges = touched(edges);
  for_runs(weak.here, [&](int start, uint32_t pixels) {
    const int32_t mine = run(0, 0, start);
    runs_before<true>(weak, pixels,
                      [&](int dx, int dy, int other) { unite(mine, run(dx, dy, other)); });
    if (pixels & at_edges) unite(mine, edge);
  });
}

}  // namespace cuesta::mask_runs
