// Small components and holes as the definition reads: each is flooded, and changes if its area and
// place say so. No cleverness.
#include "ops/clean/reference.hpp"

namespace cuesta {
namespace {

struct Point {
  int32_t x, y;
};

class Flood {
 public:
  explicit Flood(const CleanArgs& args) : args_(args), seen_(args.mask.width, args.mask.height) {
    for (int32_t y = 0; y < seen_.height(); ++y) std::fill_n(seen_.row(y), seen_.width(), 0);
    for (int32_t y = 0; y < seen_.height(); ++y)
      for (int32_t x = 0; x < seen_.width(); ++x)
        if (is_one(x, y) && seen_.at(x, y) == 0) component(x, y);
  }
  bool result(int32_t x, int32_t y) const {
    return mask_at(args_.mask, x, y) != (seen_.at(x, y) == changes);
  }

 private:
  static constexpr uint8_t stays = 1, changes = 2;

  // Whether the pixel is of the components that are looked at.
  bool is_one(int32_t x, int32_t y) const { return mask_at(args_.mask, x, y) != args_.fills; }

  void component(int32_t first_x, int32_t first_y) {
    std::vector<Point> found{{first_x, first_y}};
    seen_.at(first_x, first_y) = stays;
    bool at_rim = false;
    for (size_t i = 0; i < found.size(); ++i) {
      const auto [x, y] = found[i];
      at_rim |= x == 0 || y == 0 || x + 1 == seen_.width() || y + 1 == seen_.height();
      for (int32_t dy = -1; dy <= 1; ++dy) {
        for (int32_t dx = -1; dx <= 1; ++dx) {
          const int32_t to_x = x + dx, to_y = y + dy;
          if (args_.connectivity == 4 && dx != 0 && dy != 0) continue;
          if (to_x < 0 || to_y < 0 || to_x >= seen_.width() || to_y >= seen_.height()) continue;
          if (!is_one(to_x, to_y) || seen_.at(to_x, to_y) != 0) continue;
          seen_.at(to_x, to_y) = stays;
          found.push_back({to_x, to_y});
        }
      }
    }
    if (int64_t(found.size()) > args_.max_area || (args_.fills && at_rim)) return;
    for (const auto [x, y] : found) seen_.at(x, y) = changes;
  }

  const CleanArgs& args_;
  Image<uint8_t> seen_;
};

}  // namespace

void clean_serial(const CleanArgs& args, Call&) {
  const Flood flood(args);
  for (int32_t y = 0; y < args.dst.height; ++y) {
    if (args.dst.type == PixelType::u8) {
      for (int32_t x = 0; x < args.dst.width; ++x)
        args.dst.as<uint8_t>().at(x, y) = flood.result(x, y) ? 255 : 0;
      continue;
    }
    uint64_t* words = reinterpret_cast<uint64_t*>(static_cast<char*>(args.dst.data) +
                                                  ptrdiff_t(y) * args.dst.stride_bytes);
    std::fill_n(words, (args.dst.width + 63) / 64, 0);
    for (int32_t x = 0; x < args.dst.width; ++x)
      words[x / 64] |= uint64_t(flood.result(x, y)) << (x % 64);
  }
}

}  // namespace cuesta
