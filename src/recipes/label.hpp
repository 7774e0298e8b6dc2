// The recipe of label: a picture's gray levels above a limit are the mask whose components count.
#pragma once

#include <string>
#include <vector>

#include "cuesta/objects.hpp"
#include "recipes/recipe.hpp"

namespace cuesta::recipes {

class LabelRecipe {
 public:
  /// `limit` is in the file's levels. Throws Error{invalid_argument} naming the option.
  LabelRecipe(const LabelOptions& options, double limit);

  const LabelOptions& options() const { return options_; }
  std::string key() const;
  /// From a picture to its gray levels; no steps for one channel.
  static Steps levels(const PictureKind& kind);
  /// From the picture to its mask, in bits.
  Steps mask(const PictureKind& kind) const;
  /// The components of a mask, ordered by their first pixels; host or device. `labels` may be
  /// without data.
  std::vector<Component> find(ConstAnyView mask, AnyView labels, const Exec& exec) const;
  /// The strategies that find() takes for masks of this size.
  std::vector<Choice> plan(Size size, Space space, const Exec& exec) const;

 private:
  LabelOptions options_;
  double limit_;
};

}  // namespace cuesta::recipes
