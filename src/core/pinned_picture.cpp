#include "core/pinned_picture.hpp"

#include <utility>

#include "core/device_memory.hpp"
#include "core/memory.hpp"

namespace cuesta {

PinnedPicture::PinnedPicture(PixelType type, Size size, int32_t channels) {
  const ptrdiff_t stride = detail::row_bytes(type, size.width, channels);
  void* memory = detail::allocate_pinned(size_t(stride) * size_t(size.height));
  view_ = AnyView(memory, size.width, size.height, channels, stride, type);
}
PinnedPicture::~PinnedPicture() {
  if (view_.data) detail::release_pinned(view_.data);
}
PinnedPicture::PinnedPicture(PinnedPicture&& other) noexcept
    : view_(std::exchange(other.view_, {})) {}
PinnedPicture& PinnedPicture::operator=(PinnedPicture&& other) noexcept {
  std::swap(view_, other.view_);
  return *this;
}

}  // namespace cuesta
