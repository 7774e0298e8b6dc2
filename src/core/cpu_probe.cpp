#include "core/cpu_probe.hpp"

#include <fmt/ranges.h>
#include <hwy/highway.h>

#include <cctype>
#include <cstdlib>
#include <mutex>

#include "core/check.hpp"
#include "cuesta/strategies.hpp"

namespace cuesta {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = char(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

int64_t available() {
  // Unmocked: what the CPU has, whatever was forced before.
  static const int64_t targets = hwy::SupportedTargets() & HWY_TARGETS;
  return targets;
}

// Lower bits are better instruction sets.
std::vector<int64_t> available_best_first() {
  std::vector<int64_t> out;
  for (int64_t rest = available(); rest; rest &= rest - 1) out.push_back(rest & -rest);
  return out;
}

void set_target(int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace

std::vector<std::string_view> simd_targets() {
  std::vector<std::string_view> names;
  for (const int64_t target : available_best_first()) names.push_back(hwy::TargetName(target));
  return names;
}

std::string_view simd_target() {
  detail::apply_simd_environment();
  const int64_t targets = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(targets & -targets);
}

void force_simd_target(std::string_view name) {
  (void)available();
  if (name.empty()) return set_target(0);
  for (const int64_t target : available_best_first()) {
    if (lower(hwy::TargetName(target)) == lower(name)) return set_target(target);
  }
  throw_invalid(std::string(name), "instruction set is '{}'; this build supports {} on this CPU",
                name, fmt::join(simd_targets(), ", "));
}

namespace detail {

void apply_simd_environment() {
  static std::once_flag once;
  std::call_once(once, [] {
    const char* name = std::getenv("CUESTA_SIMD");
    if (name && *name) force_simd_target(name);
  });
}

}  // namespace detail
}  // namespace cuesta
