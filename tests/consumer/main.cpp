// Uses an installed Cuesta through public headers only.
#include <cuesta/cuesta.hpp>

#include <cstdio>
#include <string_view>

int main() {
  cuesta::Image<uint8_t> picture(64, 48), edges(64, 48);
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 64; ++x) picture.at(x, y) = x < 32 ? 10 : 200;
  const auto soft = cuesta::gaussian(picture, {.sigma = 1.4});
  if (soft.at(31, 20) <= 10 || soft.at(0, 20) != 10) return 5;
  const auto found = cuesta::canny(soft, {.sigma = 0, .thresholds = cuesta::Given{50, 100}});
  if (found.size() != picture.size() || cuesta::histogram(found)[255] == 0) return 6;
  cuesta::sobel(picture, {.magnitude = edges});
  if (edges.at(31, 20) != 255 || edges.at(32, 20) != 255 || edges.at(5, 20) != 0) return 1;
  if (cuesta::list_strategies().empty()) return 2;
  try {
    cuesta::sobel(picture, {.magnitude = edges}, {.aperture = 4});
    return 3;
  } catch (const cuesta::Error& error) {
    if (error.code() != cuesta::ErrorCode::invalid_argument) return 4;
  }
  std::printf("cuesta %s on %.*s\n", CUESTA_VERSION, int(cuesta::simd_target().size()),
              cuesta::simd_target().data());
}
