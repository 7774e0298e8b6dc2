#include "cpu/bit_hysteresis.hpp"

#include <algorithm>

namespace cuesta {
namespace {

// The runs of `open` that hold one of `seeds`, whole. seeds is a subset of open.
uint64_t fill_runs(uint64_t open, uint64_t seeds) {
  // Upwards: adding the seeds clears each run from its lowest seed on.
  uint64_t filled = (open & ~(open + seeds)) | seeds;
  // Downwards, in doubling steps.
  filled |= open & (filled >> 1);
  open &= open >> 1;
  filled |= open & (filled >> 2);
  open &= open >> 2;
  filled |= open & (filled >> 4);
  open &= open >> 4;
  filled |= open & (filled >> 8);
  open &= open >> 8;
  filled |= open & (filled >> 16);
  open &= open >> 16;
  return filled | (open & (filled >> 32));
}

// A word's bits and their neighbours in the row.
uint64_t widen(uint64_t bits) { return bits | bits << 1 | bits >> 1; }

int32_t words_of(int32_t width) { return int32_t((int64_t(width) + 63) / 64); }

// Words of one mask with its ring: a word left of every row, and one after the last.
size_t mask_words(int32_t width, int32_t rows) {
  const size_t all = (size_t(words_of(width)) + 1) * (size_t(rows) + 2) + 1;
  return (all + 7) / 8 * 8;
}

}  // namespace

size_t BitStrip::memory_words(int32_t width, int32_t rows) {
  // weak, edge, queued (a byte a word), stack (32 bits a word).
  const size_t mask = mask_words(width, rows);
  return mask * 2 + mask / 8 + mask / 2;
}

BitStrip::BitStrip(int32_t width, int32_t rows, uint64_t* memory)
    : rows_(rows), words_(words_of(width)), stride_(uint32_t(words_) + 1), top_(0) {
  const size_t mask = mask_words(width, rows);
  weak_ = memory;
  edge_ = memory + mask;
  queued_ = reinterpret_cast<uint8_t*>(memory + mask * 2);
  stack_ = reinterpret_cast<uint32_t*>(memory + mask * 2 + mask / 8);
}

void BitStrip::clear() {
  std::fill_n(queued_, (uint32_t(rows_) + 2) * stride_, uint8_t(0));
  for (uint64_t* bits : {weak_, edge_}) {
    std::fill_n(bits, stride_, uint64_t(0));
    for (int32_t y = 0; y <= rows_; ++y) bits[index(y) - 1] = 0;
    std::fill_n(bits + index(rows_), stride_, uint64_t(0));
  }
}

uint64_t BitStrip::spread(uint32_t i) const {
  return widen(edge_[i]) | edge_[i - 1] >> 63 | edge_[i + 1] << 63;
}

void BitStrip::add_row(int32_t row, const uint64_t* candidates, const uint64_t* strong) {
  const uint32_t first = index(row);
  uint64_t left = 0;  // the bit before this word
  for (int32_t w = 0; w < words_; ++w) {
    const uint32_t i = first + uint32_t(w);
    const uint64_t open = candidates[w];
    uint64_t edges = 0;
    if (open != 0) {
      const uint64_t seeds = (strong[w] | spread(i - stride_) | left) & open;
      if (seeds != 0) edges = fill_runs(open, seeds);
    }
    edge_[i] = edges;
    weak_[i] = open & ~edges;
    left = edges >> 63;
  }
}

void BitStrip::touch(uint32_t i, uint64_t bits) {
  bits &= weak_[i];
  if (bits == 0) return;
  const uint64_t gained = fill_runs(weak_[i], bits);
  weak_[i] &= ~gained;
  edge_[i] |= gained;
  if (queued_[i]) return;
  queued_[i] = 1;
  stack_[top_++] = i;
}

void BitStrip::flood() {
  while (top_ > 0) {
    const uint32_t i = stack_[--top_];
    queued_[i] = 0;
    const uint64_t edges = edge_[i], wide = widen(edges);
    touch(i - stride_, wide);
    touch(i + stride_, wide);
    if (edges & 1) {
      for (const uint32_t j : {i - stride_ - 1, i - 1, i + stride_ - 1})
        touch(j, uint64_t(1) << 63);
    }
    if (edges >> 63) {
      for (const uint32_t j : {i - stride_ + 1, i + 1, i + stride_ + 1}) touch(j, 1);
    }
  }
}

void BitStrip::close() {
  // add_row left two kinds of neighbours: to the left across a word, and above.
  for (int32_t row = rows_ - 1; row >= 0; --row) {
    const uint32_t first = index(row), end = first + uint32_t(words_);
    for (uint32_t i = first; i < end; ++i) {
      if (weak_[i] == 0) continue;
      touch(i, spread(i + stride_) | edge_[i - 1] >> 63 | edge_[i + 1] << 63);
      if (top_ > 0) flood();
    }
  }
}

bool BitStrip::receive(int32_t row, const BitStrip& from, int32_t from_row) {
  const uint32_t to = index(row), source = from.index(from_row);
  bool gained = false;
  for (uint32_t w = 0; w < uint32_t(words_); ++w) {
    if (weak_[to + w] == 0) continue;
    touch(to + w, from.spread(source + w));
    gained |= top_ > 0;
    flood();
  }
  return gained;
}

void BitStrip::join(BitStrip* strips, int32_t count) {
  // Down and up again: most edges that cross several seams are done after one round.
  for (bool gained = true; gained;) {
    gained = false;
    for (int32_t s = 0; s + 1 < count; ++s)
      gained |= strips[s + 1].receive(0, strips[s], strips[s].rows_ - 1);
    for (int32_t s = count - 2; s >= 0; --s)
      gained |= strips[s].receive(strips[s].rows_ - 1, strips[s + 1], 0);
  }
}

}  // namespace cuesta
