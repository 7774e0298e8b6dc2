// A picture in host memory that the GPU reads and writes directly.
#pragma once

#include "cuesta/image.hpp"

namespace cuesta {

/// Type, size and channels of a picture; PixelType::none: there is none.
struct PictureShape {
  PixelType type = PixelType::u8;
  Size size{};
  int32_t channels = 1;
};

/// Page-locked host memory: copies to and from it run beside the host and beside each other. Rows
/// are one after the other. Throws Error{device} in a build without CUDA, Error{out_of_memory}.
class PinnedPicture {
 public:
  PinnedPicture() = default;  ///< no picture
  explicit PinnedPicture(const PictureShape& shape);
  ~PinnedPicture();
  PinnedPicture(PinnedPicture&& other) noexcept;
  PinnedPicture& operator=(PinnedPicture&& other) noexcept;
  AnyView view() const { return view_; }

 private:
  AnyView view_;
};

}  // namespace cuesta
