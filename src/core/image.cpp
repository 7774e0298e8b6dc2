#include "cuesta/image.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/bits.hpp"
#include "core/check.hpp"
#include "core/device_memory.hpp"
#include "core/memory.hpp"
#include "cuesta/device.hpp"
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
                "out of memory: " + std::to_string(bytes) + " bytes could not be allocated",
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

AnyView new_picture(Size size, int32_t channels, PixelType type, Space space) {
  const std::string text = fmt::format("{} x {} x {}", size.width, size.height, channels);
  if (size.width < 0 || size.height < 0 || channels < 1 || channels > 4) {
    throw_invalid(text, "a picture cannot be {}; sizes must be at least 0 and channels 1 to 4",
                  text);
  }
  if (type == PixelType::none || (type == PixelType::bit && channels != 1)) {
    throw_invalid(text, "a picture cannot be {} {}; {}", text, name_of(type),
                  type == PixelType::bit ? "bit masks must have one channel"
                                         : "the type must be u8, u16, s16, s32, f32 or bit");
  }
  const ptrdiff_t stride = padded_stride(row_bytes(type, size.width, channels));
  if (size.height > 0 && stride > PTRDIFF_MAX / size.height)
    throw Error(ErrorCode::out_of_memory, "out of memory: a picture of " + text, text);
  const size_t bytes = size_t(stride) * size_t(size.height);
  void* data = bytes ? allocate(space, bytes) : nullptr;
  if (bytes && type == PixelType::bit) {
    if (space == Space::host)
      std::memset(data, 0, bytes);
    else
      clear_device(data, bytes);
  }
  return {data, size.width, size.height, channels, stride, type, space};
}

void delete_picture(AnyView picture) noexcept { release(picture.space, picture.data); }

void check_region(Size size, const Rect& r) {
  if (r.width >= 1 && r.height >= 1 && r.x >= 0 && r.y >= 0 && r.x <= size.width - r.width &&
      r.y <= size.height - r.height)
    return;
  const std::string text = fmt::format("{},{},{},{}", r.x, r.y, r.width, r.height);
  throw_invalid(text, "region {} is not inside the picture of {} x {}", text, size.width,
                size.height);
}

}  // namespace detail

template <bool Const>
BasicAnyView<Const> BasicAnyView<Const>::region(const Rect& r) const {
  if (type == PixelType::bit || type == PixelType::none)
    throw_invalid(
        name_of(type),
        "regions of {} pictures are not supported; the type must be u8, u16, s16, s32 or f32",
        name_of(type));
  detail::check_region(size(), r);
  using Byte = std::conditional_t<Const, const char, char>;
  BasicAnyView part = *this;
  part.data = static_cast<Byte*>(data) + ptrdiff_t(r.y) * stride_bytes +
              ptrdiff_t(r.x) * channels * bytes_per_sample(type);
  part.width = r.width, part.height = r.height;
  return part;
}
template AnyView AnyView::region(const Rect& r) const;
template ConstAnyView ConstAnyView::region(const Rect& r) const;

AnyView AnyImage::create(Size size, int32_t channels, PixelType type, Space space) {
  // Memory of another GPU than the one in use stays there.
  const bool same =
      view_.size() == size && view_.channels == channels && view_.type == type &&
      view_.space == space &&
      (space == Space::host || !view_.data || detail::device_of(view_.data) == current_device());
  if (!same) *this = AnyImage(), *this = AnyImage(size, channels, type, space);
  return view_;
}

BitImage::BitImage(Size size) {
  const AnyView picture = detail::new_picture(size, 1, PixelType::bit, Space::host);
  view_ = {static_cast<uint64_t*>(picture.data), size.width, size.height, picture.stride_bytes / 8};
}

void copy(ConstAnyView src, AnyView dst, void* stream) {
  using enum PixelType;
  if (src.space == Space::host && dst.space == Space::device) return upload(src, dst, stream);
  if (src.space == Space::device && dst.space == Space::host) return download(src, dst, stream);
  if (src.space == Space::device) return detail::copy_on_device(src, dst, stream);
  check_view(src, "copy: src", {u8, u16, s16, s32, f32, bit}, 1, 4);
  check_view(dst, "copy: dst", {src.type}, src.channels, src.channels);
  check_same_size(src, dst, "copy: src", "copy: dst");
  check_no_overlap(src, dst, "copy: src", "copy: dst");
  if (src.type == bit) {
    const ConstBitView from = bits_of(src);
    const BitView to = bits_of(dst);
    for (int32_t y = 0; y < from.height; ++y) {
      std::copy_n(from.row(y), from.words(), to.row(y));
      to.row(y)[to.words() - 1] &= last_word_mask(to.width);
    }
    return;
  }
  const auto row = size_t(detail::row_bytes(src));
  for (int32_t y = 0; y < src.height; ++y) {
    std::memcpy(static_cast<char*>(dst.data) + ptrdiff_t(y) * dst.stride_bytes,
                static_cast<const char*>(src.data) + ptrdiff_t(y) * src.stride_bytes, row);
  }
}

}  // namespace cuesta
