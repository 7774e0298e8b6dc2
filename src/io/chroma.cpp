#include "io/chroma.hpp"

#include <bit>

namespace cuesta::io {

ChromaShift shift_of(Chroma chroma) {
  return {chroma == Chroma::c420 || chroma == Chroma::c422, chroma == Chroma::c420};
}

void resample_chroma(ImageView<const uint8_t> src, ChromaShift from, ImageView<uint8_t> dst,
                     ChromaShift to) {
  // Along each axis: the stored samples [first, first + many) under one output sample.
  const int many_x = 1 << std::max(0, to.x - from.x), many_y = 1 << std::max(0, to.y - from.y);
  const int up_x = std::max(0, from.x - to.x), up_y = std::max(0, from.y - to.y);
  const int shift = std::countr_zero(unsigned(many_x * many_y));
  for (int32_t y = 0; y < dst.height; ++y) {
    for (int32_t x = 0; x < dst.width; ++x) {
      uint32_t sum = (1u << shift) >> 1;
      for (int32_t j = 0; j < many_y; ++j) {
        const uint8_t* row = src.row(std::min(src.height - 1, (y >> up_y) * many_y + j));
        for (int32_t i = 0; i < many_x; ++i)
          sum += row[std::min(src.width - 1, (x >> up_x) * many_x + i)];
      }
      dst.row(y)[x] = uint8_t(sum >> shift);
    }
  }
}

}  // namespace cuesta::io
