// Checks that every public entry makes, with one wording.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "cuesta/error.hpp"
#include "cuesta/image.hpp"

namespace cuesta {

template <class... Values>
[[noreturn]] void throw_invalid(std::string value, fmt::format_string<Values...> text,
                                Values&&... values) {
  throw Error(ErrorCode::invalid_argument, fmt::format(text, std::forward<Values>(values)...),
              std::move(value));
}

/// A view that can be used: data, positive size, 1..4 channels, rows that do not overlap, a type of
/// the list. `what` is "canny: src".
void check_view(ConstAnyView plane, std::string_view what, std::initializer_list<PixelType> types,
                int min_channels = 1, int max_channels = 1);
/// Same width and height, and one space.
void check_same_size(ConstAnyView a, ConstAnyView b, std::string_view what_a,
                     std::string_view what_b);
/// Throws where the bytes of the two views overlap; `same_allowed` lets through two equal views.
void check_no_overlap(ConstAnyView a, ConstAnyView b, std::string_view what_a,
                      std::string_view what_b, bool same_allowed = false);
/// Throws Error{input} unless the GPU in use is `before`, which holds what was made of the frames
/// so far.
void check_same_gpu(std::string_view operation, int before);

}  // namespace cuesta
