// Runs of ones in the words of a mask: what the production hysteresis on CUDA does with a word.
// Host and device.
#pragma once

#include <bit>
#include <cstdint>

#include "cuesta/border.hpp"

namespace cuesta::mask_runs {

/// Pixels of a word; pixel i is bit i.
inline constexpr int word_pixels = 32;
/// Labels that a word's runs may need: runs do not touch, so that pixel / 2 tells them apart.
inline constexpr int labels_per_word = word_pixels / 2;

CUESTA_HOST_DEVICE inline int lowest_bit(uint32_t v) {  // v != 0
#ifdef __CUDA_ARCH__
  return __ffs(int(v)) - 1;
#else
  return std::countr_zero(v);
#endif
}
/// The first pixel of the run that holds pixel `bit`.
CUESTA_HOST_DEVICE inline int run_start(uint32_t word, int bit) {
  const uint32_t gaps = ~word & ((1u << bit) - 1);  // below
#ifdef __CUDA_ARCH__
  return 32 - __clz(int(gaps));
#else
  return 32 - std::countl_zero(gaps);
#endif
}
/// The run that begins at `start`.
CUESTA_HOST_DEVICE inline uint32_t run_from(uint32_t word, int start) {
  return word & ~(word + (1u << start));
}

/// Pixels and their neighbours in the row.
CUESTA_HOST_DEVICE inline uint32_t widen(uint32_t v) { return v | v << 1 | v >> 1; }

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

/// A word of a mask and its eight neighbours; 0 outside the picture.
struct Around {
  uint32_t up_left, up, up_right, left, here, right, down_left, down, down_right;
};

/// Pixels of the middle word that are one of `a`'s or touch one.
CUESTA_HOST_DEVICE inline uint32_t touched(const Around& a) {
  return widen(a.up | a.here | a.down) | (a.up_left | a.left | a.down_left) >> 31 |
         (a.up_right | a.right | a.down_right) << 31;
}

/// Calls each(start, run) for the runs of a word.
template <class Each>
CUESTA_HOST_DEVICE void for_runs(uint32_t word, Each&& each) {
  while (word != 0) {
    const int start = lowest_bit(word);
    const uint32_t run = run_from(word, start);
    each(start, run);
    word &= ~run;
  }
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
    uint32_t above = weak.up & widen(pixels);
    while (above != 0) {
      const int other = run_start(weak.up, lowest_bit(above));
      unite(mine, run(0, -1, other));
      above &= ~run_from(weak.up, other);
    }
    if (pixels & 1) {
      if (weak.left >> 31) unite(mine, run(-1, 0, run_start(weak.left, 31)));
      if (weak.up_left >> 31) unite(mine, run(-1, -1, run_start(weak.up_left, 31)));
    }
    if (pixels >> 31 && weak.up_right & 1) unite(mine, run(1, -1, 0));
    if (pixels & at_edges) unite(mine, edge);
  });
}

}  // namespace cuesta::mask_runs
