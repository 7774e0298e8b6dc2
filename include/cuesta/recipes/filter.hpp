// The recipe of filters: a filter of every channel but alpha, which stays as it is.
#pragma once

#include <optional>
#include <string>

#include "cuesta/recipes/recipe.hpp"

namespace cuesta::recipes {

/// The recipe of a filter of pictures.
class FilterRecipe : public Recipe {
 public:
  /// Makes the recipe. Samples become `type` first, if given (u8 to u16 keeps white white).
  /// Throws Error{invalid_argument} naming the option.
  explicit FilterRecipe(PictureFilter filter, std::optional<PixelType> type = {});

  /// Returns the filter and its options.
  const PictureFilter& filter() const { return filter_; }
  /// Returns whether the result is still brightness.
  /// So are those of the median, morphology, and stencils whose taps sum to 1 without an offset.
  bool keeps_brightness() const;

  std::string key() const override;
  Output output(const PictureKind& kind) const override;
  Floats floats() const override;
  PictureKind seen(const PictureKind& kind) const override;
  Steps preparation(const PictureKind& kind) const override;
  Steps steps(const PictureKind& seen) const override;
  void finish(ConstAnyView seen, AnyView out, const PictureKind& kind) const override;
  int32_t reach() const override;
  bool wraps() const override;
  double scratch_bytes(const PictureKind& kind) const override;
  void check(const PictureKind& kind) const override;

 private:
  Border border() const;

  PictureFilter filter_;
  std::optional<PixelType> type_;
};

}  // namespace cuesta::recipes
