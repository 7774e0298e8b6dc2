// Requests of the tuner's page, as the handler gets them: refused by cuesta::Error, or answered.
// The first byte chooses the subject and the address, the rest is the body of a POST, or what a GET
// asks of.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "apps/tune/film.hpp"
#include "apps/tune/photo.hpp"
#include "cli/common.hpp"
#include "cuesta/error.hpp"

namespace {

using namespace cuesta::cli;

// A file in memory that has a name as long as the process lives.
std::string named(const std::string& bytes) {
  const int file = memfd_create("fuzz", MFD_CLOEXEC);
  if (file < 0 || ::write(file, bytes.data(), bytes.size()) != ssize_t(bytes.size())) std::abort();
  return "/proc/self/fd/" + std::to_string(file);
}

std::string gray(int width, int height, int shift) {
  std::string out;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      out.push_back(char(x / 6 % 2 != (y + shift) / 5 % 2 ? 200 : 40));
  return out;
}

CommonOptions one_thread() {
  CommonOptions common;
  common.threads = 1;
  return common;
}

tune::Subject& photo() {
  static tune::Photo subject(named("P5\n40 30\n255\n" + gray(40, 30, 0)), one_thread());
  return subject;
}
tune::Subject& film() {
  static tune::Film subject(
      [] {
        std::string stream = "YUV4MPEG2 W32 H24 F25:1 Cmono\n";
        for (int t = 0; t < 6; ++t) stream += "FRAME\n" + gray(32, 24, t);
        return named(stream);
      }(),
      one_thread());
  return subject;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  set_verbosity(-1);
  static constexpr std::string_view paths[] = {"result", "histogram", "stage", "copies",
                                               "source", "result",    "about", "elsewhere"};
  tune::HttpRequest request{.posts = (data[0] & 16) == 0, .path = std::string(paths[data[0] % 8])};
  const std::string rest(reinterpret_cast<const char*>(data + 1), size - 1);
  (request.posts ? request.body : request.query) = rest;
  try {
    const tune::Reply reply = ((data[0] & 8) != 0 ? film() : photo()).answer(request);
    if (reply.status < 200 || reply.status > 599) std::abort();
    for (const auto& [name, value] : reply.headers)  // nothing that begins another header
      if ((name + value).find_first_of("\r\n") != std::string::npos) std::abort();
  } catch (const cuesta::Error&) {
  }
  return 0;
}
