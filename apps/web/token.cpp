#include <sys/random.h>

#include <array>
#include <cerrno>

#include "apps/web/server.hpp"
#include "cuesta/error.hpp"

namespace cuesta::cli::web {

std::string new_token() {
  std::array<unsigned char, 32> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != ssize_t(bytes.size()))
    throw Error(ErrorCode::device, "the system does not provide random numbers");
  std::string token;
  for (const unsigned char byte : bytes) token += "abcdefghijklmnopqrstuvwxyz234567"[byte % 32];
  return token;
}

}  // namespace cuesta::cli::web
