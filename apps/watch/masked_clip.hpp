// Clips of a video that has parts nobody may see: decoded, painted, and encoded again.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli/privacy.hpp"
#include "cuesta/io.hpp"
#include "cuesta/io/frames.hpp"

namespace cuesta::cli {

class MaskedClips {
 public:
  /// Of encoded video of that format.
  MaskedClips(const io::StreamFormat& format, const PrivacyMask& mask);
  /// The frames from `start` to `end`, in seconds of a recording of these files, without sound.
  /// Throws Error{input | output}.
  void write(std::span<const io::RecordingFile> files, const std::filesystem::path& path,
             double start, double end);

 private:
  class Writer;
  void open(const std::string& path);

  io::StreamFormat format_;
  const PrivacyMask& mask_;
  std::string path_;  // of the file that was read last
  uintmax_t size_ = 0;
  std::vector<VideoPart> parts_;
  double unit_ = 0;  // seconds of the times of parts
};

}  // namespace cuesta::cli
