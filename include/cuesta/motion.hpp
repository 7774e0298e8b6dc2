// Moving objects in video: background, difference, mask, components, boxes (paper 004).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cuesta/batch.hpp"
#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"
#include "cuesta/objects.hpp"
#include "cuesta/typed.hpp"

namespace cuesta {

/// How the background is known. All models keep integer state, so every strategy agrees on it.
enum class BackgroundModel : uint8_t {
  first,    ///< the first frame (paper 004)
  mean,     ///< running mean, Q8 fixed point, rate 2^-rate_shift
  median,   ///< sigma-delta: one step a frame towards the frame (Manzanera & Richefeu 2007)
  mixture,  ///< integer mixture of Gaussians (Stauffer & Grimson 1999; Zivkovic 2004), its README
            ///< has the recurrences
  samples,  ///< a dozen past values of each pixel (ViBe: Barnich & Van Droogenbroeck 2011), with
            ///< more tolerance where a pixel is restless; absorbs what stands (`absorb`)
};
/// name_of() returns the name of a model, background_model_from() the model of a name.
/// The latter throws Error{invalid_argument} for other names.
std::string_view name_of(BackgroundModel model);
BackgroundModel background_model_from(std::string_view name);

/// How readily motion is reported: one word for several options (MotionOptions::of).
enum class Sensitivity : uint8_t {
  low,     ///< fewer reports: higher threshold, larger specks and shifts ignored
  normal,  ///< the defaults
  high,    ///< faint objects too, and more of what sways or flickers
};
/// name_of() returns the name of a sensitivity, sensitivity_from() the sensitivity of a name.
/// The latter throws Error{invalid_argument} for other names.
std::string_view name_of(Sensitivity sensitivity);
Sensitivity sensitivity_from(std::string_view name);

/// Options of BackgroundSubtractor.
struct BackgroundOptions {
  BackgroundModel model = BackgroundModel::samples;
  /// Learning rate 2^-rate_shift, 1..12 (mean, mixture); 0 takes the model's own: 6 and 9.
  int rate_shift = 0;
  /// Frames after which what stands becomes background, 1..1,000,000,000 (samples); 0: 250.
  /// Other models absorb at their rate, `first` never.
  int absorb = 0;
};

/// What BackgroundSubtractor::push writes; a view without data is not wanted. All have the frame's
/// size.
template <class View>
struct BasicBackgroundOutputs {
  View background{};  ///< as the frame: the background before this frame
  View difference{};  ///< as the frame: |frame − background|, 0 where the model explains the frame
  View mask{};        ///< u8 or bits: difference > limit, in gray levels
};
using BackgroundOutputs = BasicBackgroundOutputs<AnyView>;
using BackgroundBatchOutputs = BasicBackgroundOutputs<Batch>;

/// A model of the background that is updated with each frame. Frames are u8 or u16 with one
/// channel. The first frame sets size, type and space for all, and allocates the state. A gray
/// level is 256 in u16 samples, as in Frame::deep_luma(): samples of 9 to 16 bits are shifted to
/// the top, so that models and differences resolve less than a level. Every model runs in both
/// spaces; on the GPU a push only enqueues.
class BackgroundSubtractor {
 public:
  /// Throws Error{invalid_argument} for a rate outside 0..12.
  explicit BackgroundSubtractor(BackgroundOptions options = {});
  ~BackgroundSubtractor();
  BackgroundSubtractor(BackgroundSubtractor&&) noexcept;
  BackgroundSubtractor& operator=(BackgroundSubtractor&&) noexcept;

