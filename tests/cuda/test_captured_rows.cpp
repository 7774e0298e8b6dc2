// Production rows of sobel and of the point operations only enqueue: they become part of the
// caller's graph. Without a GPU these skip.
#include <gtest/gtest.h>

#ifdef CUESTA_HAS_CUDA
#include <functional>
#include <string>

#include "cuda/check.hpp"
#include "cuesta/device.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/objects.hpp"
#include "support/pictures.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

constexpr int32_t width = 701, height = 90;

/// One call that reads `src` and writes `dst`, wherever the two lie, in the row of that name.
struct Captured {
  std::string strategy;
  PixelType src;
  int32_t channels;
  PixelType dst;
  std::function<void(ConstAnyView, AnyView, const Exec&)> run;
};

std::vector<Captured> calls() {
  using enum PixelType;
  const auto edges = [](SobelOptions options) {
    return [options](ConstAnyView src, AnyView dst, const Exec& exec) {
      dst.type == s16 ? sobel(src, {.gy = dst}, options, exec)
                      : sobel(src, {.magnitude = dst}, options, exec);
    };
  };
  return {{"pairs", u8, 1, u8, edges({})},
          {"pairs", u8, 1, u8, edges({.norm = Norm::l2})},
          {"pairs", u8, 1, s16, edges({})},
          {"tensor", u8, 1, u8, edges({.aperture = 5})},
          {"tensor", u8, 1, u8, edges({.aperture = 7})},
          {"walk", u16, 1, u16, edges({})},
          {"walk", u8, 1, f32, edges({.aperture = 5})},
          {"vectors", u8, 3, u8,
           [](ConstAnyView src, AnyView dst, const Exec& exec) {
             to_gray(src, dst, ColorOrder::bgr, exec);
           }},
          {"vectors", u16, 1, bit, [](ConstAnyView src, AnyView dst, const Exec& exec) {
             threshold(src, dst, 30000, exec);
           }}};
}

TEST(CapturedRows, RunAgainOnAnotherPicture) {
  std::string why;
  if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  const auto ok = [](cudaError_t status) { cuda::check(status, "a graph of the test's"); };
  for (const Captured& call : calls()) {
    SCOPED_TRACE(call.strategy + " to " + name_of(call.dst));
    const Size size = {width, height};
    AnyImage pictures[] = {AnyImage(size, call.channels, call.src),
                           AnyImage(size, call.channels, call.src)};
    verify::fill(pictures[0], verify::Pattern::natural, 3);
    verify::fill(pictures[1], verify::Pattern::noise, 4);
    AnyImage expected(size, 1, call.dst), found(size, 1, call.dst);
    AnyImage src(size, call.channels, call.src, Space::device),
        dst(size, 1, call.dst, Space::device);
    const Stream stream;
    const auto there = static_cast<cudaStream_t>(stream.get());
    Exec exec;
    exec.strategy = call.strategy;
    exec.stream = stream.get();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t instance = nullptr;
    ok(cudaStreamBeginCapture(there, cudaStreamCaptureModeThreadLocal));
    call.run(src, dst, exec);
    ok(cudaStreamEndCapture(there, &graph));
    ok(cudaGraphInstantiate(&instance, graph, 0));
    for (const int turn : {0, 1, 0}) {
      copy(pictures[turn], src, stream.get());
      ok(cudaGraphLaunch(instance, there));
      copy(dst, found, stream.get());
      call.run(pictures[turn], expected, {.strategy = "serial"});
      EXPECT_TRUE(test::equal(found, expected)) << "picture " << turn;
    }
    ok(cudaGraphExecDestroy(instance));
    ok(cudaGraphDestroy(graph));
  }
}

}  // namespace
}  // namespace cuesta
#endif
