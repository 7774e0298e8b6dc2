#include "core/check.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include "core/memory.hpp"
#include "cuesta/device.hpp"

namespace cuesta {
namespace {

using detail::row_bytes;

std::pair<const char*, const char*> extent(ConstAnyView p) {
  const char* first = static_cast<const char*>(p.data);
  const char* last = first + ptrdiff_t(p.height - 1) * p.stride_bytes;
  return {std::min(first, last), std::max(first, last) + row_bytes(p)};
}

}  // namespace

void check_view(ConstAnyView p, std::string_view what, std::initializer_list<PixelType> types,
                int min_channels, int max_channels) {
  if (!p.data) throw_invalid("null", "{} has no data; its pointer must not be null", what);
  if (p.width < 1 || p.height < 1) {
    throw_invalid(fmt::format("{} x {}", p.width, p.height),
                  "{} is {} x {}; both sides must be at least 1", what, p.width, p.height);
  }
  if (std::find(types.begin(), types.end(), p.type) == types.end()) {
    std::vector<std::string_view> names;
    for (const PixelType t : types) names.push_back(name_of(t));
    throw_invalid(name_of(p.type), "{} is {}; it must be {}", what, name_of(p.type),
                  fmt::join(names, ", "));
  }
  if (p.channels < min_channels || p.channels > max_channels) {
    const std::string wanted = min_channels == max_channels
                                   ? std::to_string(min_channels)
                                   : fmt::format("{} to {}", min_channels, max_channels);
    throw_invalid(std::to_string(p.channels), "{} has {} channels; it must have {}", what,
                  p.channels, wanted);
  }
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  if (p.height > 1 && (p.stride_bytes < -most / (p.height - 1) ||
                       p.stride_bytes > (most - row_bytes(p)) / (p.height - 1))) {
    throw_invalid(std::to_string(p.stride_bytes),
                  "{} has a stride of {} bytes; its {} rows must end below 2^63", what,
                  p.stride_bytes, p.height);
  }
  if (p.height > 1 && std::abs(p.stride_bytes) < row_bytes(p)) {
    throw_invalid(std::to_string(p.stride_bytes),
                  "{} has a stride of {} bytes; it must be at least its row of {} bytes", what,
                  p.stride_bytes, row_bytes(p));
  }
  const int alignment = p.type == PixelType::bit ? 8 : bytes_per_sample(p.type);
  if (p.stride_bytes % alignment || reinterpret_cast<uintptr_t>(p.data) % uintptr_t(alignment)) {
    throw_invalid(std::to_string(p.stride_bytes),
                  "{}: its data address or stride of {} bytes is not aligned; both must be "
                  "multiples of {} bytes",
                  what, p.stride_bytes, alignment);
  }
}

void check_same_size(ConstAnyView a, ConstAnyView b, std::string_view what_a,
                     std::string_view what_b) {
  if (a.width != b.width || a.height != b.height) {
    throw_invalid(fmt::format("{} x {}", b.width, b.height),
                  "{} is {} x {} and {} is {} x {}; the sizes must match", what_a, a.width,
                  a.height, what_b, b.width, b.height);
  }
  if (a.space != b.space)
    throw_invalid(
        "space",
        "{} and {} are in different memory; both must be on the host or both on the device", what_a,
        what_b);
}

void check_no_overlap(ConstAnyView a, ConstAnyView b, std::string_view what_a,
                      std::string_view what_b, bool same_allowed) {
  if (same_allowed && a.data == b.data && a.stride_bytes == b.stride_bytes) return;
  if (a.data == b.data)
    throw_invalid("overlap", "{} and {} overlap in memory; give the result a separate picture",
                  what_a, what_b);
  const auto [a0, a1] = extent(a);
  const auto [b0, b1] = extent(b);
  // Regions of one picture interleave in memory without sharing a sample; equal strides tell them
  // apart by column.
  if (a1 <= b0 || b1 <= a0) return;
  if (a.stride_bytes == b.stride_bytes && a.stride_bytes > 0 && a.type == b.type &&
      a.type != PixelType::bit) {
    const ptrdiff_t stride = a.stride_bytes;
    ptrdiff_t delta = static_cast<const char*>(b.data) - static_cast<const char*>(a.data);
    ptrdiff_t rows = delta >= 0 ? delta / stride : -((-delta + stride - 1) / stride);
    ptrdiff_t shift = delta - rows * stride;  // columns of b relative to a, in [0, stride)
    const auto rows_meet = [&](ptrdiff_t r) { return r < a.height && r + b.height > 0; };
    const bool meet = (shift < row_bytes(a) && rows_meet(rows)) ||
                      (shift + row_bytes(b) > stride && rows_meet(rows + 1));
    if (!meet) return;
  }
  throw_invalid("overlap", "{} and {} overlap in memory; give the result a separate picture",
                what_a, what_b);
}

void check_same_gpu(std::string_view operation, int before) {
  const int used = current_device();
  if (used == before) return;
  throw Error(
      ErrorCode::input,
      fmt::format("{}: frame is on GPU {} after frames on GPU {}; call reset() before changing GPU",
                  operation, used, before),
      fmt::to_string(used));
}

}  // namespace cuesta
