// Pictures written and read again: the samples that went in come out, of every format that keeps
// them, whatever their type, channels and sizes. The bytes draw the picture.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "cuesta/io/picture.hpp"
#include "verify/draw.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cuesta;
  verify::Bytes bytes({data, size});
  constexpr std::string_view extensions[] = {".png", ".tif", ".pgm", ".ppm"};
  const auto extension = extensions[bytes.below(std::size(extensions))];
  const PixelType type = bytes.below(2) ? PixelType::u16 : PixelType::u8;
  const int drawn = 1 + bytes.below(4);
  const int32_t channels = extension == ".pgm" ? 1 : extension == ".ppm" ? 3 : drawn;
  AnyImage picture(1 + bytes.below(70), 1 + bytes.below(40), channels, type);
  const AnyView view = picture;
  const size_t row = size_t(view.width) * size_t(channels) * size_t(bytes_per_sample(type));
  for (int32_t y = 0; y < view.height; ++y) {
    auto* to = static_cast<uint8_t*>(view.data) + y * view.stride_bytes;
    for (size_t i = 0; i < row; ++i) to[i] = bytes.next();
  }
  const std::vector<uint8_t> file = io::encode_picture(
      extension, view, {.has_alpha = channels == 2 || channels == 4, .lossless = true});
  const auto again = io::read_picture(file, "again");
  const ConstAnyView found = again.view();
  bool same = found.width == view.width && found.height == view.height &&
              found.channels == channels && found.type == type;
  for (int32_t y = 0; same && y < view.height; ++y) {
    same = std::memcmp(static_cast<const uint8_t*>(found.data) + y * found.stride_bytes,
                       static_cast<const uint8_t*>(view.data) + y * view.stride_bytes, row) == 0;
  }
  if (same) return 0;
  std::fprintf(stderr, "%.*s of %d x %d, %d channels of type %d is %d x %d, %d of type %d again\n",
               int(extension.size()), extension.data(), view.width, view.height, channels,
               int(type), found.width, found.height, found.channels, int(found.type));
  std::abort();
}
