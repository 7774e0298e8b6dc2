// A checksum of 64 bits against accidents: any change within eight bytes changes it, any other does
// but once in 2^64. It keeps no forger out.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace cuesta {

class Checksum {
 public:
  explicit Checksum(uint64_t before = 0) : sum_(before ^ factor) {}

  /// The same for the same bytes, however they are divided among calls.
  void add(const void* bytes, int64_t count) {
    const auto* at = static_cast<const unsigned char*>(bytes);
    for (; count > 0 && size_ % 8 != 0; --count) add_byte(*at++);
    for (; count >= 8; count -= 8, at += 8, size_ += 8) {
      uint64_t word = 0;
      std::memcpy(&word, at, 8);
      // As add_byte() puts them together.
      if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
      mix(word);
    }
    for (; count > 0; --count) add_byte(*at++);
  }
  uint64_t value() const {
    Checksum end = *this;
    end.mix(word_);
    end.mix(size_);
    return end.sum_;
  }

 private:
  static constexpr uint64_t factor = 0x9e3779b97f4a7c15;

  void add_byte(unsigned char byte) {
    word_ |= uint64_t(byte) << (8 * (size_ % 8));
    if (++size_ % 8 != 0) return;
    mix(word_);
    word_ = 0;
  }
  // One to one in both: multiplied by an odd number, and shifted into itself.
  void mix(uint64_t word) {
    sum_ = (sum_ ^ word) * factor;
    sum_ ^= sum_ >> 32;
  }

  uint64_t sum_;
  uint64_t word_ = 0, size_ = 0;
};

inline uint64_t checksum_of(std::string_view text, uint64_t before = 0) {
  Checksum sum(before);
  sum.add(text.data(), int64_t(text.size()));
  return sum.value();
}

}  // namespace cuesta
