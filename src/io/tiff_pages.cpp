#include "io/tiff_pages.hpp"

#include <array>
#include <optional>
#include <set>

namespace cuesta::io {
namespace {

constexpr size_t max_directories = 65536;
constexpr uint16_t tag_new_subfile_type = 254, tag_subfile_type = 255;

// Integers of a TIFF in its byte order, and the sizes that classic TIFF and BigTIFF differ in.
class TiffFile {
 public:
  explicit TiffFile(const ReadAt& read) : read_(read) {}

  // Reads the header. False where this is no TIFF.
  bool open() {
    std::array<uint8_t, 16> head{};
    if (!read_(0, std::span(head).first(8))) return false;
    is_little_ = head[0] == 'I';
    if (head[0] != head[1] || (head[0] != 'I' && head[0] != 'M')) return false;
    const uint64_t version = number(std::span(head).subspan(2, 2));
    is_big_ = version == 43;
    if (version != 42 && !is_big_) return false;
    if (is_big_ && !read_(0, head)) return false;
    first_ = number(is_big_ ? std::span(head).subspan(8, 8) : std::span(head).subspan(4, 4));
    return true;
  }

  uint64_t first() const { return first_; }

  struct Directory {
    bool is_page = true;
    uint64_t next = 0;
  };
  // The directory at `offset`; nothing where the file ends before it does.
  std::optional<Directory> directory(uint64_t offset) const {
    const size_t count_bytes = is_big_ ? 8 : 2, entry_bytes = is_big_ ? 20 : 12;
    std::array<uint8_t, 8> buffer{};
    if (!read_(offset, std::span(buffer).first(count_bytes))) return {};
    const uint64_t count = number(std::span(buffer).first(count_bytes));
    if (count == 0 || count > 65535) return {};
    std::vector<uint8_t> entries(size_t(count) * entry_bytes + (is_big_ ? 8 : 4));
    if (!read_(offset + count_bytes, entries)) return {};
    Directory found;
    for (size_t i = 0; i < count; ++i) {
      const auto entry = std::span<const uint8_t>(entries).subspan(i * entry_bytes, entry_bytes);
      const uint64_t tag = number(entry.first(2)), type = number(entry.subspan(2, 2));
      const auto value = entry.subspan(is_big_ ? 12 : 8, type == 3 ? 2 : 4);
      // Bits: 1 reduced resolution, 2 page of several, 4 transparency mask.
      if (tag == tag_new_subfile_type && (number(value) & 5) != 0) found.is_page = false;
      if (tag == tag_subfile_type && number(value) == 2) found.is_page = false;
    }
    found.next = number(std::span<const uint8_t>(entries).subspan(size_t(count) * entry_bytes));
    return found;
  }

 private:
  uint64_t number(std::span<const uint8_t> bytes) const {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes.size(); ++i)
      value = value << 8 | bytes[is_little_ ? bytes.size() - 1 - i : i];
    return value;
  }

  const ReadAt& read_;
  bool is_little_ = true, is_big_ = false;
  uint64_t first_ = 0;
};

}  // namespace

std::vector<int> tiff_pages(const ReadAt& read) {
  TiffFile file(read);
  if (!file.open()) return {};
  std::vector<int> pages;
  std::set<uint64_t> seen;
  int number = 0;
  for (uint64_t at = file.first(); at != 0 && seen.size() < max_directories; ++number) {
    if (!seen.insert(at).second) break;
    const auto directory = file.directory(at);
    if (!directory) break;
    if (directory->is_page) pages.push_back(number);
    at = directory->next;
  }
  return pages;
}

}  // namespace cuesta::io
