// A recipe says what becomes of one picture or frame. Every interface runs recipes, so that they
// agree on the result.
//
// A recipe is a list of steps. Each step is one call of a public operation, so that the same list
// serves to run (run_steps) and to choose strategies without touching a sample (plan_of).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuesta/image.hpp"
#include "cuesta/recipes.hpp"
#include "cuesta/strategies.hpp"
#include "recipes/white.hpp"

namespace cuesta {
class Scratch;
}

namespace cuesta::recipes {

/// What is known of a picture before its samples are there.
struct PictureKind {
  PixelType type = PixelType::u8;
  int32_t channels = 1;    ///< 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA
  bool has_alpha = false;  ///< the last of 2 or 4 channels
  double scale = 1;        ///< levels of the samples for one level of the file
};
/// Of a view without a file: 2 and 4 channels have alpha.
PictureKind kind_of(ConstAnyView picture, double scale = 1);

/// What a recipe makes.
struct Output {
  PixelType type = PixelType::u8;
  int32_t channels = 1;
  bool is_mask = false;         ///< u8 of 0 and 255
  bool keeps_metadata = false;  ///< the file's metadata and alpha still describe it
};

/// How steps run: the operation that a strategy name means, and the others.
struct Execs {
  Exec pinned, around;
};
/// `exec` for the pinned step; threads, workspace and stream of it for the others.
Execs execs_of(const Exec& exec);

/// One call of an operation, from a picture to a picture of its size.
struct Step {
  PixelType type{};        ///< of its result
  int32_t channels = 1;    ///< of its result
  bool is_pinned = false;  ///< the operation that Exec::strategy names
  std::function<void(ConstAnyView src, AnyView dst, const Exec& exec)> call;
};
using Steps = std::vector<Step>;

/// Runs the steps one after the other from `src` into `dst`, both in one space; pictures between
/// them are scratch memory. There is at least one step.
void run_steps(const Steps& steps, ConstAnyView src, AnyView dst, const Execs& execs);
/// The strategies that run_steps() would take for a picture of this size, type and channels in
/// `space`. Nothing runs.
std::vector<Choice> plan_of(const Steps& steps, Size size, PixelType type, int32_t channels,
                            Space space, const Execs& execs);

/// A picture in scratch memory; `space` is that of the Scratch.
AnyView scratch_picture(Scratch& scratch, Size size, PixelType type, int32_t channels, Space space);

/// What canny used, where a recipe runs it.
struct Used {
  std::optional<CannyResult> thresholds{};  ///< in the levels of the file
  std::optional<double> sigma{};            ///< pixels
};

/// The recipes whose result is a picture: edges and filters.
class Recipe {
 public:
  Recipe() = default;
  Recipe(const Recipe&) = delete;
  Recipe& operator=(const Recipe&) = delete;
  virtual ~Recipe() = default;

  /// Every option that decides the result, in words: equal keys, equal results. Made from the
  /// descriptions of the options, so that none can be left out.
  virtual std::string key() const = 0;
  /// Throws Error{invalid_argument} for a kind of picture that the operations refuse.
  virtual void check(const PictureKind&) const {}
  virtual Output output(const PictureKind& kind) const = 0;
  /// How the operations take a file that is not of 8 or 16 bits.
  virtual Floats floats() const { return Floats::levels; }
  /// What the operations see of such a picture: gray levels, colors without alpha, another type.
  virtual PictureKind seen(const PictureKind& kind) const = 0;
  /// From the picture to what is seen of it; empty where that is the picture itself.
  virtual Steps preparation(const PictureKind& kind) const = 0;
  /// From what is seen to the result.
  virtual Steps steps(const PictureKind& seen) const = 0;
  /// Runs the steps on what was seen, with a mask where the operation takes one (type none: no
  /// mask). Returns what it used, for a file that was read with `scale`.
  virtual Used apply(ConstAnyView seen, AnyView out, ConstAnyView mask, double scale,
                     const Execs& execs) const;
  /// The options of a recipe that is canny(), whose bands have a rule of their own; else none.
  virtual std::optional<CannyOptions> as_canny(const PictureKind&) const { return {}; }
  /// The sigma of canny's strengths, where it is given.
  virtual std::optional<double> strengths_sigma() const { return {}; }
  /// Whether canny's sigma is found in each picture.
  virtual bool finds_sigma() const { return false; }
  /// The recipe with the sigma of this picture, for others of its kind; null where nothing is
  /// found.
  virtual std::shared_ptr<const Recipe> settled(ConstAnyView, ConstAnyView /*mask*/,
                                                const Exec&) const {
    return nullptr;
  }
  /// Completes the result on the host, from what was seen (a filter copies alpha).
  virtual void finish(ConstAnyView, AnyView, const PictureKind&) const {}

  /// Of a picture with holes, 255 each, the mask beside `mask` that applies to it; empty where the
  /// recipe takes none.
  virtual Image<uint8_t> mask_around(ConstAnyView /*holes*/, ConstAnyView /*mask*/) const {
    return {};
  }
  /// Takes what was found in holes and beside them out of the result, on the host.
  virtual void leave_out(ConstAnyView /*holes*/, AnyView) const {}

  /// Rows above and below a row that decide it; whether the first row borders on the last.
  virtual int32_t reach() const = 0;
  virtual bool wraps() const { return false; }
  /// Why the recipe needs whole pictures; empty where bands of rows give the same result.
  virtual std::string_view whole_only() const { return {}; }
  /// Bytes a pixel of memory that `steps` take in host memory beside source and result.
  virtual double scratch_bytes(const PictureKind& kind) const = 0;

  /// What is seen of `picture`: the picture itself, or a new one in `holder` (same space).
  ConstAnyView see(ConstAnyView picture, const PictureKind& kind, AnyImage& holder,
                   const Exec& exec) const;
};

}  // namespace cuesta::recipes
