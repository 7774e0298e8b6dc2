// y4m streams: read to their end, or refused by cuesta::Error; headers survive being written again.
#include "io/y4m.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "cuesta/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cuesta::io;
  if (size == 0) return 0;
  const int file = memfd_create("fuzz", MFD_CLOEXEC);
  if (file < 0 || write(file, data, size) != ssize_t(size) || lseek(file, 0, SEEK_SET) != 0)
    std::abort();
  const StreamLimits limits{.max_pixels = 1 << 18, .allow_partial = (data[size - 1] & 1) != 0};
  try {
    Y4mSource source(std::make_unique<InputBytes>(file, "fuzz", limits), limits);
    const StreamFormat format = source.format();
    std::string header = y4m_header(format);
    header.pop_back();
    const StreamFormat again = parse_y4m_header(header, "again", limits).format;
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
  close(file);
  return 0;
}
