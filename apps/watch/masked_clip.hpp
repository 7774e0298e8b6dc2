// Clips of a video that has parts nobody may see: decoded, painted, and encoded again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/privacy.hpp"
#include "cuesta/io.hpp"

namespace cuesta::cli {

class MaskedClips {
 public:
  /// `source` is a file of encoded video of that format.
  MaskedClips(std::string source, const io::StreamFormat& format, const PrivacyMask& mask);
  /// The frames from `start` to `end`, in seconds, without sound. Throws Error{input | output}.
  void write(const std::filesystem::path& path, double start, double end) const;

 private:
  std::string source_;
  double unit_;  // seconds of the times of parts
  const PrivacyMask& mask_;
  std::vector<VideoPart> parts_;
};

}  // namespace cuesta::cli
