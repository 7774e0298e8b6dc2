#if defined(CUESTA_HAS_PICTURES)
#include "io/band_key.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "core/checksum.hpp"
#include "cuesta/version.hpp"
#include "io/errors.hpp"
#include "io/vips.hpp"

namespace cuesta::io {
namespace {

// Of blocks all over the file, its ends among them: times can be set back or missing.
uint64_t sampled_checksum(const std::filesystem::path& source, int64_t size) {
  constexpr int64_t block = 4096, max_blocks = 256;
  std::ifstream file(source, std::ios::binary);
  std::array<char, block> bytes{};
  Checksum sum;
  const int64_t last = std::max<int64_t>(0, (size - 1) / block);
  for (int64_t i = 0, count = std::min(last + 1, max_blocks); i < count; ++i) {
    file.seekg((count == 1 ? 0 : last * i / (count - 1)) * block);
    file.read(bytes.data(), block);
    sum.add(bytes.data(), file.gcount());
    file.clear();
  }
  return sum.value();
}

}  // namespace

std::string key_of_bands(const std::filesystem::path& source, const BandSettings& settings,
                         std::string_view work) {
  struct stat status {};
  if (stat(source.c_str(), &status) != 0) throw_input(source.string(), reason_of(errno));
  std::error_code ignored;
  const Rect region = settings.region.value_or(Rect());
  std::string key = fmt::format(
      "cuesta {} libvips {} {} {} {} {}.{} {}.{} {:x} page {} band {} partial {} region {} {} {} "
      "{}: {}",
      CUESTA_VERSION, vips_version_string(), std::filesystem::absolute(source, ignored).string(),
      status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
      status.st_ctim.tv_sec, status.st_ctim.tv_nsec, sampled_checksum(source, status.st_size),
      settings.limits.page.value_or(0), settings.limits.band, settings.limits.allow_partial,
      region.x, region.y, region.width, region.height, work);
  std::replace(key.begin(), key.end(), '\n', ' ');
  return key;
}

}  // namespace cuesta::io
#endif
