#include "io/tiff_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>

namespace cuesta::io {
namespace {

constexpr size_t max_directories = 65536;
constexpr uint16_t tag_new_subfile_type = 254, tag_subfile_type = 255, tag_bits_per_sample = 258,
                   tag_sample_format = 339;

bool is_page(const TiffFile::Directory& directory) {
  for (const auto& entry : directory.entries) {
    // Bits: 1 reduced resolution, 2 page of several, 4 transparency mask.
    if (entry.tag == tag_new_subfile_type && (entry.value & 5) != 0) return false;
    if (entry.tag == tag_subfile_type && entry.value == 2) return false;
  }
  return true;
}

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
    if (is_page(*directory)) pages.push_back(number);
    at = directory->next;
  }
  return pages;
}

std::string odd_samples(const ReadAt& read, int number) {
  TiffFile file(read);
  const auto at = file.open() ? file.directory_at(number) : std::nullopt;
  if (!at) return {};
  uint64_t size = 1, format = 1;
  for (const auto& entry : at->entries) {
    if (entry.tag == tag_bits_per_sample) size = file.first_short(entry);
    if (entry.tag == tag_sample_format) format = file.first_short(entry);
  }
  const auto is_of = [&](std::initializer_list<uint64_t> bits) {
    return std::find(bits.begin(), bits.end(), size) != bits.end();
  };
  switch (format) {
    case 1: return is_of({1, 2, 4, 8, 16, 32}) ? "" : fmt::format("uint{}", size);
    case 2: return is_of({8, 16, 32}) ? "" : fmt::format("int{}", size);
    case 3: return is_of({32}) ? "" : fmt::format("float{}", size);
    case 5:
    case 6: return fmt::format("complex{}", size);
    default: return {};
  }
}

}  // namespace cuesta::io
