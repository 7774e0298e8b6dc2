// Videos that are no files: addresses and cameras.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace cuesta::io {

/// Whether `text` is an address: a scheme, "://" and more ("rtsp://camera/1").
bool is_address(std::string_view text);
/// Whether `path` is a Video4Linux device ("/dev/video0").
bool is_camera(const std::string& path);
/// Whether `path` is the name of one, there or not.
bool is_camera_name(const std::string& path);
/// The address as messages and results may show it: with *** for its password and its query, which
/// may hold a token. A password with / ? # or @ in it is not shown either.
std::string without_password(std::string_view address);
/// What of an address may name a file: "camera/1" of "rtsp://user:password@camera/1?channel=2".
std::string host_and_path(std::string_view address);
/// A message in which every address is shown so.
std::string without_passwords(std::string_view text);
/// The protocols that an address, and whatever its playlist names, may use, as libav lists them: of
/// the network alone, so that no stream reaches a file.
inline constexpr const char* network_protocols =
    "rtsp,rtsps,rtp,srtp,udp,tcp,tls,http,https,httpproxy,crypto,rtmp,rtmps,rtmpt,srt";
/// Returns the address with the user and password that a file has for its host (.netrc: machine
/// HOST login USER password PASSWORD), percent-encoded. Where `file` is empty, the environment's
/// CUESTA_PASSWORDS names one, or nothing is added. An address that has a password keeps it; one
/// with a user gets that user's. `warn` hears of a file that others may read. Throws Error{input}
/// for a file that cannot be read or has other words; no message shows what is in it.
std::string with_password(const std::string& address, const std::string& file,
                          const std::function<void(const std::string&)>& warn);
/// Tells `warn` where other users may read a file that holds secrets, `what`.
void warn_of_readers(const std::string& path, std::string_view what,
                     const std::function<void(const std::string&)>& warn);
/// Throws Error{input} naming the address: its scheme is none of those that can be opened.
void check_address(const std::string& address);

}  // namespace cuesta::io
