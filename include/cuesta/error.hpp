// Errors as the public boundary reports them.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace cuesta {

/// What kind of thing went wrong.
enum class ErrorCode {
  invalid_argument,  ///< an option or a view that is not valid
  unsupported,       ///< a valid request that the selected strategy or this build does not support
  input,             ///< a file, stream or picture that cannot be read
  output,            ///< a result that cannot be written
  device,            ///< no usable GPU, or a fault on it
  out_of_memory,     ///< host or device memory
};

/// The setting with which a refused call would succeed. Each interface names it as its own option:
/// the command "--max-pixels", Python "device='cpu'".
enum class Hint : uint8_t {
  none,
  use_cpu,           ///< pictures in host memory do without the GPU
  raise_max_pixels,  ///< the limit on the size of what is read
  choose_page,       ///< name one page of a file with several
  choose_band,       ///< name one channel of a picture with more than four
  allow_partial,     ///< accept the readable part of a damaged or truncated file
};

/// An error of the library; what() names the cause, the value, and what would work.
class Error : public std::runtime_error {
 public:
  /// Makes an error from its parts.
  Error(ErrorCode code, std::string message, std::string value = {}, Hint hint = Hint::none)
      : std::runtime_error(std::move(message)),
        code_(code),
        hint_(hint),
        value_(std::move(value)) {}

  /// Returns the kind of the error.
  ErrorCode code() const noexcept { return code_; }
  /// Returns the setting that would help, or Hint::none.
  Hint hint() const noexcept { return hint_; }
  /// Returns the offending value as text ("aperture 4"); empty where there is none.
  const std::string& value() const noexcept { return value_; }

 private:
  ErrorCode code_;
  Hint hint_;
  std::string value_;
};

}  // namespace cuesta
