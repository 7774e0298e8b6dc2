// bench/model: its arithmetic, the GPUs that it knows, its predictions against a run that is
// kept, its counts against the profiler's where a profile has them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "bench/bench.hpp"
#include "bench/model/convolve.hpp"
#include "bench/model/explain.hpp"
#include "bench/model/model.hpp"
#include "bench/model/predict.hpp"
#include "bench/model/sobel.hpp"
#include "bench/report/table.hpp"
#include "cuesta/error.hpp"
#include "cuesta/strategies.hpp"
#include "support/places.hpp"

namespace cuesta::bench::model {
namespace {

// Reduced from raw runs by tests/bench/reduce_rungs.py.
const std::string data = test::source_file("tests/bench/data/");

nlohmann::json read(const std::string& name) {
  std::ifstream file(data + name);
  return nlohmann::json::parse(file);
}

// The taps a side that a request names, "gaussian 5x5", of those whose machine code was counted;
// else 0.
int window_of(const std::string& parameters) {
  std::smatch found;
  if (!std::regex_search(parameters, found, std::regex("\\b(\\d+)x\\1\\b"))) return 0;
  const int k = std::stoi(found[1]);
  return k == 3 || k == 5 || k == 9 ? k : 0;
}

// The request and the row of a line of JSON.
std::pair<Work, Row> of(const nlohmann::json& json, const std::string& variant) {
  std::pair<Work, Row> both;
  const std::string parameters = json.at("parameters");
  const int k = window_of(parameters);
  Work& work = both.first;
  work.window = {k, k, !parameters.starts_with("laplacian") && !parameters.starts_with("sharp"),
                 false};
  Row& row = both.second;
  row.operation = json.at("operation");
  row.parameters = parameters;
  row.strategy = json.at("strategy");
  row.variant = variant;
  row.type = json.at("type");
  row.width = json.at("width");
  row.height = json.at("height");
  if (row.operation == "sobel") {
    // Aperture 3; the papers' border leaves the frame out, reflect101 makes it.
    work.window = {3, 3, true, parameters == "magnitude L1 to u8"};
    work.result = parameters.ends_with("f32") ? PixelType::f32 : PixelType::u8;
  }
  if (json.contains("statistics"))
    for (const auto& [name, value] : json.at("statistics").items())
      row.statistics.emplace_back(name, value.get<double>());
  return both;
}

// The rows, or stages, that are outside a fifth: bench/README.md, "The model", says why.
const std::set<std::string>& reasons() {
  static const std::set<std::string> all = {"convolve:adaptive-tiled",
                                            "convolve:constant",
                                            "convolve:naive",
                                            "convolve:row-cyclic",
                                            "convolve:separable",
                                            "convolve:separable-tiled",
                                            "convolve:shared",
                                            "convolve:shared-1d",
                                            "convolve:shared-constant",
                                            "convolve:texture",
                                            "convolve:texture-constant",
                                            "convolve:tiled",
                                            "convolve:two-pass",
                                            "canny:bfs-launch hysteresis",
                                            "canny:row-cyclic gaussian",
                                            "canny:row-cyclic hysteresis"};
  return all;
}

TEST(Model, ARowOfSamplesTouchesSectors) {
  EXPECT_EQ(sectors(32, 32, 4, 0), 4);
  EXPECT_EQ(sectors(32, 32, 4, 1), 5);
  EXPECT_EQ(sectors(32, 32, 4, 8), 4);
  EXPECT_EQ(sectors(32, 32, 1, -1), 2);
  EXPECT_EQ(lines(32, 32, 4, 1), 2);
  EXPECT_EQ(lines(32, 32, 1, 1), 1.25);  // the last quarter of a line goes over into the next
  EXPECT_EQ(covers(1024, 32), 32);
  EXPECT_EQ(covers(1025, 32), 33);
}

TEST(Model, RowsThatMeetInABankTakePasses) {
  EXPECT_EQ(passes(32, 1, 34, 4), 1) << "one row";
  EXPECT_EQ(passes(16, 1, 16, 4), 1) << "two rows side by side";
  EXPECT_EQ(passes(16, 1, 48, 4), 1) << "16 banks further";
  EXPECT_EQ(passes(16, 1, 18, 4), 2) << "the second row begins two banks further";
  EXPECT_EQ(passes(8, 1, 32, 4), 4) << "four rows in the same banks";
  EXPECT_EQ(passes(32, 33, 1, 4), 1) << "down a column, an odd number of words a row";
  EXPECT_EQ(passes(32, 32, 1, 4), 32);
  EXPECT_EQ(passes(16, 1, 18, 1), 1) << "bytes of a word are one access";
  EXPECT_EQ(passes(16, 1, 128, 1), 2);
}

TEST(Model, CountsOfARungAreThoseOfItsLoops) {
  Workload q{.width = 1024, .height = 1024, .k = 3, .floats = true};
  const Kernel naive = convolve::naive(q).at(0);
  const double warps = 1024 * 1024 / 32.0;
  EXPECT_EQ(naive.warps(), warps);
  // Of nine samples three are in line, six in one sector more; nine taps; a store of four.
  EXPECT_EQ(naive.load_sectors, warps * (3 * 4 + 6 * 5 + 9));
  EXPECT_EQ(naive.store_sectors, warps * 4);
  EXPECT_EQ(naive.memory_bytes, 8.0 * 1024 * 1024);
  const Kernel shared = convolve::shared_constant(q).at(0);
  EXPECT_EQ(shared.shared_bytes, 34 * 34 * 4);
  EXPECT_EQ(shared.shared_wavefronts, warps * 9 + 1024 * 34 * 2);
  q.tiles = 4;
  EXPECT_EQ(convolve::tiled(q).at(0).blocks, 8 * 32);
  EXPECT_EQ(convolve::tiled(q).at(0).shared_bytes, 130 * 34 * 4);
  EXPECT_TRUE(convolve::separable(q).empty()) << "no factors";
  q.separable = true;
  EXPECT_EQ(convolve::separable(q).size(), 2u);
  q.frame = true;
  EXPECT_EQ(convolve::separable(q).size(), 3u);
  // Paper 000's figures for 48 KiB and two bytes a sample are in tests of tile_arithmetic.hpp.
  q.shared_limit = 227 * 1024;
  EXPECT_EQ(convolve::adaptive_tiles(q), 32) << "no more than the picture has";
}

TEST(Model, CountsOfSobelsRungsAreThoseOfTheirLoops) {
  Workload q{.width = 1024, .height = 1024, .k = 3};
  const double warps = 1024 * 1024 / 32.0;
  const Kernel global = sobel::global(q).at(0);
  // Of eight samples two are in line, six in one sector more; a byte stored.
  EXPECT_EQ(global.load_sectors, warps * (2 * 1 + 6 * 2));
  EXPECT_EQ(global.store_sectors, warps);
  EXPECT_EQ(global.instructions, warps * 150);
  const Kernel half = sobel::shared_no_apron(q).at(0);
  // Its own; three on either side of 30 rows and of two that have more above or below; those rows.
  EXPECT_EQ(half.load_sectors, 1024 * (32.0 + 6 * 30 + 2 * 4 + 2 * (1 + 2 + 2)));
  EXPECT_EQ(half.shared_wavefronts, 1024 * (32.0 + 8 * 32 - 6));
  EXPECT_EQ(sobel::shared_apron(q).at(0).shared_wavefronts, 1024 * (34 * 2.0 + 32 * 8));
  q.float_result = q.root = true;
  EXPECT_EQ(sobel::global(q).at(0).store_sectors, 4 * warps);
  EXPECT_EQ(sobel::global(q).at(0).instructions, warps * 206);
  q.frame = true;
  EXPECT_EQ(sobel::global(q).size(), 2u);
  q.k = 5;
  EXPECT_TRUE(sobel::global(q).empty()) << "no formulas but of aperture 3";
}

TEST(Model, BlocksThatAMultiprocessorKeeps) {
  const GpuModel gpu = read_gpu("h200");
  EXPECT_EQ(gpu.blocks_of(1024, 32, 0), 2);
  EXPECT_EQ(gpu.blocks_of(1024, 38, 0), 1) << "registers";
  EXPECT_EQ(gpu.blocks_of(1024, 32, 120 * 1024), 1) << "shared memory";
  EXPECT_EQ(gpu.blocks_of(128, 56, 0), 9);
  EXPECT_NEAR(gpu.gigahertz(), 1.89, 0.05);
}

TEST(Model, KnowsTheGpusThatCome) {
  const auto names = known_gpus();
  EXPECT_EQ(names, (std::vector<std::string>{"gtx-1060", "gtx-1080", "gtx-960m", "h200", "p5000"}));
  for (const std::string& name : names) {
    const GpuModel gpu = read_gpu(name);
    for (const auto& [field, member] : ceiling_fields) {
      if (std::string_view(field).ends_with("spread")) continue;
      EXPECT_GT(gpu.ceilings.*member, 0) << name << " " << field;
    }
    EXPECT_EQ(gpu.source.find("measured") == 0, name == "h200") << gpu.source;
  }
  EXPECT_NEAR(read_gpu("gtx-960m").ceilings.fma_gflops, 1505, 1);
  EXPECT_NEAR(read_gpu("p5000").ceilings.copy_gbs, 0.88 * 288, 0.1);
  try {
    read_gpu("gtx-1070");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(error.what()).find("gtx-1070"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("gtx-1080"), std::string::npos);
  }
  // A run of before has no rates of the caches.
  EXPECT_THROW(read_gpu(data + "bench.json"), Error);
  EXPECT_THROW(read_gpu(data + "h200-counters.json"), Error);
}

// The rows of a full run of an H200, as `cuesta bench --json` writes them. Its clocks are those of
// the model's own ceilings, and some of the model's rules were settled on it, so this says how well
// one set of them fits all rungs, not how well it foretells another GPU.
struct RungRun {
  std::vector<nlohmann::json> rows;
  double event_ms;  ///< the shortest stage that holds an event and nothing else
};

RungRun rung_run() {
  const auto reduced = read("h200-rungs.json");
  RungRun run{{}, reduced.at("event_ms")};
  for (const auto& request : reduced.at("requests")) {
    for (const auto& row : request.at(3)) {
      nlohmann::json json = {
          {"space", "device"},     {"operation", request.at(0)}, {"parameters", request.at(1)},
          {"type", request.at(2)}, {"strategy", row.at(0)},      {"strategy_parameters", row.at(1)},
          {"width", row.at(2)},    {"height", row.at(3)},        {"ms", row.at(4)}};
      json["stages"] = row.size() > 5 ? row.at(5) : nlohmann::json::object();
      json["statistics"] = row.size() > 6 ? row.at(6) : nlohmann::json::object();
      run.rows.push_back(std::move(json));
    }
  }
  return run;
}

// Whether the model takes the request of a row of 1024 pixels a side or more.
bool is_predicted(const nlohmann::json& json) {
  if (json.at("space") != "device" || json.at("width") < 1024) return false;
  const std::string operation = json.at("operation"), strategy = json.at("strategy");
  return find(operation, strategy) &&
         (operation != "convolve" || window_of(json.at("parameters")) > 0);
}

TEST(Model, NineRowsInTenOfTheRunAreWithinAFifth) {
  const Model model(read_gpu("h200"));
  const auto run = rung_run();
  int all = 0, within = 0;
  std::set<std::string> outside, seen;
  for (const auto& json : run.rows) {
    if (!is_predicted(json)) continue;
    auto [work, row] = of(json, json.at("strategy_parameters"));
    model.predict(work, row);
    // Of canny the whole call where it tells how deep it searched.
    if (row.operation == "canny" && row.predicted_ms == 0) continue;
    ASSERT_GT(row.predicted_ms, 0) << json.dump();
    EXPECT_FALSE(row.bound_by.empty());
    const double error = row.predicted_ms / json.at("ms").get<double>() - 1;
    ++all;
    within += std::fabs(error) <= 0.2;
    seen.insert(row.operation + ":" + row.strategy);
    if (std::fabs(error) > 0.2) outside.insert(row.operation + ":" + row.strategy);
    EXPECT_LT(std::fabs(error), 0.4) << json.dump();
  }
  EXPECT_GT(all, 400);
  EXPECT_GE(within, 0.9 * all) << within << " of " << all;
  for (const std::string& name : outside)
    EXPECT_TRUE(reasons().contains(name)) << name << " has rows outside, and no reason is given";
  for (const Rung& rung : rungs()) {
    const std::string name = fmt::format("{}:{}", rung.operation, rung.strategy);
    EXPECT_TRUE(seen.contains(name) || name == "canny:bfs-launch" || name == "canny:bfs-queue")
        << name;
  }
}

TEST(Model, StagesOfCannyInTheRunAreWithinAFifth) {
  const Model model(read_gpu("h200"));
  const auto run = rung_run();
  std::set<std::string> outside, seen;
  // Each stage holds an event too, as the stage before the first does.
  const double event = run.event_ms;
  for (const auto& json : run.rows) {
    if (json.at("operation") != "canny" || json.at("stages").empty() || !is_predicted(json))
      continue;
    auto [work, row] = of(json, json.at("strategy_parameters"));
    model.predict(work, row);
    const auto& stages = json.at("stages");
    for (const auto& [stage, ms] : row.predicted_stages) {
      const double error = ms / (stages.at(stage).get<double>() - event) - 1;
      const std::string name = "canny:" + row.strategy + " " + stage;
      seen.insert(name);
      if (std::fabs(error) > 0.2) outside.insert(name);
      EXPECT_LT(std::fabs(error), 0.42) << name << " " << json.at("width") << " predicted " << ms;
    }
  }
  EXPECT_GE(seen.size(), 2 * 6u) << "two rungs, six stages";
  for (const std::string& name : outside)
    EXPECT_TRUE(reasons().contains(name)) << name << " is outside, and no reason is given";
}

TEST(Model, ReasonsOfWhatIsOutsideStandInTheReadme) {
  std::ifstream file(test::source_file("bench/README.md"));
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const size_t begin = text.find("These rungs have rows");
  const size_t end = text.find("A new rung needs");
  ASSERT_LT(begin, end);
  std::set<std::string> named;
  const std::regex name("`((?:convolve|log|sobel|canny):[a-z0-9-]+(?: [a-z]+)?)`");
  const std::string part = text.substr(begin, end - begin);
  for (std::sregex_iterator at(part.begin(), part.end(), name), none; at != none; ++at)
    named.insert((*at)[1]);
  EXPECT_EQ(named, reasons());
}

TEST(Model, AFasterGpuIsNeverSlower) {
  const GpuModel gpu = read_gpu("h200");
  for (const Rung& rung : rungs()) {
    Workload q{.width = 2048,
               .height = 2048,
               .k = 3,
               .separable = true,
               .floats = true,
               .depth = 10,
               .multiprocessors = gpu.multiprocessors,
               .shared_limit = gpu.residency.shared_block};
    const double before = predict(rung.kernels(q), gpu).us;
    for (const auto& [field, member] : ceiling_fields) {
      const std::string name = field;
      if (name.ends_with("spread")) continue;
      GpuModel faster = gpu;
      const bool is_time = name.ends_with("_us") || name.ends_with("_ns");
      faster.ceilings.*member *= is_time ? 0.5 : 2;
      EXPECT_LE(predict(rung.kernels(q), faster).us, before * 1.0001)
          << rung.operation << ":" << rung.strategy << " " << name;
    }
    q.height = 4096;
    EXPECT_GT(predict(rung.kernels(q), gpu).us, before) << rung.strategy;
  }
}

TEST(Model, LaunchesThatTheHostWaitsForAreAdded) {
  const GpuModel gpu = read_gpu("h200");
  Kernel step;
  const double once = predict({step}, gpu).us;
  step.times = 3;
  EXPECT_DOUBLE_EQ(predict({step}, gpu).us, 3 * once);
  EXPECT_EQ(predict({step}, gpu).waits_us, 0);
  step.waited_with = 2;
  const Prediction waited = predict({step}, gpu);
  const Ceilings& c = gpu.ceilings;
  EXPECT_DOUBLE_EQ(waited.waits_us, 3 * (c.wait_us - c.launch_us + 2 * c.enqueue_us));
  EXPECT_DOUBLE_EQ(waited.us, 3 * once + waited.waits_us);
  EXPECT_EQ(waited.bound_by, "waits");
}

TEST(Model, CannyIsPredictedStageByStage) {
  const Model model(read_gpu("h200"));
  Work work;
  work.window = {5, 5};
  Row row;
  row.operation = "canny";
  row.type = "u8";
  row.width = row.height = 1024;
  const auto predicted = [&](const char* strategy, const char* variant, double depth) {
    row.strategy = strategy;
    row.variant = variant;
    row.statistics = {};
    if (depth >= 0) row.statistics = {{"bfs depth", depth}};
    row.predicted_ms = 0;
    row.predicted_stages = {};
    model.predict(work, row);
    std::string names;
    for (const auto& [stage, ms] : row.predicted_stages) {
      EXPECT_GT(ms, 0) << stage;
      names += stage + " ";
    }
    return names;
  };
  const std::string stages = "gaussian sobel magnitude suppression threshold ";
  EXPECT_EQ(predicted("global", "hysteresis=union-find", 9), stages);
  EXPECT_EQ(row.predicted_ms, 0) << "not all of the call";
  EXPECT_EQ(predicted("global", "hysteresis=bfs-launch", -1), stages) << "no depth";
  EXPECT_EQ(predicted("global", "suppression=cpu", -1), "gaussian sobel magnitude threshold ");
  EXPECT_EQ(predicted("global", "suppression=copied", -1), "gaussian sobel magnitude threshold ");
  EXPECT_EQ(predicted("global", "shape=row", -1), "");
  EXPECT_EQ(predicted("row-cyclic", "threads=columns", -1), "");
  EXPECT_EQ(predicted("bfs-launch", "window=3", -1), "");
  EXPECT_EQ(predicted("row-cyclic", "hysteresis=bfs-launch", 9), stages + "hysteresis ");
  double sum = 0;
  for (const auto& [stage, ms] : row.predicted_stages) sum += ms;
  EXPECT_DOUBLE_EQ(row.predicted_ms, sum);
  const double nine = row.predicted_stages.back().second;
  predicted("row-cyclic", "hysteresis=bfs-launch", 19);
  EXPECT_NEAR(row.predicted_stages.back().second / nine, 2, 0.05) << "twenty launches, not ten";
  work.window.search_depth = 19;
  EXPECT_EQ(predicted("global", "hysteresis=bfs-launch", -1), stages + "hysteresis ");
  work.window = {};
  EXPECT_EQ(predicted("global", "hysteresis=bfs-launch", 9), "") << "other options";
}

TEST(Model, SaysInWordsHowATimeComesAbout) {
  const std::string text =
      bench::explain("convolve:tiled", {.sizes = {1024}, .gpu_model = "p5000"});
  for (const char* part :
       {"convolve:tiled block=32 T=4", "Quadro P5000 (from the data sheet)", "1024 x 1024 f32",
        "256 blocks of 1024 threads", "issue", "device memory", "latency", "launch", "bound by"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  try {
    bench::explain("convolve:fast", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(error.what()).find("convolve:naive"), std::string::npos);
  }
}

// What the model declares of a rung is what the rung declares.
TEST(Model, RungsAreTheTables) {
  const auto strategies = list_strategies();
  for (const Rung& rung : rungs()) {
    EXPECT_TRUE(std::any_of(strategies.begin(), strategies.end(),
                            [&](const auto& s) {
                              return s.space == Space::device && s.operation == rung.operation &&
                                     s.name == rung.strategy;
                            }))
        << rung.operation << ":" << rung.strategy;
  }
  for (const auto& strategy : strategies) {
    if (strategy.space != Space::device || strategy.tier != Tier::ladder) continue;
    const std::set<std::string_view> known = {"convolve", "log", "sobel", "canny"};
    if (!known.contains(strategy.operation)) continue;
    const auto without = unpredicted();
    const bool told = std::any_of(without.begin(), without.end(), [&](const Unpredicted& none) {
      return none.operation == strategy.operation && none.strategy == strategy.name;
    });
    EXPECT_NE(find(strategy.operation, strategy.name) != nullptr, told)
        << strategy.operation << ":" << strategy.name << " has formulas, or a reason";
  }
  for (const Unpredicted& none : unpredicted()) {
    try {
      bench::explain(fmt::format("{}:{}", none.operation, none.strategy), {});
      FAIL();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(none.why), std::string::npos);
    }
  }
}

TEST(Model, PaperTablesHaveItWhereThereIsNoGpu) {
  std::string printed;
  Settings settings{.sizes = {256}, .quick = true};
  settings.gpu_model = "gtx-1060";
  settings.print = [&](std::string_view text) { printed += text; };
  const std::string names[] = {"memory-ladder"};
  const Result result = run(names, settings);
  EXPECT_NE(printed.find("predicted for GeForce GTX 1060"), std::string::npos);
  EXPECT_NE(printed.find("0.041 ms"), std::string::npos) << "the paper's naive, 3 x 3, beside it";
  int predicted = 0;
  for (const Figure& figure : result.figures) {
    if (figure.source != "predicted") continue;
    ++predicted;
    EXPECT_GT(figure.value, 0);
    EXPECT_EQ(figure.what, "time on GeForce GTX 1060 6GB");
  }
  EXPECT_GT(predicted, 50);
  for (const Row& row : result.rows) EXPECT_EQ(row.space, "host");
}

TEST(Model, ExplainsCannysStages) {
  const std::string text = bench::explain("canny:global", {.sizes = {1024}, .gpu_model = "h200"});
  for (const char* part : {"gaussian:", "magnitude, measure:", "hysteresis, step:", "it enqueues",
                           "Its search is taken to gain nothing"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  const std::string search =
      bench::explain("canny:bfs-queue", {.sizes = {1024}, .gpu_model = "h200"});
  EXPECT_NE(search.find("These are not all of its stages"), std::string::npos) << search;
}

/// What the model counts of a kernel, by the profiler's names.
std::map<std::string, double> counts_of(const Kernel& kernel) {
  return {{"smsp__inst_executed.sum", kernel.instructions},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", kernel.load_sectors},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", kernel.store_sectors},
          {"shared", kernel.shared_wavefronts}};
}

// Against the profiler's counters, within a tenth. Of canny kernel by kernel, since hysteresis is
// among the others; else a strategy's kernels together, which a frame hardly matters for.
TEST(Model, CountsAreTheProfilers) {
  const auto profile = read("h200-counters.json");
  const GpuModel gpu = read_gpu("h200");
  int compared = 0;
  std::set<std::string> seen;
  for (const auto& json : profile.at("rows")) {
    const std::string operation = json.at("operation"), strategy = json.at("strategy");
    const Rung* rung = find(operation, strategy);
    if (!json.contains("parameters") || !rung) continue;
    std::string variant = json.value("strategy_parameters", "");
    // The first of a name counts.
    variant += (variant.empty() ? "" : " ") + defaults_of(*rung);
    auto [work, row] = of(json, variant);
    Workload request;
    ASSERT_TRUE(request_of(work, row, gpu, request));
    std::map<std::string, std::map<std::string, double>> counted, predicted;
    const std::vector<Kernel> kernels = rung->kernels(request);
    for (const Kernel& kernel : kernels)
      for (const auto& [name, value] : counts_of(kernel))
        predicted[operation == "canny" ? kernel.name : ""][name] += value;
    for (const auto& kernel : json.at("kernels")) {
      const std::string name = kernel.at("name"), of = operation == "canny" ? name : "";
      auto& counts = counted[of.substr(0, of.find('<'))];
      for (const auto& [counter, value] : kernel.at("counters").items()) {
        const bool shared = counter.starts_with("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_");
        counts[shared ? "shared" : counter] += value.get<double>();
      }
    }
    for (const auto& [kernel, counts] : predicted) {
      ASSERT_TRUE(counted.contains(kernel)) << strategy << " " << kernel;
      for (const auto& [counter, value] : counts) {
        if (!counted[kernel].contains(counter)) continue;  // not every part counted all
        const double there = counted[kernel].at(counter);
        ++compared;
        EXPECT_NEAR(value, there, 0.1 * there)
            << operation << ":" << strategy << " " << kernel << " " << json.at("request") << " "
            << counter << " " << (there > 0 ? value / there : 0);
        seen.insert(operation + ":" + strategy);
      }
    }
  }
  EXPECT_GT(compared, 300);
  for (const Rung& rung : rungs()) {
    const std::string name = fmt::format("{}:{}", rung.operation, rung.strategy);
    if (name == "canny:bfs-launch" || name == "canny:bfs-queue") continue;  // a launch a step
    EXPECT_TRUE(seen.contains(name)) << name;
  }
}

}  // namespace
}  // namespace cuesta::bench::model
