// What the README's example reads: photo.jpg, and a video of a square that moves, street.avi (its
// bytes are y4m).
#include <cuesta/cuesta.hpp>
#include <cuesta/io.hpp>

#include <cstdio>

namespace {

void draw(cuesta::Image<uint8_t>& picture, int left) {
  for (int y = 0; y < picture.height(); ++y)
    for (int x = 0; x < picture.width(); ++x)
      picture.at(x, y) = x >= left && x < left + 60 && y >= 80 && y < 140 ? 220 : 40;
}

}  // namespace

int main() {
  cuesta::Image<uint8_t> picture(320, 240);
  draw(picture, 100);
  cuesta::write("photo.jpg", picture);
  if (cuesta::read("photo.jpg").width() != 320) return 1;

  std::FILE* video = std::fopen("street.avi", "wb");
  if (!video) return 2;
  std::fputs("YUV4MPEG2 W320 H240 F25:1 Cmono\n", video);
  for (int k = 0; k < 5; ++k) {
    draw(picture, 40 * k);
    std::fputs("FRAME\n", video);
    for (int y = 0; y < 240; ++y) std::fwrite(picture.row(y), 1, 320, video);
  }
  return std::fclose(video) == 0 ? 0 : 3;
}
