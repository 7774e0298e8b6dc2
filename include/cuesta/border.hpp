// Borders: the samples outside a picture. Defined once, for host and device.
#pragma once

#include <cstdint>
#include <string_view>

#if defined(__CUDACC__)
#define CUESTA_HOST_DEVICE __host__ __device__
#else
#define CUESTA_HOST_DEVICE
#endif

namespace cuesta {

/// How samples outside a picture are made, shown for a row `abcd`.
enum class BorderMode : uint8_t {
  replicate,   ///< aaaa|abcd|dddd
  reflect,     ///< dcba|abcd|dcba   the edge sample appears twice
  reflect101,  ///< dcb|abcd|cba     the edge sample appears once; the default of filters, as
               ///< OpenCV's
  constant,    ///< vvvv|abcd|vvvv   Border::value, in sample units
  wrap,        ///< abcd|abcd|abcd
  ignore,      ///< outputs whose window leaves the picture are 0; the papers' own
};

/// A border mode and its value.
struct Border {
  BorderMode mode = BorderMode::reflect101;
  double value =
      0;  ///< the sample outside for `constant`, rounded and saturated to the source type
};

/// Returns "replicate", "reflect", "reflect101", "constant", "wrap" or "ignore".
std::string_view name_of(BorderMode mode);
/// Returns the mode of that name; throws Error{invalid_argument} that lists the names.
BorderMode border_mode_from(std::string_view name);

/// Returns the index in [0, n) that replaces index `i`, at any distance outside.
/// Returns -1 if there is none (`constant` and `ignore` outside the picture). n >= 1.
template <BorderMode Mode>
CUESTA_HOST_DEVICE constexpr int32_t map_index(int32_t i, int32_t n) {
  if (static_cast<uint32_t>(i) < static_cast<uint32_t>(n)) return i;
  if constexpr (Mode == BorderMode::replicate) {
    return i < 0 ? 0 : n - 1;
  } else if constexpr (Mode == BorderMode::reflect) {
    // Mostly one reflection suffices; a division costs more than everything else here.
    const int32_t once = i < 0 ? -1 - i : 2 * n - 1 - i;
    if (static_cast<uint32_t>(once) < static_cast<uint32_t>(n)) return once;
    const int32_t period = 2 * n;
    const int32_t m = ((i % period) + period) % period;
    return m < n ? m : period - 1 - m;
  } else if constexpr (Mode == BorderMode::reflect101) {
    const int32_t once = i < 0 ? -i : 2 * n - 2 - i;
    if (static_cast<uint32_t>(once) < static_cast<uint32_t>(n)) return once;
    if (n == 1) return 0;
    const int32_t period = 2 * n - 2;
    const int32_t m = ((i % period) + period) % period;
    return m < n ? m : period - m;
  } else if constexpr (Mode == BorderMode::wrap) {
    const int32_t once = i < 0 ? i + n : i - n;
    if (static_cast<uint32_t>(once) < static_cast<uint32_t>(n)) return once;
    return ((i % n) + n) % n;
  } else {
    return -1;
  }
}

/// The same with the mode chosen at run time.
CUESTA_HOST_DEVICE constexpr int32_t map_index(BorderMode mode, int32_t i, int32_t n) {
  if (static_cast<uint32_t>(i) < static_cast<uint32_t>(n)) return i;
  switch (mode) {
    case BorderMode::replicate: return map_index<BorderMode::replicate>(i, n);
    case BorderMode::reflect: return map_index<BorderMode::reflect>(i, n);
    case BorderMode::reflect101: return map_index<BorderMode::reflect101>(i, n);
    case BorderMode::wrap: return map_index<BorderMode::wrap>(i, n);
    case BorderMode::constant:
    case BorderMode::ignore: return map_index<BorderMode::constant>(i, n);
  }
  return -1;
}

}  // namespace cuesta
