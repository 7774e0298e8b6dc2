// The requests every label strategy is checked on.
#include <fmt/format.h>

#include <cstring>

#include "cuesta/device.hpp"
#include "ops/label/args.hpp"
#include "verify/components.hpp"
#include "verify/verify.hpp"

namespace cuesta::verify {
namespace {

// Masks that are hard on labelling, beside the common patterns.
enum class Shape : uint8_t {
  pattern,       // as Pattern says
  comb,          // teeth joined by the last row only: every strip has many sets, one remains
  inverse_comb,  // joined by the first row
  spiral,        // one long set through all strips, and the gap beside it
  checkers,      // as many sets as there can be 4-way, one 8-way
  stairs,        // diagonals: 8-way contacts only, to both sides
  full,
};
constexpr std::string_view shape_names[] = {"pattern",  "comb",   "inverse comb", "spiral",
                                            "checkers", "stairs", "full"};

// Whether the pixel is on a rectangular spiral of width 1 with gaps of 1.
bool on_spiral(int32_t x, int32_t y, int32_t width, int32_t height) {
  const int32_t ring = std::min({x, y, width - 1 - x, height - 1 - y});
  // A way in from ring 2k to ring 2k + 2 at its upper left corner.
  if (ring % 2 == 1) return x == ring && y == ring + 1 && ring + 1 <= height - 1 - ring;
  return !(x == ring && y == ring + 1 && ring > 0);
}

bool shape_at(Shape shape, int32_t x, int32_t y, int32_t width, int32_t height) {
  switch (shape) {
    case Shape::comb: return x % 2 == 0 || y == height - 1;
    case Shape::inverse_comb: return x % 2 == 0 || y == 0;
    case Shape::spiral: return on_spiral(x, y, width, height);
    case Shape::checkers: return (x + y) % 2 == 0;
    case Shape::stairs: return (x + y) % 5 == 0 || (x - y + 5 * height) % 7 == 0;
    case Shape::full: return true;
    case Shape::pattern: return false;
  }
  return false;
}

void draw(AnyView mask, Shape shape) {
  for (int32_t y = 0; y < mask.height; ++y) {
    char* row = static_cast<char*>(mask.data) + ptrdiff_t(y) * mask.stride_bytes;
    auto* words = reinterpret_cast<uint64_t*>(row);
    if (mask.type == PixelType::bit) std::fill_n(words, (mask.width + 63) / 64, 0);
    for (int32_t x = 0; x < mask.width; ++x) {
      const bool set = shape_at(shape, x, y, mask.width, mask.height);
      if (mask.type == PixelType::bit)
        words[x / 64] |= uint64_t(set) << (x % 64);
      else
        row[x] = char(set ? 1 + x % 255 : 0);
    }
  }
}

/// Room for components on the GPU, and for their number.
struct DeviceList {
  explicit DeviceList(int32_t room) : list(room * int32_t(sizeof(Component)), 1), count(1, 1) {
    held = {reinterpret_cast<Component*>(list.row(0)), room, count.row(0)};
  }
  Image<uint8_t, Space::device> list;
  Image<int32_t, Space::device> count;
  DeviceComponents held;
};

void tell(const DeviceComponents& list, Harness& h) {
  Image<int32_t> count(1, 1);
  download(ImageView<int32_t, Space::device>(list.count, 1, 1, 1, 4), count);
  wait();
  h.value("count", std::to_string(count.at(0, 0)));
  const int32_t bytes = std::min(count.at(0, 0), list.room) * int32_t(sizeof(Component));
  std::vector<Component> found(size_t(bytes) / sizeof(Component));
  if (bytes > 0) {
    download(ImageView<uint8_t, Space::device>(reinterpret_cast<uint8_t*>(list.list), bytes, 1, 1,
                                               bytes),
             ImageView<uint8_t>(reinterpret_cast<uint8_t*>(found.data()), bytes, 1, 1, bytes));
    wait();
  }
  h.value("components", text_of(found));
}

}  // namespace

}  // namespace cuesta::verify

namespace cuesta {

std::vector<verify::Case<LabelArgs>> LabelArgs::cases(verify::Level level) {
  using namespace verify;
  using enum PixelType;
  struct Mask {
    Shape shape;
    Pattern pattern;
  };
  static constexpr Mask masks[] = {
      {Shape::pattern, Pattern::extremes}, {Shape::comb, Pattern::noise},
      {Shape::pattern, Pattern::blobs},    {Shape::spiral, Pattern::noise},
      {Shape::pattern, Pattern::sparse},   {Shape::checkers, Pattern::noise},
      {Shape::pattern, Pattern::impulse},  {Shape::stairs, Pattern::noise},
      {Shape::pattern, Pattern::gradient}, {Shape::inverse_comb, Pattern::noise},
      {Shape::full, Pattern::noise}};
  auto all_shapes = shapes(8, level);
  // The last has corners of tiles that the device rows cut.
  all_shapes.insert(all_shapes.end(), {{70, 200}, {200, 130}, {3, 400}, {530, 140}});
  std::vector<Case<LabelArgs>> out;
  uint64_t seed = 1;
  for (const auto& shape : all_shapes) {
    const int32_t width = shape.first, height = shape.second;
    for (const Mask& mask : masks) {
      for (const PixelType type : {u8, bit}) {
        // Options take turns with numbers of cases that share no factor.
        const int connectivity = seed % 5 < 3 ? 8 : 4;
        const bool wants_labels = seed % 7 != 0, wants_components = seed % 9 != 0;
        // Where the mask is on the GPU; on the host in any case components.
        const bool stays = wants_components && seed % 4 == 1;
        ++seed;
        out.push_back(
            {fmt::format("{}x{} {} {} {} connectivity={}{}{} seed={}", width, height, name_of(type),
                         shape_names[size_t(mask.shape)], name_of(mask.pattern), connectivity,
                         wants_labels ? " labels" : "",
                         stays              ? " components where the mask is"
                         : wants_components ? " components"
                                            : "",
                         seed),
             [=](Harness& h) {
               LabelArgs args;
               if (mask.shape == Shape::pattern) {
                 args.mask = h.input(type, width, height, 1, mask.pattern, seed);
               } else {
                 args.mask = h.input(type, width, height, 1,
                                     [&](AnyView picture) { draw(picture, mask.shape); });
               }
               if (wants_labels) args.wanted = h.output("labels", s32, width, height);
               args.options.connectivity = connectivity;
               if (stays && args.mask.space == Space::device) {
                 const int32_t room = connectivity == 8 ? ((width + 1) / 2) * ((height + 1) / 2)
                                                        : (width * height + 1) / 2;
                 args.results = h.keep(DeviceList(room)).held;
                 return args;
               }
               HostComponents found{.count = &h.keep<int32_t>(-1)};
               if (wants_components) {
                 // Filled, as its old content must not matter.
                 found.list = &h.keep(std::vector<Component>(5, Component{7, {}, 3, 2, 1}));
               }
               args.results = found;
               return args;
             },
             [](const LabelArgs& args, Harness& h) {
               if (const auto* list = args.device_list()) return tell(*list, h);
               h.value("count", std::to_string(*std::get<HostComponents>(args.results).count));
               if (args.components()) h.value("components", text_of(*args.components()));
             }});
      }
    }
  }
  return out;
}

}  // namespace cuesta
