#include "ops/motion/parts.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "cuesta/device.hpp"
#include "cuesta/filter.hpp"
#include "ops/motion/steady.hpp"
#include "ops/shared/background_access.hpp"
#include "ops/shared/background_models.hpp"

namespace cuesta::motion {
namespace {

// Around a component: where its outline is compared, and what is learned with it.
constexpr int32_t margin = 8, outside = 4, inside = 3, rim = 3;
// Light is decided for blocks of this many pixels, by what is within half of that around.
constexpr int32_t block = 8, around = block / 2;
// A block is off that differs by more levels at this many of its 16 pixels that are looked at.
constexpr int32_t off_level = 12, min_off = 4;
constexpr int64_t min_pixels = 64;    // that are off about a block, to judge it
constexpr int32_t min_blocks = 4;     // of light in a group
constexpr int32_t overexposed = 240;  // has lost its texture
// What stands is the same where its levels differ by less than this on the average.
constexpr int32_t same_level = 8;

enum Block : uint8_t { still, unknown, light, object };

Rect grown(Rect box, int32_t by, ConstAnyView frame) {
  const int32_t left = std::max(box.x - by, 0), top = std::max(box.y - by, 0);
  return {left, top, std::min(box.x + box.width + by, frame.width) - left,
          std::min(box.y + box.height + by, frame.height) - top};
}

template <class Model>
auto pixel_of(const Learned& learned, int32_t x, int32_t y) {
  using Sample = typename Model::Sample;
  return background::Samples<Sample>{&learned.state.as<Sample>().at(x, y * Model::planes),
                                     learned.state.stride_bytes / ptrdiff_t(sizeof(Sample))};
}

/// The level that the model has for a pixel, rounded to a byte.
template <class Model>
uint8_t level_of(const Learned& learned, int32_t x, int32_t y) {
  const auto state = pixel_of<Model>(learned, x, y);
  if constexpr (background::is_spatial<Model>) {
    return byte_of(state[0]);
  } else {
    typename Model::Sample copy[Model::planes];
    for (int32_t k = 0; k < Model::planes; ++k) copy[k] = state[k];
    using Value = typename Model::Value;
    const background::Samples<typename Model::Sample> pixel{copy, 1};
    return byte_of(Value(Model::learn(pixel, Value(0), 1, 0).background));
  }
}

template <class Model>
void learn_pixel(const Learned& learned, int32_t x, int32_t y) {
  const auto frame = learned.frame.as<typename Model::Value>();
  const auto state = pixel_of<Model>(learned, x, y);
  if constexpr (background::is_spatial<Model>) {
    Model::found(state, [&](int32_t plane) {
      const auto at = background::sampled::founding(plane, x, y, frame.width, frame.height);
      return frame.at(at.x, at.y);
    });
  } else {
    Model::found(state, frame.at(x, y));
  }
}

/// Frame and background of a part, as bytes.
void read_levels(const Learned& learned, const Rect& part, uint8_t* seen, uint8_t* held) {
  background::with_model(learned.model, learned.frame.type, [&](auto model) {
    using Model = decltype(model);
    for (int32_t y = part.y; y < part.y + part.height; ++y) {
      const auto* row = learned.frame.as<typename Model::Value>().row(y);
      for (int32_t x = part.x; x < part.x + part.width; ++x) {
        *seen++ = byte_of(row[x]);
        *held++ = level_of<Model>(learned, x, y);
      }
    }
  });
}

/// Learns the pixels of a part for which takes(x, y).
template <class Takes>
void learn(const Learned& learned, const Rect& part, Takes&& takes) {
  background::with_model(learned.model, learned.frame.type, [&](auto model) {
    for (int32_t y = part.y; y < part.y + part.height; ++y)
      for (int32_t x = part.x; x < part.x + part.width; ++x)
        if (takes(x, y)) learn_pixel<decltype(model)>(learned, x, y);
  });
}

/// A part of the picture: frame and background as bytes.
struct Part {
  Rect box;
  const uint8_t *seen, *held;

