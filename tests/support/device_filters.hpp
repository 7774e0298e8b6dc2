// Filters that write one picture, on a GPU beside the host: drawn requests, and calls in a graph.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>

#include "cuda/check.hpp"
#include "cuesta/device.hpp"
#include "verify/patterns.hpp"

namespace cuesta::testing_device {

inline AnyImage drawn_picture(PixelType type, int32_t width, int32_t height, uint64_t seed) {
  static constexpr verify::Pattern patterns[] = {verify::Pattern::natural, verify::Pattern::noise,
                                                 verify::Pattern::blobs, verify::Pattern::sparse,
                                                 verify::Pattern::extremes};
  AnyImage picture(width, height, 1, type);
  verify::fill(picture, patterns[seed % std::size(patterns)], seed);
  return picture;
}

inline AnyImage there(ConstAnyView picture, void* stream = nullptr) {
  AnyImage device(picture.width, picture.height, 1, picture.type, Space::device);
  upload(picture, device, stream);
  return device;
}

inline bool same_rows(ConstAnyView a, ConstAnyView b) {
  const size_t bytes = a.type == PixelType::bit
                           ? size_t((a.width + 63) / 64) * 8
                           : size_t(a.width) * size_t(bytes_per_sample(a.type));
  for (int32_t y = 0; y < a.height; ++y) {
    const auto row = [&](ConstAnyView p) {
      return static_cast<const char*>(p.data) + ptrdiff_t(y) * p.stride_bytes;
    };
    if (std::memcmp(row(a), row(b), bytes) != 0) return false;
  }
  return true;
}

/// filter(src, dst, exec) of a host picture and of the same on the GPU by `strategy`.
using Filter = std::function<void(ConstAnyView, OutView, const Exec&)>;
inline bool equal_there(const Filter& filter, ConstAnyView picture, std::string_view strategy,
                        bool in_place = false) {
  AnyImage here(picture.width, picture.height, 1, picture.type);
  AnyImage back(picture.width, picture.height, 1, picture.type);
  filter(picture, here, {});
  AnyImage src = there(picture);
  AnyImage dst(picture.width, picture.height, 1, picture.type, Space::device);
  Exec exec;
  exec.strategy = strategy;
  filter(src, in_place ? src.view() : dst.view(), exec);
  download(in_place ? src : dst, back);
  return same_rows(here, back);
}

#ifdef CUESTA_HAS_CUDA
/// Becomes part of the caller's graph, and runs again on another picture.
inline void expect_captured(const Filter& filter, PixelType type, std::string_view strategy,
                            const std::string& what) {
  constexpr int32_t width = 700, height = 333;
  const AnyImage pictures[] = {drawn_picture(type, width, height, 0),
                               drawn_picture(type, width, height, 1)};
  const auto ok = [](cudaError_t status) { cuda::check(status, "a graph of the test's"); };
  const Stream stream;
  const auto on = static_cast<cudaStream_t>(stream.get());
  Workspace workspace;
  Exec exec;
  exec.strategy = strategy;
  exec.workspace = &workspace;
  exec.stream = stream.get();
  AnyImage src = there(pictures[0], stream.get());
  AnyImage dst(width, height, 1, type, Space::device), here(width, height, 1, type),
      back(width, height, 1, type);
  filter(src, dst, exec);  // memory
  wait(stream.get());
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t instance = nullptr;
  ok(cudaStreamBeginCapture(on, cudaStreamCaptureModeThreadLocal));
  filter(src, dst, exec);
  ok(cudaStreamEndCapture(on, &graph));
  ok(cudaGraphInstantiate(&instance, graph, 0));
  for (const int turn : {0, 1, 1, 0}) {
    upload(pictures[turn], src, stream.get());
    ok(cudaGraphLaunch(instance, on));
    download(dst, back, stream.get());
    filter(pictures[turn], here, {});
    EXPECT_TRUE(same_rows(here, back)) << what << ", picture " << turn;
  }
  ok(cudaGraphExecDestroy(instance));
  ok(cudaGraphDestroy(graph));
}
#endif

}  // namespace cuesta::testing_device
