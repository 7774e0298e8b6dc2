// Video files: a few frames of whatever container and codec libav takes them for, or
// cuesta::Error. The last byte says whether what a truncated file holds is wanted.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "cuesta/error.hpp"
#include "cuesta/io/frames.hpp"
#include "fuzz/structure.hpp"

namespace {

/// A file in memory with a name, as open_frames() wants one.
class NamedBytes {
 public:
  NamedBytes(const uint8_t* data, size_t size) : file_(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (file_ < 0) std::abort();
    while (size > 0) {
      const ssize_t n = write(file_, data, size);
      if (n <= 0) std::abort();
      data += n;
      size -= size_t(n);
    }
  }
  NamedBytes(const NamedBytes&) = delete;
  NamedBytes& operator=(const NamedBytes&) = delete;
  ~NamedBytes() { close(file_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

uint64_t sum_of(cuesta::ConstAnyView plane) {
  uint64_t sum = 0;
  if (!plane) return sum;
  const auto view = plane.as<uint8_t>();
  for (int32_t y = 0; y < view.height; ++y) {
    for (int32_t x = 0; x < view.width; ++x) sum += view.row(y)[x];
  }
  return sum;
}

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t room);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t room, unsigned seed) {
  return cuesta::fuzz::mutate(data, size, room, seed, LLVMFuzzerMutate);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cuesta::io;
  const NamedBytes file(data, size);
  const StreamLimits limits{
      .max_pixels = 1 << 14, .allow_partial = size > 0 && (data[size - 1] & 1) != 0, .threads = 1};
  try {
    const auto source = open_frames(file.path(), limits);
    const StreamFormat format = source->format();
    const PlaneSize chroma = chroma_size(format.chroma, format.width, format.height);
    if (format.width < 1 || format.height < 1 || format.rate_num < 1 || format.rate_den < 1 ||
        format.time_base_num < 1 || format.time_base_den < 1 || format.aspect_num < 1 ||
        format.aspect_den < 1 || int64_t(format.width) * format.height > limits.max_pixels)
      std::abort();
    (void)source->description();
    (void)source->expected_frames();
    Frame frame;
    uint64_t sum = 0;
    for (int64_t k = 0; k < 8 && source->next(frame); ++k) {
      if (frame.index != k || frame.luma.width != format.width ||
          frame.luma.height != format.height || frame.cb.width != chroma.width ||
          frame.cb.height != chroma.height || frame.cr.width != chroma.width)
        std::abort();
      sum += sum_of(frame.luma) + sum_of(frame.cb) + sum_of(frame.cr);  // every sample is there
    }
    volatile uint64_t sink = sum;
    (void)sink;
    (void)source->damage();
  } catch (const cuesta::Error&) {
  }
  return 0;
}
