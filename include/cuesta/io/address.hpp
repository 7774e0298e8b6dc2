// Videos that are not files: addresses, with their passwords, and cameras.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace cuesta::io {

/// Returns whether `text` is an address: a scheme, "://" and more ("rtsp://camera/1").
bool is_address(std::string_view text);
/// Returns whether `path` is a Video4Linux device ("/dev/video0").
bool is_camera(const std::string& path);
/// Returns whether `path` is the name of such a device, which may be absent.
bool is_camera_name(const std::string& path);
/// Returns the address as messages and results may show it.
/// It has *** for its password, also one with / ? # or @ in it, and for its query, which may hold a
/// token.
std::string without_password(std::string_view address);
/// Returns the part of an address that may name a file.
/// It is "camera/1" of "rtsp://user:password@camera/1?channel=2".
std::string host_and_path(std::string_view address);
/// Returns a message with every address as without_password() shows it.
std::string without_passwords(std::string_view text);
/// Returns the address with the user and password that a file has for its host.
/// The file is a .netrc: machine HOST login USER password PASSWORD. Both are percent-encoded. If
/// `file` is empty, the environment variable CUESTA_PASSWORDS names one, or nothing is added. An
/// address that has a password keeps it; one with a user gets that user's. `warn` is called for a
/// file that others may read. Throws Error{input} for a file that cannot be read or has other
/// words; no message shows its content.
std::string with_password(const std::string& address, const std::string& file,
                          const std::function<void(const std::string&)>& warn);
/// Calls `warn` if other users may read a file that holds secrets, `what`.
void warn_of_readers(const std::string& path, std::string_view what,
                     const std::function<void(const std::string&)>& warn);
/// Throws Error{input} naming the address if its scheme is not supported.
void check_address(const std::string& address);

}  // namespace cuesta::io
