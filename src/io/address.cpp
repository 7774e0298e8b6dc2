#include "cuesta/io/address.hpp"

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

// The last @ of a user and password, and none of the path; npos. A password may have / ? or # in
// it that should have been written as %2F, %3F, %23: then the first part of it looks like a port.
size_t end_of_user(std::string_view address, size_t host) {
  const size_t end = std::min(address.find_first_of("/?#", host), address.size());
  const size_t colon = address.substr(0, end).find(':', host);
  if (const size_t at = address.substr(0, end).rfind('@'); at != address.npos && at >= host) {
    if (colon == address.npos || colon > at) return at;
    const size_t query = address.find_first_of("?#", host);
    return address.substr(0, query).rfind('@');
  }
  return colon == address.npos ? address.npos : address.rfind('@');
}

}  // namespace

bool is_address(std::string_view text) { return !scheme_of(text).empty(); }

bool is_camera(const std::string& path) {
  constexpr unsigned video4linux = 81;  // Linux' Documentation/admin-guide/devices.txt
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISCHR(status.st_mode) &&
         major(status.st_rdev) == video4linux;
}

bool is_camera_name(const std::string& path) {
  constexpr std::string_view begin = "/dev/video";
  return path.starts_with(begin) && path.size() > begin.size() &&
         path.find_first_not_of("0123456789", begin.size()) == path.npos;
}

std::string without_password(std::string_view address) {
  if (!is_address(address)) return std::string(address);
  const size_t host = address.find("://") + 3;
  const size_t at = end_of_user(address, host);
  const size_t colon = address.find(':', host);
  std::string shown(address.substr(0, at == address.npos ? host : at));
  if (at != address.npos && colon < at) shown = fmt::format("{}:***", address.substr(0, colon));
  const std::string_view rest = address.substr(at == address.npos ? host : at);
  const size_t query = rest.find_first_of("?#");
  shown += rest.substr(0, query);
  if (query < rest.size()) shown += fmt::format("{}***", rest[query]);
  return shown;
}

std::string host_and_path(std::string_view address) {
  const size_t host = address.find("://") + 3;
  const size_t at = end_of_user(address, host);
  address.remove_prefix(at == address.npos ? host : at + 1);
  return std::string(address.substr(0, address.find_first_of("?#")));
}

std::string without_passwords(std::string_view text) {
  std::string out;
  for (size_t at = 0; (at = text.find("://")) != text.npos;) {
    size_t begin = at;
    while (begin > 0 && !scheme_of(fmt::format("{}://x", text.substr(begin - 1, 1))).empty())
      --begin;
    size_t end = std::min(text.find_first_of(" \t\n\"'", at), text.size());
    while (end > at + 3 && std::string_view(":;,.)").find(text[end - 1]) != text.npos) --end;
    out += text.substr(0, begin);
    out += without_password(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
  return out += text;
}

void check_address(const std::string& address) {
  const std::string scheme = lower(scheme_of(address));
  if (std::find(schemes.begin(), schemes.end(), scheme) != schemes.end()) return;
  throw_input(without_password(address),
              fmt::format("{}:// addresses are not supported; use one of {}", scheme,
                          fmt::join(schemes, ", ")));
}

}  // namespace cuesta::io
