#include "io/address.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>

#include "io/errors.hpp"
#include "io/formats.hpp"

namespace cuesta::io {
namespace {

constexpr std::array<std::string_view, 11> schemes = {
    "rtsp", "rtsps", "http", "https", "rtmp", "rtmps", "srt", "udp", "rtp", "srtp", "tcp"};

std::string_view scheme_of(std::string_view text) {
  const size_t end = text.find("://");
  if (end == 0 || end == text.npos || end + 3 == text.size()) return {};
  const std::string_view scheme = text.substr(0, end);
  const bool word = std::all_of(scheme.begin(), scheme.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '-' || c == '.';
  });
  return word ? scheme : std::string_view();
}

}  // namespace

bool is_address(std::string_view text) { return !scheme_of(text).empty(); }

bool is_camera(const std::string& path) {
  constexpr unsigned video4linux = 81;  // Linux' Documentation/admin-guide/devices.txt
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISCHR(status.st_mode) &&
         major(status.st_rdev) == video4linux;
}

std::string without_password(std::string_view address) {
  const size_t host = address.find("://") + 3;
  const size_t at = address.substr(0, address.find_first_of("/?#", host)).rfind('@');
  const size_t colon = address.find(':', host);
  if (!is_address(address) || at == address.npos || colon > at) return std::string(address);
  return fmt::format("{}:***{}", address.substr(0, colon), address.substr(at));
}

void check_address(const std::string& address) {
  const std::string scheme = lower(scheme_of(address));
  if (std::find(schemes.begin(), schemes.end(), scheme) != schemes.end()) return;
  throw_input(without_password(address),
              fmt::format("{}:// addresses are not supported; use one of {}", scheme,
                          fmt::join(schemes, ", ")));
}

}  // namespace cuesta::io
