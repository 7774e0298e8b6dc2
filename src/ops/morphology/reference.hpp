// The oracle, by rows, so that `rows` can spread it over threads.
#pragma once

#include "ops/morphology/args.hpp"

namespace cuesta {

/// One erosion or dilation between pictures of u16 samples.
struct MorphologyStep {
  ImageView<const uint16_t> src;
  ImageView<uint16_t> dst;
  bool dilate;
  ElementView element;
  bool neutral = true;
  BorderMode border = BorderMode::replicate;
  uint16_t outside = 0;  // the sample of `constant`
  uint16_t largest = 0;  // of the pictures' own type: what erosion leaves where it meets no sample
};

/// Rows [first, end) of the source as u16 samples: as they are, or 0 and 1 for bits.
void morphology_read_rows(ConstAnyView src, ImageView<uint16_t> out, int32_t first, int32_t end);
/// Output rows [first, end) of a step.
void morphology_step_rows(const MorphologyStep& step, int32_t first, int32_t end);
/// Rows [first, end) of the result in its own type.
void morphology_write_rows(ImageView<const uint16_t> in, AnyView dst, int32_t first, int32_t end);
/// Border::value as a sample of `type`: rounded and saturated, to 0 or 1 for bits.
uint16_t morphology_border_sample(PixelType type, const Border& border);

/// The largest sample of `type`; 1 for bits.
uint16_t morphology_largest(PixelType type);
/// The request, rows spread over `threads`.
void morphology_plain(const MorphologyArgs& args, Call& call, int threads);

/// Strategy `serial`.
void morphology_serial(const MorphologyArgs& args, Call& call);
/// Strategy `rows`.
void morphology_rows(const MorphologyArgs& args, Call& call);
/// Strategy `simd`; it takes every request.
void morphology_simd(const MorphologyArgs& args, Call& call);

}  // namespace cuesta
