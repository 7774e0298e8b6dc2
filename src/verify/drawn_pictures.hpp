// The pictures of drawn requests, and operations on one picture or a batch of them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/options.hpp"
#include "verify/drawn_request.hpp"

namespace cuesta::verify {

template <size_t N>
PixelType one_of_types(Bytes& bytes, const PixelType (&types)[N]) {
  return types[bytes.below(int(N))];
}

template <class Options>
std::string text_of_options(const Options& options) {
  std::string text;
  for_each_field<Options>([&](const auto& one) {
    text += fmt::format(" {}={}", one.name, cuesta::text_of(one.get(options)));
  });
  return text;
}

/// The pictures of a request: one, or a few below each other.
struct Pictures {
  PixelType type = PixelType::u8;
  int32_t width = 1, height = 1, channels = 1, count = 1;
  Pattern pattern = Pattern::noise;
  uint64_t seed = 0;

  std::string text() const {
    return fmt::format("{} of {}x{}x{} {} {}", count, width, height, channels, name_of(type),
                       name_of(pattern));
  }
  ConstBatch source(Harness& h, uint64_t other = 0) const {
    return first_of<ConstBatch>(
        h.input(type, width, height * count, channels, pattern, seed + other));
  }
  Batch result(Harness& h, const char* name, PixelType of, int32_t of_channels = 1) const {
    return first_of<Batch>(h.output(name, of, width, height * count, of_channels));
  }
  /// Read and written in place.
  Batch both(Harness& h) const {
    return first_of<Batch>(
        h.in_out("in place", type, width, height * count, channels, pattern, seed));
  }

 private:
  template <class B, class View>
  B first_of(View all) const {
    all.height = height;
    return {all, count, ptrdiff_t(height) * all.stride_bytes};
  }
};

/// Mostly a few strips' and marches' ends; at times long.
inline int32_t draw_side(Bytes& bytes, int32_t longest) {
  const int how = bytes.below(24);
  const int drawn = bytes.below_many(how == 0 ? 1200 : how < 8 ? 150 : 40);
  return 1 + drawn % longest;
}

inline Pictures draw_pictures(Bytes& bytes, PixelType type, int32_t longest, int32_t channels = 1) {
  Pictures drawn{type, draw_side(bytes, longest), draw_side(bytes, longest), channels};
  if (bytes.below(4) == 0) drawn.count = 1 + bytes.below(4);
  drawn.pattern = Pattern(bytes.below(8));
  drawn.seed = uint64_t(bytes.below_many(65536));
  return drawn;
}

/// Whether one picture or a batch is requested: run(src, dst) takes either.
template <class Run, class... Batches>
void call(const Pictures& pictures, const Run& run, const Batches&... batches) {
  if (pictures.count == 1)
    run(batches.first...);
  else
    run(batches...);
}

/// An operation that makes one picture of one.
template <class Options, class Run>
DrawnRequest one_to_one(std::string_view operation, std::string what, const Pictures& pictures,
                        PixelType result, const Options& options, Run run) {
  return {operation,
          fmt::format("{} of {} to {}{}", what, pictures.text(), name_of(result),
                      text_of_options(options)),
          [=](Harness& h, const Exec& exec) {
            const ConstBatch source = pictures.source(h);
            const Batch target = pictures.result(h, "result", result, pictures.channels);
            call(
                pictures, [&](const auto& src, const auto& dst) { run(src, dst, options, exec); },
                source, target);
          }};
}

/// A limit between samples, at one, and beyond them.
inline double draw_level(Bytes& bytes, PixelType type) {
  const double unit = type == PixelType::u16 ? 256 : type == PixelType::f32 ? 1.0 / 64 : 1;
  switch (bytes.below(8)) {
    case 0: return -1e300;
    case 1: return 1e300;
    case 2: return -0.5;
    default: return (bytes.next() + bytes.below(4) / 4.0) * unit;
  }
}

}  // namespace cuesta::verify
