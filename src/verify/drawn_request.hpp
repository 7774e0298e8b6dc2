// Calls of the public interface drawn from bytes: an operation, its pictures, their types, sizes
// and number, its options as their descriptions draw them. The fuzz target and the tests, on the
// host and on a GPU, hold them against another strategy's answers.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "cuesta/strategies.hpp"
#include "verify/draw.hpp"
#include "verify/harness.hpp"

namespace cuesta::verify {

struct DrawnRequest {
  std::string_view operation{};
  std::string text{};  ///< what it asks for
  /// Makes the call with pictures of the harness; throws what the call throws, where the options
  /// are none (Error{invalid_argument}) or the strategy refuses (Error{unsupported}).
  std::function<void(Harness&, const Exec&)> run{};
};

/// How a request's answer in a space stands to the host's.
struct Held {
  enum class Is : uint8_t {
    equal,        ///< every byte, and nothing written beside the results
    no_request,   ///< refused by both: options that nothing may be
    unsupported,  ///< the pinned strategy does not take it
    different
  } is = Is::equal;
  std::string why{};  ///< of `different`
};
/// Makes the call in `space` as `exec` says, with pictures that are as `layout` says, and on the
/// host as `oracle` says, and compares.
Held hold(const DrawnRequest& request, Space space, Layout layout, const Exec& exec,
          const Exec& oracle);

/// A checksum of a request's results on the host (Harness::digest()), or in words how it was
/// refused.
std::string digest_of(const DrawnRequest& request, const Exec& exec, bool floats);

/// The operations that are drawn, in the order of list_operations().
std::span<const std::string_view> drawn_operations();

/// A request to an operation of that list. No side of its pictures is longer than `longest`.
DrawnRequest draw_request(Bytes& bytes, std::string_view operation, int32_t longest);

}  // namespace cuesta::verify
