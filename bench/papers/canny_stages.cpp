// Paper 001: Canny by stage. Time and share of each stage by size, the paper's operation counts,
// the search of hysteresis, its time models. Its stage tables are charts without figures.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bench/papers/canny.hpp"
#include "bench/papers/canny_model.hpp"
#include "bench/papers/experiments.hpp"
#include "bench/papers/paper_001.hpp"

namespace cuesta::bench {
namespace {

namespace model = canny_model;
namespace p1 = paper_001;

constexpr const char* paper_gpu = "the paper's GPU";
constexpr const char* paper_cpu = "the paper's CPU, 16 threads";

// Strategies that search tell what they did; it must be what the host's search says.
void check_statistics(Session& session, const Row& row, const EdgeSearch& search) {
  const bool single = parameter_of(row, "window", "3") == "3";
  for (const auto& [name, value] : row.statistics) {
    const double want = name == "bfs depth" && single  ? search.depth
                        : name == "rounds"             ? search.rounds
                        : name == "trees at the start" ? double(search.trees_start)
                        : name == "trees at the end"   ? double(search.trees_end)
                                                       : value;
    session.expect(value == want,
                   fmt::format("{} {}x{}: {} is {}, by the host's search {}", label_of(row),
                               row.width, row.height, name, value, want));
  }
}

/// Figures of one size.
class Figures {
 public:
  Figures(Session& session, const Work& work) : session_(session), work_(work) {}

  void add(const char* source, const char* subject, const char* detail, const char* what,
           const char* unit, double value) {
    session_.add_figure({.experiment = work_.experiment,
                         .parameters = work_.parameters,
                         .width = work_.sources[0].width,
                         .height = work_.sources[0].height,
                         .source = source,
                         .subject = subject,
                         .detail = detail,
                         .what = what,
                         .unit = unit,
                         .value = value});
  }
  void add(const char* subject, const model::Prediction& p) {
    add("model", subject, "memory", "time", "ms", 1e3 * p.memory);
    add("model", subject, "computation", "time", "ms", 1e3 * p.computation);
    add("model", subject, "transfer", "time", "ms", 1e3 * p.transfer);
    add("model", subject, "all", "time", "ms", 1e3 * p.total());
  }

 private:
  Session& session_;
  const Work& work_;
};

void add_figures(Session& session, const Work& work, const CannyOptions& options,
                 const EdgeSearch& search) {
  Figures figures(session, work);
  const int32_t side = work.sources[0].width;
  if (const double ms = p1::at(p1::gpu_ms, side); ms > 0)
    figures.add("paper", paper_gpu, "all", "time", "ms", ms);
  if (const double fps = p1::at(p1::cpu_fps, side); fps > 0)
    figures.add("paper", paper_cpu, "all", "time", "ms", 1000 / fps);

  figures.add("found", "hysteresis", "", "initial trees", "", double(search.trees_start));
  figures.add("found", "hysteresis", "", "final trees", "", double(search.trees_end));
  figures.add("found", "hysteresis", "", "depth", "", search.depth);

  const double n = side, k = options.ksize, aperture = 3;
  const double content = 8 * double(search.trees_end) / (n * n);
  const auto operations = [&](const char* stage, double value) {
    figures.add("model", "operations", stage, "operations", "", value);
  };
  operations("gaussian", model::gaussian_operations(n, k));
  operations("gradient", model::gradient_operations(n, aperture));
  operations("suppression", model::suppression_operations(n));
  operations("threshold", model::threshold_operations(n));
  operations("hysteresis", model::hysteresis_operations(n, content));
  figures.add("found", "hysteresis", "", "c", "", content);

  figures.add(paper_gpu, model::predict(side, search.depth, model::paper_machine));
  // An operation a cycle, so half of what fused multiply-adds count; nothing is transferred.
  if (const Gpu* gpu = session.gpu()) {
    figures.add("this GPU",
                model::predict(side, search.depth,
                               {gpu->ceilings.copy_gbs * 1e9, gpu->ceilings.fma_gflops / 2 * 1e9,
                                std::numeric_limits<double>::infinity()}));
  }
  figures.add("model", paper_cpu, "all", "time", "ms", 1e3 * model::cpu_seconds(side));
}

// What its text says of the stages; the share charts have no figures.
void add_words(Session& session) {
  const auto add = [&](const char* stage, const char* words) {
    session.add_figure({.experiment = "canny-stages",
                        .source = "paper",
                        .subject = paper_gpu,
                        .detail = stage,
                        .what = "share",
                        .words = words});
  };
  add("gradient", "under 10 %");
  add("suppression", "about 30 %");
  add("hysteresis", "40 to 60 %");
  for (const int k : {3, 5}) {
    session.add_figure({.experiment = "canny-stages",
                        .source = "model",
                        .subject = "rolling rows over global memory",
                        .detail = fmt::format("K = {}", k),
                        .what = "gain",
                        .value = model::shared_gain(k)});
  }
}

}  // namespace

void bench_canny_stages(Session& session) {
  add_words(session);
  for (const int32_t side : session.sizes({std::begin(p1::sides), std::end(p1::sides)})) {
    const Image<uint8_t> src = canny_picture(side);
    const CannyOptions options = canny_options();
    const EdgeSearch search = search_edges(session, src, options);
    Work work = paper_canny_work("canny-stages", src);
    work.stages = true;
    session.measure(work, [&](Row& row) {
      set_paper_001_figure(row);
      check_statistics(session, row, search);
    });
    add_figures(session, work, options, search);
  }
}

}  // namespace cuesta::bench
