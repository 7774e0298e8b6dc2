// Hysteresis on one-bit masks: 64 pixels a word, floods that move words instead of pixels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuesta {

/// The masks of one strip of rows: candidates that are no edge yet (`weak`), and edges. A ring of
/// zero words surrounds the strip, so floods stay inside and strips never touch each other's
/// memory. What is an edge at the end does not depend on the order of anything here: it is the
/// candidates that 8-way neighbours connect to a strong pixel.
class BitStrip {
 public:
  BitStrip() = default;
  /// Memory that a strip of this size wants, in words.
  static size_t memory_words(int32_t width, int32_t rows);
  /// Is in `memory`, aligned to 64 bytes, of memory_words words.
  BitStrip(int32_t width, int32_t rows, uint64_t* memory);
  /// Clears the ring, before the first row: done by the thread that adds them, which has the memory
  /// in its cache then.
  void clear();

  int32_t words() const { return words_; }
  int32_t rows() const { return rows_; }
  const uint64_t* edges(int32_t row) const { return edge_ + index(row); }

  /// Gives row `row` its pixels: 0, 1, 2 ... in turn. `strong` is a subset of `candidates`; bits
  /// past the width are 0. Edges of the row above reach down at once.
  void add_row(int32_t row, const uint64_t* candidates, const uint64_t* strong);
  /// After the last row: whatever the strip's edges still connect to becomes an edge.
  void close();
  /// Edges spread over the seams between `count` closed strips that are below each other, until
  /// none gains any. On one thread.
  static void join(BitStrip* strips, int32_t count);

 private:
  // Words and rows are counted in 32 bits: a strip of 2^32 words would be 2^38 pixels.
  uint32_t index(int32_t row) const { return uint32_t(row + 1) * stride_ + 1; }
  // The bits of the word right above or below word i that its edges touch.
  uint64_t spread(uint32_t i) const;
  void touch(uint32_t i, uint64_t bits);
  void flood();
  bool receive(int32_t row, const BitStrip& from, int32_t from_row);

  // Trivial, so that strips can live in scratch memory.
  int32_t rows_, words_;
  uint32_t stride_, top_;
  uint64_t *weak_, *edge_;
  uint8_t* queued_;  // word i is on the stack
  uint32_t* stack_;  // words whose edges have not spread yet
};

}  // namespace cuesta
