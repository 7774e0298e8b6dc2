// The experiments of papers 001 and 004 on the host: every row is there, with its stages and
// figures; what the bench makes for them is what it says.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "bench/bench.hpp"
#include "bench/engine/session.hpp"
#include "bench/papers/canny.hpp"
#include "bench/papers/canny_model.hpp"
#include "bench/papers/formulas.hpp"
#include "bench/papers/paper_001.hpp"
#include "bench/papers/paper_004.hpp"
#include "bench/papers/squares.hpp"
#include "bench/works/motion.hpp"
#include "cuesta/device.hpp"
#include "cuesta/motion.hpp"
#include "cuesta/objects.hpp"
#include "ops/motion/stages.hpp"

namespace cuesta::bench {
namespace {

struct Outcome {
  Result result;
  std::string printed;
};

Outcome outcome_of(const std::string& experiment, std::vector<int32_t> sizes) {
  Outcome outcome;
  Settings settings{.sizes = std::move(sizes), .threads = 2, .quick = true};
  settings.print = [&](std::string_view text) { outcome.printed += text; };
  const std::string names[] = {experiment};
  outcome.result = run(names, settings);
  EXPECT_TRUE(outcome.result.differences.empty()) << outcome.result.differences.front();
  return outcome;
}

std::vector<Row> rows_of(const Outcome& outcome, int32_t side) {
  std::vector<Row> rows;
  for (const Row& row : outcome.result.rows) {
    // Peers may be there.
    if (row.width == side && row.operation != "copy" && row.strategy != "opencv")
      rows.push_back(row);
  }
  return rows;
}

std::vector<std::string> strategies_of(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.push_back(row.strategy);
  return names;
}
// Production on all threads, and on one.
const std::vector<std::string> all_of_the_host = {"serial", "rows", "simd", "simd"};

std::vector<std::string> stages_of(const Row& row) {
  std::vector<std::string> names;
  for (const auto& stage : row.stages) {
    if (stage.first != "before the first stage") names.push_back(stage.first);
  }
  return names;
}

/// The first such figure; none where `detail` or `what` is of no figure.
const Figure* figure_of(const Outcome& outcome, std::string_view source, std::string_view subject,
                        std::string_view detail, std::string_view what, int32_t side = 0) {
  for (const Figure& figure : outcome.result.figures) {
    if (figure.source == source && figure.subject == subject && figure.detail == detail &&
        figure.what == what && figure.width == side)
      return &figure;
  }
  return nullptr;
}
double value_of(const Outcome& outcome, std::string_view source, std::string_view subject,
                std::string_view detail, std::string_view what, int32_t side = 0) {
  const Figure* figure = figure_of(outcome, source, subject, detail, what, side);
  return figure ? figure->value : -1;
}

TEST(Papers, CannyByStage) {
  const Outcome outcome = outcome_of("canny-stages", {64, 32});
  for (const int32_t side : {32, 64}) {
    const auto rows = rows_of(outcome, side);
    ASSERT_EQ(strategies_of(rows), all_of_the_host);
    for (const int plain : {0, 1}) {
      EXPECT_EQ(stages_of(rows[size_t(plain)]),
                (std::vector<std::string>{"gaussian", "sobel", "magnitude", "suppression",
                                          "threshold", "hysteresis"}));
    }
    EXPECT_EQ(stages_of(rows[2]),
              (std::vector<std::string>{"gradient and suppression", "hysteresis"}));
    EXPECT_EQ(stages_of(rows[3]), stages_of(rows[2]));
    ASSERT_EQ(rows[1].paper_figure.has_value(), side == 64);
    if (side == 64) {
      EXPECT_NEAR(rows[1].paper_figure->value, 1000.0 / 4807, 1e-9);
    }
    EXPECT_EQ(rows[2].threads, 2);
    EXPECT_EQ(rows[3].threads, 1);
    for (const Row& row : rows) EXPECT_EQ(row.pictures, 8);
    EXPECT_NE(rows[0].parameters.find(", 8 made pictures"), std::string::npos)
        << rows[0].parameters;
  }
  constexpr const char* gpu = "the paper's GPU";
  EXPECT_EQ(value_of(outcome, "paper", gpu, "all", "time", 64), 0.1758);
  EXPECT_EQ(value_of(outcome, "paper", gpu, "all", "rate", 64), 5688);
  EXPECT_EQ(value_of(outcome, "paper", "the paper's CPU, 16 threads", "all", "rate", 64), 4807);
  EXPECT_EQ(figure_of(outcome, "paper", gpu, "all", "time", 32), nullptr);
  const Figure* words = figure_of(outcome, "paper", gpu, "hysteresis", "share");
  ASSERT_TRUE(words);
  EXPECT_EQ(words->words, "40 to 60 %");
  for (const int32_t side : {32, 64}) {
    const double depth = value_of(outcome, "found", "hysteresis", "", "depth", side);
    EXPECT_GE(depth, 0);
    EXPECT_LE(value_of(outcome, "found", "hysteresis", "least", "depth", side), depth);
    EXPECT_GE(value_of(outcome, "found", "hysteresis", "most", "depth", side), depth);
    EXPECT_GE(value_of(outcome, "found", "hysteresis", "between quartiles", "depth", side), 0);
    EXPECT_EQ(value_of(outcome, "found", "hysteresis", "", "pictures", side),
              rows_of(outcome, side)[0].pictures);
    EXPECT_GT(value_of(outcome, "found", "hysteresis", "", "final trees", side), 0);
    EXPECT_DOUBLE_EQ(value_of(outcome, "model", gpu, "all", "time", side),
                     1e3 * canny_model::predict(side, depth, canny_model::paper_machine).total());
    EXPECT_EQ(value_of(outcome, "model", "operations", "gaussian", "operations", side),
              2.0 * side * side * 25);
  }
}

TEST(Papers, MotionByStep) {
  const Outcome outcome = outcome_of("motion-ladder", {64, smallest_video});
  EXPECT_TRUE(rows_of(outcome, 64).empty());
  const auto rows = rows_of(outcome, smallest_video);
  ASSERT_EQ(strategies_of(rows), all_of_the_host);
  for (const Row& row : rows) {
    EXPECT_FALSE(row.paper_figure) << "theirs is of another size";
    const auto stages = stages_of(row);
    EXPECT_FALSE(stages.empty());
    for (const std::string& stage : stages)
      EXPECT_FALSE(motion_stages::whole_of(stage).empty()) << stage;
    double all = 0;
    for (const auto& stage : row.stages) all += stage.second;
    EXPECT_GT(all, 0);
    EXPECT_EQ(row.pictures, 4) << "of 124 frames, a quick run";
  }
  ASSERT_FALSE(outcome.result.notes.empty());
  EXPECT_EQ(outcome.result.notes[0], "motion-ladder: 64x64 is less than 160x160, left out");
  EXPECT_NE(outcome.printed.find(outcome.result.notes[0]), std::string::npos);
  EXPECT_EQ(value_of(outcome, "paper", "v1.3", "", "rate", paper_004::width), 224);
  EXPECT_EQ(value_of(outcome, "paper", "v1.0", "blur", "time of a frame", paper_004::width), 3.04);
  EXPECT_EQ(
      value_of(outcome, "paper", "paper: 10wh, 3wh + 5k², 7wh", "memory", "held", smallest_video),
      10.0 * smallest_video * smallest_video);
}

TEST(Papers, LabelsByDensity) {
  // 102 pixels hold 3 x 3 cells.
  const Outcome outcome = outcome_of("label-density", {102});
  const auto rows = rows_of(outcome, 102);
  std::vector<double> counts, finer;
  for (const Row& row : rows) {
    ASSERT_EQ(row.statistics.size(), 3u);
    EXPECT_EQ(row.statistics[0].first, "square");
    EXPECT_EQ(row.statistics[1].first, "set, %");
    EXPECT_EQ(row.statistics[2].first, "components");
    const double square = row.statistics[0].second, count = row.statistics[2].second;
    EXPECT_DOUBLE_EQ(row.statistics[1].second, 100 * count * square * square / (102.0 * 102));
    if (row.strategy == "simd" && row.threads == 2)
      (square == 20 ? counts : finer).push_back(count);
  }
  EXPECT_EQ(counts, (std::vector<double>{0, 2, 4, 6, 9}));
  // 25 x 25 cells of squares of 2, half of them; none of 80 fits.
  EXPECT_EQ(finer, (std::vector<double>{312}));
  // Finer ones without the reference, plain loops and one thread alone.
  EXPECT_EQ(rows.size(), 4 * counts.size() + finer.size());
}

TEST(Papers, SquaresAreWholeAndAloneAtEveryGranularity) {
  EXPECT_EQ(cell_of(20), 34);
  EXPECT_EQ(max_squares(2048, 20), 3600);
  for (const int32_t square : {1, 2, 3, 5, 20, 40}) {
    const int32_t most = max_squares(170, square);
    for (const int32_t count : {0, 1, most}) {
      std::vector<Component> found;
      label(squares(170, count, square), {}, &found);
      ASSERT_EQ(found.size(), size_t(count)) << square;
      for (const Component& c : found) EXPECT_EQ(c.area, int64_t(square) * square);
    }
  }
}

TEST(Papers, CannysPicturesAllDiffer) {
  Result result;
  for (const bool quick : {true, false}) {
    const Settings settings{.quick = quick};
    Session session(settings, result, nullptr);
    const CannyPictures pictures = made_pictures(session, 32);
    ASSERT_EQ(pictures.all.size(), quick ? 8u : 100u);
    for (size_t i = 0; i < pictures.all.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        bool equal = true;
        for (int32_t y = 0; y < 32; ++y)
          equal = equal && std::equal(pictures.all[i].row(y), pictures.all[i].row(y) + 32,
                                      pictures.all[j].row(y));
        EXPECT_FALSE(equal) << i << " " << j;
      }
    }
  }
}

#ifdef CUESTA_HAS_PICTURES
/// A folder of photographs for the time of a test.
class PhotographFolder {
 public:
  PhotographFolder() {
    std::filesystem::create_directories(folder_);
    setenv("CUESTA_PHOTOGRAPHS", folder_.c_str(), 1);
  }
  ~PhotographFolder() {
    unsetenv("CUESTA_PHOTOGRAPHS");
    std::filesystem::remove_all(folder_);
  }
  PhotographFolder(const PhotographFolder&) = delete;
  PhotographFolder& operator=(const PhotographFolder&) = delete;

