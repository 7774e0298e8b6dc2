// The recipe of label: a picture's gray levels above a limit are the mask whose components count.
#pragma once

#include <string>
#include <vector>

#include "cuesta/objects.hpp"
#include "cuesta/recipes/recipe.hpp"

namespace cuesta::recipes {

/// The recipe of components of gray levels above a limit.
class LabelRecipe {
 public:
  /// `limit` is in the file's levels. Throws Error{invalid_argument} naming the option.
  LabelRecipe(const LabelOptions& options, double limit);

  /// Returns the options.
  const LabelOptions& options() const { return options_; }
  /// Returns the options as text: equal keys, equal results.
  std::string key() const;
  /// Returns the steps from a picture to its gray levels; none for one channel.
  static Steps levels(const PictureKind& kind);
  /// Returns the steps from the picture to its mask, in bits.
  Steps mask(const PictureKind& kind) const;
  /// Finds the components of a mask, ordered by their first pixels; host or device.
  /// `labels` may be without data.
  std::vector<Component> find(ConstAnyView mask, AnyView labels, const Exec& exec) const;
  /// Returns the strategies that find() takes for masks of this size.
  std::vector<Choice> plan(Size size, Space space, const Exec& exec) const;

 private:
  LabelOptions options_;
  double limit_;
};

}  // namespace cuesta::recipes
