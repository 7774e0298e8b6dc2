// y4m streams: read to their end, or refused by cuesta::Error; headers survive being written again.
#include "io/y4m.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "cuesta/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cuesta::io;
  if (size == 0) return 0;
  std::FILE* file = fmemopen(const_cast<uint8_t*>(data), size, "rb");
  if (!file) return 0;
  const StreamLimits limits{.max_pixels = 1 << 18, .allow_partial = (data[size - 1] & 1) != 0};
  try {
    Y4mSource source(file, "fuzz", limits);
    const StreamFormat format = source.format();
    std::string header = y4m_header(format);
    header.pop_back();
    const StreamFormat again = parse_y4m_header(header, "again", limits);
    if (again.width != format.width || again.height != format.height ||
        again.chroma != format.chroma || again.rate_num != format.rate_num ||
        again.full_range != format.full_range)
      std::abort();
    Frame frame;
    int64_t count = 0;
    while (source.next(frame)) {
      if (frame.index != count++ || frame.luma.width != format.width) std::abort();
    }
  } catch (const cuesta::Error&) {
  }
  std::fclose(file);
  return 0;
}
