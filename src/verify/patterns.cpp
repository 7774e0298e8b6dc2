#include "verify/patterns.hpp"

#include <bit>
#include <cmath>
#include <iterator>
#include <vector>

namespace cuesta::verify {
namespace {

// Every pattern is a function to [0, 65535]; `fill` scales it to the type.
class Painter {
 public:
  Painter(Pattern pattern, uint64_t seed, int32_t width, int32_t height)
      : pattern_(pattern), random_(seed), width_(width), height_(height) {
    const int shapes = 4 + int(int64_t(width) * height / 20000);
    for (int i = 0; i < shapes; ++i) {
      const auto radius =
          int32_t(1 + random_.below(uint32_t(std::max(2, std::min(width, height) / 4))));
      discs_.push_back({int32_t(random_.below(uint32_t(width))),
                        int32_t(random_.below(uint32_t(height))), radius, random_.below(65536)});
    }
  }

  uint32_t operator()(int32_t x, int32_t y) {
    switch (pattern_) {
      case Pattern::noise: return random_.below(65536);
      case Pattern::extremes: return random_.below(2) * 65535;
      case Pattern::impulse: return x == width_ / 2 && y == height_ / 2 ? 65535 : 0;
      case Pattern::gradient: return uint32_t(((x / 3) * 2048 + (y / 2) * 1024) & 65535);
      case Pattern::constant: return 0x6060;
      case Pattern::sparse: return random_.below(50) == 0 ? 65535 : 0;
      case Pattern::bands: {
        const uint32_t kind = discs_[size_t(y / 6) % discs_.size()].value % 3;
        return (kind == 2 ? random_.below(2) : kind) * 65535;
      }
      case Pattern::blobs: return inside(x, y) >= 0 || random_.below(100) == 0 ? 65535 : 0;
      case Pattern::natural: {
        const int disc = inside(x, y);
        const uint32_t shade = disc >= 0 ? discs_[size_t(disc)].value : 0x5000;
        const auto ramp = uint32_t((int64_t(x) * 9000) / width_ + (int64_t(y) * 5000) / height_);
        return std::min<uint32_t>(65535, shade / 2 + ramp + random_.below(2048));
      }
    }
    return 0;
  }

 private:
  struct Disc {
    int32_t x, y, radius;
    uint32_t value;
  };
  int inside(int32_t x, int32_t y) const {
    for (size_t i = 0; i < discs_.size(); ++i) {
      const int64_t dx = x - discs_[i].x, dy = y - discs_[i].y;
      if (dx * dx + dy * dy <= int64_t(discs_[i].radius) * discs_[i].radius) return int(i);
    }
    return -1;
  }
  Pattern pattern_;
  Random random_;
  int32_t width_, height_;
  std::vector<Disc> discs_;
};

template <class T>
T scaled(uint32_t v) {
  if constexpr (sizeof(T) == 1)
    return T(v >> 8);
  else if constexpr (std::is_same_v<T, uint16_t>)
    return T(v);
  else if constexpr (std::is_floating_point_v<T>)
    return T(v) * (4.0f / 65535.0f) - 2.0f;
  else
    return T(int32_t(v) - 32768);
}

template <class T>
void fill_typed(AnyView p, Painter& paint) {
  const auto view = p.as<T>();
  for (int32_t y = 0; y < p.height; ++y)
    for (int32_t x = 0; x < p.width; ++x)
      for (int32_t c = 0; c < p.channels; ++c) view.at(x, y, c) = scaled<T>(paint(x, y));
}

}  // namespace

std::string_view name_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::noise: return "noise";
    case Pattern::natural: return "natural";
    case Pattern::extremes: return "extremes";
    case Pattern::impulse: return "impulse";
    case Pattern::gradient: return "gradient";
    case Pattern::blobs: return "blobs";
    case Pattern::constant: return "constant";
    case Pattern::sparse: return "sparse";
    case Pattern::bands: return "bands";
  }
  return "?";
}

void fill(AnyView p, Pattern pattern, uint64_t seed) {
  Painter paint(pattern, seed, p.width, p.height);
  switch (p.type) {
    case PixelType::u8: return fill_typed<uint8_t>(p, paint);
    case PixelType::u16: return fill_typed<uint16_t>(p, paint);
    case PixelType::s16: return fill_typed<int16_t>(p, paint);
    case PixelType::s32: return fill_typed<int32_t>(p, paint);
    case PixelType::f32: return fill_typed<float>(p, paint);
    case PixelType::bit:
      for (int32_t y = 0; y < p.height; ++y) {
        auto* row =
            reinterpret_cast<uint64_t*>(static_cast<char*>(p.data) + ptrdiff_t(y) * p.stride_bytes);
        for (int32_t w = 0; w < (p.width + 63) / 64; ++w) row[w] = 0;
        for (int32_t x = 0; x < p.width; ++x)
          row[x >> 6] |= uint64_t(paint(x, y) >= 32768) << (x & 63);
      }
      return;
    case PixelType::none: return;
  }
}

void scatter_odd_floats(AnyView picture, uint32_t one_in, uint64_t seed, bool largest) {
  static constexpr uint32_t odd[] = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x807FFFFF,
                                     0x00800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000,
                                     0x7FC12345, 0xFFC01234, 0x7F800001, 0xFF812345, 0xFFFFFFFF,
                                     0x7F7FFFFF, 0xFF7FFFFF};
  const auto kinds = uint32_t(std::size(odd)) - (largest ? 0 : 2);
  Random random(seed);
  const auto view = picture.as<float>();
  for (int32_t y = 0; y < view.height; ++y) {
    for (int32_t i = 0; i < view.width * view.channels; ++i) {
      const uint32_t drawn = odd[random.below(kinds)];
      if (random.below(one_in) == 0) view.row(y)[i] = std::bit_cast<float>(drawn);
    }
  }
}

}  // namespace cuesta::verify
