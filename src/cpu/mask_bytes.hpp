// Words of 64 mask pixels and the bytes that vectors read and write, on machines of either byte
// order: pixel i is bit i % 8 of byte i / 8, and bit i of the word.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cuesta {

inline constexpr bool has_little_words = std::endian::native == std::endian::little;

inline uint64_t word_of_bytes(const uint8_t* bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return has_little_words ? word : __builtin_bswap64(word);
}
inline void bytes_of_word(uint64_t word, uint8_t* bytes) {
  if (!has_little_words) word = __builtin_bswap64(word);
  std::memcpy(bytes, &word, sizeof word);
}
/// Where byte i of a row of words is in memory.
constexpr ptrdiff_t byte_in_words(ptrdiff_t i) { return has_little_words ? i : i ^ 7; }

}  // namespace cuesta
