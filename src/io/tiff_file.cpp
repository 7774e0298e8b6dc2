#include "io/tiff_file.hpp"

#include <array>
#include <limits>
#include <set>

namespace cuesta::io {

bool TiffFile::open() {
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

std::optional<TiffFile::Directory> TiffFile::directory(uint64_t offset) const {
  const size_t count_bytes = is_big_ ? 8 : 2, entry_bytes = is_big_ ? 20 : 12;
  std::array<uint8_t, 8> buffer{};
  if (!read_(offset, std::span(buffer).first(count_bytes))) return {};
  const uint64_t count = number(std::span(buffer).first(count_bytes));
  if (count == 0 || count > 65535) return {};
  std::vector<uint8_t> bytes(size_t(count) * entry_bytes + (is_big_ ? 8 : 4));
  if (!read_(offset + count_bytes, bytes)) return {};
  Directory found;
  found.entries.reserve(size_t(count));
  for (size_t i = 0; i < count; ++i) {
    const auto entry = std::span<const uint8_t>(bytes).subspan(i * entry_bytes, entry_bytes);
    Entry one;
    one.tag = uint16_t(number(entry.first(2)));
    one.type = uint16_t(number(entry.subspan(2, 2)));
    one.count = number(entry.subspan(4, is_big_ ? 8 : 4));
    one.at = offset + count_bytes + i * entry_bytes + (is_big_ ? 12 : 8);
    const uint64_t size = one.bytes();
    const size_t wide = is_big_ && (size > 8 || one.type >= 16) ? 8
                        : one.type == 3 && fits_entry(size)     ? 2
                                                                : 4;
    one.value = number(entry.subspan(is_big_ ? 12 : 8, wide));
    found.entries.push_back(one);
  }
  found.next = number(std::span<const uint8_t>(bytes).subspan(size_t(count) * entry_bytes));
  return found;
}

uint64_t TiffFile::Entry::bytes() const {
  constexpr std::array<uint8_t, 19> sizes = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4,
                                             8, 4, 8, 4, 0, 0, 8, 8, 8};
  const uint64_t size = type < sizes.size() ? sizes[type] : 0;
  if (size > 0 && count > std::numeric_limits<uint64_t>::max() / size)
    return std::numeric_limits<uint64_t>::max();
  return count * size;
}

std::optional<TiffFile::Directory> TiffFile::directory_at(int number) const {
  std::optional<Directory> found;
  std::set<uint64_t> seen;
  for (uint64_t at = first_; at != 0 && int(seen.size()) <= number; at = found->next)
    if (!seen.insert(at).second || !(found = directory(at))) return {};
  return int(seen.size()) > number ? found : std::nullopt;
}

uint64_t TiffFile::first_short(const Entry& entry) const {
  if (fits_entry(entry.bytes())) return entry.value;
  std::array<uint8_t, 2> buffer{};
  return read_(entry.value, buffer) ? number(buffer) : 0;
}

uint64_t TiffFile::number(std::span<const uint8_t> bytes) const {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i)
    value = value << 8 | bytes[is_little_ ? bytes.size() - 1 - i : i];
  return value;
}

}  // namespace cuesta::io
