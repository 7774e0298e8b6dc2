#include "io/errors.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace cuesta::io {

void throw_input(const std::string& name, std::string_view reason, Hint hint) {
  throw Error(ErrorCode::input, fmt::format("{}: {}", name, reason), name, hint);
}

void throw_output(const std::filesystem::path& name, std::string_view reason) {
  throw Error(ErrorCode::output, fmt::format("cannot write {}: {}", name.string(), reason),
              name.string());
}

void throw_output_errno(const std::string& name, int error) {
  if (error != EPIPE) throw_output(name, reason_of(error));
  throw ClosedPipe(ErrorCode::output, fmt::format("cannot write {}: {}", name, reason_of(error)),
                   name);
}

void check_pixels(const std::string& name, int64_t width, int64_t height, int64_t max_pixels) {
  if (width < 1 || height < 1)
    throw_input(name, fmt::format("the size is {} x {} pixels; both sides must be at least 1",
                                  width, height));
  if (width > max_pixels / height) {
    throw_input(name,
                fmt::format("{} x {} pixels exceed the limit of {}", width, height, max_pixels),
                Hint::raise_max_pixels);
  }
}

void check_memory(const std::string& name, int64_t width, int64_t height, int64_t pixel,
                  int64_t max_memory) {
  constexpr int64_t alignment = 64;  // of a row
  const int64_t row = (width * pixel + alignment - 1) / alignment * alignment;
  // Of short rows the padding is most, in each of the planes that are worked with.
  const int64_t planes = row > 2 * width * pixel ? 4 : 1;
  if (row <= max_memory / planes / height) return;
  throw TooMuchMemory(
      ErrorCode::input,
      fmt::format("{}: {} x {} pixels of {} byte{} exceed the memory limit of {} bytes{}", name,
                  width, height, pixel, pixel == 1 ? "" : "s", max_memory,
                  planes > 1 ? fmt::format(" (each row takes {} in 4 planes)", alignment) : ""),
      name);
}

std::string reason_of(int error) { return std::generic_category().message(error); }

}  // namespace cuesta::io
