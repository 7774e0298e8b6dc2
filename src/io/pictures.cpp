// The public reader and writer of pictures.
#include "core/check.hpp"
#include "cuesta/io.hpp"
#include "io/convert.hpp"
#include "io/picture.hpp"

namespace cuesta {
namespace {

io::Picture picture_of(const std::filesystem::path& path, const ReadOptions& options) {
  return io::read_picture(path, {options.max_pixels, options.allow_partial});
}

template <class T>
Image<T> samples_as(ConstAnyView picture) {
  Image<T> out(picture.width, picture.height, picture.channels);
  io::convert(picture, out);
  return out;
}

// The very memory where the type is right already.
template <class T>
Image<T> taken_as(io::Picture&& picture) {
  if (auto* same = std::get_if<Image<T>>(&picture.pixels)) return std::move(*same);
  return samples_as<T>(picture.view());
}
template <>
Image<float> taken_as(io::Picture&& picture) {
  return samples_as<float>(picture.view());
}

template <class T>
Image<T> gray_of(ConstAnyView picture) {
  Image<T> gray(picture.width, picture.height);
  io::make_gray(picture, gray);
  return gray;
}

}  // namespace

AnyImage read(const std::filesystem::path& path, const ReadOptions& options) {
  io::Picture picture = picture_of(path, options);
  return std::visit([](auto& image) { return AnyImage(std::move(image)); }, picture.pixels);
}

template <class T>
Image<T> read(const std::filesystem::path& path, const ReadOptions& options) {
  return taken_as<T>(picture_of(path, options));
}

template <class T>
Image<T> read_gray(const std::filesystem::path& path, const ReadOptions& options) {
  io::Picture picture = picture_of(path, options);
  if (picture.channels() > 1) {
    if (picture.view().type == PixelType::u8)
      picture.pixels = gray_of<uint8_t>(picture.view());
    else
      picture.pixels = gray_of<uint16_t>(picture.view());
  }
  return taken_as<T>(std::move(picture));
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
