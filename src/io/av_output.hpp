// libav's way into an OutputFile.
#pragma once

#include "io/av.hpp"
#include "io/output_file.hpp"

namespace cuesta::io::av {

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
