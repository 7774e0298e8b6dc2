// Paper 001: Canny from picture to edges and by stage, 64 x 64 to 1024 x 1024. Frames a second with
// the pictures on the GPU already, as theirs are between its stages, and with upload and download
// from pageable and from pinned memory; time and share of each stage, the paper's operation counts,
// the search of hysteresis, its time models. Its stage tables are charts without figures.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "bench/engine/timing.hpp"
#include "bench/papers/canny.hpp"
#include "bench/papers/canny_model.hpp"
#include "bench/papers/experiments.hpp"
#include "bench/papers/paper_001.hpp"
#include "cuesta/smoothing.hpp"

namespace cuesta::bench {
namespace {

namespace model = canny_model;
namespace p1 = paper_001;

constexpr const char* paper_gpu = "the paper's GPU";
constexpr const char* paper_cpu = "the paper's CPU, 16 threads";

/// What the searches of some pictures had in common.
struct Searches {
  std::vector<double> depth{}, rounds{}, trees_start{}, trees_end{};

  void add(const EdgeSearch& search) {
    depth.push_back(search.depth);
    rounds.push_back(search.rounds);
    trees_start.push_back(double(search.trees_start));
    trees_end.push_back(double(search.trees_end));
  }
};

// Strategies that search tell what they did, as means over the pictures; it must be what the host's
// searches say.
void check_statistics(Session& session, const Row& row, const Searches& all) {
  const bool single = parameter_of(row, "window", "3") == "3";
  for (const auto& [name, value] : row.statistics) {
    const double want = name == "bfs depth" && single  ? mean_of(all.depth)
                        : name == "rounds"             ? mean_of(all.rounds)
                        : name == "trees at the start" ? mean_of(all.trees_start)
                        : name == "trees at the end"   ? mean_of(all.trees_end)
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

// Means over the pictures; of made ones, whose kind is empty, with their spread.
void add_searches(Figures& figures, const char* kind, const Searches& searches) {
  const std::pair<const char*, const std::vector<double>*> found[] = {
      {"initial trees", &searches.trees_start},
      {"final trees", &searches.trees_end},
      {"depth", &searches.depth}};
  figures.add("found", "hysteresis", kind, "pictures", "", double(searches.depth.size()));
  for (const auto& [what, values] : found) {
    figures.add("found", "hysteresis", kind, what, "", mean_of(*values));
    if (*kind) continue;
    const auto [least, most] = std::minmax_element(values->begin(), values->end());
    figures.add("found", "hysteresis", "between quartiles", what, "", summary_of(*values).spread);
    figures.add("found", "hysteresis", "least", what, "", *least);
    figures.add("found", "hysteresis", "most", what, "", *most);
  }
}

void add_figures(Session& session, const Work& work, const CannyOptions& options,
                 const Searches& all) {
  Figures figures(session, work);
  const int32_t side = work.sources[0].width;
  if (const double ms = p1::at(p1::gpu_ms, side); ms > 0) {
    figures.add("paper", paper_gpu, "all", "time", "ms", ms);
    figures.add("paper", paper_gpu, "all", "rate", "frames/s", p1::at(p1::gpu_fps, side));
  }
  if (const double fps = p1::at(p1::cpu_fps, side); fps > 0) {
    figures.add("paper", paper_cpu, "all", "time", "ms", 1000 / fps);
    figures.add("paper", paper_cpu, "all", "rate", "frames/s", fps);
  }
  if (side == 1024) figures.add("paper", "its goal", "all", "rate", "frames/s", p1::goal_fps);

  add_searches(figures, "", all);

  const double n = side, k = smoothing_of(options).ksize, aperture = 3;
  const double content = 8 * mean_of(all.trees_end) / (n * n), depth = mean_of(all.depth);
  const auto operations = [&](const char* stage, double value) {
    figures.add("model", "operations", stage, "operations", "", value);
  };
  operations("gaussian", model::gaussian_operations(n, k));
  operations("gradient", model::gradient_operations(n, aperture));
  operations("suppression", model::suppression_operations(n));
  operations("threshold", model::threshold_operations(n));
  operations("hysteresis", model::hysteresis_operations(n, content));
  figures.add("found", "hysteresis", "", "c", "", content);

  figures.add(paper_gpu, model::predict(side, depth, model::paper_machine));
  // An operation a cycle, so half of what fused multiply-adds count; nothing is transferred.
  if (const Gpu* gpu = session.gpu()) {
    figures.add("this GPU",
                model::predict(side, depth,
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

// The paper's kernels where the default is ours, together: the stages show what each takes.
void measure_papers_kernels(Session& session, Work work,
                            const std::function<void(Row&)>& annotate) {
  if (!session.gpu()) return;
  work.parameters += ", the paper's kernels";
  work.host = false;
  work.opencv = {};
  work.takes = [](const StrategyDescription& s) {
    return s.name == "global" || s.name == "row-cyclic";
  };
  work.sweeps = {{"hysteresis", {"bfs-launch"}},
                 {"window", {"3", "5"}},
                 {"suppression", {"copied"}},
                 {"shape", {"row"}},
                 {"threads", {"columns"}}};
  session.measure(work, annotate);
}

Searches searches_of(Session& session, const CannyPictures& pictures, const CannyOptions& options) {
  Searches all;
  for (const Image<uint8_t>& picture : pictures.all)
    all.add(search_edges(session, picture, options));
  return all;
}

// Photographs in rows of their own: their edges are fewer and longer than those of made pictures.
void measure_photographs(Session& session, int32_t side) {
  const CannyPictures pictures = photographs(session, side);
  if (pictures.all.empty()) return;
  const CannyOptions options = canny_options();
  const Searches all = searches_of(session, pictures, options);
  Work work = paper_canny_work("canny-stages", pictures, options);
  work.stages = true;
  work.window.search_depth = mean_of(all.depth);
  session.measure(work, [&](Row& row) { check_statistics(session, row, all); });
  Figures figures(session, work);
  add_searches(figures, "photographs", all);
  for (const std::string& name : pictures.names)
    session.add_input(work.experiment, work.parameters, side, name);
}

// The root of the paper's magnitude in the place of the sum: its stage, by the steps of the paper.
void measure_roots(Session& session, const CannyPictures& pictures) {
  if (!session.gpu()) return;
  CannyOptions options = canny_options();
  options.norm = Norm::l2;
  Work work = paper_canny_work("canny-stages", pictures, options);
  work.stages = true;
  work.host = false;
  work.npp = {};
  work.takes = [](const StrategyDescription& s) { return s.name == "global"; };
  work.sweeps = {{"hysteresis", {"union-find"}}};
  session.measure(work);
}

}  // namespace

void bench_canny_stages(Session& session) {
  add_words(session);
  for (const int32_t side : session.sizes({std::begin(p1::sides), std::end(p1::sides)})) {
    const CannyPictures pictures = made_pictures(session, side);
    const CannyOptions options = canny_options();
    const Searches all = searches_of(session, pictures, options);
    Work work = paper_canny_work("canny-stages", pictures, options);
    work.stages = true;
    work.end_to_end = EndToEnd::all;
    work.window.search_depth = mean_of(all.depth);
    session.measure(work, [&](Row& row) {
      set_paper_001_figure(row);
      check_statistics(session, row, all);
    });
    measure_papers_kernels(session, work, [&](Row& row) { check_statistics(session, row, all); });
    measure_roots(session, pictures);
    measure_photographs(session, side);
    add_figures(session, work, options, all);
  }
}

}  // namespace cuesta::bench
