// The public reader and writer of pictures.
#include <optional>
#include <string>
#include <type_traits>

#include "core/check.hpp"
#include "cuesta/io.hpp"
#include "io/picture.hpp"
#include "recipes/convert.hpp"

namespace cuesta {
namespace {

// Floats as they are where floats are wanted.
template <class T = uint16_t>
AnyImage picture_of(const std::filesystem::path& path, const ReadOptions& options) {
  io::ReadLimits limits{options.max_pixels, options.allow_partial};
  limits.select(options.page, options.band);
  limits.keep_floats = std::is_same_v<T, float>;
  return std::move(io::read_picture(path, limits).pixels);
}

template <class T>
Image<T> converted(ConstAnyView picture) {
  Image<T> out(picture.size(), picture.channels);
  recipes::convert(picture, out);
  return out;
}

}  // namespace

void io::ReadLimits::select(int page_from_1, int band_from_1) {
  if (page_from_1 < 0)
    throw_invalid(std::to_string(page_from_1),
                  "page is {}; it must be at least 1, or 0 for the only page", page_from_1);
  if (band_from_1 < 0)
    throw_invalid(std::to_string(band_from_1),
                  "band is {}; it must be at least 1, or 0 for all channels", band_from_1);
  page = page_from_1 > 0 ? std::optional(page_from_1 - 1) : std::nullopt;
  band = band_from_1;
}

int count_pages(const std::filesystem::path& path) {
  if (!io::is_picture(path)) io::read_picture(path);  // which throws why not
  return io::pages_of(path).count;
}

AnyImage read(const std::filesystem::path& path, const ReadOptions& options) {
  return picture_of(path, options);
}

template <class T>
Image<T> read(const std::filesystem::path& path, const ReadOptions& options) {
  return converted<T>(picture_of<T>(path, options));
}

template <class T>
Image<T> read_gray(const std::filesystem::path& path, const ReadOptions& options) {
  const AnyImage picture = picture_of<T>(path, options);
  if (picture.channels() == 1) return converted<T>(picture);
  AnyImage gray(picture.size(), 1, picture.type());
  recipes::make_gray(picture, gray);
  return converted<T>(gray);
}

template Image<uint8_t> read(const std::filesystem::path&, const ReadOptions&);
template Image<uint16_t> read(const std::filesystem::path&, const ReadOptions&);
template Image<float> read(const std::filesystem::path&, const ReadOptions&);
template Image<uint8_t> read_gray(const std::filesystem::path&, const ReadOptions&);
template Image<uint16_t> read_gray(const std::filesystem::path&, const ReadOptions&);
template Image<float> read_gray(const std::filesystem::path&, const ReadOptions&);

void write(const std::filesystem::path& path, ConstAnyView pixels) {
  io::write_picture(path, pixels);
}

}  // namespace cuesta
