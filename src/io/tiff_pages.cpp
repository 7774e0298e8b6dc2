#include "io/tiff_pages.hpp"

#include <set>

namespace cuesta::io {
namespace {

constexpr size_t max_directories = 65536;
constexpr uint16_t tag_new_subfile_type = 254, tag_subfile_type = 255;

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

}  // namespace cuesta::io
