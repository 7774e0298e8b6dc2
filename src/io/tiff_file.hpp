// The directories of a TIFF file, or of EXIF data, which has the same form.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace cuesta::io {

/// Reads `bytes.size()` bytes at `offset` of a file. False where they are not there.
using ReadAt = std::function<bool(uint64_t offset, std::span<uint8_t> bytes)>;

/// Classic TIFF and BigTIFF of both byte orders.
class TiffFile {
 public:
  explicit TiffFile(const ReadAt& read) : read_(read) {}

  /// Reads the header. False where this is no TIFF.
  bool open();
  bool is_little() const { return is_little_; }
  /// The offset of the first directory.
  uint64_t first() const { return first_; }

  struct Entry {
    uint16_t tag = 0, type = 0;
    uint64_t count = 0;
    uint64_t value = 0;  ///< the number, or the offset of what does not fit
    uint64_t at = 0;     ///< the offset of the entry's own value
    /// Bytes of all values; 0 for an unknown type, and more than any file has where it overflows.
    uint64_t bytes() const;
  };
  struct Directory {
    std::vector<Entry> entries{};
    uint64_t next = 0;  ///< 0: the last
  };
  /// Nothing where the file ends before the directory at `offset` does.
  std::optional<Directory> directory(uint64_t offset) const;
  /// Directory `number` of the chain, from 0. Nothing where the chain ends or is damaged before it.
  std::optional<Directory> directory_at(int number) const;
  /// Whether values of that size are in the entry itself.
  bool fits_entry(uint64_t bytes) const { return bytes <= (is_big_ ? 8 : 4); }
  /// The first value of an entry of type SHORT. 0 where the file ends before it.
  uint64_t first_short(const Entry& entry) const;

 private:
  uint64_t number(std::span<const uint8_t> bytes) const;

  const ReadAt& read_;
  bool is_little_ = true, is_big_ = false;
  uint64_t first_ = 0;
};

}  // namespace cuesta::io
