// The files of a run, an earlier run, and what the command says with no GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/bench.hpp"
#include "bench/report/report.hpp"
#include "bench/works/motion.hpp"
#include "cuesta/device.hpp"
#include "cuesta/error.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace cuesta::bench {
namespace {

Row device_row() {
  Row row;
  row.experiment = "log-ladder";
  row.operation = "convolve";
  row.strategy = "shared";
  row.space = "device";
  row.parameters = "gaussian 5x5, \"random\"";
  row.variant = "block=32 load=by-position";
  row.type = "f32";
  row.width = row.height = 512;
  row.ms = 0.02;
  row.ms_spread = 0.001;
  row.copy_ms = 0.01;
  row.serial_ms = 20;
  row.gflops = 650;
  row.roofline_gflops = 1300;
  row.bytes_per_pixel = 8;
  row.intensity = 6.25;
  row.intensity_paper = 0.43;
  row.pageable_ms = 1;
  row.set_up_ms = 0.25;
  row.pinned_ms = 0.5;
  row.run_ms = 0.03;
  row.border = "ignore";
  row.pageable_costs = PictureCosts{0.01, 0.2, 0.5, 0.4, 0.7, 0.6, 0.3};
  row.pinned_costs = PictureCosts{2.0, 0.2, 0.1, 0.1, 0.1, 0.1, 0.5};
  row.predicted_ms = 0.018;
  row.bound_by = "issue";
  row.predicted_stages = {{"blur", 0.009}};
  row.paper = "000 002";
  row.paper_figure = PaperFigure{0.293, "ms", "kernel time"};
  row.accesses = Accesses{671744, 7000000};
  row.kernels = {{.name = "kernel<float>",
                  .launches = 1,
                  .blocks = 256,
                  .threads = 1024,
                  .registers = 30,
                  .static_shared = 16,
                  .dynamic_shared = 4096,
                  .occupancy = 0.75}};
  row.stages = {{"blur", 0.01}, {"label", 0.005}};
  row.statistics = {{"depth", 7}};
  return row;
}

Result result_of(double ms, double spread) {
  Result result;
  result.machine = {"CPU", "AVX3", "Linux", "GNU", 2, {"opencv 4.6.0"}};
  result.gpu = Gpu{"NVIDIA H200", "9.0", "580.1", "13.0", 132, 1, 2, {4000, 5, 60000, 10}};
  result.libraries = {"cuesta 0.1.0", "highway 1.0.3"};
  result.commit = "abc";
  result.date = "2026-11-21T12:00:00Z";
  result.rows = {device_row()};
  result.theory = {{"shared", 1, 3, 27.7, 900, 27.692}};
  result.figures = {{.experiment = "canny-stages",
                     .width = 64,
                     .source = "paper",
                     .subject = "the paper's GPU",
                     .what = "time",
                     .unit = "ms",
                     .value = 0.1758}};
  result.notes = {"log-ladder: best of 4 tiled: T=8, 0.02 ms"};
  result.rows[0].ms = ms;
  result.rows[0].ms_spread = spread;
  return result;
}

TEST(Report, JsonHasEveryFieldThatTheDocumentNames) {
  const auto json = nlohmann::json::parse(json_of(result_of(0.02, 0.001)));
  std::ifstream file(test::source_file("bench/FORMAT.md"));
  std::stringstream document;
  document << file.rdbuf();
  const auto named = [&](const std::string& field) {
    EXPECT_NE(document.str().find("`" + field + "`"), std::string::npos)
        << field << " is not in bench/FORMAT.md";
  };
  for (const auto& [name, value] : json.items()) named(name);
  for (const auto& [name, value] : json["machine"].items()) named(name);
  for (const auto& [name, value] : json["gpu"].items()) named(name);
  for (const auto& [name, value] : json["gpu"]["ceilings"].items()) named(name);
  for (const auto& [name, value] : json["theory"][0].items()) named(name);
  for (const auto& [name, value] : json["figures"][0].items()) named(name);
  EXPECT_EQ(json["figures"][0]["value"], 0.1758);
  EXPECT_EQ(json["notes"].size(), 1u);
  const auto& row = json["rows"][0];
  for (const auto& [name, value] : row.items()) {
    named(name);
    EXPECT_FALSE(value.is_null()) << name;
  }
  for (const auto& [name, value] : row["kernels"][0].items()) named(name);
  for (const auto& [name, value] : row["pinned_costs"].items()) named(name);
  EXPECT_EQ(row["pageable_costs"]["first_upload"], 0.5);
  EXPECT_EQ(row["pinned_costs"]["host_allocate"], 2.0);
  EXPECT_EQ(row["pinned_costs"]["release"], 0.5);
  EXPECT_EQ(row["pictures"], 1);
  EXPECT_EQ(json["gpu"]["ceilings"]["copy_gbs"], 4000);
  EXPECT_EQ(row["speedup"], 1000);
  EXPECT_EQ(row["roofline_percent"], 50);
  EXPECT_EQ(row["paper_figure"]["unit"], "ms");
  EXPECT_EQ(row["accesses"]["paper"], 671744);
  EXPECT_EQ(row["kernels"][0]["registers"], 30);
  EXPECT_EQ(row["stages"]["label"], 0.005);
  EXPECT_EQ(row["predicted_stages"], (nlohmann::json{{"blur", 0.009}}));
}

TEST(Report, CsvHasOneLineARow) {
  const std::string csv = csv_of(result_of(0.02, 0.001));
  std::istringstream lines(csv);
  std::string head, line, more;
  std::getline(lines, head);
  std::getline(lines, line);
  EXPECT_FALSE(std::getline(lines, more));
  EXPECT_TRUE(head.starts_with("experiment,operation,strategy,space,parameters,"));
  EXPECT_TRUE(
      line.starts_with("log-ladder,convolve,shared,device,\"gaussian 5x5, \"\"random\"\"\","))
      << line;
  EXPECT_NE(line.find("blur=0.01;label=0.005"), std::string::npos) << line;
  EXPECT_TRUE(line.ends_with(",30,4112,0.75")) << line;
}

TEST(Report, BaselineMarksWhatTheSpreadsDoNotExplain) {
  const test::TempFolder folder;
  const auto file = folder.path() / "before.json";
  std::ofstream(file) << json_of(result_of(0.020, 0.001));
  const Baseline baseline(file);
  const Comparison same = baseline.compare(result_of(0.0215, 0.001));
  EXPECT_EQ(same.compared, 1);
  EXPECT_EQ(same.slower, 0) << same.table;
  const Comparison slower = baseline.compare(result_of(0.0225, 0.001));
  EXPECT_EQ(slower.slower, 1);
  EXPECT_NE(slower.table.find("1.125  SLOWER"), std::string::npos) << slower.table;
  EXPECT_EQ(baseline.compare(result_of(0.0175, 0.001)).faster, 1);
  Result other = result_of(0.02, 0.001);
  other.rows[0].variant = "block=16 load=by-position";
  EXPECT_EQ(baseline.compare(other).compared, 0);
}

TEST(Report, ABaselineThatIsNoneIsRefused) {
  const test::TempFolder folder;
  for (const char* text : {"", "{}", "[1]", "{\"rows\": [{}]}"}) {
    const auto file = folder.path() / "before.json";
    std::ofstream(file) << text;
    try {
      Baseline baseline(file);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::input) << text;
    }
  }
  EXPECT_THROW(Baseline(folder.path() / "absent.json"), Error);
}

