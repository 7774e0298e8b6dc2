// The one argument of every Canny strategy. The public entry has checked all of it.
#pragma once

#include <optional>
#include <variant>

#include "core/strategy.hpp"
#include "cuesta/edges.hpp"

namespace cuesta {

/// Marks of a band: for each row its candidates and then its strong pixels, canny_words(width)
/// words each, in the host's memory.
struct CannyBandMarks {
  uint64_t* words = nullptr;
};
/// canny_bins counters in the host's memory, to which the histogram of a band is added.
struct CannyBandBins {
  uint64_t* counts = nullptr;
};
/// A band of a picture (bands.hpp), and what is wanted of its rows. `src` includes the rows around
/// them that decide their result.
struct CannyBand {
  int32_t first = 0, end = 0;  // rows of `src`
  std::variant<CannyBandMarks, CannyBandBins> out{};

  /// Null unless the histogram is wanted, and unless marks are.
  const CannyBandBins* bins() const { return std::get_if<CannyBandBins>(&out); }
  const CannyBandMarks* marks() const { return std::get_if<CannyBandMarks>(&out); }
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
  AnyView dst{};                  // of src's size. u8: edges. canny_strength_type(): strengths
  CannyOptions options{};         // ksize resolved: odd, or anything where sigma is 0; the norm
                                  // is l2 for the structure tensor of three channels; of given
                                  // gradients sigma is 0 and the aperture 3. For strategies
                                  // the border is reflect101 (canny_dispatch)
  bool by_length = false;         // canny_thins_by_length() for a Gaussian that is over
  CannyResult* result = nullptr;  // the thresholds used, one pair for each picture; never null

  std::optional<CannyBand> band{};  // instead of `dst`; filled on return

  int32_t count = 1;                     // pictures
  ptrdiff_t src_step = 0, dst_step = 0;  // bytes from one to the next
  ptrdiff_t gy_step = 0;
  ptrdiff_t mask_step = 0;                   // the same; 0: one mask for all
  std::span<const Thresholds> thresholds{};  // one for each picture; empty: options.thresholds

  Space space() const { return src.space; }
  PixelType type() const { return src.type; }
  bool makes_strengths() const { return dst.type == PixelType::u16 || dst.type == PixelType::f32; }

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
