// A seccomp filter that allows the calls it names.
#pragma once

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace cuesta::cli {

/// A condition on half of a call's argument: these bits of it have one of these values.
struct ArgumentTest {
  int argument = 0;
  std::vector<uint32_t> values{};
  uint32_t bits = ~0U;
  bool is_upper_half = false;
};

/// Calls are tried in the order in which they were added. What no rule takes fails: with ENOSYS
/// where the number is newer than this list, so that libraries take an older call, else with EPERM.
class SandboxFilter {
 public:
  SandboxFilter();
  static constexpr uint32_t fails_with(int error) { return SECCOMP_RET_ERRNO | uint32_t(error); }

  void give(long call, uint32_t verdict);
  void allow(long call) { give(call, SECCOMP_RET_ALLOW); }
  /// Allows the call if every test holds; else the rules behind this one decide.
  void allow_where(long call, const std::vector<ArgumentTest>& tests);
  /// Returns what seccomp(2) does with these flags; the first ones that this kernel knows are
  /// taken. Throws Error{unsupported}.
  int enter(std::initializer_list<unsigned> flags);

 private:
  void load(size_t offset);
  void add(uint16_t code, uint32_t value, uint8_t if_true = 0, uint8_t if_false = 0) {
    code_.push_back(sock_filter{code, if_true, if_false, value});
  }

  std::vector<sock_filter> code_{};
};

/// What the decoders, encoders and verbs call, found by strace of every verb and format. It also
/// has what other versions of the C library call instead. `on_results` is the verdict on what makes
/// results; a server also accepts, reads and answers on sockets that it has.
SandboxFilter sandbox_filter(uint32_t on_results, bool serves);

}  // namespace cuesta::cli
#endif
