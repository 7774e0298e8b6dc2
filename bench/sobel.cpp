// Gradients of u8: the magnitude in u8 against cv::Sobel twice, cv::convertScaleAbs twice and
// cv::add; both gradients in s16 against cv::spatialGradient. Equal bytes.
#include "bench/session.hpp"
#include "cuesta/edges.hpp"

namespace cuesta::bench {
namespace {

void magnitude(Session& session, const Image<uint8_t>& src) {
  Image<uint8_t> ours(src.width(), src.height()), theirs(src.width(), src.height());
  Table table{.experiment = "sobel magnitude",
              .parameters = "aperture 3, L1, to u8",
              .src = src,
              .bytes_per_pixel = 2};
  if (session.opencv()) {
    sobel(src, {.magnitude = ours}, {}, session.exec());
    session.opencv()->sobel_magnitude(src, theirs);
    if (!session.expect_equal(table.experiment, ours, theirs)) return;
  }
  session.add_strategies(table, "sobel",
                         [&](const Exec& exec) { sobel(src, {.magnitude = ours}, {}, exec); });
  session.add_opencv(table, "sobel", [&] { session.opencv()->sobel_magnitude(src, theirs); });
  session.time(table);
}

void gradients(Session& session, const Image<uint8_t>& src) {
  Image<int16_t> gx(src.width(), src.height()), gy(src.width(), src.height());
  Image<int16_t> their_gx(src.width(), src.height()), their_gy(src.width(), src.height());
  Table table{.experiment = "sobel gradients",
              .parameters = "aperture 3, gx and gy to s16",
              .src = src,
              .bytes_per_pixel = 5};
  if (session.opencv()) {
    sobel(src, {.gx = gx, .gy = gy}, {}, session.exec());
    session.opencv()->gradients(src, their_gx, their_gy);
    if (!session.expect_equal("sobel gx", gx, their_gx) ||
        !session.expect_equal("sobel gy", gy, their_gy))
      return;
  }
  session.add_strategies(table, "sobel",
                         [&](const Exec& exec) { sobel(src, {.gx = gx, .gy = gy}, {}, exec); });
  session.add_opencv(table, "sobel", [&] { session.opencv()->gradients(src, their_gx, their_gy); });
  session.time(table);
}

}  // namespace

void bench_sobel(Session& session) {
  for (const int32_t side : session.sizes()) {
    const Image<uint8_t> src = session.photograph(side, side);
    magnitude(session, src);
    gradients(session, src);
  }
}

}  // namespace cuesta::bench
