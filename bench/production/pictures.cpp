#include "bench/production/pictures.hpp"

#include <algorithm>

#include "core/threads.hpp"
#include "verify/patterns.hpp"

namespace cuesta::bench {
namespace {

// value(x, y) everywhere, unless the picture has been made.
template <class T, class Value>
const Image<T>& made(Image<T>& picture, int32_t side, int threads, Value&& value,
                     int32_t channels = 1) {
  if (picture.width() == side) return picture;
  picture = Image<T>(side, side, channels);
  parallel_rows(side, threads, [&](int32_t begin, int32_t end) {
    for (int32_t y = begin; y < end; ++y) {
      T* row = picture.row(y);
      for (int32_t x = 0; x < side; ++x)
        for (int32_t c = 0; c < channels; ++c) row[x * channels + c] = value(x, y, c);
    }
  });
  return picture;
}

// Bytes that depend on nothing but the place.
uint32_t random_at(int32_t x, int32_t y) {
  return verify::Random((uint64_t(uint32_t(y)) << 32) | uint32_t(x)).below(256);
}

}  // namespace

bool on_spiral(int32_t x, int32_t y, int32_t n) {
  const int32_t ring = std::min({x, y, n - 1 - x, n - 1 - y});
  // A ring opens below its first cell; one further in, a cell leads from there to the next ring.
  const bool gate = x == ring && y == ring + 1;
  return ring % 2 == 0 ? !gate : gate && n - 2 * ring > 2;
}

const Image<uint8_t>& ProductionPictures::natural() {
  if (natural_.width() == side_) return natural_;
  const Image<uint8_t> tiles = session_.photograph(side_, side_);
  return made(natural_, side_, session_.threads(), [&](int32_t x, int32_t y, int32_t) {
    return uint8_t(std::min(tiles.at(x, y) + int(random_at(x, y) / 16), 255));
  });
}

const Image<uint16_t>& ProductionPictures::words() {
  const Image<uint8_t>& bytes = natural();
  return made(words_, side_, session_.threads(),
              [&](int32_t x, int32_t y, int32_t) { return uint16_t(bytes.at(x, y) * 257); });
}

const Image<float>& ProductionPictures::floats() {
  const Image<uint8_t>& bytes = natural();
  return made(floats_, side_, session_.threads(),
              [&](int32_t x, int32_t y, int32_t) { return float(bytes.at(x, y)); });
}

const Image<uint8_t>& ProductionPictures::rgb() {
  const Image<uint8_t>& bytes = natural();
  return made(
      rgb_, side_, session_.threads(),
      [&](int32_t x, int32_t y, int32_t c) {  // a tint, so that gray is no copy of a channel
        return uint8_t(bytes.at(x, y) * (8 - c) / 8);
      },
      3);
}

const Image<uint8_t>& ProductionPictures::mask() {
  const Image<uint8_t>& bytes = natural();
  return made(mask_, side_, session_.threads(), [&](int32_t x, int32_t y, int32_t) {
    return uint8_t(bytes.at(x, y) > 127 ? 255 : 0);
  });
}

const Image<uint8_t>& ProductionPictures::next() {
  const Image<uint8_t>& bytes = natural();
  return made(next_, side_, session_.threads(), [&](int32_t x, int32_t y, int32_t) {
    return uint8_t(std::min(bytes.at(x, y) + int(random_at(y, x) / 32), 255));
  });
}

const Image<uint8_t>& ProductionPictures::weak_spiral() {
  // Paths of three pixels: both their sides have gradients of 4 · 36, between the thresholds.
  constexpr int32_t cell = 3, weak = 36, strong = 220;
  return made(weak_spiral_, side_, session_.threads(), [&](int32_t x, int32_t y, int32_t) {
    if (!on_spiral(x / cell, y / cell, side_ / cell)) return uint8_t(0);
    return uint8_t(y < cell && x < 2 * cell ? strong : weak);
  });
}

const Image<uint8_t>& ProductionPictures::noise() {
  return made(noise_, side_, session_.threads(),
              [&](int32_t x, int32_t y, int32_t) { return uint8_t(random_at(x, y)); });
}

const Image<uint8_t>& ProductionPictures::dense_grid() {
  return made(dense_grid_, side_, session_.threads(), [&](int32_t x, int32_t y, int32_t) {
    return uint8_t(x % 4 == 0 || y % 4 == 0 ? 160 : 0);
  });
}

const Image<uint8_t>& ProductionPictures::spiral_mask() {
  return made(spiral_mask_, side_, session_.threads(), [&](int32_t x, int32_t y, int32_t) {
    return uint8_t(on_spiral(x, y, side_) ? 255 : 0);
  });
}

const Image<uint8_t>& ProductionPictures::noise_mask() {
  return made(noise_mask_, side_, session_.threads(), [&](int32_t x, int32_t y, int32_t) {
    return uint8_t(random_at(x, y) < 128 ? 255 : 0);
  });
}

const Image<uint8_t>& ProductionPictures::grid_mask() {
  return made(grid_mask_, side_, session_.threads(), [&](int32_t x, int32_t y, int32_t) {
    return uint8_t(x % 2 == 0 && y % 2 == 0 ? 255 : 0);
  });
}

}  // namespace cuesta::bench
