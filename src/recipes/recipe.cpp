#include "cuesta/recipes/recipe.hpp"

#include "core/memory.hpp"
#include "core/workspace.hpp"
#include "recipes/scratch_picture.hpp"

namespace cuesta::recipes {
namespace {

const Exec& exec_of(const Step& step, const Execs& execs) {
  return step.is_pinned ? execs.pinned : execs.around;
}

}  // namespace

AnyView scratch_picture(Scratch& scratch, Size size, PixelType type, int32_t channels,
                        Space space) {
  const ptrdiff_t stride = detail::padded_stride(detail::row_bytes(type, size.width, channels));
  return {scratch.take<std::byte>(size_t(stride) * size_t(size.height)),
          size.width,
          size.height,
          channels,
          stride,
          type,
          space};
}

PictureKind kind_of(ConstAnyView picture, double scale) {
  return {picture.type, picture.channels, picture.channels == 2 || picture.channels == 4, scale};
}

Execs execs_of(const Exec& exec) {
  Execs execs{exec, exec};
  execs.around.strategy.clear();
  execs.around.parameters.clear();
  return execs;
}

void run_steps(const Steps& steps, ConstAnyView src, AnyView dst, const Execs& execs) {
  Scratch scratch(execs.around, src.space);
  ConstAnyView from = src;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const bool is_last = i + 1 == steps.size();
    const AnyView to =
        is_last ? dst : scratch_picture(scratch, src.size(), step.type, step.channels, src.space);
    step.call(from, to, exec_of(step, execs));
    from = to;
  }
}

std::vector<Choice> plan_of(const Steps& steps, Size size, PixelType type, int32_t channels,
                            Space space, const Execs& execs) {
  std::vector<Choice> choices;
  for (const Step& step : steps) {
    const auto from = placeholder(size.width, size.height, type, channels, space);
    const auto to = placeholder(size.width, size.height, step.type, step.channels, space);
    Exec asking = exec_of(step, execs);
    asking.choices = &choices;
    asking.observer = nullptr;
    step.call(from, to, asking);
    type = step.type, channels = step.channels;
  }
  return choices;
}

Used Recipe::apply(ConstAnyView seen, AnyView out, ConstAnyView, double scale,
                   const Execs& execs) const {
  run_steps(steps({seen.type, seen.channels, false, scale}), seen, out, execs);
  return {};
}

ConstAnyView Recipe::see(ConstAnyView picture, const PictureKind& kind, AnyImage& holder,
                         const Exec& exec) const {
  check(kind);
  const Steps prepare = preparation(kind);
  if (prepare.empty()) return picture;
  const PictureKind wanted = seen(kind);
  const AnyView out = holder.create(picture.size(), wanted.channels, wanted.type, picture.space);
  run_steps(prepare, picture, out, {exec, exec});
  return out;
}

}  // namespace cuesta::recipes
