#include "core/pinned_picture.hpp"

#include <utility>

#include "core/device_memory.hpp"
#include "core/memory.hpp"

namespace cuesta {

PinnedPicture::PinnedPicture(const PictureShape& shape) {
  if (shape.type == PixelType::none) return;
  const auto [width, height] = shape.size;
  const ptrdiff_t stride = detail::row_bytes(shape.type, width, shape.channels);
  void* memory = detail::allocate_pinned(size_t(stride) * size_t(height));
  view_ = AnyView(memory, width, height, shape.channels, stride, shape.type);
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
