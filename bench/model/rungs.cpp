// Every strategy that the model has formulas for.
#include "bench/model/canny.hpp"
#include "bench/model/convolve.hpp"
#include "bench/model/log.hpp"
#include "bench/model/model.hpp"
#include "bench/model/sobel.hpp"

namespace cuesta::bench::model {
namespace {

namespace c = convolve;

template <log::Rung Gaussian, log::Rung Laplacian = Gaussian>
std::vector<Kernel> log_by(const Workload& q) {
  return log::two_pass(q, Gaussian, Laplacian);
}

std::vector<Kernel> global(const Workload& q) {
  return q.k == 3 ? c::naive(q) : std::vector<Kernel>();
}

constexpr Rung all[] = {
    {"convolve", "naive", c::naive},
    {"convolve", "global", global},
    {"convolve", "shared", c::shared},
    {"convolve", "shared-constant", c::shared_constant},
    {"convolve", "constant", c::constant},
    {"convolve", "texture", c::texture},
    {"convolve", "texture-constant", c::texture_constant},
    {"convolve", "two-pass", c::two_pass},
    {"convolve", "separable", c::separable},
    {"convolve", "tiled", c::tiled},
    {"convolve", "adaptive-tiled", c::adaptive_tiled},
    {"convolve", "separable-tiled", c::separable_tiled},
    {"convolve", "row-cyclic", c::row_cyclic},
    {"convolve", "shared-1d", c::shared_1d},
    {"log", "naive", log_by<c::naive>},
    {"log", "shared", log_by<c::shared>},
    {"log", "shared-constant", log_by<c::shared_constant>},
    {"log", "constant", log_by<c::constant>},
    {"log", "texture", log_by<c::texture>},
    {"log", "texture-constant", log_by<c::texture_constant>},
    {"log", "separable", log_by<c::separable, c::constant>},
    {"log", "tiled", log_by<c::tiled>},
    {"log", "adaptive-tiled", log_by<c::adaptive_tiled>},
    {"log", "separable-tiled", log_by<c::separable_tiled, c::tiled>},
    {"log", "row-cyclic", log_by<c::row_cyclic>},
    {"sobel", "global", sobel::global},
    {"sobel", "shared-no-apron", sobel::shared_no_apron},
    {"sobel", "shared-apron", sobel::shared_apron},
    {"sobel", "shared-1d", sobel::shared_1d},
    {"canny", "global", canny::global, canny::whole},
    {"canny", "row-cyclic", canny::row_cyclic, canny::whole},
    {"canny", "bfs-launch", canny::bfs_launch, canny::nothing_whole},
    {"canny", "bfs-queue", canny::bfs_queue, canny::nothing_whole},
};

constexpr Unpredicted without_formulas[] = {
    {"convolve", "registers", "how much of a sum's latency others hide is not fitted to a run yet"},
    {"convolve", "halos", "how much of a sum's latency others hide is not fitted to a run yet"},
    {"convolve", "vectors",
     "how many instructions take a sample out of a word is in no profile yet"},
    {"canny", "tile-flood", "how long a tile is flooded depends on the edges in it"},
    {"canny", "persistent", "a barrier of the grid a step, which no ceiling measures"},
    {"canny", "graph", "a turn of a graph's loop a step, which no ceiling measures"},
    {"canny", "union-find", "how far a pixel's set is searched for depends on the edges"},
    {"canny", "runs", "how many runs there are, and what they touch, depends on the edges"},
};

}  // namespace

std::span<const Rung> rungs() { return all; }
std::span<const Unpredicted> unpredicted() { return without_formulas; }

}  // namespace cuesta::bench::model
