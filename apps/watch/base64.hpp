// Base64, RFC 4648.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cuesta::cli {

std::string base64(std::span<const uint8_t> bytes);
/// Nothing for text that base64() does not make.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace cuesta::cli
