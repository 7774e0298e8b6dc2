// libvips as picture files need it: started once, owned objects, its errors as text. Internal to
// io/.
#pragma once

#include <vips/vips.h>

#include <cstdint>
#include <memory>
#include <string>

#include "cuesta/error.hpp"

namespace cuesta::io {

template <class T>
struct Unref {
  void operator()(T* object) const { g_object_unref(object); }
};
using VipsImagePtr = std::unique_ptr<VipsImage, Unref<VipsImage>>;
using VipsSourcePtr = std::unique_ptr<VipsSource, Unref<VipsSource>>;
using VipsTargetPtr = std::unique_ptr<VipsTarget, Unref<VipsTarget>>;
using VipsRegionPtr = std::unique_ptr<VipsRegion, Unref<VipsRegion>>;

/// Starts libvips once a process. Throws Error{unsupported} where that fails.
void start_vips();
/// libvips' first complaint since the last call, in one line.
std::string take_vips_error();

/// While one lives, libvips may ask ImageMagick, which is blocked else: it has BMP no other way.
class MagickAllowed {
 public:
  MagickAllowed();
  MagickAllowed(const MagickAllowed&) = delete;
  MagickAllowed& operator=(const MagickAllowed&) = delete;
  ~MagickAllowed();
};

/// Held by a thread while it uses libvips beside others. Not to be nested.
class VipsUse {
 public:
  VipsUse();
  VipsUse(const VipsUse&) = delete;
  VipsUse& operator=(const VipsUse&) = delete;
  ~VipsUse();
  /// Whether no other thread has used libvips since this began.
  bool is_alone() const;

 private:
  uint64_t number_;
  bool began_alone_;
};

/// Held by the only thread that uses libvips; waits for the others. Begins without old complaints.
class VipsAlone {
 public:
  VipsAlone();
  VipsAlone(const VipsAlone&) = delete;
  VipsAlone& operator=(const VipsAlone&) = delete;
  ~VipsAlone();
};

/// Runs `work`, which uses libvips and tells by Error what fails. libvips keeps one text of errors
/// for all threads, in which a complaint may be lost or be another thread's; what fails beside
/// others is therefore done again alone, and its words are its own. `work` must begin again each
/// time.
template <class Work>
auto with_own_errors(Work&& work) {
  {
    const VipsUse use;
    try {
      return work();
    } catch (const Error&) {
      if (use.is_alone()) throw;
    }
  }
  const VipsAlone alone;
  return work();
}

}  // namespace cuesta::io
