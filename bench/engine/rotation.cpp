#include "bench/engine/rotation.hpp"

#include <cstring>

#include "core/memory.hpp"
#include "cuesta/device.hpp"

namespace cuesta::bench {
namespace {

// Of a source, its result and the copy row's target.
size_t bytes_of(const Work& work) {
  const ConstAnyView src = work.sources.at(0);
  return size_t(src.height) *
         size_t(detail::row_bytes(src) +
                detail::row_bytes(work.result, src.width, work.result_channels));
}

}  // namespace

Rotation::Slab::Slab(PixelType type, ConstAnyView shape, int32_t channels, size_t slots,
                     const Placement& placement) {
  if (type == PixelType::none) return;
  const ptrdiff_t sample = type == PixelType::bit ? 8 : bytes_per_sample(type);
  const ptrdiff_t row = detail::row_bytes(type, shape.width, channels) + placement.padding * sample;
  const ptrdiff_t offset = placement.offset * sample;
  // Every slot of aligned ones begins at a multiple of 512 bytes, as a picture of its own would.
  rows_ = padded_rows(shape.height);
  memory_ = Image<uint8_t, Space::device>(int32_t(row + offset), int32_t(size_t(rows_) * slots));
  const auto all = memory_.view();
  first_ = AnyView(all.data + offset, shape.width, shape.height, channels,
                   placement.is_aligned() ? all.stride_bytes : row, type, Space::device);
}

AnyView Rotation::Slab::at(size_t slot) const {
  AnyView plane = first_;
  if (plane.data)
    plane.data = static_cast<char*>(first_.data) + first_.stride_bytes * rows_ * ptrdiff_t(slot);
  return plane;
}

Rotation::Rotation(const Work& work, size_t l2_bytes, void* stream)
    : slots_(slots_past(l2_bytes, bytes_of(work), work.sources.size())),
      stream_(stream),
      poison_(work.result, work.sources[0].width, work.sources[0].height, work.result_channels),
      apart_(work.copied != PixelType::none) {
  const ConstAnyView source = work.sources[0];
  const auto slab = [&](PixelType type, int32_t channels) {
    return Slab(type, source, channels, slots_, work.placement);
  };
  sources_ = slab(source.type, source.channels);
  results_ = slab(work.result, work.result_channels);
  if (apart_) copied_ = slab(work.copied, 1);
  copies_ = apart_ ? slab(work.copied, 1) : slab(source.type, source.channels);
  for (size_t i = 0; i < slots_; ++i)
    upload(work.sources[i % work.sources.size()], sources_.at(i), stream);
  if (const AnyView p = poison_.plane()) {
    for (int32_t y = 0; y < p.height; ++y)
      std::memset(static_cast<char*>(p.data) + p.stride_bytes * y, 0x5A,
                  size_t(detail::row_bytes(p)));
  }
  wait(stream);
}

void Rotation::poison(size_t turn) {
  if (poison_.plane()) upload(poison_.plane(), result(turn), stream_);
}

}  // namespace cuesta::bench