  /// Compares the frame with the background, then updates the background. The first frame
  /// initialises it; its difference is 0. Throws Error{input} for a frame of another size, type or
  /// space, Error{invalid_argument} naming the view.
  void push(ConstAnyView frame, const BackgroundOutputs& out = {}, double limit = 25,
            const Exec& exec = {});
  /// For frames whose type names their space: outputs in another space do not compile.
  template <PictureLike Frame>
    requires KnownSpace<Frame>
  void push(const Frame& frame, const BasicBackgroundOutputs<ViewBeside<Frame>>& out,
            double limit = 25, const Exec& exec = {}) {
    push(ConstAnyView(frame), BackgroundOutputs{out.background, out.difference, out.mask}, limit,
         exec);
  }
  /// The same for several consecutive frames. On the GPU one launch reads and writes the state
  /// once.
  void push(const ConstBatch& frames, const BackgroundBatchOutputs& out = {}, double limit = 25,
            const Exec& exec = {});
  /// Clears the model. The next frame initialises it and may have another size.
  void reset();
  /// Counts the frames since the background was initialised, that frame included.
  int64_t frames() const;
  const BackgroundOptions& options() const;

 private:
  friend struct BackgroundAccess;
  struct State;
  std::unique_ptr<State> state_;
};

/// Limit of the foreground: |frame − background| > level, in gray levels. Below 16 it is also the
/// distance, at least 1, within which two samples explain a pixel (samples).
struct DifferenceThreshold {
  double level = 16;  ///< 0 or more
  bool otsu = false;  ///< Otsu's threshold of each frame's difference instead, never below `level`

  /// Sets a fixed level; automatic() sets Otsu's threshold with a lower bound.
  constexpr DifferenceThreshold(double gray_levels = 16) : level(gray_levels) {}
  /// Returns Otsu's threshold of each frame's difference, never below `at_least`.
  static constexpr DifferenceThreshold automatic(double at_least = 16) {
    DifferenceThreshold found(at_least);
    found.otsu = true;
    return found;
  }
};

/// Options of MotionDetector. The defaults scored best over generated scenes with shadows, swaying
/// leaves, noise and coding blocks (src/ops/motion/README.md).
struct MotionOptions {
  BackgroundOptions background{};
  int blur = 3;           ///< Gaussian window before the difference, odd; 1 smooths nothing
  double blur_sigma = 0;  ///< 0: 0.3((k−1)/2 − 1) + 0.8
  DifferenceThreshold threshold{};
  StructuringElement close = StructuringElement::disk(9);
  StructuringElement open = StructuringElement::disk(5);
  int connectivity = 8;
  int64_t min_area = 0;  ///< drops smaller components, pixels; 0: specks (come and go)
  /// Frames before the first detection. The median of 5 of them initialises the background, of 3
  /// where there are fewer than 5 frames. With 1 or 2 the first frame does.
  int warm_up = 25;
  /// Percent of the picture's parts that were at rest. A sudden change of more of them (a lamp, an
  /// exposure, a cut) restarts the warm-up and is reported as such; 0: never. If the picture of
  /// before returns within 10 frames, its background does, too.
  int relearn = 75;
  /// Largest shift of the camera that is compensated, in pixels per axis; 0: none.
  int steady = 16;
  /// Background that moves by up to this many pixels (leaves, water) is no object, 0..7; 0: it is.
  /// A component stays if 35 % of its foreground differs from all samples that near. Only of the
  /// model `samples` (component displacement: Elgammal, Harwood & Davis 2000).
  int displacement = 3;

