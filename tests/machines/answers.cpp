// What the library answers to drawn requests, a line each: to be compared with what it answers on
// another machine, or to be run where every access is watched.
//
//     answers COUNT [OPERATION]      COUNT requests to each operation, or to this one
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/checksum.hpp"
#include "verify/drawn_request.hpp"

namespace {

std::vector<uint8_t> drawn_bytes(uint64_t seed) {
  std::vector<uint8_t> bytes(200);
  for (auto& byte : bytes) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    byte = uint8_t(seed >> 56);
  }
  return bytes;
}

// The same however the bytes are divided: 1 when it is not.
int print_checksum() {
  const std::vector<uint8_t> bytes = drawn_bytes(7);
  cuesta::Checksum whole, parts;
  whole.add(bytes.data(), int64_t(bytes.size()));
  for (size_t at = 0, size = 1; at < bytes.size(); at += size, size = size % 19 + 2)
    parts.add(&bytes[at], int64_t(std::min(size, bytes.size() - at)));
  std::printf("checksum %016llx\n", static_cast<unsigned long long>(whole.value()));
  return whole.value() != parts.value();
}

}  // namespace

int main(int count, char** words) {
  using namespace cuesta;
  const int requests = count > 1 ? std::atoi(words[1]) : 10;
  int failures = print_checksum();
  for (const std::string_view operation : verify::drawn_operations()) {
    if (count > 2 && operation != words[2]) continue;
    for (int k = 0; k < requests; ++k) {
      const auto bytes = drawn_bytes(checksum_of(operation, uint64_t(k)));
      verify::Bytes left(bytes);
      const auto request = verify::draw_request(left, operation, 40);
      const std::string chosen = verify::digest_of(request, {.threads = 2}, false);
      std::printf("%.*s: %s: %s\n", int(operation.size()), operation.data(), request.text.c_str(),
                  chosen.c_str());
      if (verify::digest_of(request, {.strategy = "serial", .threads = 1}, false) != chosen) {
        std::printf("  the reference answers otherwise\n");
        ++failures;
      }
    }
  }
  return failures == 0 ? 0 : 1;
}
