// A call or more of every operation, on pictures that the caller makes: what which() reports and
// what runs can be compared, and what only asks can be given pictures that nobody may read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cuesta/bands.hpp"
#include "cuesta/cuesta.hpp"

namespace cuesta::test {

struct OperationCall {
  std::string name;
  /// Makes pictures of one size in one space, with this many channels.
  using Make = std::function<AnyView(PixelType type, int32_t channels)>;
  /// Of sources of `type`; throws Error where the operation does not take it.
  std::function<void(const Make& make, PixelType type, const Exec& exec)> call;
  bool host_only = false;
};

inline std::vector<OperationCall> operation_calls() {
  using enum PixelType;
  using Make = OperationCall::Make;
  const auto batch = [](AnyView whole) {  // the upper and the lower half
    const AnyView half = whole.region({0, 0, whole.width, whole.height / 2});
    return Batch(half, 2, half.stride_bytes * half.height);
  };
  // A source and a result of the same type.
  const auto filter = [](auto run) {
    return [run](const Make& make, PixelType type, const Exec& exec) {
      run(make(type, 1), make(type, 1), exec);
    };
  };
  const auto edges = [](auto run) {
    return [run](const Make& make, PixelType type, const Exec& exec) {
      run(make(type, 1), make(u8, 1), exec);
    };
  };
  const StructuringElement disk = StructuringElement::disk(5);
  return {
      {"to_gray",
       [](const Make& make, PixelType type, const Exec& exec) {
         to_gray(make(type, 3), make(type, 1), ColorOrder::bgr, exec);
       }},
      {"absdiff",
       [](const Make& make, PixelType type, const Exec& exec) {
         absdiff(make(type, 1), make(type, 1), make(type, 1), exec);
       }},
      {"threshold", edges([](ConstAnyView src, AnyView dst, const Exec& exec) {
         threshold(src, dst, 90, exec);
       })},
      {"threshold to bits",
       [](const Make& make, PixelType type, const Exec& exec) {
         threshold(make(type, 1), make(bit, 1), 90, exec);
       }},
      {"threshold of a batch", edges([=](ConstAnyView src, AnyView dst, const Exec& exec) {
         threshold(batch(AnyView(const_cast<void*>(src.data), src.width, src.height, src.channels,
                                 src.stride_bytes, src.type, src.space)),
                   batch(dst), 90, exec);
       })},
      {"absdiff_threshold",
       [](const Make& make, PixelType type, const Exec& exec) {
         absdiff_threshold(make(type, 1), make(type, 1), make(u8, 1), 9, exec);
       }},
      {"histogram",
       [](const Make& make, PixelType type, const Exec& exec) { histogram(make(type, 1), exec); }},
      {"unpack_mask", [](const Make& make, PixelType type,
                         const Exec& exec) { unpack_mask(make(type, 1), make(u8, 1), exec); }},
      {"pack_mask", [](const Make& make, PixelType type,
                       const Exec& exec) { pack_mask(make(type, 1), make(bit, 1), exec); }},
      {"correlate", filter([](ConstAnyView src, AnyView dst, const Exec& exec) {
         correlate(src, dst, stencils::sharpen(3), {}, exec);
       })},
      {"convolve", filter([](ConstAnyView src, AnyView dst, const Exec& exec) {
         convolve(src, dst, stencils::sharpen(3), {}, exec);
       })},
      {"gaussian", filter([](ConstAnyView src, AnyView dst, const Exec& exec) {
         gaussian(src, dst, {.sigma = 2}, exec);
       })},
      {"box", filter([](ConstAnyView src, AnyView dst, const Exec& exec) {
         box(src, dst, {.n = 5}, exec);
       })},
      {"sharpen", filter([](ConstAnyView src, AnyView dst, const Exec& exec) {
         sharpen(src, dst, {}, exec);
       })},
      {"laplacian", filter([](ConstAnyView src, AnyView dst, const Exec& exec) {
         laplacian(src, dst, {}, exec);
       })},
      {"median", filter([](ConstAnyView src, AnyView dst, const Exec& exec) {
         median(src, dst, {.ksize = 5}, exec);
       })},
      {"sobel", edges([](ConstAnyView src, AnyView dst, const Exec& exec) {
         sobel(src, SobelOutputs{.magnitude = dst}, {}, exec);
       })},
      {"sobel's gradients",
       [](const Make& make, PixelType type, const Exec& exec) {
         sobel(make(type, 1), SobelOutputs{.gx = make(s16, 1), .gy = make(s16, 1)}, {}, exec);
       }},
      {"log_edges", edges([](ConstAnyView src, AnyView dst, const Exec& exec) {
         log_edges(src, dst, {}, exec);
       })},
      {"log_edges of a wide Gaussian", edges([](ConstAnyView src, AnyView dst, const Exec& exec) {
         log_edges(src, dst, {.sigma = 3.5}, exec);
       })},
      {"log_edges' response",
       [](const Make& make, PixelType type, const Exec& exec) {
         log_edges(make(type, 1), make(s32, 1), {.sigma = 2.5}, exec);
       }},
      {"canny",
       edges([](ConstAnyView src, AnyView dst, const Exec& exec) { canny(src, dst, {}, exec); })},
      {"canny of given thresholds", edges([](ConstAnyView src, AnyView dst, const Exec& exec) {
         canny(src, dst, {.sigma = 3, .thresholds = Thresholds::given(40, 90)}, exec);
       })},
      {"canny of another border", edges([](ConstAnyView src, AnyView dst, const Exec& exec) {
         canny(src, dst, {.sigma = 4, .border = {BorderMode::replicate}}, exec);
       })},
      {"canny of colors", [](const Make& make, PixelType type,
                             const Exec& exec) { canny(make(type, 3), make(u8, 1), {}, exec); }},
      {"canny_of_gradients",
       [](const Make& make, PixelType type, const Exec& exec) {
         canny_of_gradients(make(type, 1), make(type, 1), make(u8, 1), {}, exec);
       }},
      {"canny in bands",
       [](const Make& make, PixelType type, const Exec& exec) {
         const AnyView rows = make(type, 1);
         CannyBands bands(rows.width, {});
         bands.count(rows, 0, rows.height, exec);
       }},
      {"boundaries", edges([](ConstAnyView src, AnyView dst, const Exec& exec) {
         boundaries(src, dst, {}, exec);
       })},
      {"boundaries of colors",
       [](const Make& make, PixelType type, const Exec& exec) {
         boundaries(make(type, 3), make(u8, 1), {}, exec);
       }},
      {"regions", [](const Make& make, PixelType type,
                     const Exec& exec) { regions(make(type, 1), make(s32, 1), {}, exec); }},
      {"erode", filter([=](ConstAnyView src, AnyView dst, const Exec& exec) {
         erode(src, dst, disk, {}, exec);
       })},
      {"dilate", filter([=](ConstAnyView src, AnyView dst, const Exec& exec) {
         dilate(src, dst, disk, {}, exec);
       })},
      {"morph_open", filter([=](ConstAnyView src, AnyView dst, const Exec& exec) {
         morph_open(src, dst, disk, {}, exec);
       })},
      {"morph_close", filter([=](ConstAnyView src, AnyView dst, const Exec& exec) {
         morph_close(src, dst, disk, {}, exec);
       })},
      {"remove_small", filter([=](ConstAnyView src, AnyView dst, const Exec& exec) {
         remove_small(src, dst, {}, exec);
       })},
      {"fill_holes", filter([=](ConstAnyView src, AnyView dst, const Exec& exec) {
         fill_holes(src, dst, {}, exec);
       })},
      {"measure", [](const Make& make, PixelType type,
                     const Exec& exec) { measure(make(s32, 1), 5, make(type, 1), exec); }},
      {"label",
       [](const Make& make, PixelType type, const Exec& exec) {
         std::vector<Component> list;
         label(make(type, 1), make(s32, 1), &list, {}, exec);
       }},
      {"label's list",
       [](const Make& make, PixelType type, const Exec& exec) {
         std::vector<Component> list;
         label(make(type, 1), {}, &list, {}, exec);
       }},
      {"label in bands",
       [](const Make& make, PixelType type, const Exec& exec) {
         const AnyView rows = make(type, 1);
         LabelBands bands(rows.width);
         bands.find(rows, exec);
       }},
      {"a background model",
       [](const Make& make, PixelType type, const Exec& exec) {
         BackgroundSubtractor model;
         model.push(make(type, 1), {.mask = make(u8, 1)}, 25, exec);
       }},
      {"a motion detector",
       [](const Make& make, PixelType type, const Exec& exec) {
         MotionOptions options;
         options.warm_up = 1;
         options.steady = 0;
         MotionDetector detector(options);
         detector.push(make(type, 1), exec);
       }},
      {"a motion detector of smaller frames",
       [](const Make& make, PixelType type, const Exec& exec) {
         Downscale small(2);
         MotionOptions options;
         options.warm_up = 1;
         options.steady = 0;
         MotionDetector detector(small.options_for(options));
         detector.push(small.look(make(type, 3), exec), exec);
       },
       true},
      {"trace of canny", [](const Make& make, PixelType type,
                            const Exec& exec) { trace(make(type, 1), CannyOptions{}, {}, exec); }},
      {"trace of log",
       [](const Make& make, PixelType type, const Exec& exec) {
         trace(make(type, 1), LogOptions{.sigma = 3}, {}, exec);
       }},
  };
}

}  // namespace cuesta::test
