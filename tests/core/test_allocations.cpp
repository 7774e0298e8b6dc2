// After the first call of a size, nothing allocates: scratch comes from the workspace, results go
// where the caller says.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "cuesta/cuesta.hpp"
#include "support/allocations.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

TEST(Allocations, NoneAfterTheFirstCallOfASize) {
  constexpr int32_t width = 300, height = 200;
  Image<uint8_t> src(width, height), other(width, height), dst(width, height);
  Image<uint8_t> color(width, height, 3);
  Image<int16_t> gx(width, height), gy(width, height);
  Image<int32_t> labels(width, height);
  BitImage bits(width, height), more_bits(width, height);
  verify::fill(src, verify::Pattern::natural, 1);
  verify::fill(other, verify::Pattern::blobs, 2);
  verify::fill(color, verify::Pattern::natural, 3);
  std::vector<Component> components;
  std::vector<uint64_t> bins(256);
  const StructuringElement disk = StructuringElement::disk(15);
  const Stencil stencil = stencils::laplacian();
  Workspace workspace;
  const Exec exec{.threads = 1, .workspace = &workspace};

  const std::pair<const char*, std::function<void()>> calls[] = {
      {"to_gray", [&] { to_gray(color, dst, ColorOrder::rgb, exec); }},
      {"scale", [&] { scale(src, dst, 0.4, exec); }},
      {"keep_channels", [&] { keep_channels(color, dst, exec); }},
      {"absdiff", [&] { absdiff(src, other, dst, exec); }},
      {"threshold", [&] { threshold(src, bits, 90, exec); }},
      {"histogram", [&] { histogram(src, bins, exec); }},
      {"correlate", [&] { correlate(src, gx, stencil, {}, exec); }},
      {"gaussian", [&] { gaussian(src, dst, {.ksize = 15}, exec); }},
      {"box", [&] { box(src, dst, {.n = 5}, exec); }},
      {"median of 5", [&] { median(src, dst, {.ksize = 5}, exec); }},
      {"median of 15", [&] { median(src, dst, {.ksize = 15}, exec); }},
      {"median of bits", [&] { median(bits, more_bits, {.ksize = 7}, exec); }},
      {"sobel", [&] { sobel(src, {.gx = gx, .gy = gy, .magnitude = dst}, {}, exec); }},
      {"log_edges", [&] { log_edges(src, dst, {}, exec); }},
      {"log_edges of sigma 2", [&] { log_edges(src, dst, {.sigma = 2}, exec); }},
      {"canny", [&] { canny(src, dst, {}, exec); }},
      {"canny of sigma 4", [&] { canny(src, dst, {.sigma = 4}, exec); }},
      {"canny with thresholds",
       [&] { canny(src, dst, {.thresholds = Thresholds::given(40, 90)}, exec); }},
      {"boundaries", [&] { boundaries(src, dst, {}, exec); }},
      {"boundaries of three channels", [&] { boundaries(color, dst, {}, exec); }},
      {"canny of a batch",
       [&] {
         const AnyView first = AnyView(dst).region({0, 0, width, height / 4});
         const ptrdiff_t step = first.stride_bytes * first.height;
         const Thresholds pairs[] = {Thresholds::given(40, 90), Thresholds(),
                                     Thresholds::given(9, 90), Thresholds()};
         canny({ConstAnyView(src).region({0, 0, width, height / 4}), 4, step}, {first, 4, step}, {},
               {.thresholds = pairs}, exec);
       }},
      {"gaussian of a batch",
       [&] {
         const AnyView first = AnyView(dst).region({0, 0, width, height / 4});
         const ptrdiff_t step = first.stride_bytes * first.height;
         gaussian({ConstAnyView(src).region({0, 0, width, height / 4}), 4, step}, {first, 4, step},
                  {.sigma = 2}, exec);
       }},
      {"morphology of u8", [&] { morph_open(other, dst, disk, {}, exec); }},
      {"morphology of bits", [&] { morph_close(bits, bits, disk, {}, exec); }},
      {"label", [&] { label(other, labels, &components, {}, exec); }},
  };
  for (const auto& [name, call] : calls) {
    call();
    call();
    const int64_t before = test::allocations();
    call();
    EXPECT_EQ(test::allocations(), before) << name;
  }
}

}  // namespace
}  // namespace cuesta
