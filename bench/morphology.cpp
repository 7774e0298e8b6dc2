// Closing then opening of a mask with a round element of 15: our disk (149 cells) on one bit a
// pixel, and OpenCV's ellipse (169 cells) on u8, which gives equal bytes to cv::morphologyEx twice.
#include "bench/masks.hpp"
#include "cuesta/objects.hpp"
#include "verify/patterns.hpp"

namespace cuesta::bench {

Image<uint8_t> object_mask(int32_t side) {
  Image<uint8_t> tile(512, 512), mask(side, side);
  verify::fill(tile, verify::Pattern::blobs, 3);
  for (int32_t y = 0; y < side; ++y)
    for (int32_t x = 0; x < side; ++x)
      mask.at(x, y) =
          tile.at(map_index<BorderMode::reflect>(x, 512), map_index<BorderMode::reflect>(y, 512));
  return mask;
}

void bench_morphology(Session& session) {
  const auto disk = StructuringElement::disk(15);
  const auto ellipse = StructuringElement::ellipse(15, 15);
  for (const int32_t side : session.sizes()) {
    const Image<uint8_t> mask = object_mask(side);
    Image<uint8_t> closed(side, side), opened(side, side), theirs(side, side);
    BitImage bits(side, side), closed_bits(side, side), opened_bits(side, side);
    pack_mask(mask, bits);

    Table bytes{.experiment = "close + open",
                .parameters = "ellipse:15, u8",
                .src = mask,
                .bytes_per_pixel = 2};
    const auto on_bytes = [&](const Exec& exec) {
      close(mask, closed, ellipse, exec);
      open(closed, opened, ellipse, exec);
    };
    if (session.opencv()) {
      on_bytes(session.exec());
      session.opencv()->close_open(mask, theirs, 15);
      if (!session.expect_equal("close + open ellipse:15", opened, theirs)) continue;
    }
    const auto opencv = [&] { session.opencv()->close_open(mask, theirs, 15); };
    session.add_strategies(bytes, "morphology", on_bytes);
    session.add_opencv(bytes, "morphology", opencv);
    session.time(bytes);

    // The mask is u8 for the copy and the peer; ours reads and writes the same mask in bits.
    for (const auto* element : {&ellipse, &disk}) {
      Table packed{.experiment = "close + open",
                   .parameters = element == &disk ? "disk:15, bits (opencv: ellipse:15, u8)"
                                                  : "ellipse:15, bits (opencv: u8)",
                   .src = mask,
                   .bytes_per_pixel = 0.25};
      session.add_strategies(packed, "morphology", [&](const Exec& exec) {
        close(bits, closed_bits, *element, exec);
        open(closed_bits, opened_bits, *element, exec);
      });
      session.add_opencv(packed, "morphology", opencv);
      session.time(packed);
    }
  }
}

}  // namespace cuesta::bench
