// Hysteresis of the plain device rows: every candidate that 8-way neighbours connect to a strong
// pixel is an edge. Sets of candidates, named by their first pixels.
#pragma once

#include "cuda/launch.cuh"
#include "cuda/union_find.cuh"
#include "cuesta/image.hpp"

namespace cuesta::cuda {

/// What suppression and thresholds leave of a pixel.
enum PixelMark : uint8_t { no_mark, candidate_mark, strong_mark };

/// A node for each candidate; Node is wide enough to number all pixels.
template <class Node>
struct MarkSets {
  ImageView<uint8_t, Space::device> marks;
  Node* parents;

  __device__ bool has(int32_t x, int32_t y) const { return marks.at(x, y) != no_mark; }
  __device__ Node node(int32_t x, int32_t y) const { return Node(y) * marks.width + x; }
  __device__ uint8_t& mark(Node node) const {
    return marks.at(int32_t(node % marks.width), int32_t(node / marks.width));
  }
};

template <class Node>
struct StartMarks {
  MarkSets<Node> sets;
  __device__ void operator()(int32_t x, int32_t y) const {
    if (sets.has(x, y)) sets.parents[sets.node(x, y)] = sets.node(x, y);
  }
};

// With all candidates that come before in raster order.
template <class Node>
struct JoinMarks {
  MarkSets<Node> sets;
  __device__ void with(Node here, int32_t x, int32_t y) const {
    if (x >= 0 && y >= 0 && x < sets.marks.width && sets.has(x, y))
      unite(sets.parents, here, sets.node(x, y));
  }
  __device__ void operator()(int32_t x, int32_t y) const {
    if (!sets.has(x, y)) return;
    const Node here = sets.node(x, y);
    with(here, x - 1, y);
    with(here, x - 1, y - 1);
    with(here, x, y - 1);
    with(here, x + 1, y - 1);
  }
};

// Where one of a set is strong its root becomes so. All threads that write there write one value,
// and it makes no difference whether a root's own thread reads it before or after.
template <class Node>
struct RaiseMarks {
  MarkSets<Node> sets;
  __device__ void operator()(int32_t x, int32_t y) const {
    if (sets.marks.at(x, y) == strong_mark)
      sets.mark(flatten(sets.parents, sets.node(x, y))) = strong_mark;
  }
};

template <class Node>
struct WriteMarks {
  MarkSets<Node> sets;
  ImageView<uint8_t, Space::device> dst;
  __device__ void operator()(int32_t x, int32_t y) const {
    const bool edge =
        sets.has(x, y) && sets.mark(find(sets.parents, sets.node(x, y))) == strong_mark;
    dst.at(x, y) = edge ? 255 : 0;
  }
};

template <class Node>
void join_marks_by(std::string_view operation, ImageView<uint8_t, Space::device> marks,
                   ImageView<uint8_t, Space::device> dst, Call& call) {
  const auto each = [&](const auto& body) {
    for_each_pixel(operation, marks.width, marks.height, body, call);
  };
  const auto pixels = size_t(marks.width) * size_t(marks.height);
  const MarkSets<Node> sets{marks, call.scratch().take<Node>(pixels)};
  each(StartMarks<Node>{sets});
  each(JoinMarks<Node>{sets});
  each(RaiseMarks<Node>{sets});
  each(WriteMarks<Node>{sets, dst});
}

/// dst is 255 where `marks` has an edge, else 0; `marks` is changed. Pixels are numbered in 64 bits
/// where 32 do not suffice, or where they are to be.
inline void join_marks(std::string_view operation, ImageView<uint8_t, Space::device> marks,
                       ImageView<uint8_t, Space::device> dst, bool in_64_bits, Call& call) {
  if (in_64_bits || int64_t(marks.width) * marks.height > int64_t(1) << 31)
    join_marks_by<int64_t>(operation, marks, dst, call);
  else
    join_marks_by<int32_t>(operation, marks, dst, call);
}

}  // namespace cuesta::cuda
