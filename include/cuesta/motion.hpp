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
            ///< more tolerance where a pixel is restless; forgets what stands for 250 frames
};
std::string_view name_of(BackgroundModel model);
BackgroundModel background_model_from(std::string_view name);

struct BackgroundOptions {
  BackgroundModel model = BackgroundModel::samples;
  /// Learning rate 2^-rate_shift, 1..12 (mean, mixture); 0 takes the model's own: 6 and 9.
  int rate_shift = 0;
};

/// What BackgroundSubtractor::push writes; a view without data is not wanted. All have the frame's
/// size.
template <class View>
struct BasicBackgroundOutputs {
  View background{};  ///< as the frame: the background that the frame was held against
  View difference{};  ///< as the frame: |frame − background|, 0 where the model explains the frame
  View mask{};        ///< u8 or bits: difference > limit, in gray levels
};
using BackgroundOutputs = BasicBackgroundOutputs<AnyView>;
using BackgroundBatchOutputs = BasicBackgroundOutputs<Batch>;

/// A model of the background, learned frame by frame. Frames are u8 or u16, one channel, all of one
/// size, of one type and in one space; the first sets all, and the state lives there. A gray level
/// is 256 of a u16 sample, as of io's Frame::deep_luma(): frames of 9 to 16 bits a sample stand
/// highest, and what is finer than a level is learned and told. Nothing allocates after it.
/// Every model runs in both spaces; on the GPU a push only enqueues.
class BackgroundSubtractor {
 public:
  /// Throws Error{invalid_argument} for a rate outside 0..12.
  explicit BackgroundSubtractor(BackgroundOptions options = {});
  ~BackgroundSubtractor();
  BackgroundSubtractor(BackgroundSubtractor&&) noexcept;
  BackgroundSubtractor& operator=(BackgroundSubtractor&&) noexcept;

  /// Holds the frame against the background, then learns it. The first frame founds the background:
  /// its difference is 0. Throws Error{input} for a frame of another size, type or space,
  /// Error{invalid_argument} naming the view.
  void push(ConstAnyView frame, const BackgroundOutputs& out = {}, double limit = 25,
            const Exec& exec = {});
  /// For a frame whose space its type says: outputs that live elsewhere do not compile.
  template <PictureLike Frame>
    requires KnownSpace<Frame>
  void push(const Frame& frame, const BasicBackgroundOutputs<ViewBeside<Frame>>& out,
            double limit = 25, const Exec& exec = {}) {
    push(ConstAnyView(frame), BackgroundOutputs{out.background, out.difference, out.mask}, limit,
         exec);
  }
  /// The same of the next frames, one after the other: on the GPU in one launch, which reads and
  /// writes the state once.
  void push(const ConstBatch& frames, const BackgroundBatchOutputs& out = {}, double limit = 25,
            const Exec& exec = {});
  /// Forgets everything; the next frame founds the background anew and may have another size.
  void reset();
  /// Frames since the background was founded, the founding one included.
  int64_t frames() const;
  const BackgroundOptions& options() const;

 private:
  friend struct BackgroundAccess;
  struct State;
  std::unique_ptr<State> state_;
};

/// What differs from the background: |frame − background| > level, in gray levels.
struct DifferenceThreshold {
  double level = 16;  ///< 0 or more
  bool otsu = false;  ///< Otsu's threshold of each frame's difference instead, never below `level`

  constexpr DifferenceThreshold(double gray_levels = 16) : level(gray_levels) {}
  static constexpr DifferenceThreshold automatic(double at_least = 16) {
    DifferenceThreshold found(at_least);
    found.otsu = true;
    return found;
  }
};

/// The defaults are what was best over made scenes with shadows, swaying leaves, noise and a
/// coder's blocks (src/ops/motion/README.md).
struct MotionOptions {
  BackgroundOptions background{};
  int blur = 3;           ///< Gaussian window before the difference, odd; 1 smooths nothing
  double blur_sigma = 0;  ///< 0: 0.3((k−1)/2 − 1) + 0.8
  DifferenceThreshold threshold{};
  StructuringElement close = StructuringElement::disk(9);
  StructuringElement open = StructuringElement::disk(5);
  int connectivity = 8;
  int64_t min_area = 0;  ///< smaller components are dropped, pixels
  /// Frames before anything is found; the median of 5 of them founds the background (of 3 where
  /// there are fewer than 5 frames). With 1 or 2 the first frame founds it.
  int warm_up = 25;
  /// A change of more than so many percent of the picture at once (a lamp, an exposure, a cut)
  /// begins a new warm-up and is told as such instead of found; 0: none does.
  int relearn = 60;
  /// Moves of the camera up to so many pixels a side are taken back; 0 takes none.
  int steady = 16;

  /// The defaults for a model: of `first` paper 004's chain (blur 15, threshold 25, disks of 15,
  /// the first frame as background, nothing steadied or learned anew), of every other those above.
  static MotionOptions of(BackgroundModel model);
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
  explicit MotionDetector(MotionOptions options = {});
  ~MotionDetector();
  MotionDetector(MotionDetector&&) noexcept;
  MotionDetector& operator=(MotionDetector&&) noexcept;

  /// Detections of the next frame, in raster order of their first pixel, in its own coordinates;
  /// valid until the next call. Frames of a warm-up have none. Without exec.workspace the
  /// detector's own serves.
  std::span<const Detection> push(ConstAnyView frame, const Exec& exec = {});
  /// The same of the next frames, for each what push() would find in it; valid until the next call.
  /// On the GPU their steps share launches where nothing of one frame depends on the one before,
  /// and are waited for together. mask() and threshold() are the last frame's.
  std::span<const std::vector<Detection>> push(const ConstBatch& frames, const Exec& exec = {});

  /// The next frame of each of several cameras: of frames[i] what detectors[i] would find in it
  /// alone, in every detector the mask and the threshold too; valid until the next call of the
  /// first detector. Sizes and options may differ, the space may not; a detector stands there once.
  /// On the GPU the cameras share launches and one wait. Without exec.workspace the first
  /// detector's serves.
  static std::span<const std::vector<Detection>> push(std::span<MotionDetector* const> detectors,
                                                      std::span<const ConstAnyView> frames,
                                                      const Exec& exec = {});

  /// What is known of each frame of the last call.
  std::span<const FrameState> states() const;
  /// The mask of the last frame, one bit a pixel, after opening and closing; on the host.
  ConstBitView mask() const;
  /// The threshold the last frame used, in gray levels.
  double threshold() const;
  /// Forgets the background; the next frame begins a warm-up and may have another size.
  void reset();
  const MotionOptions& options() const;

  /// All that is known after the frames so far, but for mask() and threshold(): a detector with the
  /// same options that load()s it finds in the frames that follow what this one would, on any
  /// machine with this byte order. Throws Error{unsupported} after frames on the GPU.
  std::vector<uint8_t> save() const;
  /// Goes on where the detector that was saved stood. Throws Error{input} for bytes that are not a
  /// whole state of a detector whose `background`, `blur`, `blur_sigma`, `warm_up`, `relearn` and
  /// `steady` are this one's; then this one is as before.
  void load(std::span<const uint8_t> saved);
  /// Of so many first frames all is made that is known later: after them, save() gives what is
  /// right at any frame that follows. Nothing where every frame is learned from, as all do but
  /// `first` with neither `relearn` nor `steady`.
  std::optional<int64_t> founded_by() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cuesta
