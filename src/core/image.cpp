#include "cuesta/image.hpp"

#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <string>

#include "core/device_memory.hpp"
#include "cuesta/error.hpp"

namespace cuesta {
namespace detail {

void* allocate(Space space, size_t bytes) {
  if (space == Space::device) return allocate_device(bytes);
  // A tail of 64 bytes lets vector code read past the last row.
  const size_t size = (bytes + 64 + 63) / 64 * 64;
  void* memory = size < bytes ? nullptr : std::aligned_alloc(64, size);
  if (!memory) {
    throw Error(ErrorCode::out_of_memory,
                "out of memory: " + std::to_string(bytes) + " bytes could not be had",
                std::to_string(bytes));
  }
  return memory;
}

void release(Space space, void* memory) noexcept {
  if (!memory) return;
  if (space == Space::device)
    release_device(memory);
  else
    std::free(memory);
}

size_t checked_bytes(int32_t width, int32_t height, int32_t channels, int32_t sample_bytes) {
  const std::string size =
      std::to_string(width) + " x " + std::to_string(height) + " x " + std::to_string(channels);
  if (width < 0 || height < 0 || channels < 1 || channels > 4) {
    throw Error(ErrorCode::invalid_argument,
                "a picture of " + size + " cannot be: sizes start at 0 and channels are 1 to 4",
                size);
  }
  const auto stride = uint64_t(padded_stride(ptrdiff_t(width) * channels * sample_bytes));
  return size_t(stride * uint64_t(height));
}

}  // namespace detail

BitImage::BitImage(int32_t width, int32_t height) {
  const ptrdiff_t words = (ptrdiff_t(width) + 63) / 64;
  const size_t bytes = detail::checked_bytes(int32_t(words), height, 1, 8);
  const ptrdiff_t stride = detail::padded_stride(words * 8) / 8;
  view_ = {bytes ? static_cast<uint64_t*>(detail::allocate(Space::host, bytes)) : nullptr, width,
           height, stride};
  if (bytes) std::memset(view_.data, 0, bytes);
}

namespace {
template <class P>
P region_of(P picture, const Rect& r) {
  const auto text = std::to_string(r.x) + "," + std::to_string(r.y) + "," +
                    std::to_string(r.width) + "," + std::to_string(r.height);
  if (picture.type == PixelType::bit || picture.type == PixelType::none) {
    throw Error(ErrorCode::invalid_argument, "regions are of u8, u16, s16, s32 or f32 pictures",
                text);
  }
  if (r.width < 1 || r.height < 1 || r.x < 0 || r.y < 0 || r.x > picture.width - r.width ||
      r.y > picture.height - r.height) {
    throw Error(ErrorCode::invalid_argument,
                "region " + text + " does not lie inside the picture of " +
                    std::to_string(picture.width) + " x " + std::to_string(picture.height),
                text);
  }
  using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<typename P::Pointer>>,
                                  const char, char>;
  auto* first = static_cast<Byte*>(picture.data) + ptrdiff_t(r.y) * picture.stride_bytes +
                ptrdiff_t(r.x) * picture.channels * bytes_per_sample(picture.type);
  return {first,        r.width,      r.height, picture.channels, picture.stride_bytes,
          picture.type, picture.space};
}
}  // namespace

ConstAnyView checked_region(ConstAnyView picture, const Rect& rect) {
  return region_of(picture, rect);
}
AnyView checked_region(AnyView picture, const Rect& rect) { return region_of(picture, rect); }

}  // namespace cuesta
