// Compiles without MIX and not with it.
#include <cuesta/cuesta.hpp>

#ifdef MIX
using Result = cuesta::Image<uint8_t, cuesta::Space::device>;
#else
using Result = cuesta::Image<uint8_t>;
#endif

void soften(const cuesta::Image<uint8_t>& picture, Result& soft) {
  cuesta::gaussian(picture, soft, {.sigma = 1.4});
}