  bool is_inside(int32_t x, int32_t y) const {
    return x >= box.x && y >= box.y && x < box.x + box.width && y < box.y + box.height;
  }
  size_t at(int32_t x, int32_t y) const {
    return size_t(y - box.y) * size_t(box.width) + size_t(x - box.x);
  }
  int32_t off(int32_t x, int32_t y) const { return std::abs(seen[at(x, y)] - held[at(x, y)]); }
};

/// Whether the component's outline is in the background and not in the frame: it has no edge now,
/// and the background has one.
bool is_ghost(const Part& part, const Found& found, const Component& c) {
  const auto has = [&](int32_t x, int32_t y) {
    return part.is_inside(x, y) && found.labels.at(x, y) == c.label;
  };
  int64_t now = 0, before = 0, pairs = 0;
  constexpr int32_t ways[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  for (int32_t y = c.box.y; y < c.box.y + c.box.height; ++y) {
    for (int32_t x = c.box.x; x < c.box.x + c.box.width; ++x) {
      if (!has(x, y)) continue;
      for (const auto& [dx, dy] : ways) {
        const int32_t out_x = x + outside * dx, out_y = y + outside * dy;
        const int32_t in_x = x - inside * dx, in_y = y - inside * dy;
        if (has(x + dx, y + dy) || !has(in_x, in_y) || !part.is_inside(out_x, out_y) ||
            found.labels.at(out_x, out_y) != 0)
          continue;
        const size_t in = part.at(in_x, in_y), out = part.at(out_x, out_y);
        now += std::abs(part.seen[in] - part.seen[out]);
        before += std::abs(part.held[in] - part.held[out]);
        ++pairs;
      }
    }
  }
  return pairs >= 8 && 4 * now < 3 * before;
}

/// Blocks of a part that are off the background, and whether only their light is.
class Blocks {
 public:
  Blocks(const Part& part, std::vector<uint8_t>& memory)
      : part_(part),
        wide_((part.box.width + block - 1) / block),
        high_((part.box.height + block - 1) / block),
        kinds_(memory) {
    kinds_.assign(size_t(wide_) * size_t(high_), still);
    for (int32_t k = 0; k < high_; ++k)
      for (int32_t i = 0; i < wide_; ++i) kinds_[index(i, k)] = kind_of(i, k);
  }

  /// learn(box) for every block of light. Such blocks are beside each other, and most of a group
  /// keep the background's texture. Its others are objects, or noise where they are alone.
  template <class Learn>
  void for_each_light(std::vector<int32_t>& group, Learn&& learn) {
    const std::vector<uint8_t> kinds = kinds_;
    for (int32_t first = 0; first < wide_ * high_; ++first) {
      if (kinds_[size_t(first)] == still) continue;
      take_group(first, group);
      int32_t lit = 0, other = 0;
      for (const int32_t n : group)
        lit += kinds[size_t(n)] == light, other += kinds[size_t(n)] == object;
      if (lit < min_blocks || 5 * lit < 3 * (lit + other)) continue;
      for (const int32_t n : group)
        if (!is_kept(kinds, n % wide_, n / wide_)) learn(box_of(n % wide_, n / wide_));
    }
  }

 private:
  size_t index(int32_t i, int32_t k) const { return size_t(k) * size_t(wide_) + size_t(i); }
  Rect box_of(int32_t i, int32_t k) const {
    const int32_t x = i * block, y = k * block;
    return {part_.box.x + x, part_.box.y + y, std::min(block, part_.box.width - x),
            std::min(block, part_.box.height - y)};
  }

  uint8_t kind_of(int32_t i, int32_t k) const {
    const Rect box = box_of(i, k);
    int32_t off = 0;
    for (int32_t y = box.y; y < box.y + box.height; y += 2)
      for (int32_t x = box.x; x < box.x + box.width; x += 2) off += part_.off(x, y) > off_level;
    if (off < min_off) return still;
    Likeness likeness;
    for (int32_t y = box.y - around; y < box.y + block + around; ++y) {
      for (int32_t x = box.x - around; x < box.x + block + around; ++x) {
        if (!part_.is_inside(x, y) || part_.off(x, y) <= off_level) continue;
        const int32_t seen = part_.seen[part_.at(x, y)], held = part_.held[part_.at(x, y)];
        if (std::max(seen, held) < overexposed) likeness.add(seen, held);
      }
    }
    if (likeness.count() < min_pixels || !likeness.is_textured()) return unknown;
    return likeness.is_alike() ? light : object;
  }

  // The group of a block, which become still.
  void take_group(int32_t first, std::vector<int32_t>& group) {
    group.assign(1, first);
    kinds_[size_t(first)] = still;
    for (size_t at = 0; at < group.size(); ++at) {
      const int32_t i = group[at] % wide_, k = group[at] / wide_;
      for (int32_t y = std::max(k - 1, 0); y <= std::min(k + 1, high_ - 1); ++y) {
        for (int32_t x = std::max(i - 1, 0); x <= std::min(i + 1, wide_ - 1); ++x) {
          if (std::exchange(kinds_[index(x, y)], uint8_t(still)) != still)
            group.push_back(int32_t(index(x, y)));
        }
      }
    }
  }

  bool is_kept(const std::vector<uint8_t>& kinds, int32_t i, int32_t k) const {
    if (kinds[index(i, k)] != object) return false;
    int32_t count = 0;
    for (int32_t y = std::max(k - 1, 0); y <= std::min(k + 1, high_ - 1); ++y)
      for (int32_t x = std::max(i - 1, 0); x <= std::min(i + 1, wide_ - 1); ++x)
        count += kinds[index(x, y)] == object;
    return count >= 3;
  }

  const Part& part_;
  int32_t wide_, high_;
  std::vector<uint8_t>& kinds_;
};

bool is_within(const Rect& box, int32_t width, int32_t height) {
  return box.width > 0 && box.height > 0 && box.x >= 0 && box.y >= 0 &&
         box.width <= width - box.x && box.height <= height - box.y;
}

/// Whether a frame has the levels that a place had; the place gets the frame's.
bool is_same(ConstAnyView frame, Place& place) {
  int32_t apart = 0;
  for (int32_t i = 0; i < Place::side * Place::side; ++i) {
    const int32_t x =
        place.box.x + (2 * (i % Place::side) + 1) * place.box.width / (2 * Place::side);
    const int32_t y =
        place.box.y + (2 * (i / Place::side) + 1) * place.box.height / (2 * Place::side);
    const uint8_t now = frame.type == PixelType::u16 ? byte_of(frame.as<uint16_t>().at(x, y))
                                                     : frame.as<uint8_t>().at(x, y);
    apart += std::abs(now - std::exchange(place.levels[i], now));
  }
  return std::exchange(place.has_levels, 1) == 1 && apart < same_level * Place::side * Place::side;
}

/// Whether no other component is beside or around this one.
bool is_alone(const Component& c, std::span<const Component> components) {
  const auto apart = [](int32_t a, int32_t a_size, int32_t b, int32_t b_size) {
    return a + a_size + margin <= b || b + b_size + margin <= a;
  };
  return std::ranges::all_of(components, [&](const Component& other) {
    return other.label == c.label || apart(c.box.x, c.box.width, other.box.x, other.box.width) ||
           apart(c.box.y, c.box.height, other.box.y, other.box.height);
  });
}

void clear(BitView mask, const Rect& box) {
  for (int32_t y = box.y; y < box.y + box.height; ++y)
    for (int32_t x = box.x; x < box.x + box.width; ++x)
      mask.row(y)[x / 64] &= ~(uint64_t(1) << (x % 64));
}

}  // namespace

Place Parts::place(size_t i) const {
  Place place;
  std::memcpy(&place, places_.data() + i * sizeof(Place), sizeof(Place));
  return place;
}

void Parts::remember() {
  forget();
  const size_t bytes = std::min(now_.size(), room) * sizeof(Place);
  if (bytes > 0) std::memcpy(places_.data(), now_.data(), bytes);
}

// Where a component was at the last look; one without a box if it was elsewhere.
Place Parts::place_of(const Component& component) const {
  const Rect& now = component.box;
  const int32_t slack = std::max(2, std::min(now.width, now.height) / 16);
  const auto near = [&](int32_t a, int32_t b) { return std::abs(int64_t(a) - b) <= slack; };
  for (size_t i = 0; i < room; ++i) {
    const Place was = place(i);
    if (was.box.width == 0) break;
    if (near(was.box.x, now.x) && near(was.box.y, now.y) && near(was.box.width, now.width) &&
        near(was.box.height, now.height))
      return was;
  }
  return {};
}

// Learns again what is light in a part of the picture, and clears it in the mask.
bool Parts::learn_light(const Learned& learned, const Rect& box, BitView mask) {
  read(learned, box);
  const Part part{box, seen_.data(), held_.data()};
  bool learns = false;
  Blocks(part, blocks_).for_each_light(group_, [&](const Rect& lit) {
    clear(mask, lit);
    learn(learned, lit, [](int32_t, int32_t) { return true; });
    learns = true;
  });
  return learns;
}

// Learns a component again that is a ghost, and clears it in the mask.
bool Parts::learn_ghost(const Learned& learned, const Found& found, const Component& component) {
  const Rect box = grown(component.box, margin, learned.frame);
  read(learned, box);
  if (!is_ghost({box, seen_.data(), held_.data()}, found, component)) return false;
  learn(learned, box, [&](int32_t x, int32_t y) {
    const int32_t label = found.labels.at(x, y);
    if (label != 0) return label == component.label;
    for (int32_t v = std::max(y - rim, box.y); v <= std::min(y + rim, box.y + box.height - 1); ++v)
      for (int32_t u = std::max(x - rim, box.x); u <= std::min(x + rim, box.x + box.width - 1); ++u)
        if (found.labels.at(u, v) == component.label) return true;
    return false;
  });
  for (int32_t y = component.box.y; y < component.box.y + component.box.height; ++y)
    for (int32_t x = component.box.x; x < component.box.x + component.box.width; ++x)
      if (found.labels.at(x, y) == component.label) clear(found.mask, {x, y, 1, 1});
  return true;
}

void Parts::read(const Learned& learned, const Rect& box) {
  seen_.resize(size_t(box.width) * size_t(box.height));
  held_.resize(seen_.size());
  read_levels(learned, box, seen_.data(), held_.data());
}

// What the background learned of a frame, on the host.
ConstAnyView Parts::smoothed(ConstAnyView seen, const MotionOptions& options, const Exec& exec) {
  const Size size = seen.size();
  if (seen.space == Space::device) {
    download(seen, frame_.create(size, seen.channels, seen.type), exec.stream);
    seen = frame_.view();
  }
  Exec host;
  host.threads = exec.threads;
  if (seen.channels > 1) {
    to_gray(seen, gray_.create(size, 1, seen.type), ColorOrder::rgb, host);
    seen = gray_.view();
  }
  if (options.blur == 1) return seen;
  gaussian(seen, smooth_.create(size, 1, seen.type),
           {.sigma = options.blur_sigma, .ksize = options.blur}, host);
  return smooth_.view();
}

void Parts::look(const Plan& plan, ConstAnyView seen, const MotionOptions& options,
                 BackgroundSubtractor& background, BitView mask, std::vector<Component>& components,
                 const Exec& exec) {
  if (plan.founds) forget();
  if (!plan.looks) return;
  now_.clear();
  bool stands = false;
  for (const Component& c : components) {
    Place was = place_of(c);
    stands |= was.box.width > 0;
    if (!is_within(was.box, mask.width, mask.height)) was = {.box = c.box};
    now_.push_back(was);
  }
  if (!plan.lit && !stands) return remember();
  Exec host;
  host.threads = exec.threads;
  const LabelOptions neighbours{options.connectivity};
  if (labels_.width() != mask.width || labels_.height() != mask.height)
    labels_ = Image<int32_t>(mask.width, mask.height);
  label(mask, labels_, &components, neighbours, host);
  Learned learned{smoothed(seen, options, exec), {}, options.background.model};
  ConstAnyView like = learned.frame;
  like.space = seen.space;
  const AnyView state = BackgroundAccess::state_for(background, like);
  learned.state = state;
  if (seen.space == Space::device) {
    learned.state = state_.create(state.size(), 1, state.type);
    download(state, learned.state, exec.stream);
  }
  bool learns = plan.lit && learn_light(learned, {0, 0, mask.width, mask.height}, mask);
  const Found found{mask, labels_.view(), components};
  for (size_t i = 0; i < components.size(); ++i) {
    const Component& c = components[i];
    if (place_of(c).box.width == 0 || !is_same(learned.frame, now_[i])) continue;
    learns |= learn_light(learned, c.box, mask) ||
              (is_alone(c, components) && learn_ghost(learned, found, c));
  }
  if (learns) {
    if (seen.space == Space::device) upload(learned.state, state, exec.stream);
    label(mask, {}, &components, neighbours, host);
  }
  remember();
}

}  // namespace cuesta::motion
