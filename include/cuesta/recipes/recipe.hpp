// A recipe makes one result of a picture or frame. Every interface runs recipes, so that they agree
// on the result.
//
// A recipe is a list of steps. Each step is one call of a public operation, so that the same list
// runs (run_steps) and lists the strategies that would run (plan_of).
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
#include "cuesta/recipes/samples.hpp"
#include "cuesta/strategies.hpp"

namespace cuesta::recipes {

/// What is known of a picture before its samples are there.
struct PictureKind {
  PixelType type = PixelType::u8;
  int32_t channels = 1;    ///< 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA
  bool has_alpha = false;  ///< the last of 2 or 4 channels
  double scale = 1;        ///< levels of the samples for one level of the file
};
/// Returns the kind of a view without a file: 2 and 4 channels have alpha.
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
/// Returns `exec` for the pinned step, and its threads, workspace and stream for the others.
Execs execs_of(const Exec& exec);

/// One call of an operation, from a picture to a picture of its size.
struct Step {
  PixelType type{};        ///< of its result
  int32_t channels = 1;    ///< of its result
  bool is_pinned = false;  ///< the operation that Exec::strategy names
  std::function<void(ConstAnyView src, AnyView dst, const Exec& exec)> call;
};
using Steps = std::vector<Step>;

/// Runs the steps one after the other from `src` into `dst`, both in one space.
/// Pictures between them are scratch memory. There is at least one step.
void run_steps(const Steps& steps, ConstAnyView src, AnyView dst, const Execs& execs);
/// Returns the strategies that run_steps() would select for a picture of this shape in `space`.
/// Nothing runs.
std::vector<Choice> plan_of(const Steps& steps, Size size, PixelType type, int32_t channels,
                            Space space, const Execs& execs);

/// The values that canny used, if a recipe runs it.
struct Used {
  std::optional<CannyResult> thresholds{};  ///< in the levels of the file
  std::optional<double> sigma{};            ///< pixels
};

/// A recipe whose result is a picture: edges and filters.
class Recipe {
 public:
  Recipe() = default;
  Recipe(const Recipe&) = delete;
  Recipe& operator=(const Recipe&) = delete;
  virtual ~Recipe() = default;

  /// Returns every option that decides the result, as text: equal keys, equal results.
  virtual std::string key() const = 0;
  /// Throws Error{invalid_argument} for a kind of picture that the operations refuse.
  virtual void check(const PictureKind&) const {}
  /// Returns the type, channels and meaning of the result.
  virtual Output output(const PictureKind& kind) const = 0;
  /// Returns how the operations take a file that is not of 8 or 16 bits.
  virtual Floats floats() const { return Floats::levels; }
  /// Returns the picture that the operations see: gray levels, colors without alpha, another type.
  virtual PictureKind seen(const PictureKind& kind) const = 0;
  /// Returns the steps from a picture to what is seen of it; none if that is the picture itself.
  virtual Steps preparation(const PictureKind& kind) const = 0;
  /// Returns the steps from what is seen to the result.
  virtual Steps steps(const PictureKind& seen) const = 0;
  /// Runs the steps on what was seen. Returns what it used, for a file that was read with `scale`.
  /// A mask is for operations that take one; its type is none if there is none.
  virtual Used apply(ConstAnyView seen, AnyView out, ConstAnyView mask, double scale,
                     const Execs& execs) const;
  /// Returns the options of a recipe that is canny(), whose bands have a rule of their own.
  /// They are joined, or their sigma is found in all rows.
  virtual std::optional<CannyOptions> as_canny(const PictureKind&) const { return {}; }
  /// Returns whether bands of canny() are joined, as edges are; strengths are not.
  virtual bool joins_bands() const { return false; }
  /// Returns the sigma of canny's strengths, if it is given.
  virtual std::optional<double> strengths_sigma() const { return {}; }
  /// Returns whether canny's sigma is found in each picture.
  virtual bool finds_sigma() const { return false; }
  /// Returns the recipe with the sigma of this picture, for others of its kind.
  /// Null if nothing is found.
  virtual std::shared_ptr<const Recipe> settled(ConstAnyView, ConstAnyView /*mask*/,
                                                const Exec&) const {
    return nullptr;
  }
  /// Returns the recipe with this sigma instead of one that is found. Null if nothing is found.
  virtual std::shared_ptr<const Recipe> with_sigma(double) const { return nullptr; }
  /// Completes the result on the host, from what was seen (a filter copies alpha).
  virtual void finish(ConstAnyView, AnyView, const PictureKind&) const {}

  /// Returns the mask for a picture with holes, 255 each, beside `mask`.
  /// Empty if the recipe takes none.
  virtual Image<uint8_t> mask_around(ConstAnyView /*holes*/, ConstAnyView /*mask*/) const {
    return {};
  }
  /// Removes results in holes and beside them, on the host.
  virtual void leave_out(ConstAnyView /*holes*/, AnyView) const {}

  /// Return the rows above and below a row that decide it, and whether the last row is above row 0.
  virtual int32_t reach() const = 0;
  virtual bool wraps() const { return false; }
  /// Returns why the recipe needs whole pictures; empty if bands of rows give the same result.
  virtual std::string_view whole_only() const { return {}; }
  /// Returns the bytes a pixel that `steps` take in host memory beside source and result.
  virtual double scratch_bytes(const PictureKind& kind) const = 0;

  /// Returns what is seen of `picture`: the picture itself, or a new one in `holder` (same space).
  ConstAnyView see(ConstAnyView picture, const PictureKind& kind, AnyImage& holder,
                   const Exec& exec) const;
};

/// Returns the largest sample of a u16 picture that has none above a quarter of white.
/// Alpha does not count. 0 for other pictures, for black ones, and for those in device memory.
int32_t largest_of_dim(ConstAnyView picture, bool has_alpha);
/// Says what that sample means for edges; empty for 0.
std::string dim_remark(int32_t largest);
/// Returns the remark on a picture for a recipe that compares levels; empty for other recipes.
std::string dim_remark(const Recipe& recipe, ConstAnyView picture, bool has_alpha);

}  // namespace cuesta::recipes
