// Errors as the public boundary reports them.
#pragma once

#include <stdexcept>
#include <string>

namespace cuesta {

/// What kind of thing went wrong. The command maps these to its exit codes (2, 3, 4, 5).
enum class ErrorCode {
  invalid_argument,  ///< an option or a view that cannot be meant; exit code 2
  unsupported,    ///< a valid request that the pinned strategy or this build refuses; exit code 2
  input,          ///< a file, stream or picture that cannot be read; exit code 3
  output,         ///< a result that cannot be written; exit code 4
  device,         ///< no usable GPU, or a fault on it; exit code 5
  out_of_memory,  ///< host or device memory; exit code 5
};

/// One sentence that names the thing, the value, and what would work.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, std::string message, std::string value = {})
      : std::runtime_error(std::move(message)), code_(code), value_(std::move(value)) {}

  ErrorCode code() const noexcept { return code_; }
  /// The offending value as text ("aperture 4"); empty where there is none.
  const std::string& value() const noexcept { return value_; }

 private:
  ErrorCode code_;
  std::string value_;
};

}  // namespace cuesta