  /// The sample at (x, y) is x + 3 y, modulo 256.
  void add(const char* name, int32_t width, int32_t height) const {
    std::ofstream file(folder_ / name, std::ios::binary);
    file << "P5 " << width << " " << height << " 255\n";
    for (int32_t y = 0; y < height; ++y)
      for (int32_t x = 0; x < width; ++x) file.put(char(uint8_t(x + 3 * y)));
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("cuesta-photographs-" + std::to_string(::getpid()));
};

TEST(Papers, PhotographsHoldTheSquareAndHaveNames) {
  const PhotographFolder folder;
  folder.add("a.pgm", 40, 70);
  folder.add("b.pgm", 31, 200);
  folder.add("c.pgm", 32, 32);
  const Outcome outcome = outcome_of("canny-stages", {32, 64});
  std::vector<std::string> names;
  for (const Figure& figure : outcome.result.figures)
    if (figure.source == "input") names.push_back(figure.subject);
  EXPECT_EQ(names, (std::vector<std::string>{"a.pgm", "c.pgm"}))
      << "b is too narrow, 64 is too large";
  std::set<std::string> requests;
  for (const Row& row : outcome.result.rows) requests.insert(row.parameters);
  EXPECT_EQ(requests.size(), 2u) << "made pictures and photographs apart";

  Result result;
  const Settings settings;
  Session session(settings, result, nullptr);
  const auto small = session.photographs(20, 100);
  ASSERT_EQ(small.size(), 3u);
  EXPECT_EQ(small[0].name, "a.pgm");
  // Of a, 40 x 70, the middle 40 x 40, halved: rows from 15 on.
  const int sum = (0 + 3 * 15) + (1 + 3 * 15) + (0 + 3 * 16) + (1 + 3 * 16);
  EXPECT_EQ(small[0].gray.at(0, 0), (sum + 2) / 4);
  EXPECT_EQ(session.photographs(20, 1).size(), 1u);
  EXPECT_EQ(session.papers_picture("climb", 32).at(0, 0), 4 + 3 * 19);
  EXPECT_EQ(session.papers_picture("climb", 80).width(), 80);
  EXPECT_EQ(result.figures.at(0).subject, "a.pgm");
  EXPECT_EQ(result.figures.at(1).subject, "generated");
}
#endif

TEST(Papers, EveryFilterSizeAndTheFilterWithoutFigures) {
  const Outcome sizes = outcome_of("filter-sizes", {64});
  std::vector<std::string> requests;
  for (const Row& row : rows_of(sizes, 64)) {
    EXPECT_EQ(row.border, "ignore");
    if (row.threads == 1) requests.push_back(row.parameters);
  }
  EXPECT_EQ(requests,
            (std::vector<std::string>{"average 3x3", "average 5x5", "average 7x7", "average 9x9",
                                      "average 11x11", "average 13x13", "average 15x15"}));
  const Outcome memory = outcome_of("memory-ladder", {256});
  std::vector<std::string> filters;
  for (const Row& row : rows_of(memory, 256))
    if (row.strategy == "serial") filters.push_back(row.parameters);
  EXPECT_EQ(filters, (std::vector<std::string>{"averaging 3x3", "averaging 5x5", "averaging 9x9",
                                               "sharpening 3x3", "sharpening 5x5", "sharpening 9x9",
                                               "sobel 3x3"}));
  for (const Figure& figure : memory.result.figures) {
    if (figure.parameters != "sobel 3x3" || figure.what == "accesses") continue;
    EXPECT_EQ(figure.words, "no paper figure") << figure.subject << " " << figure.what;
    EXPECT_EQ(figure.value, 0);
  }
  EXPECT_EQ(value_of(memory, "counted", "shared", "block=16", "accesses", 256),
            formulas::accesses_counted("shared", 3, 3, {.block = 16}) * 256 * 256);
}

TEST(Papers, SearchOfEdgesByHand) {
  // A step whose contrast fades down the picture: strong above, a candidate below.
  Image<uint8_t> picture(32, 64);
  for (int32_t y = 0; y < 64; ++y)
    for (int32_t x = 0; x < 32; ++x) picture.at(x, y) = uint8_t(x < 16 ? 0 : 200 - 3 * y);
  CannyOptions options{.sigma = 0};
  options.thresholds = Thresholds::given(100, 500);
  Result result;
  const Settings settings;
  Session session(settings, result, nullptr);
  const EdgeSearch search = search_edges(session, picture, options);
  const Image<uint8_t> edges = canny(picture, options, {.strategy = "serial"});
  int64_t count = 0;
  for (int32_t y = 0; y < 64; ++y)
    count += std::count(edges.row(y), edges.row(y) + 32, uint8_t(255));
  EXPECT_EQ(search.trees_end, count);
  EXPECT_GT(search.trees_start, 0);
  EXPECT_GT(search.depth, 0);
  // One column of edges: each step goes one row down from the last strong one.
  EXPECT_EQ(search.depth, search.trees_end - search.trees_start);
  // It begins in the upper tile and continues in the lower.
  EXPECT_EQ(search.rounds, 2);
}

TEST(Papers, TheVideoHasOneObject) {
  const auto video = moving_object_video(160, 160, 9);
  const auto again = moving_object_video(160, 160, 9);
  MotionDetector detector(MotionOptions::of(BackgroundModel::first));
  int32_t before = -1;
  for (size_t t = 0; t < video.size(); ++t) {
    for (int32_t y = 0; y < 160; ++y)
      ASSERT_TRUE(std::equal(video[t].row(y), video[t].row(y) + 3 * 160, again[t].row(y)));
    const auto found = detector.push(video[t]);
    ASSERT_EQ(found.size(), t == 0 ? 0u : 1u) << t;
    if (t == 0) continue;
    EXPECT_GT(found[0].box.x, before) << "it moves";
    before = found[0].box.x;
  }
}

TEST(Papers, FiguresAgreeWithEachOther) {
  // 1 / time is the frames a second, but for their rounding.
  for (const int32_t side : paper_001::sides) {
    const double fps = 1000 / paper_001::at(paper_001::gpu_ms, side);
    EXPECT_NEAR(fps / paper_001::at(paper_001::gpu_fps, side), 1, 0.01);
  }
  EXPECT_EQ(paper_001::at(paper_001::gpu_ms, 100), 0);
  namespace p4 = paper_004;
  for (const p4::Version& version : p4::versions) {
    EXPECT_NEAR(version.fps * version.total_ms / 1e3 / p4::frames, 1, 0.03) << version.strategy;
    for (const p4::Step& step : version.steps) {
      // Averages as small as theirs have one digit.
      const double tolerance = step.average_us < 0.1 ? 0.1 : 0.03;
      EXPECT_NEAR(step.average_us * p4::frames / 1e3 / step.total_ms, 1, tolerance)
          << version.strategy << " " << step.name;
      EXPECT_FALSE(motion_stages::whole_of(step.name).empty()) << step.name;
      if (step.share > 1) {
        EXPECT_NEAR(100 * step.total_ms / version.total_ms / step.share, 1, 0.03)
            << version.strategy << " " << step.name;
      }
    }
  }
}

TEST(Papers, DeviceRowsWhereThereIsAGpu) {
  std::string why;
  if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  const std::string names[] = {"canny-stages", "motion-ladder", "label-density"};
  Outcome outcome;
  Settings settings{.sizes = {192}, .threads = 2, .quick = true, .device = 0};
  settings.print = [&](std::string_view text) { outcome.printed += text; };
  outcome.result = run(names, settings);
  for (const std::string& difference : outcome.result.differences) ADD_FAILURE() << difference;
  std::set<std::string> produced;  // operations with a production row
  for (const StrategyDescription& strategy : list_strategies()) {
    const bool mine = strategy.operation == "canny" || strategy.operation == "motion" ||
                      strategy.operation == "label";
    if (!mine || strategy.space != Space::device) continue;
    int found = 0, in_stages = 0, with_transfers = 0;
    for (const Row& row : outcome.result.rows) {
      if (row.operation != strategy.operation || row.strategy != strategy.name) continue;
      ++found;
      EXPECT_GT(row.ms, 0);
      EXPECT_FALSE(row.kernels.empty()) << row.strategy;
      EXPECT_FALSE(row.stages.empty()) << row.strategy;
      in_stages += row.experiment == "canny-stages";
      with_transfers += row.experiment == "canny-stages" && row.pageable_ms > 0;
    }
    // Its rows of one stage alone, as the paper's root, are timed without transfers.
    EXPECT_EQ(in_stages > 0, with_transfers > 0) << strategy.name;
    // Production rows share the requests among themselves; the papers' steps run all of them.
    if (strategy.tier == Tier::production && found > 0) produced.emplace(strategy.operation);
    if (strategy.tier != Tier::production) {
      EXPECT_GT(found, 0) << strategy.operation << " " << strategy.name;
    }
  }
  EXPECT_EQ(produced.size(), 3U);
  EXPECT_GT(value_of(outcome, "model", "this GPU", "all", "time", 192), 0);
}

}  // namespace
}  // namespace cuesta::bench
