// The sizes that cuesta.h's structs of options have had, so that programs built with an older
// cuesta.h keep working.
#pragma once

#include <cuesta.h>

#include <cstddef>
#include <iterator>

namespace cuesta::c {

/// In bytes, oldest first, today's last. There is no general list, so that a struct without one
/// does not compile; nor does a struct that has grown without a new size.
template <class Options>
struct Sizes;

template <>
struct Sizes<cuesta_sobel_options> {
  static constexpr size_t all[] = {32};
};
template <>
struct Sizes<cuesta_canny_options> {
  static constexpr size_t all[] = {96, 104, 120};  // color, border
};
template <>
struct Sizes<cuesta_log_options> {
  static constexpr size_t all[] = {48};
};
template <>
struct Sizes<cuesta_boundary_options> {
  static constexpr size_t all[] = {16, 24};  // quality
};
template <>
struct Sizes<cuesta_region_options> {
  static constexpr size_t all[] = {16};
};
template <>
struct Sizes<cuesta_edges_options> {
  static constexpr size_t all[] = {136, 144};  // strength
};
template <>
struct Sizes<cuesta_trace_options> {
  static constexpr size_t all[] = {32};
};
template <>
struct Sizes<cuesta_filter_options> {
  static constexpr size_t all[] = {32};
};
template <>
struct Sizes<cuesta_gaussian_options> {
  static constexpr size_t all[] = {40};
};
template <>
struct Sizes<cuesta_window_options> {
  static constexpr size_t all[] = {32};
};
template <>
struct Sizes<cuesta_morphology_options> {
  static constexpr size_t all[] = {32};
};
template <>
struct Sizes<cuesta_label_options> {
  static constexpr size_t all[] = {16};
};
template <>
struct Sizes<cuesta_background_options> {
  static constexpr size_t all[] = {16, 24};  // absorb
};
template <>
struct Sizes<cuesta_motion_options> {
  static constexpr size_t all[] = {112, 120, 128};  // downscale, displacement; absorb
};

template <class Options>
constexpr bool has_todays_size() {
  const auto& all = Sizes<Options>::all;
  for (size_t i = 1; i < std::size(all); ++i)
    if (all[i - 1] >= all[i]) return false;
  return all[std::size(all) - 1] == sizeof(Options);
}

/// Options that a caller may pass.
template <class Options>
concept Sized = requires { Sizes<Options>::all; } && has_todays_size<Options>();

/// Whether a program may pass this many bytes: one of the sizes, or more from a newer cuesta.h, but
/// no more than any struct will have: all of them are read.
template <Sized Options>
constexpr bool is_size_of(size_t size) {
  for (const size_t one : Sizes<Options>::all)
    if (one == size) return true;
  return size > sizeof(Options) && size <= 4096;
}

}  // namespace cuesta::c
