// The units of an H.264 packet.
#pragma once

#include <algorithm>
#include <cstddef>

#include "io/av.hpp"

namespace cuesta::io {

/// Calls visit(nal_unit_type, bytes) for each unit of the packet (ITU-T H.264, 7.3.1), up to where
/// its lengths leave it. In packets with start codes, `bytes` is what the packet holds from there
/// on.
template <class Visit>
void for_each_h264_unit(const AVPacket& packet, const AVCodecParameters& codec, Visit&& visit) {
  const auto* data = packet.data;
  const auto size = ptrdiff_t(packet.size);
  constexpr int mask = 31;
  if (codec.extradata_size >= 7 && codec.extradata[0] == 1) {  // lengths before the units
    const ptrdiff_t bytes = (codec.extradata[4] & 3) + 1;
    for (ptrdiff_t at = 0; at + bytes < size;) {
      ptrdiff_t length = 0;
      for (ptrdiff_t i = 0; i < bytes; ++i) length = length << 8 | data[at + i];
      visit(data[at + bytes] & mask, std::min(length, size - at - bytes));
      at += bytes + length;
    }
    return;
  }
  for (ptrdiff_t at = 0; at + 3 < size; ++at) {  // start codes
    if (data[at] == 0 && data[at + 1] == 0 && data[at + 2] == 1)
      visit(data[at + 3] & mask, size - at - 3);
  }
}

}  // namespace cuesta::io
