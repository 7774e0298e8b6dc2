#include "bench/papers/convolutions.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bench/papers/formulas.hpp"

namespace cuesta::bench {
namespace {

int integer_of(const Row& row, const std::string& name, int fallback) {
  return std::stoi(parameter_of(row, name, std::to_string(fallback)));
}

void add_formulas(Row& row, int width, int height) {
  if (row.space != "device" || row.operation != "convolve") return;
  const int tiles = tiles_of(row, width, height);
  formulas::Shape shape;
  shape.block = integer_of(row, "block", 16);
  shape.tiles = tiles;
  shape.one_each = parameter_of(row, "load", "") == "one-each";
  if (!row.kernels.empty() && row.kernels[0].blocks > 0)
    shape.rows_per_block = std::ceil(double(row.height) / double(row.kernels[0].blocks));
  if (!row.kernels.empty()) shape.threads = row.kernels[0].threads;
  shape.columns = row.width;
  if (tiles > 1) row.statistics.emplace_back("tiles", tiles);
  if (const auto threads = formulas::threads_of(row.strategy, width, height, shape);
      threads.all > 0) {
    row.statistics.emplace_back("threads of a block", threads.all);
    row.statistics.emplace_back("load nothing", threads.load_nothing);
    row.statistics.emplace_back("compute nothing", threads.compute_nothing);
  }
  row.intensity_paper = formulas::intensity_of(row.strategy, width, height, tiles);
  const double pixels = double(row.width) * row.height;
  row.accesses = Accesses{formulas::accesses_paper(row.strategy, width, height) * pixels,
                          formulas::accesses_counted(row.strategy, width, height, shape) * pixels};
}

}  // namespace

Work as_papers(Work work) {
  work.sweeps = {{"block", {"32", "16"}}};
  work.one_thread = true;
  work.end_to_end = EndToEnd::fastest;
  return work;
}

Work paper_convolve_work(std::string experiment, std::string parameters, const Stencil& stencil,
                         ConstAnyView src) {
  return as_papers(
      convolve_work(std::move(experiment), std::move(parameters), stencil, src, papers_border));
}

Measured measure_convolve(Session& session, const Work& work, const Stencil& stencil,
                          const std::function<void(Row&)>& annotate) {
  return session.measure(work, [&](Row& row) {
    add_formulas(row, stencil.width(), stencil.height());
    if (annotate) annotate(row);
  });
}

int tiles_of(const Row& row, int width, int height) {
  if (const int given = integer_of(row, "T", 0)) return given;
  if (row.strategy != "adaptive-tiled" || row.kernels.empty()) return 1;
  // Shared memory of the first kernel: (T · B + width − 1) · (B + height − 1) samples.
  const int block = integer_of(row, "block", 32);
  const size_t samples = row.kernels[0].dynamic_shared / (row.type == "f32"   ? 4
                                                          : row.type == "u16" ? 2
                                                                              : 1);
  const int along = int(samples / size_t(block + height - 1)) - (width - 1);
  return std::max(1, along / block);
}

}  // namespace cuesta::bench
