// Parts of a picture that are learned again at once. A ghost is the place that something left which
// stood there when the background was learned. Light may change in a part of the picture.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "cuesta/motion.hpp"
#include "ops/motion/steady.hpp"

namespace cuesta::motion {

/// Whether parts are learned again. A model that never learns keeps its first frame.
inline bool learns_parts(const MotionOptions& options) {
  return options.relearn > 0 && options.background.model != BackgroundModel::first;
}

/// How alike the textures of two pictures are, whatever their light: the correlation of levels.
class Likeness {
 public:
  void add(int32_t seen, int32_t held) {
    ++count_, a_ += seen, b_ += held;
    aa_ += seen * seen, bb_ += held * held, ab_ += seen * held;
  }
  int64_t count() const { return count_; }
  /// Whether what is held has edges to compare: a deviation of 4 gray levels.
  bool is_textured() const { return of(bb_, b_, b_) >= 16 * double(count_) * double(count_); }
  /// Whether the correlation is at least the root of a half.
  bool is_alike() const {
    const double both = of(ab_, a_, b_);
    return both > 0 && 2 * both * both >= of(aa_, a_, a_) * of(bb_, b_, b_);
  }

 private:
  double of(int64_t ab, int64_t a, int64_t b) const { return double(count_ * ab - a * b); }
  int64_t count_ = 0, a_ = 0, b_ = 0, aa_ = 0, bb_ = 0, ab_ = 0;
};

/// A frame that was learned, and the background's state, on the host.
struct Learned {
  ConstAnyView frame{};  ///< smoothed gray
  AnyView state{};
  BackgroundModel model{};
};

/// What was found in a frame.
struct Found {
  BitView mask{};
  ImageView<const int32_t> labels{};
  std::span<const Component> components{};
};

/// A place where a component was when parts were looked for.
struct Place {
  static constexpr int32_t side = 8;  // levels across and down
  Rect box{};
  int32_t has_levels = 0;  // known of those that stood already
  uint8_t levels[side * side] = {};
};

class Parts {
 public:
  Parts() : places_(size_t(room) * sizeof(Place)) {}

  /// Nothing has been seen.
  void forget() { std::fill(places_.begin(), places_.end(), uint8_t(0)); }
  /// Looks at a frame that was learned as `seen`, and at those of its components that have not
  /// changed since the last two looks; in light at the whole picture. What is a ghost or light
  /// leaves mask and components, and the background learns it again. The mask is on the host, the
  /// frame anywhere.
  void look(const Plan& plan, ConstAnyView seen, const MotionOptions& options,
            BackgroundSubtractor& background, BitView mask, std::vector<Component>& components,
            const Exec& exec);

  template <class Visit>
  void each_part(Visit&& visit) {
    visit(places_);
  }

 private:
  static constexpr size_t room = 32;  // places that are remembered
  std::vector<uint8_t> places_;       // of the last look; those behind the last one are 0
  std::vector<Place> now_;            // of this one
  std::vector<uint8_t> seen_, held_, blocks_;
  std::vector<int32_t> group_;
  AnyImage frame_, gray_, smooth_, state_;  // on the host
  Image<int32_t> labels_;

  void remember();
  Place place(size_t i) const;
  Place place_of(const Component& component) const;
  ConstAnyView smoothed(ConstAnyView seen, const MotionOptions& options, const Exec& exec);
  void read(const Learned& learned, const Rect& box);
  bool learn_light(const Learned& learned, const Rect& box, BitView mask);
  bool learn_ghost(const Learned& learned, const Found& found, const Component& component);
};

}  // namespace cuesta::motion
