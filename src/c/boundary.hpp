// What every function of cuesta.h does at the boundary: exceptions become a status and a sentence,
// plain structs become the library's types, and options of any size are read.
#pragma once

#include <cuesta.h>
#include <fmt/format.h>

#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "c/enumerations.hpp"
#include "c/option_sizes.hpp"
#include "cuesta/border.hpp"
#include "cuesta/error.hpp"
#include "cuesta/image.hpp"
#include "cuesta/objects.hpp"
#include "cuesta/stencil.hpp"
#include "cuesta/strategies.hpp"

struct cuesta_context {
  cuesta::Exec exec{};
  cuesta::Workspace workspace{};
};

namespace cuesta::c {

/// What the thread's last failed call was: kept for cuesta_error_text(). Never throws.
cuesta_status failed() noexcept;

/// Runs `body`; what it throws becomes the status.
template <class Body>
cuesta_status guarded(Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return CUESTA_OK;
  } catch (...) {
    return failed();
  }
}

template <class... Values>
[[noreturn]] void refuse(std::string value, fmt::format_string<Values...> text,
                         Values&&... values) {
  throw Error(ErrorCode::invalid_argument, fmt::format(text, std::forward<Values>(values)...),
              std::move(value));
}

/// The pointer, which `what` ("sobel: src") has to be given as.
template <class T>
T& given(T* pointer, std::string_view what) {
  if (pointer == nullptr) refuse("NULL", "{} is NULL; it must point to an object", what);
  return *pointer;
}

/// The enumerator of a number in cuesta.h.
template <class Enum>
Enum enumerator(int32_t number, std::string_view what) {
  const auto& all = Numbers<Enum>::all;
  for (const auto& one : all)
    if (one.number == number) return one.value;
  refuse(fmt::format("{} {}", what, number), "{} is {}; it must be {} to {}", what, number,
         std::begin(all)->number, std::prev(std::end(all))->number);
}

/// An option without a value where it is below 0.
inline std::optional<double> if_given(double value) {
  return value < 0 ? std::nullopt : std::optional(value);
}

/// A flag: 0 or 1.
bool flag(int32_t value, std::string_view what);

/// The view as the library's; empty where its data is NULL.
AnyView picture(const cuesta_view& view, std::string_view what);
AnyView picture(const cuesta_view* view, std::string_view what);
cuesta_view plain(ConstAnyView view);

Border border_of(const cuesta_border& border, std::string_view what);
cuesta_border plain(const Border& border);
Stencil stencil_of(const cuesta_stencil* stencil, std::string_view what);
StructuringElement element_of(const cuesta_element& element, std::string_view what);

/// How the call runs.
Exec exec_of(cuesta_context* context);

/// Writes what the caller's struct has room for.
template <Sized Options>
void put_options(Options* to, size_t size, Options defaults) noexcept {
  if (to == nullptr) return;
  defaults.size = size;
  std::memset(static_cast<void*>(to), 0, size);
  std::memcpy(static_cast<void*>(to), &defaults, size < sizeof defaults ? size : sizeof defaults);
}

/// The caller's options over the defaults: a shorter struct leaves the rest as it is, of a longer
/// one what this library does not know has to be 0.
template <Sized Options>
Options take_options(const Options* from, const Options& defaults, std::string_view what) {
  Options taken = defaults;
  if (from == nullptr) return taken;
  size_t size = 0;
  std::memcpy(&size, from, sizeof size);
  if (!is_size_of<Options>(size)) {
    refuse(
        std::to_string(size),
        "{}: options.size is {}; it must be the size of the struct, {} (call its _init function)",
        what, size, sizeof(Options));
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(from);
  for (size_t i = sizeof taken; i < size; ++i) {
    if (bytes[i] != 0) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("{}: the options set byte {} of {}; this library supports {}, a "
                              "newer one is required",
                              what, i, size, sizeof taken),
                  std::to_string(size));
    }
  }
  std::memcpy(static_cast<void*>(&taken), from, size < sizeof taken ? size : sizeof taken);
  return taken;
}

}  // namespace cuesta::c
