// libav's way into an OutputFile.
#pragma once

#include <memory>
#include <string>

#include "io/av.hpp"
#include "io/output_file.hpp"

namespace cuesta::io::av {

struct EndMuxer {
  void operator()(AVFormatContext* p) const {
    p->pb = nullptr;  // Output's
    avformat_free_context(p);
  }
};
using MuxerPtr = std::unique_ptr<AVFormatContext, EndMuxer>;

/// For a container by its name, or the one that the file's name asks for; the same packets give the
/// same bytes. Throws Error{output}, std::bad_alloc.
MuxerPtr muxer_of(const std::string& file, const char* container = nullptr);

/// Whether the container holds sound of that codec as it is. Matroska's own list leaves out what it
/// holds in the manner of AVI, such as the G.711 of many cameras.
inline bool takes_sound(const AVOutputFormat& container, AVCodecID sound) {
  return avformat_query_codec(&container, sound, FF_COMPLIANCE_UNOFFICIAL) == 1;
}

/// Goes after the muxer that it serves.
class Output {
 public:
  /// `file` outlives this. Throws std::bad_alloc.
  explicit Output(OutputFile& file);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();

  /// Makes it what `context` writes to; muxers open nothing else.
  void serve(AVFormatContext& context);
  /// Hands what libav still holds to the file, whose error() tells.
  void flush() { avio_flush(context_); }

 private:
  AVIOContext* context_ = nullptr;
};

}  // namespace cuesta::io::av
