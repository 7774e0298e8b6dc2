// Strategy `labels`: the components by label(), a decision for each, and one pass that looks it up.
// Holes are components of the complement.
#include <algorithm>

#include "core/threads.hpp"
#include "ops/clean/reference.hpp"

namespace cuesta {
namespace {

void complement(ConstAnyView mask, AnyView to, int threads) {
  parallel_rows(mask.height, threads, [&](int32_t first, int32_t end) {
    for (int32_t y = first; y < end; ++y) {
      const char* row = static_cast<const char*>(mask.data) + ptrdiff_t(y) * mask.stride_bytes;
      char* out = static_cast<char*>(to.data) + ptrdiff_t(y) * to.stride_bytes;
      if (mask.type == PixelType::u8) {
        std::transform(row, row + mask.width, out, [](char pixel) { return char(pixel == 0); });
        continue;
      }
      const auto* words = reinterpret_cast<const uint64_t*>(row);
      std::transform(words, words + (mask.width + 63) / 64, reinterpret_cast<uint64_t*>(out),
                     [](uint64_t word) { return ~word; });
    }
  });
}

// Row y of the result: what was set, but for what changes.
template <class Set>
void write_row(const CleanArgs& args, int32_t y, const Set& set) {
  char* row = static_cast<char*>(args.dst.data) + ptrdiff_t(y) * args.dst.stride_bytes;
  const int32_t width = args.dst.width;
  if (args.dst.type == PixelType::u8) {
    for (int32_t x = 0; x < width; ++x) row[x] = char(set(x) ? 255 : 0);
    return;
  }
  auto* words = reinterpret_cast<uint64_t*>(row);
  for (int32_t begin = 0; begin < width; begin += 64) {
    uint64_t word = 0;
    for (int32_t x = begin; x < std::min(width, begin + 64); ++x)
      word |= uint64_t(set(x)) << (x - begin);
    words[begin / 64] = word;
  }
}

}  // namespace

std::vector<uint8_t> changes(const CleanArgs& args, std::span<const Component> components) {
  std::vector<uint8_t> change;
  change.reserve(components.size());
  for (const Component& c : components) {
    const bool at_rim = c.box.x == 0 || c.box.y == 0 || c.box.x + c.box.width == args.mask.width ||
                        c.box.y + c.box.height == args.mask.height;
    change.push_back(c.area <= args.max_area && !(args.fills && at_rim));
  }
  return change;
}

void clean_labels(const CleanArgs& args, Call& call) {
  const int32_t width = args.mask.width, height = args.mask.height;
  AnyImage other;
  if (args.fills) {
    other.create({width, height}, 1, args.mask.type);
    complement(args.mask, other, call.threads());
  }
  const auto labels = call.scratch().image<int32_t>(width, height);
  std::vector<Component> components;
  label(args.fills ? ConstAnyView(other) : args.mask, labels, &components,
        {.connectivity = args.connectivity}, call.nested());
  const auto change = changes(args, components);
  parallel_rows(height, call.threads(), [&](int32_t first, int32_t end) {
    for (int32_t y = first; y < end; ++y) {
      const int32_t* row = labels.row(y);
      // Of the components' pixels those that change are the other kind's; all others are that.
      write_row(args, y, [&](int32_t x) {
        const bool stays = row[x] != 0 && !change[size_t(row[x]) - 1];
        return stays != args.fills;
      });
    }
  });
}

}  // namespace cuesta
