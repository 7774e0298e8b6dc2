// libvips as picture files need it: started once, owned objects, its errors as text. Internal to
// io/.
#pragma once

#include <vips/vips.h>

#include <memory>
#include <string>

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

}  // namespace cuesta::io
