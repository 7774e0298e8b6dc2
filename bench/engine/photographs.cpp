#include "bench/engine/photographs.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cuesta/error.hpp"
#ifdef CUESTA_HAS_PICTURES
#include "cuesta/io/picture.hpp"
#include "cuesta/objects.hpp"
#include "io/folder.hpp"
#endif

namespace cuesta::bench {

std::vector<Photograph> read_photographs() {
  std::vector<Photograph> photographs;
#ifdef CUESTA_HAS_PICTURES
  const char* const named = std::getenv("CUESTA_PHOTOGRAPHS");
  if (!named || !*named) return photographs;
  const std::filesystem::path folder = named;
  std::error_code error;
  for (const std::string& name : io::names_in(folder, error)) {
    const auto file = folder / name;
    if (!std::filesystem::is_regular_file(file) || !io::is_picture(file)) continue;
    const io::Picture photo = io::read_picture(file);
    if (photo.pixels.type() != PixelType::u8 || (photo.channels() != 1 && photo.channels() != 3))
      continue;
    photographs.push_back({name, Image<uint8_t>(photo.width(), photo.height())});
    to_gray(photo.view(), photographs.back().gray);
  }
  if (error)
    throw Error(ErrorCode::input, folder.string() + ": " + error.message(), folder.string());
#endif
  return photographs;
}

Image<uint8_t> square_of(const Image<uint8_t>& gray, int32_t side) {
  const int32_t factor = std::min(gray.width(), gray.height()) / side;
  if (factor == 0) return {};
  const int32_t left = (gray.width() - factor * side) / 2;
  const int32_t top = (gray.height() - factor * side) / 2;
  Image<uint8_t> out(side, side);
  for (int32_t y = 0; y < side; ++y) {
    for (int32_t x = 0; x < side; ++x) {
      int64_t sum = int64_t(factor) * factor / 2;
      for (int32_t v = 0; v < factor; ++v) {
        const uint8_t* row = gray.row(top + y * factor + v) + left + x * factor;
        for (int32_t u = 0; u < factor; ++u) sum += row[u];
      }
      out.at(x, y) = uint8_t(sum / (int64_t(factor) * factor));
    }
  }
  return out;
}

}  // namespace cuesta::bench
