// Strategy `fused`: a step by the kernel for the shape of its element. Disks of bits from 7 to 15
// pixels, both steps of opening and closing together (octagon_bits.cu); of u8, a step at a time
// (octagon_samples.cu); rectangles of u8 and u16 (rectangle.cu); every other element by its runs of
// cells (runs_bits.cu, runs_samples.cu).
#include <algorithm>
#include <limits>

#include "cuda/copy_rows.cuh"
#include "cuda/limits.hpp"
#include "ops/morphology/cuda.hpp"
#include "ops/morphology/element_runs.hpp"
#include "ops/morphology/octagon.hpp"
#include "ops/morphology/step.cuh"

namespace cuesta {
namespace {

using namespace morphology_cuda;

/// Whether octagon_bits.cu takes a step: what is around the mask is all the same, and strides are
/// numbers of 31 bits.
bool takes_bits(const Rule& rule, ConstAnyView src, ConstAnyView dst) {
  constexpr ptrdiff_t most = std::numeric_limits<int32_t>::max();
  return (rule.neutral || rule.border == BorderMode::constant) && src.stride_bytes <= most &&
         dst.stride_bytes <= most;
}

bool is_rectangle(const StructuringElement& element) {
  return element.count() == element.width() * element.height();
}

AnyView scratch_like(ConstAnyView picture, Call& call) {
  const int32_t width = picture.width, height = picture.height;
  switch (picture.type) {
    case PixelType::u8: return call.scratch().image<uint8_t, Space::device>(width, height);
    case PixelType::u16: return call.scratch().image<uint16_t, Space::device>(width, height);
    default: return call.scratch().bits<Space::device>(width, height);
  }
}

/// Rectangles past this side are made of squares of 15 and what is left, one step after the other.
constexpr int32_t largest_at_once = 31, part_reach = 7;

/// Whether that is the same: what is outside must win nothing that the window's samples inside do
/// not, and a window of the last step must reach them by places inside.
bool is_made_of_squares(const Rule& rule) {
  return std::max(rule.width, rule.height) > largest_at_once &&
         (rule.neutral || rule.border == BorderMode::replicate);
}

void step_by_squares(ConstAnyView src, AnyView dst, const Rule& rule, Call& call) {
  const int32_t left = rule.anchor_x, right = rule.width - 1 - left, above = rule.anchor_y,
                below = rule.height - 1 - above;
  const int32_t steps = (std::max({left, right, above, below}) + part_reach - 1) / part_reach;
  const AnyView between[] = {scratch_like(src, call), scratch_like(src, call)};
  for (int32_t i = 0; i < steps; ++i) {
    const auto part = [&](int32_t reach) {
      return std::clamp(reach - i * part_reach, 0, part_reach);
    };
    Rule one = rule;
    one.anchor_x = part(left), one.anchor_y = part(above);
    one.width = one.anchor_x + 1 + part(right), one.height = one.anchor_y + 1 + part(below);
    const AnyView to = i + 1 == steps ? dst : between[i % 2];
    step_by_rectangle(i == 0 ? src : ConstAnyView(between[(i + 1) % 2]), to, one, call);
  }
}

void step(ConstAnyView src, AnyView dst, const MorphologyArgs& args, bool second, Call& call) {
  const Rule rule = rule_of(args, second);
  const ElementView element = second ? args.second() : args.first();
  const auto octagon = morph::octagon_of(element);
  if (src.type == PixelType::bit) {
    if (octagon && takes_bits(rule, src, dst))
      return bits_by_octagon(src, dst, *octagon, rule, nullptr, call);
  } else {
    if (octagon && src.type == PixelType::u8)
      return step_by_octagon(src, dst, *octagon, rule, call);
    if (is_rectangle(*args.element) && is_made_of_squares(rule))
      return step_by_squares(src, dst, rule, call);
    if (is_rectangle(*args.element) && rectangle_ring_bytes(src.type, rule.height) <=
                                           cuda::shared_limit() - 2 * rectangle_map_bytes)
      return step_by_rectangle(src, dst, rule, call);
  }
  if (src.type == PixelType::bit) return bits_by_runs(src, dst, element, rule, call);
  samples_by_runs(src, dst, element, rule, call);
}

int count_runs(const StructuringElement& element) {
  int count = 0;
  morph::for_each_run(ElementView(element), [&](const morph::Run&) { ++count; });
  return count;
}

}  // namespace

std::string_view morphology_cuda::fused_supports(const MorphologyArgs& args, const Parameters&) {
  return count_runs(*args.element) > max_runs ? "elements of more than 1200 runs of cells"
                                              : std::string_view();
}

void morphology_cuda::fused(const MorphologyArgs& args, Call& call) {
  const bool in_place = args.src.data == args.dst.data;
  if (args.two_steps() && !in_place && args.src.type == PixelType::bit) {
    const Rule first = rule_of(args, false), second = rule_of(args, true);
    const auto octagon = morph::octagon_of(args.first());
    if (octagon && takes_bits(first, args.src, args.dst))
      return bits_by_octagon(args.src, args.dst, *octagon, first, &second, call);
  }
  if (!args.two_steps() && !in_place) return step(args.src, args.dst, args, false, call);
  const AnyView between = scratch_like(args.src, call);
  step(args.src, between, args, false, call);
  if (args.two_steps())
    step(between, args.dst, args, true, call);
  else
    cuda::copy_rows("morphology", between, args.dst, call);
}

}  // namespace cuesta
