// The public entry of sobel: check, choose a strategy, run.
#include "core/check.hpp"
#include "core/check_batch.hpp"
#include "cuesta/bands.hpp"
#include "ops/sobel/options.hpp"
#include "ops/sobel/reference.hpp"

namespace cuesta {

int32_t reach_of(const SobelOptions& options) {
  check_options(options, "sobel");
  return options.aperture / 2;
}

void sobel(ConstAnyView src, const SobelOutputs& out, const SobelOptions& options,
           const Exec& exec) {
  using enum PixelType;
  check_view(src, "sobel: src", {u8, u16, f32});
  check_options(options, "sobel");
  const auto check_output = [&](ConstAnyView plane, std::string_view what,
                                std::initializer_list<PixelType> types) {
    if (!plane) return false;
    if (src.type == f32 && plane.type != f32) {
      throw_invalid(name_of(plane.type), "{} is {}; for an f32 source it must be f32", what,
                    name_of(plane.type));
    }
    src.type == f32 ? check_view(plane, what, {f32}) : check_view(plane, what, types);
    check_same_size(src, plane, "sobel: src", what);
    check_no_overlap(src, plane, "sobel: src", what);
    return true;
  };
  const bool gx = check_output(out.gx, "sobel: gx", {s16, s32});
  const bool gy = check_output(out.gy, "sobel: gy", {s16, s32});
  const bool magnitude = check_output(out.magnitude, "sobel: magnitude", {u8, u16, f32});
  const bool direction = check_output(out.direction, "sobel: direction", {u8, f32});
  if (!gx && !gy && !magnitude && !direction) {
    throw_invalid("none", "sobel: no output is set; set gx, gy, magnitude or direction");
  }
  dispatch(SobelArgs{src, out, options}, exec);
}

void sobel(const ConstBatch& src, const SobelBatchOutputs& out, const SobelOptions& options,
           const Exec& exec) {
  struct Wanted {
    Batch SobelBatchOutputs::*batch;
    AnyView SobelOutputs::*view;
    std::string_view what;
  };
  static constexpr Wanted all[] = {
      {&SobelBatchOutputs::gx, &SobelOutputs::gx, "sobel: gx"},
      {&SobelBatchOutputs::gy, &SobelOutputs::gy, "sobel: gy"},
      {&SobelBatchOutputs::magnitude, &SobelOutputs::magnitude, "sobel: magnitude"},
      {&SobelBatchOutputs::direction, &SobelOutputs::direction, "sobel: direction"}};
  const int32_t count = check_batches({{src, "sobel: src"}}, {});
  for (const Wanted& one : all) {
    const Batch& result = out.*one.batch;
    if (!result.first) continue;
    check_batches({{src, "sobel: src"}}, {{result, one.what}});
    for (const Wanted* other = all; other != &one; ++other) {
      if (const Batch& before = out.*other->batch; before.first)
        check_no_overlap(ConstBatch(before), ConstBatch(result), other->what, one.what);
    }
  }
  for (int32_t i = 0; i < count; ++i) {
    SobelOutputs outputs;
    for (const Wanted& one : all) {
      if (const Batch& result = out.*one.batch; result.first) outputs.*one.view = result[i];
    }
    sobel(src[i], outputs, options, exec);
  }
}

}  // namespace cuesta
