#include "cuesta/recipes/label.hpp"

#include <cmath>

#include "core/check.hpp"
#include "cuesta/strategies.hpp"
#include "ops/label/options.hpp"

namespace cuesta::recipes {

LabelRecipe::LabelRecipe(const LabelOptions& options, double limit)
    : options_(options), limit_(limit) {
  check_options(options, "label");
  if (std::isnan(limit)) throw_invalid("nan", "label: threshold is NaN; it must be a number");
}

std::string LabelRecipe::key() const {
  return fmt::format("label {} threshold={}", key_of(options_), exact_text(limit_));
}

Steps LabelRecipe::levels(const PictureKind& kind) {
  Steps steps;
  if (kind.channels > 1) {
    steps.push_back({kind.type, 1, false, [](ConstAnyView src, AnyView dst, const Exec& exec) {
                       to_gray(src, dst, ColorOrder::rgb, exec);
                     }});
  }
  return steps;
}

Steps LabelRecipe::mask(const PictureKind& kind) const {
  Steps steps = levels(kind);
  steps.push_back({PixelType::bit, 1, false,
                   [limit = limit_ * kind.scale](ConstAnyView src, AnyView dst, const Exec& exec) {
                     threshold(src, dst, limit, exec);
                   }});
  return steps;
}

std::vector<Component> LabelRecipe::find(ConstAnyView mask, AnyView labels,
                                         const Exec& exec) const {
  std::vector<Component> found;
  label(mask, labels, &found, options_, exec);
  return found;
}

std::vector<Choice> LabelRecipe::plan(Size size, Space space, const Exec& exec) const {
  return which_all(
      [&](const Exec& asking) {
        find(placeholder(size.width, size.height, PixelType::bit, 1, space), {}, asking);
      },
      exec);
}

}  // namespace cuesta::recipes
