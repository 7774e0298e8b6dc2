// Digits, and what stands between them in times, as dots: 4 x 7, in a cell of 5 x 9.
#pragma once

#include <array>
#include <cstdint>

namespace cuesta::cli::font {

constexpr int32_t width = 5,
                  height = 9;  // of a cell; its first row and column 0 to 3 hold the dots

/// 7 rows, the leftmost of the 4 dots in bit 4; empty for signs that are not there.
constexpr std::array<uint8_t, 7> glyph_of(char sign) {
  constexpr std::array<uint8_t, 7> digits[10] = {
      {0b01100, 0b10010, 0b10010, 0b10010, 0b10010, 0b10010, 0b01100},
      {0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110},
      {0b01100, 0b10010, 0b00010, 0b00100, 0b01000, 0b10000, 0b11110},
      {0b11100, 0b00010, 0b00010, 0b01100, 0b00010, 0b00010, 0b11100},
      {0b10010, 0b10010, 0b10010, 0b11110, 0b00010, 0b00010, 0b00010},
      {0b11110, 0b10000, 0b10000, 0b11100, 0b00010, 0b00010, 0b11100},
      {0b01100, 0b10000, 0b10000, 0b11100, 0b10010, 0b10010, 0b01100},
      {0b11110, 0b00010, 0b00010, 0b00100, 0b00100, 0b01000, 0b01000},
      {0b01100, 0b10010, 0b10010, 0b01100, 0b10010, 0b10010, 0b01100},
      {0b01100, 0b10010, 0b10010, 0b01110, 0b00010, 0b00010, 0b01100}};
  if (sign >= '0' && sign <= '9') return digits[sign - '0'];
  if (sign == ':') return {0, 0b01100, 0b01100, 0, 0b01100, 0b01100, 0};
  if (sign == '.') return {0, 0, 0, 0, 0, 0b01100, 0b01100};
  if (sign == '-') return {0, 0, 0, 0b11110, 0, 0, 0};
  return {};
}

}  // namespace cuesta::cli::font