TEST(Run, EveryExperimentRunsWithoutAGpu) {
  for (const ExperimentInfo& experiment : list_experiments()) {
    if (experiment.name == "cpu") continue;
    std::string printed;
    const int32_t side = experiment.name == "motion-ladder" ? smallest_video : 48;
    Settings settings{.sizes = {side}, .threads = 2, .quick = true};
    settings.why_no_device = "there is no NVIDIA GPU";
    settings.print = [&](std::string_view text) { printed += text; };
    const std::string names[] = {std::string(experiment.name)};
    const Result result = run(names, settings);
    EXPECT_TRUE(result.differences.empty()) << experiment.name << ": " << result.differences[0];
    EXPECT_FALSE(result.gpu);
    EXPECT_NE(printed.find("CUDA rows are absent: there is no NVIDIA GPU"), std::string::npos);
    EXPECT_NE(printed.find("\n" + std::string(experiment.name) + ": "), std::string::npos)
        << printed;
    const bool paper = std::any_of(result.figures.begin(), result.figures.end(),
                                   [](const Figure& figure) { return figure.source == "paper"; });
    EXPECT_EQ(printed.find(std::string(experiment.name) + ": the paper's ") != std::string::npos,
              paper);
    EXPECT_FALSE(result.rows.empty()) << experiment.name;
    for (const Row& row : result.rows) {
      EXPECT_EQ(row.experiment, experiment.name);
      EXPECT_EQ(row.space, "host");
      EXPECT_GT(row.ms, 0) << row.strategy;
    }
    EXPECT_TRUE(nlohmann::json::parse(json_of(result))["gpu"].is_null());
  }
}

TEST(Run, RefusesWhatWouldTimeNothing) {
  const auto refused = [](std::vector<std::string> names, Settings settings) {
    try {
      check(names, settings);
      return std::string();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      return std::string(error.value());
    }
  };
  EXPECT_EQ(refused({"all"}, {}), "");
  EXPECT_EQ(refused({"roofline", "speed"}, {}), "speed");
  EXPECT_EQ(refused({"roofline"}, {.sweeps = {{"blocks", {"8"}}}}), "blocks");
#ifdef CUESTA_HAS_CUDA
  EXPECT_EQ(refused({"roofline"}, {.sweeps = {{"block", {"16", "32"}}}}), "");
  EXPECT_EQ(refused({"roofline"}, {.sweeps = {{"block", {"16", "33"}}}}), "33");
#endif
}

}  // namespace
}  // namespace cuesta::bench
