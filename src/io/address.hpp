// Videos that are no files: addresses and cameras.
#pragma once

#include <string>
#include <string_view>

namespace cuesta::io {

/// Whether `text` is an address: a scheme, "://" and more ("rtsp://camera/1").
bool is_address(std::string_view text);
/// Whether `path` is a Video4Linux device ("/dev/video0").
bool is_camera(const std::string& path);
/// The address as messages and results may show it: without its password.
std::string without_password(std::string_view address);
/// The protocols that an address, and whatever its playlist names, may use, as libav lists them: of
/// the network alone, so that no stream reaches a file.
inline constexpr const char* network_protocols =
    "rtsp,rtsps,rtp,srtp,udp,tcp,tls,http,https,httpproxy,crypto,rtmp,rtmps,rtmpt,srt";
/// Throws Error{input} naming the address: its scheme is none of those that can be opened.
void check_address(const std::string& address);

}  // namespace cuesta::io
