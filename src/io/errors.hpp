// What files do wrong, in one wording.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "cuesta/error.hpp"

namespace cuesta::io {

/// Throws Error{input}: "NAME: reason".
[[noreturn]] void throw_input(const std::string& name, std::string_view reason,
                              Hint hint = Hint::none);
/// Throws Error{output}: "cannot write NAME: reason".
[[noreturn]] void throw_output(const std::filesystem::path& name, std::string_view reason);
/// A stream that continues as another: nothing that was made for it takes the frames that follow.
class ChangedStream : public Error {
 public:
  ChangedStream(const std::string& name, const std::string& how)
      : Error(ErrorCode::input, name + ": " + how, name) {}
};
/// An address or camera that is not there yet, or not there any more: another try may succeed.
class AbsentStream : public Error {
 public:
  AbsentStream(const std::string& name, const std::string& how)
      : Error(ErrorCode::input, name + ": " + how, name) {}
};
/// The reader of a pipe that is written to went away.
class ClosedPipe : public Error {
 public:
  using Error::Error;
};
/// throw_output() of what a write or flush left in errno; ClosedPipe for EPIPE.
[[noreturn]] void throw_output_errno(const std::string& name, int error);
/// Throws Error{input} for a picture or frame of more pixels than `max_pixels`, or of none.
void check_pixels(const std::string& name, int64_t width, int64_t height, int64_t max_pixels);
/// What takes more memory than its reader allows.
class TooMuchMemory : public Error {
 public:
  using Error::Error;
};
/// Throws TooMuchMemory for samples of `pixel` bytes a pixel that take more than `max_memory`, rows
/// being padded as Image pads them: a picture of one column takes 64 times its pixels.
void check_memory(const std::string& name, int64_t width, int64_t height, int64_t pixel,
                  int64_t max_memory);
/// The system's words for one of its error numbers.
std::string reason_of(int error);

}  // namespace cuesta::io
