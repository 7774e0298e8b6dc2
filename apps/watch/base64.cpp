#include "apps/watch/base64.hpp"

#include <cstddef>

namespace cuesta::cli {
namespace {

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::span<const uint8_t> bytes) {
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t k = 0; k < 3; ++k) three = three << 8 | (i + k < bytes.size() ? bytes[i + k] : 0u);
    for (size_t k = 0; k < 4; ++k)
      out += i + k <= bytes.size() ? digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  std::string out;
  for (size_t i = 0; i < text.size(); i += 4) {
    uint32_t three = 0;
    for (size_t k = i; k < i + 4; ++k) {
      const size_t digit = k < text.size() - padding ? digits.find(text[k]) : 0;
      if (digit == digits.npos) return std::nullopt;
      three = three << 6 | uint32_t(digit);
    }
    for (const int shift : {16, 8, 0}) out += char(three >> shift & 255);
  }
  out.resize(out.size() - padding);
  return out;
}

}  // namespace cuesta::cli
