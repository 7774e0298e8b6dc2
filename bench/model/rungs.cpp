// Every strategy that the model has formulas for.
#include "bench/model/convolve.hpp"
#include "bench/model/log.hpp"
#include "bench/model/model.hpp"
#include "ops/ladder_parameters.hpp"

namespace cuesta::bench::model {
namespace {

namespace p = ladder_parameters;
namespace c = convolve;

template <log::Rung Gaussian, log::Rung Laplacian = Gaussian>
std::vector<Kernel> log_by(const Request& q) {
  return log::two_pass(q, Gaussian, Laplacian);
}

std::vector<Kernel> global(const Request& q) {
  return q.k == 3 ? c::naive(q) : std::vector<Kernel>();
}

constexpr Rung all[] = {
    {"convolve", "naive", "000 001 002", p::any_block_only, c::naive},
    {"convolve", "global", "003", p::any_block_only, global},
    {"convolve", "shared", "000 002", p::block_and_load, c::shared},
    {"convolve", "shared-constant", "000", p::any_block_only, c::shared_constant},
    {"convolve", "constant", "002", p::any_block_only, c::constant},
    {"convolve", "texture", "002", p::any_block_only, c::texture},
    {"convolve", "texture-constant", "002", p::any_block_only, c::texture_constant},
    {"convolve", "two-pass", "002", p::block_only, c::two_pass},
    {"convolve", "separable", "000", p::block_only, c::separable},
    {"convolve", "tiled", "000", p::block_and_tiles, c::tiled},
    {"convolve", "adaptive-tiled", "000", p::block_and_limit, c::adaptive_tiled},
    {"convolve", "separable-tiled", "000", p::block_tiles_and_transpose, c::separable_tiled},
    {"convolve", "row-cyclic", "001", p::grid_only, c::row_cyclic},
    {"convolve", "shared-1d", "003", p::block_only, c::shared_1d},
    {"log", "naive", "000", p::any_block_only, log_by<c::naive>},
    {"log", "shared", "000", p::block_and_load, log_by<c::shared>},
    {"log", "shared-constant", "000", p::any_block_only, log_by<c::shared_constant>},
    {"log", "constant", "000", p::any_block_only, log_by<c::constant>},
    {"log", "texture", "000", p::any_block_only, log_by<c::texture>},
    {"log", "texture-constant", "000", p::any_block_only, log_by<c::texture_constant>},
    {"log", "separable", "000", p::block_only, log_by<c::separable, c::constant>},
    {"log", "tiled", "000", p::block_and_tiles, log_by<c::tiled>},
    {"log", "adaptive-tiled", "000", p::block_and_limit, log_by<c::adaptive_tiled>},
    {"log", "separable-tiled", "000", p::block_tiles_and_transpose,
     log_by<c::separable_tiled, c::tiled>},
    {"log", "row-cyclic", "000", p::grid_only, log_by<c::row_cyclic>},
};

}  // namespace

std::span<const Rung> rungs() { return all; }

}  // namespace cuesta::bench::model
