// Bytes on the GPU and over the bus: paper 004's table 1, and what our rungs hold and move.
#pragma once

#include <cstdint>

namespace cuesta::bench::motion_memory {

struct Bytes {
  int64_t held = 0;       ///< on the GPU between launch and the last frame
  int64_t at_launch = 0;  ///< moved between host and GPU once
  int64_t a_frame = 0;    ///< moved for every frame
};

/// Color frames of three bytes a pixel. Held: a frame 3, background and processed frame 1 each,
/// the other picture of morphology 1, labels 4. A blur matrix of floats and an element of bytes,
/// both ksize x ksize. (The paper prints "225 * ksize^2", counting the window twice.)
constexpr Bytes paper(int64_t width, int64_t height, int64_t ksize) {
  const int64_t pixels = width * height;
  return {10 * pixels, 3 * pixels + 5 * ksize * ksize, 7 * pixels};
}

/// One request to our rungs.
struct MotionRequest {
  int64_t width = 0, height = 0, channels = 3;
  int64_t blur = 15;        ///< side of the matrix
  int64_t close_cells = 0;  ///< of the elements
  int64_t open_cells = 0;
  int64_t components = 0;  ///< found in the frame
};

enum class Rung : uint8_t { v1_0, v1_1, v1_2, v1_3, v1_4, v1_5 };

constexpr int64_t padded_row(int64_t bytes) { return (bytes + 63) / 64 * 64; }
/// A picture of one byte a pixel.
constexpr int64_t picture(const MotionRequest& q) { return padded_row(q.width) * q.height; }
/// A mask of one bit a pixel.
constexpr int64_t bits(const MotionRequest& q) { return (q.width + 63) / 64 * 8 * q.height; }
constexpr int64_t component = 48;

/// Held: the caller's frame, the smoothed first frame, two pictures between the steps, the mask in
/// bits, and labelling's parents and numbers, 4 bytes a pixel each, with its components. Over the
/// bus: frames up, the mask in bits, the number of components and the components down, where the
/// paper (and boxes=host, not counted here) moves a label of four bytes a pixel. Taps and offsets
/// go up with every frame of v1.0 and once with v1.1; v1.2 and v1.3 send them as arguments of
/// kernels, whole structs, and v1.4 and v1.5 the taps alone, as their elements are part of the
/// kernels. v1.0 holds the same while a frame lasts, and the first frame and its second smoothing.
constexpr Bytes ours(const MotionRequest& q, Rung rung) {
  const int64_t frame = q.channels * q.width * q.height;
  const bool arguments = rung != Rung::v1_0 && rung != Rung::v1_1;
  const bool unrolled = rung == Rung::v1_4 || rung == Rung::v1_5;
  // A blur matrix of at most 15 x 15, and two steps each of two elements of at most 256 offsets.
  const int64_t side = arguments ? 15 : q.blur, matrix = q.blur > 1 ? 4 * side * side : 0;
  const int64_t elements =
      unrolled ? 0 : 4 * (arguments ? 4 * (256 + 1) : q.close_cells + q.open_cells);
  const int64_t constants = matrix + elements;
  Bytes bytes;
  bytes.held = frame + 3 * picture(q) + bits(q) + 8 * q.width * q.height +
               component * q.components + (arguments ? 0 : constants);
  if (rung == Rung::v1_0) bytes.held += frame + picture(q);
  bytes.at_launch = frame + (rung == Rung::v1_1 ? constants : 0);
  bytes.a_frame =
      frame + bits(q) + 4 + component * q.components + (rung == Rung::v1_1 ? 0 : constants);
  return bytes;
}

}  // namespace cuesta::bench::motion_memory
