#include "ops/motion/steady.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "ops/motion/parts.hpp"
#include "ops/shared/pixel_arithmetic.hpp"

namespace cuesta::motion {
namespace {

// The reference moves a gray level in this many frames.
constexpr int64_t follows_every = 4;
// What covers a cell is not the scene before it has stayed for this many frames.
constexpr int32_t covered_for = 250;
// A cell that comes or goes gains this unrest, and loses 1 a frame. Above this it is restless:
// it has come and gone within a second or so.
constexpr int32_t unrest_step = 25, rests_below = 26, max_unrest = 100;
// A change is sudden that takes at most this number of frames.
constexpr int32_t sudden = 12;
// With fewer cells at rest than this nobody can say whether the scene is another one.
constexpr int32_t min_voters = 64;
// Light of a part shows in this many windows within some frames, in this many cells of each. The
// rest of the part is looked for in those frames.
constexpr int32_t min_lit_windows = 3, min_lit_cells = 6;
constexpr uint8_t lit_for = 25;
// Parts are looked for in one frame of this many, those of light in more of them.
constexpr int64_t looks_every = 6, lit_looks_every = 4;

}  // namespace

Windows Windows::of(Size frame) {
  Windows w;
  w.width = std::min(frame.width / across, most), w.height = std::min(frame.height / across, most);
  if (w.width < 8 || w.height < 8) return {};
  for (int32_t i = 0; i < across; ++i) {
    w.x[i] = int32_t((2 * i + 1) * int64_t(frame.width) / (2 * across)) - w.width / 2;
    w.y[i] = int32_t((2 * i + 1) * int64_t(frame.height) / (2 * across)) - w.height / 2;
  }
  return w;
}

namespace {

template <class T>
void read_windows_of(ConstAnyView frame, const Windows& windows, uint8_t* luma) {
  for (int32_t n = 0; n < Windows::count; ++n) {
    const int32_t left = windows.x[n % Windows::across];
    const int32_t top = windows.y[n / Windows::across];
    for (int32_t y = 0; y < windows.height; ++y) {
      const T* from = frame.as<T>().row(top + y) + ptrdiff_t(left) * frame.channels;
      uint8_t* to = luma + n * Windows::pitch + y * Windows::most;
      if (frame.channels == 1) {
        std::transform(from, from + windows.width, to, [](T v) { return byte_of(v); });
        continue;
      }
      for (int32_t x = 0; x < windows.width; ++x, from += frame.channels)
        to[x] = byte_of(T(pixel::gray(from[0], from[1], from[2])));
    }
  }
}

template <class T>
void median_of_type(std::span<const AnyImage> pictures, AnyView median) {
  const auto samples = size_t(median.width) * size_t(median.channels);
  for (int32_t y = 0; y < median.height; ++y) {
    const T* rows[max_kept] = {};
    for (size_t i = 0; i < pictures.size(); ++i) rows[i] = pictures[i].view().as<T>().row(y);
    T* to = median.as<T>().row(y);
    const T *a = rows[0], *b = rows[1], *c = rows[2];
    if (pictures.size() == 3) {
      for (size_t x = 0; x < samples; ++x) to[x] = T(motion::median(a[x], b[x], c[x]));
      continue;
    }
    const T *d = rows[3], *e = rows[4];
    for (size_t x = 0; x < samples; ++x) to[x] = T(motion::median(a[x], b[x], c[x], d[x], e[x]));
  }
}

}  // namespace

void read_windows(ConstAnyView frame, const Windows& windows, uint8_t* luma) {
  frame.type == PixelType::u16 ? read_windows_of<uint16_t>(frame, windows, luma)
                               : read_windows_of<uint8_t>(frame, windows, luma);
}
void median_of(std::span<const AnyImage> pictures, AnyView median) {
  median.type == PixelType::u16 ? median_of_type<uint16_t>(pictures, median)
                                : median_of_type<uint8_t>(pictures, median);
}

Steady::Steady(const MotionOptions& options)
    : warm_up_(std::max(options.warm_up, 1)),
      steady_(options.steady),
      relearn_(options.relearn),
      parts_(learns_parts(options)) {
  if (relearn_ > 0 || steady_ > 0) reference_.resize(Windows::bytes);
  if (relearn_ == 0) return;
  lit_.resize(Windows::count);
  unrest_.resize(all_cells);
  changed_for_.resize(all_cells);
  before_.resize(Windows::bytes);
}

bool Steady::reads(Size frame) const { return !reference_.empty() && Windows::of(frame).width > 0; }

void Steady::reset() {
  begin_warm_up();
  held_ = 0;
}

void Steady::begin_warm_up() {
  frames_ = 0, warm_ = 0;
  std::fill(lit_.begin(), lit_.end(), uint8_t(0));
  std::fill(unrest_.begin(), unrest_.end(), uint8_t(0));
  std::fill(changed_for_.begin(), changed_for_.end(), uint8_t(0));
}

int32_t Steady::kept() const {
  int32_t count = 0;
  for (int32_t i = 0; i < kept_of(warm_up_); ++i) count += kept_at(i, warm_up_) < warm_;
  return count;
}

Plan Steady::plan(Size frame, const uint8_t* luma) {
  Plan plan;
  if (luma) {
    windows_ = Windows::of(frame);
    reach_ = std::min({steady_, windows_.width / 4, windows_.height / 4});
    Shift shift;
    const bool returned = frames_ > 0 && has_returned(luma);
    // Where the camera went is not asked of a scene that is another one.
    if (frames_ > 0 && reach_ > 0 && !finds_shift(luma, shift)) shift = {};
    if (frames_ > 0 && relearn_ > 0 && !returned) {
      plan.forgets = held_ > holds_for;
      if (plan.forgets) held_ = 0;
      Cells changed = changed_cells(luma, reference_, shift);
      plan.state.changed = is_another_scene(changed);
      if (!plan.state.changed && parts_) follow_light(luma, changed, shift);
      plan.state.changed ? leave_scene() : note(changed);
    }
    if (frames_ == 0) {
      std::memcpy(reference_.data(), luma, reference_.size());
    } else {
      plan.state.shift_x = shift.x, plan.state.shift_y = shift.y;
      if (frames_ % follows_every == 0) follow(luma, shift);
    }
    ++frames_;
  }
  if (warm_ >= warm_up_) {
    plan.finds = true;
    const auto is_new = [](uint8_t left) { return left == lit_for; };
    plan.lit =
        is_partly_lit() && (std::ranges::any_of(lit_, is_new) || frames_ % lit_looks_every == 0);
    plan.looks = parts_ && (plan.lit || frames_ % looks_every == 0);
    return plan;
  }
  const int32_t kept = kept_of(warm_up_);
  plan.state.warming_up = kept > 1;  // a first frame that initialises is none
  for (int32_t i = 0; i < kept; ++i)
    if (kept_at(i, warm_up_) == warm_) plan.keep = i;
  plan.founds = plan.keep == kept - 1;
  if (plan.founds) plan.forgets = true, held_ = 0;
  ++warm_;
  if (kept == 1) warm_ = warm_up_;  // the first frame is all there is to wait for
  return plan;
}

// Windows without edges match anywhere: what they hold must differ from its neighbours, both ways.
bool Steady::has_texture(int32_t window) const {
  const uint8_t* held = reference_.data() + window * Windows::pitch;
  int64_t across = 0, down = 0;
  for (int32_t y = reach_; y + 2 < windows_.height - reach_; ++y) {
    for (int32_t x = reach_; x + 2 < windows_.width - reach_; ++x) {
      const uint8_t* at = held + y * Windows::most + x;
      across += std::abs(at[2] - at[0]);
      down += std::abs(at[2 * Windows::most] - at[0]);
    }
  }
  const int64_t count = int64_t(windows_.width - 2 * reach_) * (windows_.height - 2 * reach_);
  return std::min(across, down) >= 3 * count;
}

// The sum of absolute differences between the reference's middle and the frame `shift` away, every
// `step`-th pixel, without the difference of light.
int64_t Steady::cost(const uint8_t* luma, int32_t window, Shift shift, int32_t step) const {
  const uint8_t* held = reference_.data() + window * Windows::pitch;
  const uint8_t* seen =
      luma + window * Windows::pitch + ptrdiff_t(shift.y) * Windows::most + shift.x;
  const int32_t right = windows_.width - reach_, bottom = windows_.height - reach_;
  int32_t light = 0, count = 0;
  for (int32_t y = reach_; y < bottom; y += step)
    for (int32_t x = reach_; x < right; x += step)
      light += seen[y * Windows::most + x] - held[y * Windows::most + x], ++count;
  light /= count;
  int64_t sum = 0;
  for (int32_t y = reach_; y < bottom; y += step) {
    int32_t row = 0;
    for (int32_t x = reach_; x < right; x += step)
      row += std::abs(seen[y * Windows::most + x] - held[y * Windows::most + x] - light);
    sum += row;
  }
  return sum;
}

// Block matching: each window with texture votes for the place where it is found, first on every
// second pixel, then about the best. False where no half of them agree.
bool Steady::finds_shift(const uint8_t* luma, Shift& shift) const {
  std::array<Shift, Windows::count> votes;
  size_t count = 0, still = 0;
  std::array<int32_t, Windows::count> windows{};
  for (int32_t n = 0; n < Windows::count; ++n) {
    if (!has_texture(n)) continue;
    windows[count++] = n;
    const int64_t here = cost(luma, n, {}, 1);
    still += here <= cost(luma, n, {1, 0}, 1) && here <= cost(luma, n, {-1, 0}, 1) &&
             here <= cost(luma, n, {0, 1}, 1) && here <= cost(luma, n, {0, -1}, 1);
  }
  if (count < 3) return false;
  shift = {};
  if (2 * still > count) return true;
  for (size_t i = 0; i < count; ++i) {
    const auto min_of = [&](Shift middle, int32_t far, int32_t step) {
      Shift best = middle;
      int64_t least = INT64_MAX;
      for (int32_t y = -far; y <= far; y += step) {
        for (int32_t x = -far; x <= far; x += step) {
          const Shift at{middle.x + x, middle.y + y};
          if (std::max(std::abs(at.x), std::abs(at.y)) > reach_) continue;
          const int64_t found = cost(luma, windows[i], at, step);
          if (found < least) least = found, best = at;
        }
      }
      return best;
    };
    votes[i] = min_of(min_of({}, reach_ / 2 * 2, 2), 1, 1);
  }
  size_t most = 0;
  for (size_t i = 0; i < count; ++i) {
    size_t agree = 0;
    Shift sum;
    for (size_t k = 0; k < count; ++k) {
      if (std::abs(votes[k].x - votes[i].x) > 1 || std::abs(votes[k].y - votes[i].y) > 1) continue;
      ++agree;
      sum.x += votes[k].x, sum.y += votes[k].y;
    }
    if (agree <= most) continue;
    most = agree;
    const auto rounded = [agree](int32_t v) {
      const auto n = int32_t(agree);
      return (2 * v + (v < 0 ? -n : n)) / (2 * n);
    };
    shift = {rounded(sum.x), rounded(sum.y)};
  }
  return 2 * most >= count && most >= 3;
}

// Another scene begins here, or so it seems: one that was known is kept for a while.
void Steady::leave_scene() {
  if (is_warm() && kept_of(warm_up_) > 1) held_ = 1, before_ = reference_;
  begin_warm_up();
}

// Whether this frame is of the scene of before again.
bool Steady::has_returned(const uint8_t* luma) {
  if (held_ == 0) return false;
  ++held_;
  const Cells off = changed_cells(luma, before_, {});
  if (4 * std::count(off.begin(), off.end(), true) > all_cells) return false;
  reference_ = before_;
  begin_warm_up();
  warm_ = warm_up_, held_ = 0, frames_ = 1;
  return true;
}

// A sudden change of nearly all cells at rest. Those that came and went of late are leaves or
// traffic, and those that have been off for a while are covered by something.
bool Steady::is_another_scene(const Cells& changed) const {
  int32_t voters = 0, votes = 0;
  for (size_t i = 0; i < changed.size(); ++i) {
    if (unrest_[i] >= rests_below || changed_for_[i] >= sudden) continue;
    ++voters, votes += changed[i];
  }
  return voters >= min_voters && 100 * votes > relearn_ * voters;
}

void Steady::note(const Cells& changed) {
  for (size_t i = 0; i < changed.size(); ++i) {
    uint8_t &unrest = unrest_[i], &off = changed_for_[i];
    unrest = changed[i] != (off > 0) ? uint8_t(std::min(unrest + unrest_step, max_unrest))
                                     : uint8_t(unrest - (unrest > 0));
    off = changed[i] ? uint8_t(std::min(off + 1, 255)) : uint8_t(0);
  }
}

Steady::Cells Steady::changed_cells(const uint8_t* luma, const std::vector<uint8_t>& held_luma,
                                    Shift shift) const {
  const int32_t wide = (windows_.width - 2 * reach_) / cells;
  const int32_t high = (windows_.height - 2 * reach_) / cells;
  Cells changed;
  for (int32_t n = 0; n < Windows::count; ++n) {
    for (int32_t cell = 0; cell < cells * cells; ++cell) {
      const int32_t x0 = reach_ + cell % cells * wide, y0 = reach_ + cell / cells * high;
      int32_t seen = 0, held = 0;
      for (int32_t y = y0; y < y0 + high; ++y) {
        for (int32_t x = x0; x < x0 + wide; ++x) {
          const int32_t at = n * Windows::pitch + y * Windows::most + x;
          held += held_luma[size_t(at)];
          seen += luma[at + shift.y * Windows::most + shift.x];
        }
      }
      changed[size_t(n) * size_t(cells) * size_t(cells) + size_t(cell)] =
          std::abs(seen - held) > 2 * wide * high + held / 32;
    }
  }
  return changed;
}

Steady::Part Steady::cell_of(int32_t cell) const {
  const int32_t wide = (windows_.width - 2 * reach_) / cells;
  const int32_t high = (windows_.height - 2 * reach_) / cells;
  return {reach_ + cell % cells * wide, reach_ + cell / cells * high, wide, high};
}

// Light changes the levels of a window's cells and keeps their texture. What covers them has
// another texture, or none.
bool Steady::is_lit(const uint8_t* luma, const Cells& changed, int32_t window, Shift shift) const {
  int32_t textured = 0, alike = 0;
  for (int32_t cell = 0; cell < cells * cells; ++cell) {
    if (!changed[size_t(window) * size_t(cells) * size_t(cells) + size_t(cell)]) continue;
    const Part part = cell_of(cell);
    Likeness likeness;
    for (int32_t y = part.y; y < part.y + part.height; ++y) {
      const uint8_t* held = reference_.data() + window * Windows::pitch + y * Windows::most;
      const uint8_t* seen =
          luma + window * Windows::pitch + (y + shift.y) * Windows::most + shift.x;
      for (int32_t x = part.x; x < part.x + part.width; ++x) likeness.add(seen[x], held[x]);
    }
    if (!likeness.is_textured()) continue;
    ++textured, alike += likeness.is_alike();
  }
  return textured >= min_lit_cells && 4 * alike >= 3 * textured;
}

// Where the light has changed, the picture is the reference from now on.
void Steady::follow_light(const uint8_t* luma, Cells& changed, Shift shift) {
  for (int32_t n = 0; n < Windows::count; ++n) {
    uint8_t& left = lit_[size_t(n)];
    left = is_lit(luma, changed, n, shift) ? lit_for : uint8_t(left - (left > 0));
  }
  if (!is_partly_lit()) return;
  for (int32_t i = 0; i < all_cells; ++i) {
    const int32_t window = i / (cells * cells);
    if (lit_[size_t(window)] < lit_for || !changed[size_t(i)]) continue;
    const Part part = cell_of(i % (cells * cells));
    const ptrdiff_t at = window * Windows::pitch + part.y * Windows::most + part.x;
    for (int32_t y = 0; y < part.height; ++y)
      std::copy_n(luma + at + (y + shift.y) * Windows::most + shift.x, part.width,
                  reference_.data() + at + y * Windows::most);
    changed[size_t(i)] = false;
  }
}

bool Steady::is_partly_lit() const {
  return std::ranges::count_if(lit_, [](uint8_t left) { return left > 0; }) >= min_lit_windows;
}

bool Steady::is_covered(int32_t cell) const {
  if (changed_for_.empty()) return false;
  const int32_t off = changed_for_[size_t(cell)];
  return off > 0 && off < covered_for;
}

// One gray level towards the frame, but where something covers the scene. What is beside a window's
// cells goes with the nearest.
void Steady::follow(const uint8_t* luma, Shift shift) {
  const int32_t wide = std::max((windows_.width - 2 * reach_) / cells, 1);
  const int32_t high = std::max((windows_.height - 2 * reach_) / cells, 1);
  for (int32_t n = 0; n < Windows::count; ++n) {
    for (int32_t y = 0; y < windows_.height; ++y) {
      const int32_t sy = y + shift.y;
      if (sy < 0 || sy >= windows_.height) continue;
      uint8_t* held = reference_.data() + n * Windows::pitch + y * Windows::most;
      const uint8_t* seen = luma + n * Windows::pitch + sy * Windows::most + shift.x;
      const int32_t row = n * cells + std::clamp((y - reach_) / high, 0, cells - 1);
      for (int32_t i = 0; i < cells; ++i) {
        if (is_covered(row * cells + i)) continue;
        const int32_t left = i == 0 ? 0 : reach_ + i * wide;
        const int32_t right = i == cells - 1 ? windows_.width : reach_ + (i + 1) * wide;
        const int32_t end = std::min(right, windows_.width - shift.x);
        for (int32_t x = std::max(left, -shift.x); x < end; ++x)
          held[x] = uint8_t(held[x] + (seen[x] > held[x]) - (seen[x] < held[x]));
      }
    }
  }
}

}  // namespace cuesta::motion
