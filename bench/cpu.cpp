// Experiment `cpu`: the operations on the host, production beside plain loops, a memcpy and OpenCV.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bench/session.hpp"
#include "cuesta/error.hpp"

namespace cuesta::bench {
namespace {

constexpr Experiment tables[] = {
    {{"canny", "Canny, and Gaussian 5x5 then Canny"}, bench_canny},
    {{"log", "Laplacian of Gaussian"}, bench_log},
    {{"gaussian", "Gaussian 5x5 and 15x15"}, bench_gaussian},
    {{"sobel", "gradient magnitude, and both gradients"}, bench_sobel},
    {{"convolve", "stencils 3x3, 5x5, 9x9 on u8 and f32"}, bench_convolve},
    {{"morphology", "close then open with a disk of 15"}, bench_morphology},
    {{"components", "connected components of sparse and random masks"}, bench_components},
    {{"motion", "the whole moving-object chain, a frame at a time"}, bench_motion},
};

}  // namespace

std::vector<ExperimentInfo> list_cpu_tables() {
  std::vector<ExperimentInfo> out;
  for (const auto& table : tables) out.push_back(table.info);
  return out;
}

void bench_cpu(Session& session) {
  session.print(
      "\nmedians over batches that take turns; spread: between quartiles; x copy: times a memcpy "
      "of "
      "the source; x opencv: times as fast\n");
  for (const auto& table : tables) {
    if (session.wants_table(table.info.name)) table.run(session);
  }
}

}  // namespace cuesta::bench
