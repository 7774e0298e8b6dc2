// Picture files: decoded whole, or refused by cuesta::Error. The last byte says whether what a
// truncated file holds is wanted.
#include "cuesta/io/picture.hpp"

#include <cstdint>
#include <cstdlib>

#include "cuesta/error.hpp"
#include "fuzz/structure.hpp"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t room);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t room, unsigned seed) {
  return cuesta::fuzz::mutate(data, size, room, seed, LLVMFuzzerMutate);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int64_t most = 1 << 18;
  const bool partial = size > 0 && data[size - 1] & 1;
  try {
    const auto picture = cuesta::io::read_picture({data, size}, "fuzz",
                                                  {.max_pixels = most, .allow_partial = partial});
    const auto view = picture.view();
    if (view.empty() || int64_t(view.width) * view.height > most || view.channels < 1 ||
        view.channels > 4)
      std::abort();
    // Every sample is there.
    uint64_t sum = 0;
    const size_t row =
        size_t(view.width) * size_t(view.channels) * size_t(cuesta::bytes_per_sample(view.type));
    for (int32_t y = 0; y < view.height; ++y) {
      const auto* bytes = static_cast<const uint8_t*>(view.data) + y * view.stride_bytes;
      for (size_t i = 0; i < row; ++i) sum += bytes[i];
    }
    volatile uint64_t sink = sum;
    (void)sink;
  } catch (const cuesta::Error&) {
  }
  return 0;
}
