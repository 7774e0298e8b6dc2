// Session::measure: every strategy is held against the reference on the very input before it is
// timed. On the host; the GPU's half runs where there is one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "bench/bench.hpp"
#include "bench/engine/answers.hpp"
#include "bench/engine/candidates.hpp"
#include "bench/engine/rotation.hpp"
#include "bench/engine/session.hpp"
#include "bench/engine/stages.hpp"
#include "bench/report/table.hpp"
#include "cuesta/device.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/error.hpp"
#include "cuesta/filter.hpp"

namespace cuesta::bench {
namespace {

Work sobel_work(ConstAnyView src) {
  Work work;
  work.experiment = "test";
  work.operation = "sobel";
  work.parameters = "magnitude";
  work.sources = {src};
  work.bytes_per_pixel = 2;
  work.flops_per_pixel = 39;
  work.call = [](ConstAnyView from, AnyView to, const Exec& exec) {
    sobel(from, {.magnitude = to}, {}, exec);
  };
  return work;
}

std::vector<std::string> strategies_of(const Measured& measured) {
  std::vector<std::string> names;
  for (const Row& row : measured.rows) names.push_back(row.strategy);
  return names;
}

struct Fixture {
  Result result;
  Settings settings{.threads = 2, .quick = true};
  Session session{settings, result, nullptr};
  Image<uint8_t> picture = session.photograph(64, 48);
};

TEST(Measure, TimesEveryHostStrategyOverACopyAndOneCore) {
  Fixture f;
  const Measured measured = f.session.measure(sobel_work(f.picture));
  EXPECT_EQ(strategies_of(measured),
            (std::vector<std::string>{"memcpy", "serial", "rows", "simd"}));
  EXPECT_TRUE(f.result.differences.empty());
  EXPECT_EQ(f.result.rows.size(), 4u);
  const Row* serial = measured.find("serial", Space::host);
  const Row* simd = measured.find("simd", Space::host);
  ASSERT_TRUE(serial && simd);
  EXPECT_EQ(serial->threads, 1);
  EXPECT_EQ(simd->threads, 2);
  EXPECT_DOUBLE_EQ(serial->speedup(), 1);
  EXPECT_GT(simd->speedup(), 0);
  EXPECT_DOUBLE_EQ(simd->intensity, 19.5);
  EXPECT_DOUBLE_EQ(simd->copy_ms, measured.rows[0].ms);
  EXPECT_EQ(measured.find("simd", Space::device), nullptr);
}

TEST(Measure, AWrongStrategyIsReportedAndNotTimed) {
  Fixture f;
  Work work = sobel_work(f.picture);
  work.call = [](ConstAnyView from, AnyView to, const Exec& exec) {
    sobel(from, {.magnitude = to}, {}, exec);
    if (exec.strategy == "rows") to.as<uint8_t>().at(5, 40) ^= 1;
  };
  const Measured measured = f.session.measure(work);
  EXPECT_EQ(strategies_of(measured), (std::vector<std::string>{"memcpy", "serial", "simd"}));
  ASSERT_EQ(f.result.differences.size(), 1u);
  EXPECT_EQ(f.result.differences[0],
            "host sobel rows, magnitude, 64x48 u8: row 40 differs from the reference");
}

TEST(Measure, ComparesResultsThatAreNoPicture) {
  Fixture f;
  Work work = sobel_work(f.picture);
  work.result = PixelType::none;
  std::string last;
  work.call = [&](ConstAnyView, AnyView to, const Exec& exec) {
    EXPECT_FALSE(to);
    last = exec.strategy == "simd" ? "3 boxes" : "2 boxes";
  };
  work.answer = [&] { return last; };
  EXPECT_EQ(strategies_of(f.session.measure(work)),
            (std::vector<std::string>{"memcpy", "serial", "rows"}));
  ASSERT_EQ(f.result.differences.size(), 1u);
  EXPECT_NE(f.result.differences[0].find("its answer differs"), std::string::npos);
}

TEST(Measure, APeerMustLeaveTheSameAnswer) {
  class Counting final : public Peer {
   public:
    const char* name() const override { return "counting"; }
    const char* version() const override { return "1"; }
    void set_threads(int) override {}
    void canny(ConstAnyView, AnyView, int, double, double, double) override {}
    void log(ConstAnyView, double) override {}
    void gaussian(ConstAnyView, AnyView, int, double) override {}
    void median(ConstAnyView, AnyView, int) override {}
    void sobel_magnitude(ConstAnyView, AnyView) override {}
    void gradients(ConstAnyView, AnyView, AnyView) override {}
    void correlate(ConstAnyView, AnyView, std::span<const float>, int) override {}
    void box(ConstAnyView, AnyView, int) override {}
    void morphology(ConstAnyView, AnyView, bool, std::span<const uint8_t>, int) override {}
    void threshold(ConstAnyView, AnyView, double) override {}
    void histogram(ConstAnyView) override {}
    void close_open(ConstAnyView, AnyView, int) override {}
    void components(ConstAnyView, std::vector<int64_t>&) override {}
    int64_t video(const char*, double, int, const char*) override { return -1; }
    void motion(ConstAnyView, double, int, std::vector<Rect>&, StageObserver*) override {}
  };
  for (const char* theirs : {"2 boxes", "3 boxes"}) {
    Result result;
    const Settings settings{.threads = 2, .quick = true};
    Session session(settings, result, std::make_unique<Counting>());
    const Image<uint8_t> picture = session.photograph(64, 48);
    Work work = sobel_work(picture);
    work.result = PixelType::none;
    std::string last;
    work.call = [&](ConstAnyView, AnyView, const Exec&) { last = "2 boxes"; };
    work.answer = [&] { return last; };
    work.opencv = [&](Peer&, ConstAnyView, AnyView) { last = theirs; };
    work.opencv_equal = true;
    const Measured measured = session.measure(work);
    const bool equal = theirs == std::string("2 boxes");
    EXPECT_EQ(measured.find("opencv", Space::host) != nullptr, equal);
    EXPECT_EQ(result.differences.empty(), equal);
  }
}

TEST(Measure, EverySourceIsVerified) {
  Fixture f;
  const Image<uint8_t> second = Session::noise(64, 48);
  Work work = sobel_work(f.picture);
  work.sources.push_back(second);
  work.call = [&](ConstAnyView from, AnyView to, const Exec& exec) {
    sobel(from, {.magnitude = to}, {}, exec);
    if (exec.strategy == "simd" && from.data == second.view().data) to.as<uint8_t>().at(0, 0) ^= 1;
  };
  f.session.measure(work);
  EXPECT_EQ(f.result.differences.size(), 1u);
}

TEST(Measure, ProductionAndThePeerOnOneThreadToo) {
  Fixture f;
  Work work = sobel_work(f.picture);
  work.one_thread = true;
  work.border = "reflect101";
  const Measured measured = f.session.measure(work);
  ASSERT_EQ(strategies_of(measured),
            (std::vector<std::string>{"memcpy", "serial", "rows", "simd", "simd"}));
  EXPECT_EQ(measured.rows[3].threads, 2);
  EXPECT_EQ(measured.rows[4].threads, 1);
  EXPECT_TRUE(measured.notes.empty()) << "two numbers of threads are no variants";
  EXPECT_EQ(measured.rows[0].border, "");
  EXPECT_EQ(measured.rows[4].border, "reflect101");
  EXPECT_EQ(measured.rows[4].pictures, 1);
}

TEST(Measure, ARoundIsTheMeanOverItsSources) {
  Fixture f;
  const std::vector<Image<uint8_t>> pictures = [&] {
    std::vector<Image<uint8_t>> made;
    for (uint64_t seed = 1; seed <= 3; ++seed) made.push_back(Session::noise(64, 48, seed));
    return made;
  }();
  Work work = sobel_work(f.picture);
  work.sources.assign(pictures.begin(), pictures.end());
  work.rounds = true;
  work.stages = true;
  // The second picture takes 12 ms more than the others.
  work.call = [&](ConstAnyView from, AnyView to, const Exec& exec) {
    if (exec.observer) exec.observer->stage("all", nullptr);
    sobel(from, {.magnitude = to}, {}, {.strategy = exec.strategy, .threads = exec.threads});
    if (from.data == pictures[1].view().data)
      std::this_thread::sleep_for(std::chrono::milliseconds(12));
  };
  const Measured measured = f.session.measure(work);
  const Row* simd = measured.find("simd", Space::host);
  ASSERT_TRUE(simd);
  EXPECT_EQ(simd->pictures, 3);
  EXPECT_GE(simd->ms, 4.0);
  ASSERT_FALSE(simd->stages.empty());
  EXPECT_GE(simd->stages.back().second, 4.0) << "the mean; the median has none of it";
}

TEST(Measure, ARefusalIsToldInWords) {
  Fixture f;
  Work work = sobel_work(f.picture);
  work.operation = "convolve";
  work.parameters = "laplacian";
  work.call = [](ConstAnyView from, AnyView to, const Exec& exec) {
    laplacian(from, to, {.offset = 200'000}, exec);
  };
  const Measured measured = f.session.measure(work);
  ASSERT_EQ(measured.notes.size(), 1u);
  EXPECT_NE(measured.notes[0].find("an offset beyond 131,072"), std::string::npos);
  EXPECT_NE(text_of(measured).find("  not timed: "), std::string::npos);
  ASSERT_EQ(f.result.notes.size(), 1u);
  EXPECT_TRUE(f.result.notes[0].starts_with("test: convolve laplacian, 64x48 u8: not timed: "))
      << f.result.notes[0];
}

TEST(Measure, FloatsWithinTheBoundOnlyWhereTheRowSaysSo) {
  Image<float> picture(4, 1);
  for (int x = 0; x < 4; ++x) picture.at(x, 0) = float(x);
  Work work;
  work.sources = {picture};
  work.result = PixelType::f32;
  work.bound = 1e-3;
  work.call = [](ConstAnyView from, AnyView to, const Exec&) { copy_rows(from, to, 1); };
  const Answers answers(work, {});
  Image<float> got(4, 1);
  copy_rows(picture, got, 1);
  EXPECT_EQ(answers.compare(0, got, false), "");
  got.at(2, 0) += 5e-4f;
  EXPECT_EQ(answers.compare(0, got, true), "");
  EXPECT_NE(answers.compare(0, got, false), "");
  got.at(2, 0) = 2.5f;
  EXPECT_NE(answers.compare(0, got, true), "");
  got.at(2, 0) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(answers.compare(0, got, true), "");
}

#ifdef CUESTA_HAS_CUDA
TEST(Candidates, EveryCombinationOfWhatAStrategyDeclares) {
  Work work;
  work.operation = "convolve";
  work.takes = [](const StrategyDescription& s) { return s.name == "tiled" || s.name == "naive"; };
  const std::vector<Sweep> sweeps = {
      {"T", {"1", "8"}}, {"block", {"8"}}, {"block", {"16", "32", "64"}}};
  std::vector<std::string> found;
  for (const Candidate& candidate : candidates_of(work, Space::device, sweeps, {}))
    found.push_back(candidate.exec.strategy + " " + candidate.variant);
  EXPECT_EQ(found, (std::vector<std::string>{
                       "naive block=16 unroll=some", "naive block=32 unroll=some",
                       "tiled block=16 T=1 unroll=some", "tiled block=16 T=8 unroll=some",
                       "tiled block=32 T=1 unroll=some", "tiled block=32 T=8 unroll=some"}));
  found.clear();
  for (const Candidate& candidate : candidates_of(work, Space::device, {}, {}))
    found.push_back(candidate.exec.strategy + " " + candidate.variant);
  EXPECT_EQ(found, (std::vector<std::string>{"naive block=32 unroll=some",
                                             "tiled block=32 T=4 unroll=some"}));
}
#endif

TEST(Rotation, SlotsExceedTheCacheTwice) {
  EXPECT_EQ(slots_past(50 << 20, 1 << 20, 1), 100u);
  EXPECT_EQ(slots_past(50 << 20, 256 << 20, 1), 2u);
  EXPECT_EQ(slots_past(50 << 20, 20 << 20, 4), 8u) << "a multiple of the sources";
  EXPECT_EQ(slots_past(0, 1 << 20, 1), 2u);
}

TEST(Stages, AddUpWithinACallAndMedianOverCalls) {
  StageTimer timer(Space::host);
  for (int call = 0; call < 3; ++call) {
    timer.begin();
    // What is counted for the observer is no stage of the work.
    for (const char* name : {"blur", "label", "counting", "blur"}) {
      timer.stage(name, nullptr);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    timer.statistic("depth", call);
    timer.end();
  }
  const auto stages = timer.stages();
  ASSERT_EQ(stages.size() >= 2, true);
  EXPECT_EQ(stages[stages.size() - 2].first, "blur");
  EXPECT_EQ(stages.back().first, "label");
  EXPECT_GE(stages[stages.size() - 2].second, 4.0);
  EXPECT_GE(stages.back().second, 2.0);
  EXPECT_EQ(timer.statistics(), (std::vector<std::pair<std::string, double>>{{"depth", 1.0}}));
  timer.begin();
  timer.stage("blur", nullptr);
  timer.statistic("depth", 9);
  timer.end();
  const auto means = timer.stages(StageTimer::Middle::mean);
  EXPECT_GE(means.back().second, 1.5) << "2 ms of three calls in four";
  EXPECT_EQ(timer.statistics(StageTimer::Middle::mean),
            (std::vector<std::pair<std::string, double>>{{"depth", 3.0}}));
}

TEST(Stages, ACallThatNamesNoneHasNone) {
  StageTimer timer(Space::host);
  timer.begin();
  timer.end();
  EXPECT_TRUE(timer.stages().empty());
}

TEST(Text, TablesLineUpAndNamesAreShort) {
  TextTable table("title", {"strategy", "256x256", "512x512"});
  table.add({"naïve", "1.5"});
  table.add({"shared", "", "10"});
  EXPECT_EQ(table.text(),
            "\ntitle\n"
            "  strategy  256x256  512x512\n"
            "  naïve         1.5\n"
            "  shared                  10\n");
  Measured measured;
  Row row;
  row.experiment = "test", row.operation = "copy", row.strategy = "memcpy", row.space = "host";
  row.parameters = "3x3", row.type = "u8", row.width = row.height = 100, row.threads = 2;
  row.ms = row.copy_ms = 0.5;
  measured.rows.push_back(row);
  row.operation = "sobel", row.strategy = "simd", row.ms = 1;
  row.paper_figure = PaperFigure{0.25, "ms", "kernel time"};
  measured.rows.push_back(row);
  measured.notes = {"a note"};
  EXPECT_EQ(text_of(measured),
            "\ntest: sobel 3x3, 100x100 u8\n"
            "  strategy               ms  Mpixel/s  x copy  paper's\n"
            "  memcpy, 2 threads  0.5000        20    1.00        -\n"
            "  simd, 2 threads     1.000        10    2.00  0.25 ms\n"
            "  a note\n");
  EXPECT_EQ(short_kernel_name("void cuesta::convolve_ladder::(anonymous namespace)::kernel<float, "
                              "(bool)1>(cuesta::convolve_cuda::Request<float>, int)"),
            "convolve_ladder::kernel<float, (bool)1>");
  EXPECT_EQ(milliseconds(0.0123456), "0.01235");
  EXPECT_EQ(milliseconds(1234.5), "1234");
  EXPECT_EQ(figure(0), "-");
}

TEST(Text, ThePapersFiguresStandWithoutAnyRow) {
  const auto of = [](const char* subject, const char* detail, const char* what, const char* unit,
                     double value, const char* words = "") {
    return Figure{.experiment = "ladder",
                  .parameters = "3x3",
                  .width = 64,
                  .height = 64,
                  .source = "paper",
                  .subject = subject,
                  .detail = detail,
                  .what = what,
                  .unit = unit,
                  .value = value,
                  .words = words};
  };
  std::vector<Figure> figures = {
      of("naive", "block=32", "time", "ms", 0.25), of("shared", "block=32", "time", "ms", 12.5),
      of("naive", "block=16", "time", "ms", 0.125), of("naive", "", "accesses", "", 1245184),
      of("naive", "", "share", "", 0, "about 30 %")};
  figures.push_back(figures[0]);
  figures.back().source = "model";
  figures.push_back(figures[0]);
  figures.back().experiment = "another";
  EXPECT_EQ(paper_text_of(figures, "ladder"),
            "\nladder: the paper's time, ms\n"
            "                      naive  shared\n"
            "  3x3 64x64 block=32   0.25    12.5\n"
            "  3x3 64x64 block=16  0.125       -\n"
            "\nladder: the paper's accesses\n"
            "               naive\n"
            "  3x3 64x64  1245184\n"
            "\nladder: the paper's share\n"
            "                  naive\n"
            "  3x3 64x64  about 30 %\n");
  EXPECT_EQ(paper_text_of(figures, "neither"), "");
}

TEST(Measure, DeviceRowsWhereThereIsAGpu) {
  std::string why;
  const auto devices = list_devices(&why);
  if (devices.empty()) GTEST_SKIP() << "no GPU: " << why;
  Settings settings{.sizes = {128}, .quick = true, .device = 0};
  settings.sweeps = {{"block", {"16", "32"}}};
  const std::string names[] = {"sobel-ladder", "memory-ladder"};
  const Result result = run(names, settings);
  EXPECT_TRUE(result.differences.empty());
  ASSERT_TRUE(result.gpu);
  EXPECT_GT(result.gpu->ceilings.copy_gbs, 10);
  EXPECT_GT(result.gpu->ceilings.fma_gflops, 100);
  for (const auto& [name, member] : ceiling_fields) {
    if (std::string_view(name).ends_with("spread")) continue;
    EXPECT_GT(result.gpu->ceilings.*member, 0) << name;
  }
  // What must be so on any GPU: a cache is faster than what it caches, half the instructions being
  // integers does not make more of them, a wait includes its launch, and a block of many warps does
  // not begin sooner than one of a warp.
  EXPECT_GT(result.gpu->ceilings.l2_gbs, 0.5 * result.gpu->ceilings.copy_gbs);
  EXPECT_GT(result.gpu->ceilings.l1_gwavefronts * 128, result.gpu->ceilings.l2_gbs);
  EXPECT_GT(result.gpu->ceilings.memory_ns, result.gpu->ceilings.l2_ns);
  EXPECT_LT(result.gpu->ceilings.integer_ginstructions,
            1.2 * result.gpu->ceilings.issue_ginstructions);
  EXPECT_GT(result.gpu->ceilings.wait_us, result.gpu->ceilings.enqueue_us);
  EXPECT_GT(1.3 * result.gpu->ceilings.block_us, result.gpu->ceilings.warp_us);
  int device_rows = 0;
  for (const Row& row : result.rows) {
    if (row.space != "device") continue;
    ++device_rows;
    EXPECT_GT(row.ms, 0) << row.strategy;
    if (row.operation == "copy" || row.strategy == "npp") continue;
    ASSERT_FALSE(row.kernels.empty()) << row.strategy;
    EXPECT_GT(row.kernels[0].registers, 0);
    EXPECT_GT(row.kernels[0].occupancy, 0);
    EXPECT_FALSE(row.kernels[0].name.empty());
    EXPECT_GT(row.speedup(), 0);
    EXPECT_GT(row.run_ms, 0);
    EXPECT_EQ(row.pageable_costs.has_value(), row.experiment == "memory-ladder");
    for (const auto& costs : {row.pageable_costs, row.pinned_costs}) {
      if (!costs) continue;
      for (const double ms :
           {costs->host_allocate, costs->device_allocate, costs->first_upload, costs->upload,
            costs->first_download, costs->download, costs->release})
        EXPECT_GT(ms, 0) << row.strategy;
    }
  }
  EXPECT_GT(device_rows, 8);
}

}  // namespace
}  // namespace cuesta::bench
