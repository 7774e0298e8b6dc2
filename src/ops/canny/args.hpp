// The one argument of every Canny strategy. The public entry has checked all of it.
#pragma once

#include "core/strategy.hpp"
#include "cuesta/edges.hpp"

namespace cuesta {

/// The rows that are wanted of a picture that is worked on in bands (bands.hpp): `src` has what
/// is around them, too, so that no more of the larger picture matters. One of the two is filled.
struct CannyBand {
  int32_t first = 0, end = 0;  // rows of `src`
  /// Of each row its candidates and then the strong ones of them, canny_words(width) words each.
  uint64_t* marks = nullptr;
  uint64_t* bins = nullptr;  // canny_bins, to which the magnitudes' histogram is added
};
constexpr int32_t canny_words(int32_t width) { return int32_t((int64_t(width) + 63) / 64); }

/// A picture, or a batch: then `src`, `dst`, options.mask and `result` are the first picture's.
struct CannyArgs {
  static constexpr std::string_view operation = "canny";
  static constexpr std::string_view summary = "edges by hysteresis";
  static std::span<const Strategy<CannyArgs>> strategies();                // strategies.cpp
  static std::vector<verify::Case<CannyArgs>> cases(verify::Level level);  // cases.cpp

  ConstAnyView src{};             // u8, u16 or f32, 1 or 3 channels; or, where gy has data, the
  ConstAnyView gy{};              // gradients: src is gx, s16 or f32, and gy is alike
  AnyView dst{};                  // u8 of src's size
  CannyOptions options{};         // ksize resolved: odd, or anything where sigma is 0; the norm
                                  // is l2 for the structure tensor of three channels; of given
                                  // gradients sigma is 0 and the aperture 3
  CannyResult* result = nullptr;  // the thresholds used, one pair for each picture; never null

  const CannyBand* band = nullptr;  // instead of `dst`; the host's memory, filled on return

  int32_t count = 1;                     // pictures
  ptrdiff_t src_step = 0, dst_step = 0;  // bytes from one to the next
  ptrdiff_t gy_step = 0;
  ptrdiff_t mask_step = 0;                   // the same; 0: one mask for all
  std::span<const Thresholds> thresholds{};  // one for each picture; empty: options.thresholds

  Space space() const { return src.space; }
  PixelType type() const { return src.type; }

  const Thresholds& thresholds_of(int32_t picture) const {
    return thresholds.empty() ? options.thresholds : thresholds[size_t(picture)];
  }
  /// Pictures [begin, begin + n) of the batch.
  CannyArgs part(int32_t begin, int32_t n) const {
    CannyArgs some = *this;
    some.src = ConstBatch(src, count, src_step)[begin];
    if (gy) some.gy = ConstBatch(gy, count, gy_step)[begin];
    some.dst = Batch(dst, count, dst_step)[begin];
    if (options.mask) some.options.mask = ConstBatch(options.mask, count, mask_step)[begin];
    some.result = result + begin;
    some.count = n;
    some.options.thresholds = thresholds_of(begin);
    if (!thresholds.empty()) some.thresholds = thresholds.subspan(size_t(begin), size_t(n));
    return some;
  }
};

/// Whether gradients are floats, and magnitudes doubles.
inline bool canny_has_floats(const CannyArgs& args) { return args.src.type == PixelType::f32; }

/// A strategy for one picture as one for batches: picture after picture.
template <void (*Run)(const CannyArgs&, Call&)>
void each_picture(const CannyArgs& args, Call& call) {
  for (int32_t i = 0; i < args.count; ++i) {
    const Scratch scope(call.nested(), args.space());  // the next one takes the same memory
    Run(args.part(i, 1), call);
  }
}

}  // namespace cuesta
