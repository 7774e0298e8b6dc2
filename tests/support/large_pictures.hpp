// Requests for pictures whose sizes outgrow their numbers, of u8 to u8: the host's and the device's
// tests of large pictures ask the same. Labels, and what counts components with them, end at 2^31
// pixels by definition and are not among them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cuesta/cuesta.hpp"

namespace cuesta::test {

struct LargeRequest {
  std::string_view operation;
  std::string text;
  std::function<void(ConstAnyView, AnyView, const Exec&)>
      run;  // of what is no more than 64 rows away
};

/// Rows y to y + count − 1.
template <class View>
View rows_of(View picture, int32_t y, int32_t count) {
  using Byte = std::conditional_t<std::is_same_v<View, AnyView>, char, const char>;
  picture.data = static_cast<Byte*>(picture.data) + y * picture.stride_bytes;
  picture.height = count;
  return picture;
}

/// Whether the operation counts with labels, which end at 2^31 pixels.
inline bool counts_labels(std::string_view operation) {
  return operation == "label" || operation == "motion" || operation == "clean" ||
         operation == "measure" || operation == "regions";
}

inline const std::vector<LargeRequest>& large_requests() {
  static const std::vector<LargeRequest> all = {
      {"pixel", "threshold",
       [](ConstAnyView src, AnyView dst, const Exec& exec) { threshold(src, dst, 100, exec); }},
      {"convolve", "gaussian 5",
       [](ConstAnyView src, AnyView dst, const Exec& exec) {
         gaussian(src, dst, {.ksize = 5}, exec);
       }},
      {"convolve", "box 11",
       [](ConstAnyView src, AnyView dst, const Exec& exec) { box(src, dst, {.n = 11}, exec); }},
      {"median", "3",
       [](ConstAnyView src, AnyView dst, const Exec& exec) {
         median(src, dst, {.ksize = 3}, exec);
       }},
      {"median", "5",
       [](ConstAnyView src, AnyView dst, const Exec& exec) {
         median(src, dst, {.ksize = 5}, exec);
       }},
      {"sobel", "magnitude",
       [](ConstAnyView src, AnyView dst, const Exec& exec) {
         sobel(src, SobelOutputs{.magnitude = dst}, {}, exec);
       }},
      {"log", "edges",
       [](ConstAnyView src, AnyView dst, const Exec& exec) { log_edges(src, dst, {}, exec); }},
      // One threshold: an edge then depends on its own neighbours alone.
      {"canny", "one threshold",
       [](ConstAnyView src, AnyView dst, const Exec& exec) {
         canny(src, dst, {.sigma = 0, .thresholds = Thresholds::given(90, 90)}, exec);
       }},
      {"boundaries", "default",
       [](ConstAnyView src, AnyView dst, const Exec& exec) { boundaries(src, dst, {}, exec); }},
      {"morphology", "dilate rect:15",
       [](ConstAnyView src, AnyView dst, const Exec& exec) {
         dilate(src, dst, StructuringElement::rectangle(15, 15), {}, exec);
       }},
      {"morphology", "close disk:15",
       [](ConstAnyView src, AnyView dst, const Exec& exec) {
         morph_close(src, dst, StructuringElement::disk(15), {}, exec);
       }},
      {"background", "mean", [](ConstAnyView src, AnyView dst, const Exec& exec) {
         BackgroundSubtractor model({.model = BackgroundModel::mean});
         ConstAnyView lower = src;  // another frame of the same size
         lower.data = static_cast<const char*>(src.data) + src.stride_bytes;
         lower.height = src.height - 1;
         ConstAnyView upper = src;
         upper.height = src.height - 1;
         AnyView mask = dst;
         mask.data = static_cast<char*>(dst.data) + dst.stride_bytes;
         mask.height = dst.height - 1;
         model.push(upper, BackgroundOutputs{}, 25, exec);
         model.push(lower, BackgroundOutputs{.mask = mask}, 25, exec);
       }}};
  return all;
}

}  // namespace cuesta::test
