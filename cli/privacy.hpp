// Parts of a picture that nobody may see: neither people nor the detector.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/common.hpp"
#include "cuesta/io/frames.hpp"
#include "cuesta/io/overlap.hpp"

namespace cuesta::cli {

class PrivacyMask {
 public:
  /// Reads pictures of the frames' size, whose black parts are painted out. A pixel is black if
  /// every color is below half of white, so that the noise of a JPEG hides nothing less. Throws
  /// Error{input}: another size, or a picture with nothing black.
  PrivacyMask(const std::vector<std::string>& paths, const io::StreamFormat& format,
              const std::string& source, const CommonOptions& common);
  /// Makes them black in every plane. Throws Error{unsupported} for a frame that it cannot paint.
  void paint(io::FrameBuffer& frame) const;
  /// Differs where another part is painted out; never 0.
  uint64_t digest() const;

 private:
  struct Run {
    int32_t y, begin, end;
  };
  static std::vector<Run> runs_of(ConstAnyView mask, Size size);
  Size size_;
  std::string source_;
  std::vector<Run> luma_, chroma_;
  uint8_t black_;
};

/// A picture of the frames' size as a mask: 0 where it is black. Throws Error{input} naming it.
Image<uint8_t> mask_in(const std::string& path, Size size, const std::string& source,
                       const CommonOptions& common);

}  // namespace cuesta::cli
