// What answers are written as: components whose list the host wants go to it in records, most of
// them of 8 bytes in place of 48, whose way over the bus would take longer than all kernels.
#pragma once

#include <cstddef>

#include "cuesta/border.hpp"
#include "cuesta/objects.hpp"

namespace cuesta::label_cuda {

/// A component of at most 8 x 8 pixels, whose label is its place in a list, in one word; 0 for one
/// that is larger. Where its box begins as y * width + x, width and height, area and sums from the
/// box's corner.
class SmallComponent {
 public:
  static constexpr int32_t side = 8;

  CUESTA_HOST_DEVICE static bool fits(const Rect& box) {
    return box.width <= side && box.height <= side;
  }
  CUESTA_HOST_DEVICE SmallComponent(const Rect& box, int32_t area, int32_t sum_x, int32_t sum_y,
                                    int32_t picture_width)
      : word_(1 | uint64_t(box.width - 1) << 1 | uint64_t(box.height - 1) << 4 |
              uint64_t(area - 1) << 7 | uint64_t(sum_x) << 13 | uint64_t(sum_y) << 21 |
              (uint64_t(box.y) * uint64_t(picture_width) + uint64_t(box.x)) << 29) {}

  explicit operator bool() const { return word_ != 0; }
  Component component(int32_t label, int32_t picture_width) const {
    const auto bits = [this](int first, int count) {
      return int32_t(word_ >> first & ((uint64_t(1) << count) - 1));
    };
    const auto corner = uint32_t(word_ >> 29), width = uint32_t(picture_width);
    const auto y = int32_t(corner / width), x = int32_t(corner % width);
    const int64_t area = bits(7, 6) + 1;
    return {label,
            {x, y, bits(1, 3) + 1, bits(4, 3) + 1},
            area,
            bits(13, 8) + area * x,
            bits(21, 8) + area * y};
  }

 private:
  uint64_t word_;
};

/// What a list gets: sums are from the box's corner.
struct Found {
  int32_t label = 0;  // 0: nothing
  Rect box{};
  int64_t area = 0, sum_x = 0, sum_y = 0;
};

/// A component as three times 16 bytes; its padding too, as all is copied.
__device__ inline void write_component(int4* to, const Found& f) {
  static_assert(sizeof(Component) == 48 && offsetof(Component, box) == 4 &&
                offsetof(Component, area) == 24 && offsetof(Component, sum_x) == 32 &&
                offsetof(Component, sum_y) == 40);
  const int64_t sum_x = f.sum_x + f.area * f.box.x, sum_y = f.sum_y + f.area * f.box.y;
  const auto low = [](int64_t v) { return int32_t(uint32_t(uint64_t(v))); };
  const auto high = [](int64_t v) { return int32_t(v >> 32); };
  to[0] = make_int4(f.label, f.box.x, f.box.y, f.box.width);
  to[1] = make_int4(f.box.height, 0, low(f.area), high(f.area));
  to[2] = make_int4(low(sum_x), high(sum_x), low(sum_y), high(sum_y));
}

/// What is counted over all tiles.
struct alignas(16) Counts {
  int32_t closed_sets, open_sets, sets;
  int32_t parts;  // that the scan has taken
  int32_t large;  // components that are not small
  int32_t unused[3];
};

/// Nobody wants components.
struct NoList {
  static constexpr bool wanted = false;
  struct Stage {};
};

/// Components for the host: records in label order, and the larger ones in any.
struct Records {
  static constexpr bool wanted = true;
  struct Stage {};
  Counts* counts;
  Component* large;  // behind the counts
  SmallComponent* small;
  int32_t room, large_room;
  int32_t width;    // of the picture
  int32_t fetched;  // records that are fetched before their number is known

  __device__ void write(const Found& f, Stage&) const {
    if (f.label == 0) return;
    auto& record = small[f.label - 1];
    if (SmallComponent::fits(f.box)) {
      record = SmallComponent(f.box, int32_t(f.area), int32_t(f.sum_x), int32_t(f.sum_y), width);
      return;
    }
    reinterpret_cast<uint64_t&>(record) = 0;
    const int32_t at = atomicAdd(&counts->large, 1);
    if (at < large_room) write_component(reinterpret_cast<int4*>(large + at), f);
  }
  /// What is fetched and not written is 0. Every one of `threads` threads calls.
  __device__ void tell(int32_t sets, bool fits, int32_t thread, int32_t threads) const {
    for (int32_t i = (fits ? sets : 0) + thread; i < fetched; i += threads)
      reinterpret_cast<uint64_t&>(small[i]) = 0;
  }
};

/// Components where they stay.
struct DeviceList {
  static constexpr bool wanted = true;
  static constexpr int pieces = 3;  // of a component, 16 bytes each
  /// A warp's, in shared memory.
  struct Stage {
    int4 of[32][pieces];
  };
  Component* list;
  int32_t room;
  int32_t* count;

  /// A whole warp calls. Lanes beside each other write 16 bytes beside each other: what many lanes
  /// write in part costs as often.
  __device__ void write(const Found& f, Stage& stage) const {
    const int lane = int(threadIdx.x) % 32;
    if (f.label != 0) write_component(stage.of[lane], f);
    __syncwarp();
#pragma unroll
    for (int k = 0; k < pieces; ++k) {
      const int i = k * 32 + lane, from = i / pieces, piece = i % pieces;
      const int32_t label = __shfl_sync(~0u, f.label, from);
      if (label != 0) reinterpret_cast<int4*>(list + (label - 1))[piece] = stage.of[from][piece];
    }
    __syncwarp();
  }
  __device__ void tell(int32_t sets, bool, int32_t thread, int32_t) const {
    if (thread == 0) *count = sets;
  }
};

}  // namespace cuesta::label_cuda