  /// Returns the defaults of a model and a sensitivity.
  /// `first` has paper 004's chain: blur 15, threshold 25, disks of 15, the first frame as
  /// background, no shift compensation and no restart. Others have those above. `low` raises the
  /// threshold by a quarter, opens with a disk 2 pixels larger and ignores shifts 2 pixels larger.
  /// `high` ignores shifts of 1 pixel at most; its threshold is 6 for `samples` and `mixture`,
  /// which learn the noise of each pixel, and 5/8 of the normal one for others.
  static MotionOptions of(BackgroundModel model, Sensitivity sensitivity = Sensitivity::normal);
};

/// One moving object in one frame.
struct Detection {
  Rect box{};
  int64_t area = 0;
  double centroid_x = 0, centroid_y = 0;
  friend bool operator==(const Detection&, const Detection&) = default;
};

/// What is known of a frame beside its objects.
struct FrameState {
  bool warming_up = false;       ///< the background is being learned: nothing is found
  bool changed = false;          ///< most of the picture changed at once; a warm-up begins here
  int shift_x = 0, shift_y = 0;  ///< how far the picture moved off its place, pixels
  friend bool operator==(const FrameState&, const FrameState&) = default;
};

/// Finds moving objects frame by frame. Size, options and state live here; nothing allocates after
/// the first two frames. Frames are u8 or u16 (a gray level is 256: BackgroundSubtractor), 1
/// (gray), 3 or 4 channels (RGB order), all of one size, of one type and in one space; a change of
/// any throws Error{input}. Frames on the GPU take the same options; the background stays there,
/// the mask and the detections come back to the host, and push() waits for them.
class MotionDetector {
 public:
  /// Makes a detector. Throws Error{invalid_argument} naming the option.
  explicit MotionDetector(MotionOptions options = {});
  ~MotionDetector();
  /// Moves a detector.
  MotionDetector(MotionDetector&&) noexcept;
  MotionDetector& operator=(MotionDetector&&) noexcept;

  /// Returns the detections of the next frame, in its own coordinates.
  /// They are in raster order of their first pixel and valid until the next call. Frames of a
  /// warm-up have none. Without exec.workspace the detector's own serves.
  std::span<const Detection> push(ConstAnyView frame, const Exec& exec = {});
  /// Returns the detections of each of the next frames, as push() of one frame at a time.
  /// Valid until the next call. On the GPU, steps that do not depend on the frame before share
  /// launches, and the call waits once for all. mask() and threshold() are the last frame's.
  std::span<const std::vector<Detection>> push(const ConstBatch& frames, const Exec& exec = {});

  /// Returns the detections of the next frame of each of several cameras.
  /// Results, masks and thresholds are those of detectors[i] on frames[i] alone. Valid until the
  /// next call of the first detector. Sizes and options may differ, the space may not; each
  /// detector occurs once. On the GPU the cameras share launches and one wait. Without
  /// exec.workspace the first detector's serves.
  static std::span<const std::vector<Detection>> push(std::span<MotionDetector* const> detectors,
                                                      std::span<const ConstAnyView> frames,
                                                      const Exec& exec = {});

  /// Sets the threshold of each pixel, in place of `options().threshold.level`.
  /// `levels`: f32 gray levels, 0 or more, of the frames' size, on the host; copied. They stay
  /// until they are set again; a view without data removes them. Downscale::thresholds() makes
  /// those of reduced frames. Throws Error{invalid_argument} for other pictures; the next push()
  /// throws Error{input} if the size is not that of its frames.
  void set_thresholds(ConstAnyView levels);

  /// What is known of each frame of the last call.
  std::span<const FrameState> states() const;
  /// The mask of the last frame, one bit a pixel, after opening and closing; on the host.
  ConstBitView mask() const;
  /// The threshold the last frame used, in gray levels; with set_thresholds() the lowest.
  double threshold() const;
  /// Forgets the background; the next frame begins a warm-up and may have another size.
  void reset();
  /// Returns the options of the detector.
  const MotionOptions& options() const;

  /// Returns the state after the frames so far, without mask() and thresholds. A detector with the
  /// same options that load()s it returns the same results for the frames that follow, on any
  /// machine of this byte order. Throws Error{unsupported} after frames on the GPU.
  std::vector<uint8_t> save() const;
  /// Continues from a saved state. Throws Error{input} for bytes that are not the complete state of
  /// a detector with the same `background`, `blur`, `blur_sigma`, `warm_up`, `relearn` and
  /// `steady`; the detector is unchanged then.
  void load(std::span<const uint8_t> saved);
  /// Returns the number of first frames that determine the whole state.
  /// After them, save() is right for
  /// every later frame. Empty where every frame updates the state; only `first` without `relearn`
  /// and `steady` has a number.
  std::optional<int64_t> initialised_by() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cuesta
