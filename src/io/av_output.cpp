#ifdef CUESTA_HAS_VIDEO
#include "io/av_output.hpp"

#include <algorithm>
#include <new>

#include "io/errors.hpp"

namespace cuesta::io::av {
namespace {

#if LIBAVFORMAT_VERSION_MAJOR >= 61
using Bytes = const uint8_t*;
#else
using Bytes = uint8_t*;
#endif

int put(void* file, Bytes bytes, int size) {
  auto& to = *static_cast<OutputFile*>(file);
  const bool done = to.put({reinterpret_cast<const char*>(bytes), size_t(std::max(size, 0))});
  return done ? size : AVERROR(to.error());
}

int64_t seek(void* file, int64_t offset, int whence) {
  auto& to = *static_cast<OutputFile*>(file);
  if (whence & AVSEEK_SIZE) return to.size();
  const int64_t at = to.seek(offset, whence & ~AVSEEK_FORCE);
  return at >= 0 ? at : AVERROR(EINVAL);
}

int refuse_to_open(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
  return AVERROR(EPERM);
}

constexpr int buffer_bytes = 1 << 16;

}  // namespace

MuxerPtr muxer_of(const std::string& file, const char* container) {
  AVFormatContext* muxer = nullptr;
  const int error = avformat_alloc_output_context2(&muxer, nullptr, container, file.c_str());
  check_resources(error);
  if (error < 0) throw_output(file, words(error));
  muxer->flags |= AVFMT_FLAG_BITEXACT;
  return MuxerPtr(muxer);
}

Output::Output(OutputFile& file) {
  auto* buffer = static_cast<unsigned char*>(av_malloc(buffer_bytes));
  if (buffer) {
    context_ = avio_alloc_context(buffer, buffer_bytes, 1, &file, nullptr, put,
                                  file.can_seek() ? seek : nullptr);
  }
  if (context_) return;
  av_free(buffer);
  throw std::bad_alloc();
}

Output::~Output() {
  av_freep(&context_->buffer);
  avio_context_free(&context_);
}

void Output::serve(AVFormatContext& context) {
  context.pb = context_;
  context.flags |= AVFMT_FLAG_CUSTOM_IO;
  context.io_open = refuse_to_open;
}

}  // namespace cuesta::io::av
#endif
