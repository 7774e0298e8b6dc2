// What a detector learns of a frame before it looks for objects: whether the camera has moved, and
// whether most of the picture has changed at once. Both come from 16 windows of the frame's luma,
// so that of a frame on the GPU 64 KiB travel.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "cuesta/border.hpp"
#include "cuesta/motion.hpp"

namespace cuesta::motion {

/// Four by four windows of a frame, centred in its sixteenths, at most 64 pixels a side.
struct Windows {
  static constexpr int32_t across = 4, count = across * across, most = 64, pitch = most * most;
  static constexpr int32_t bytes = count * pitch;  // of a frame's windows, `pitch` each
  int32_t width = 0, height = 0;                   // of a window; 0: the frame is too small
  int32_t x[across] = {}, y[across] = {};

  static Windows of(Size frame);
};

/// Windows are of bytes: a u16 sample's gray level, as io's Frame::luma() rounds.
CUESTA_HOST_DEVICE constexpr uint8_t byte_of(uint8_t v) { return v; }
CUESTA_HOST_DEVICE constexpr uint8_t byte_of(uint16_t v) {
  return uint8_t(v >= 0xFF80 ? 255 : (v + 128) >> 8);
}

/// The luma of a frame's windows, rows of `Windows::most` bytes. Of frames on the host.
void read_windows(ConstAnyView frame, const Windows& windows, uint8_t* luma);

CUESTA_HOST_DEVICE constexpr int32_t median(int32_t a, int32_t b, int32_t c) {
  const int32_t low = a < b ? a : b, high = a < b ? b : a;
  return c < low ? low : c > high ? high : c;
}
/// It is between the greater of two pairs' least and the lesser of their greatest.
CUESTA_HOST_DEVICE constexpr int32_t median(int32_t a, int32_t b, int32_t c, int32_t d, int32_t e) {
  const int32_t ab = a < b ? a : b, cd = c < d ? c : d;
  const int32_t max_ab = a < b ? b : a, max_cd = c < d ? d : c;
  return median(ab > cd ? ab : cd, max_ab < max_cd ? max_ab : max_cd, e);
}

/// The median, sample by sample, of 3 or 5 pictures of one shape and type on the host.
void median_of(std::span<const AnyImage> pictures, AnyView median);

/// Frames that the warm-up keeps for the median, and which of its frames they are.
inline constexpr int32_t max_kept = 5;
constexpr int32_t kept_of(int32_t warm_up) {
  return warm_up >= max_kept ? max_kept : warm_up >= 3 ? 3 : 1;
}
constexpr int32_t kept_at(int32_t i, int32_t warm_up) {
  const int32_t kept = kept_of(warm_up);
  return kept > 1 ? i * (warm_up - 1) / (kept - 1) : 0;
}

/// What is to be done with a frame.
struct Plan {
  FrameState state{};
  int32_t keep = -1;     // as this one of the warm-up's frames
  bool forgets = false;  // the background so far, before anything else
  bool founds = false;   // the background, by the median of those kept
  bool finds = false;    // objects
  bool lit = false;      // the light has changed in a part of the picture of late
  bool looks = false;    // for parts that are to be learned again, when its objects are known
};

/// Follows a video by its windows.
class Steady {
 public:
  explicit Steady(const MotionOptions& options);

  /// Whether plan() reads windows of frames of this size.
  bool reads(Size frame) const;
  /// The next frame's plan. `luma`: read_windows(), or null where reads() says no.
  Plan plan(Size frame, const uint8_t* luma);
  void reset();

  /// What it knows of the frames so far: visit(part) of each number and of the reference.
  template <class Visit>
  void each_part(Visit&& visit) {
    visit(frames_), visit(warm_), visit(held_), visit(reference_);
    visit(unrest_), visit(changed_for_), visit(before_), visit(lit_);
  }
  /// Whether those numbers can have come of frames.
  bool is_possible() const {
    return frames_ >= 0 && warm_ >= 0 && warm_ <= warm_up_ && held_ >= 0 && held_ <= holds_for &&
           (held_ == 0 || warm_ < warm_up_);
  }
  bool is_warm() const { return warm_ >= warm_up_; }
  /// Whether the background of before the last change may come back.
  bool holds() const { return held_ > 0; }
  /// How many frames of the warm-up so far are kept for the median.
  int32_t kept() const;

 private:
  struct Shift {
    int32_t x = 0, y = 0;
  };
  bool has_texture(int32_t window) const;
  int64_t cost(const uint8_t* luma, int32_t window, Shift shift, int32_t step) const;
  bool finds_shift(const uint8_t* luma, Shift& shift) const;
  static constexpr int32_t cells = 4;  // a side of a window
  static constexpr int32_t all_cells = Windows::count * cells * cells;
  static constexpr int32_t holds_for = 10;  // frames, the model of before a change
  using Cells = std::array<bool, all_cells>;

  Cells changed_cells(const uint8_t* luma, const std::vector<uint8_t>& held, Shift shift) const;
  bool is_another_scene(const Cells& changed) const;
  struct Part {
    int32_t x, y, width, height;
  };
  Part cell_of(int32_t cell) const;
  bool is_partly_lit() const;
  void follow_light(const uint8_t* luma, Cells& changed, Shift shift);
  bool is_lit(const uint8_t* luma, const Cells& changed, int32_t window, Shift shift) const;
  bool is_covered(int32_t cell) const;
  void note(const Cells& changed);
  void leave_scene();
  void begin_warm_up();
  bool has_returned(const uint8_t* luma);
  void follow(const uint8_t* luma, Shift shift);

  int32_t warm_up_, steady_, relearn_;
  bool parts_;  // whether parts are learned again
  Windows windows_;
  int32_t reach_ = 0;               // of shifts, pixels
  int64_t frames_ = 0;              // since the reference was taken
  int32_t warm_ = 0;                // frames of the warm-up so far
  std::vector<uint8_t> reference_;  // windows of the place the camera is to look at
  // Of each cell: how often it has come and gone of late, and for how many frames it has been off
  // the reference.
  std::vector<uint8_t> unrest_, changed_for_;
  int32_t held_ = 0;             // frames since the change whose scene of before may come back
  std::vector<uint8_t> before_;  // its reference
  std::vector<uint8_t> lit_;     // for how many frames more the light of each window is another
};

}  // namespace cuesta::motion
