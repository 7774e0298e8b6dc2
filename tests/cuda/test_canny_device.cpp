// Canny on a GPU: hysteresis, whose threads meet, again and again. Without a GPU these skip.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "cuesta/device.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/objects.hpp"
#include "ops/canny/ladder/ladder.hpp"
#include "support/drawings.hpp"
#include "support/graph.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using DevicePicture = Image<uint8_t, Space::device>;

struct Row {
  std::string strategy;
  std::vector<Parameter> parameters;
  std::string name() const {
    std::string text = strategy.empty() ? "production" : strategy;
    for (const auto& [key, value] : parameters) text += " " + key + "=" + value;
    return text;
  }
};

constexpr const char* hysteresis_names[] = {"bfs-launch", "bfs-queue",  "tile-flood", "persistent",
                                            "graph",      "union-find", "runs"};

// Older drivers have none, nor have emulated devices.
bool has_graph_loops() {
#ifdef CUESTA_HAS_CUDA
  return canny_ladder::graph_loops();
#else
  return false;
#endif
}

// What runs without a name.
const Row production{"", {}};

// Every way to do hysteresis.
std::vector<Row> rows() {
  std::vector<Row> all = {{"plain", {}},
                          {"plain", {{"numbers", "64"}}},
                          {"global", {{"hysteresis", "bfs-launch"}, {"window", "5"}}},
                          {"global", {{"suppression", "cpu"}}},
                          {"global", {{"suppression", "copied"}}},
                          {"global", {{"shape", "row"}, {"hysteresis", "bfs-queue"}}},
                          {"row-cyclic", {{"suppression", "cpu"}, {"hysteresis", "runs"}}},
                          {"bfs-launch", {{"window", "5"}}},
                          {"march-int16", {}},
                          production};
  for (const std::string name : hysteresis_names) {
    if (name == "graph" && !has_graph_loops()) continue;
    all.push_back({name, {}});
    all.push_back({"global", {{"hysteresis", name}}});
    all.push_back({"row-cyclic", {{"hysteresis", name}}});
  }
  return all;
}

struct Observer : StageObserver {
  std::vector<std::string> stages;
  std::map<std::string, double> statistics;
  void stage(std::string_view name, void*) override { stages.emplace_back(name); }
  void statistic(std::string_view name, double value) override {
    statistics[std::string(name)] = value;
  }
};

uint64_t hash_of(const Image<uint8_t>& picture) {
  uint64_t hash = 14695981039346656037u;
  for (int32_t y = 0; y < picture.height(); ++y) {
    for (int32_t x = 0; x < picture.width(); ++x) hash = (hash ^ picture.at(x, y)) * 1099511628211u;
  }
  return hash;
}

class CannyDevice : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  }
  static DevicePicture there(const Image<uint8_t>& picture, void* stream = nullptr) {
    DevicePicture device(picture.width(), picture.height());
    upload(picture, device, stream);
    return device;
  }
  static Image<uint8_t> edges(const DevicePicture& src, const CannyOptions& options, const Row& row,
                              StageObserver* observer = nullptr) {
    DevicePicture dst(src.width(), src.height());
    Exec exec;
    exec.strategy = row.strategy;
    exec.parameters = row.parameters;
    exec.observer = observer;
    canny(src, dst, options, exec);
    Image<uint8_t> host(src.width(), src.height());
    download(dst, host);
    return host;
  }
};

TEST_F(CannyDevice, AThousandRepetitionsGiveOneHash) {
  constexpr int32_t side = 512;
  Image<uint8_t> picture(side, side);
  verify::fill(picture, verify::Pattern::natural, 21);
  CannyOptions options;
  options.thresholds = Thresholds::given(15, 120);  // much to connect
  const uint64_t expected = hash_of(canny(picture, options, {.strategy = "serial"}));
  const DevicePicture src = there(picture);
  DevicePicture dst(side, side);
  Image<uint8_t> host(side, side);
  const Stream stream;
  for (const Row& row : rows()) {
    Exec exec;
    exec.strategy = row.strategy;
    exec.parameters = row.parameters;
    exec.stream = stream.get();
    int wrong = 0;
    for (int i = 0; i < 1000; ++i) {
      canny(src, dst, options, exec);
      download(dst, host, stream.get());
      wrong += hash_of(host) != expected;
    }
    EXPECT_EQ(wrong, 0) << row.name();
  }
}

TEST_F(CannyDevice, SixteenBitsRunWithoutAName) {
  constexpr int32_t width = 333, height = 217;
  Image<uint16_t> picture(width, height);
  verify::fill(picture, verify::Pattern::natural, 22);
  Image<uint16_t, Space::device> src(width, height);
  upload(picture, src);
  DevicePicture dst(width, height);
  for (const double sigma : {0.0, 1.4, 4.0}) {
    for (const Norm norm : {Norm::l1, Norm::l2}) {
      for (const Thresholds& thresholds :
           {Thresholds::given(3000, 9000), Thresholds::automatic(AutoThreshold::otsu)}) {
        const CannyOptions options{
            .sigma = sigma, .ksize = sigma == 1.4 ? 5 : 0, .thresholds = thresholds, .norm = norm};
        Image<uint8_t> here(width, height), there(width, height);
        const CannyResult expected = canny(picture, here, options, {.strategy = "serial"});
        const CannyResult found = canny(src, dst, options);
        download(dst, there);
        EXPECT_EQ(found.low, expected.low);
        EXPECT_EQ(found.high, expected.high);
        EXPECT_EQ(hash_of(there), hash_of(here)) << "sigma " << sigma;
      }
    }
  }
}

// Above a spread of 3 pixels on u8 in floats, above 5 u16 too, and thinned by length.
template <class T>
void expect_wide_gaussians_as_here(int32_t channels) {
  constexpr int32_t width = 141, height = 67;
  Image<T> picture(width, height, channels);
  verify::fill(picture, verify::Pattern::natural, 31);
  Image<uint8_t> mask(width, height);
  verify::fill(mask, verify::Pattern::blobs, 4);
  Image<T, Space::device> src(width, height, channels);
  Image<uint8_t, Space::device> mask_there(width, height), edges_there(width, height);
  Image<float, Space::device> strengths_there(width, height);
  upload(picture, src);
  upload(mask, mask_there);
  Image<uint8_t> edges(width, height), edges_found(width, height);
  Image<float> strengths(width, height), strengths_found(width, height);
  for (const int aperture : {3, 5, 7}) {
    for (const Norm norm : {Norm::l1, Norm::l2}) {
      for (const bool is_masked : {false, true}) {
        CannyOptions options{.sigma = aperture == 5 ? 9 : 5.5, .norm = norm, .aperture = aperture};
        if (is_masked) options.mask = mask;
        const CannyResult expected = canny(picture, edges, options, {.strategy = "serial"});
        canny(picture, strengths, options, {.strategy = "serial"});
        if (is_masked) options.mask = mask_there;
        for (const char* row : {"", "plain"}) {
          const CannyResult found = canny(src, edges_there, options, {.strategy = row});
          canny(src, strengths_there, options, {.strategy = row});
          download(edges_there, edges_found);
          download(strengths_there, strengths_found);
          const auto what = fmt::format("{} x{} aperture {} {}{} {}", name_of(pixel_type_of<T>()),
                                        channels, aperture, norm == Norm::l1 ? "l1" : "l2",
                                        is_masked ? " masked" : "", row);
          EXPECT_EQ(found.low, expected.low) << what;
          EXPECT_EQ(hash_of(edges_found), hash_of(edges)) << what;
          for (int32_t y = 0; y < height; ++y) {
            const float* row_found = strengths_found.row(y);
            EXPECT_TRUE(std::equal(row_found, row_found + width, strengths.row(y))) << what;
          }
        }
      }
    }
  }
}

TEST_F(CannyDevice, WideGaussiansKeepFractions) {
  for (const int32_t channels : {1, 3}) {
    expect_wide_gaussians_as_here<uint8_t>(channels);
    expect_wide_gaussians_as_here<uint16_t>(channels);
    expect_wide_gaussians_as_here<float>(channels);
  }
}

TEST_F(CannyDevice, ThePapersKernelsGiveTheSameEdges) {
  for (const auto& [width, height] : {std::pair{1, 1}, {5, 70}, {130, 37}, {1024, 20}, {1031, 9}}) {
    Image<uint8_t> picture(width, height);
    verify::fill(picture, verify::Pattern::natural, 24);
    const DevicePicture src = there(picture);
    for (const int aperture : {3, 7}) {
      CannyOptions options;
      options.aperture = aperture;
      options.thresholds = Thresholds::given(20, 60);
      const Image<uint8_t> expected = canny(picture, options, {.strategy = "serial"});
      const Row shaped{"global", {{"shape", "row"}, {"suppression", "copied"}}};
      EXPECT_EQ(hash_of(edges(src, options, shaped)), hash_of(expected)) << width;
      for (const char* grid : {"multiprocessors", "1", "7"}) {
        const Row columns{"row-cyclic", {{"threads", "columns"}, {"grid", grid}}};
        if (width > 1024)
          EXPECT_THROW(edges(src, options, columns), Error);
        else
          EXPECT_EQ(hash_of(edges(src, options, columns)), hash_of(expected)) << width << grid;
      }
    }
  }
}

TEST_F(CannyDevice, SnakesAreFollowedToTheirEnd) {
  const Image<uint8_t> lit = drawn_spiral(512, true), dark = drawn_spiral(512, false);
  CannyOptions options;
  options.thresholds = Thresholds::given(20, 200);
  const uint64_t expected = hash_of(canny(lit, options, {.strategy = "serial"}));
  const uint64_t nothing = hash_of(canny(dark, options, {.strategy = "serial"}));
  EXPECT_NE(expected, nothing);
  const DevicePicture lit_there = there(lit), dark_there = there(dark);
  for (const Row& row : rows()) {
    EXPECT_EQ(hash_of(edges(lit_there, options, row)), expected) << row.name();
    EXPECT_EQ(hash_of(edges(dark_there, options, row)), nothing) << row.name();
  }
}

// More tiles than multiprocessors, and pixels enough to be smoothed apart.
TEST_F(CannyDevice, LargePicturesAreTheHosts) {
  constexpr int32_t width = 2603, height = 2405;
  CannyOptions options;
  for (const auto pattern : {verify::Pattern::natural, verify::Pattern::noise}) {
    Image<uint8_t> picture(width, height);
    verify::fill(picture, pattern, 23);
    const DevicePicture src = there(picture);
    for (const Norm norm : {Norm::l1, Norm::l2}) {
      for (const double sigma : {0.0, 1.4}) {
        for (const Thresholds& thresholds :
             {Thresholds::given(15, 120), Thresholds::given(300, 1000),
              Thresholds::automatic(AutoThreshold::otsu)}) {
          options = {.sigma = sigma,
                     .ksize = sigma == 1.4 ? 5 : 0,
                     .thresholds = thresholds,
                     .norm = norm};
          EXPECT_EQ(hash_of(edges(src, options, production)),
                    hash_of(canny(picture, options, {.strategy = "simd"})))
              << verify::name_of(pattern) << " sigma " << sigma << " l2 " << (norm == Norm::l2);
        }
      }
    }
  }
  options = {};
  options.thresholds = Thresholds::given(20, 200);
  for (const bool lit : {false, true}) {
    const Image<uint8_t> spiral = drawn_spiral(2600, lit);
    EXPECT_EQ(hash_of(edges(there(spiral), options, production)),
              hash_of(canny(spiral, options, {.strategy = "simd"})));
  }
}

TEST_F(CannyDevice, AWindowOfFiveTakesTwoSteps) {
  CannyOptions options;
  options.thresholds = Thresholds::given(20, 200);
  const DevicePicture src = there(drawn_spiral(512, true));
  Observer one, two;
  edges(src, options, {"bfs-launch", {{"window", "3"}}}, &one);
  edges(src, options, {"global", {{"window", "5"}}}, &two);
  EXPECT_EQ(two.statistics["bfs depth"], std::ceil(one.statistics["bfs depth"] / 2));
  // What is done for the observer alone is no part of a stage of the work.
  EXPECT_EQ(one.stages, (std::vector<std::string>{"gradient and suppression", "counting",
                                                  "hysteresis", "counting"}));
  EXPECT_EQ(two.stages,
            (std::vector<std::string>{"gaussian", "sobel", "magnitude", "suppression", "threshold",
                                      "counting", "hysteresis", "counting"}));
}

// One workspace for pictures and sizes in turn, on two streams: what it keeps for a picture is not
// used for another. A picture goes up on the stream that reads it: from pageable memory the copy
// may still be in flight when upload() returns.
TEST_F(CannyDevice, AWorkspaceServesEveryPictureInTurn) {
  CannyOptions options;
  options.thresholds = Thresholds::given(15, 120);
  for (const Row& row : rows()) {
    Workspace workspace;
    const Stream streams[2];
    int wrong = 0;
    for (int turn = 0; turn < 24; ++turn) {
      const int32_t sides[] = {64, 200, 200, 64, 333, 1}, side = sides[turn % 6];
      Image<uint8_t> picture(side, side + turn % 2), host(side, side + turn % 2);
      verify::fill(picture, verify::Pattern::natural, uint64_t(turn));
      const Stream& stream = streams[turn / 3 % 2];
      Exec exec;
      exec.strategy = row.strategy;
      exec.parameters = row.parameters;
      exec.stream = stream.get();
      exec.workspace = &workspace;
      const DevicePicture src = there(picture, stream.get());
      DevicePicture dst(side, side + turn % 2);
      for (int again = 0; again < 3; ++again) canny(src, dst, options, exec);
      download(dst, host, stream.get());
      wrong += hash_of(host) != hash_of(canny(picture, options, {.strategy = "serial"}));
    }
    EXPECT_EQ(wrong, 0) << row.name();
  }
}

#ifdef CUESTA_HAS_CUDA
// Rows that only enqueue become part of the caller's graph, with an observer too, and run again on
// another picture.
TEST_F(CannyDevice, RowsThatDoNotWaitAreCaptured) {
  constexpr int32_t side = 300;
  Image<uint8_t> pictures[] = {drawn_spiral(side, true), Image<uint8_t>(side, side)},
                 host(side, side);
  verify::fill(pictures[1], verify::Pattern::natural, 3);
  CannyOptions options;
  options.thresholds = Thresholds::given(20, 200);
  DevicePicture src(side, side), dst(side, side);
  for (const std::string name : {"persistent", "graph", "union-find", "runs", "march-int16"}) {
    if (name == "graph" && !has_graph_loops()) continue;
    const Stream stream;
    Workspace workspace;
    Observer observer;
    Exec exec;
    exec.strategy = name;
    exec.stream = stream.get();
    exec.workspace = &workspace;
    upload(pictures[0], src, stream.get());
    for (int again = 0; again < 2; ++again) canny(src, dst, options, exec);  // memory
    wait(stream.get());
    exec.observer = &observer;
    const test::Graph graph(stream, [&](void*) { canny(src, dst, options, exec); });
    EXPECT_TRUE(observer.statistics.empty()) << name;
    for (const int turn : {0, 1, 1, 0}) {
      upload(pictures[turn], src, stream.get());
      graph.launch();
      download(dst, host, stream.get());
      EXPECT_EQ(hash_of(host), hash_of(canny(pictures[turn], options, {.strategy = "serial"})))
          << name << ", picture " << turn;
    }
  }
}
#endif

TEST_F(CannyDevice, AutomaticThresholdsAreTheHosts) {
  Image<uint8_t> bytes(700, 333), inside(700, 333);
  verify::fill(bytes, verify::Pattern::natural, 5);
  verify::fill(inside, verify::Pattern::extremes, 6);
  Image<uint16_t> words(700, 333);
  verify::fill(words, verify::Pattern::natural, 7);
  Image<float> floats(700, 333);
  verify::fill(floats, verify::Pattern::natural, 8);
  const auto check = [&](ConstAnyView picture, const CannyOptions& options,
                         const std::string& what) {
    Image<uint8_t> host(700, 333), found(700, 333);
    const CannyResult expected = canny(picture, host, options, {.strategy = "serial"});
    AnyImage src(700, 333, 1, picture.type, Space::device);
    upload(picture, src.view());
    CannyOptions there_too = options;
    DevicePicture mask(700, 333), dst(700, 333);
    if (options.mask) {
      upload(options.mask, mask);
      there_too.mask = mask.view();
    }
    const CannyResult result = canny(src.view(), dst, there_too);
    download(dst, found);
    EXPECT_EQ(result.low, expected.low) << what;
    EXPECT_EQ(result.high, expected.high) << what;
    EXPECT_EQ(hash_of(found), hash_of(host)) << what;
  };
  for (const AutoThreshold rule : {AutoThreshold::otsu, AutoThreshold::median,
                                   AutoThreshold::percentile, AutoThreshold::noise}) {
    for (const Norm norm : {Norm::l1, Norm::l2}) {
      for (const int aperture : {3, 7}) {
        for (const bool masked : {false, true}) {
          CannyOptions options{
              .thresholds = Automatic{rule, 77}, .norm = norm, .aperture = aperture};
          if (masked) options.mask = inside;
          const std::string what = std::to_string(int(rule)) +
                                   (norm == Norm::l1 ? " l1 " : " l2 ") + std::to_string(aperture) +
                                   (masked ? " masked" : "");
          check(bytes, options, "u8 " + what);
          check(words, options, "u16 " + what);
          check(floats, options, "f32 " + what);
        }
      }
    }
  }
}

// Both come through the same page-locked memory: a count that stands where the device says that the
// thresholds are there is not taken for that.
TEST_F(CannyDevice, CountsOfAHistogramAreNoThresholds) {
  constexpr int32_t side = 1500;
  Image<uint8_t> picture(side, side), host(side, side), found(side, side);
  verify::fill(picture, verify::Pattern::natural, 9);
  const CannyResult expected = canny(picture, host, {}, {.strategy = "serial"});
  const DevicePicture src = there(picture);
  DevicePicture dst(side, side);
  for (int32_t count = 1; count <= 3; ++count) {
    Image<uint16_t> counted(count, 256);  // `count` pixels of each even value
    for (int32_t y = 0; y < 256; ++y)
      for (int32_t x = 0; x < count; ++x) counted.view().at(x, y) = uint16_t(2 * y);
    Image<uint16_t, Space::device> counted_there(count, 256);
    upload(counted, counted_there);
    Workspace workspace;
    for (int32_t call = 1; call <= count; ++call) {
      histogram(counted_there, {.workspace = &workspace});
      const CannyResult result = canny(src, dst, {}, {.workspace = &workspace});
      download(dst, found);
      EXPECT_EQ(result.high, expected.high) << count << ", call " << call;
      EXPECT_EQ(hash_of(found), hash_of(host)) << count << ", call " << call;
    }
  }
}

// ---- batches

// `count` pictures of different content in one large one, each `columns` and `rows` from the one
// before: the steps need not be multiples of anything.
struct Canvas {
  int32_t width, height, count, columns, rows;

  int32_t wide() const { return width + (count - 1) * columns; }
  int32_t high() const { return height + (count - 1) * rows; }
  template <class PlaneType>
  auto cut(PlaneType all) const {
    const ptrdiff_t step = rows * all.stride_bytes + columns;
    all.width = width;
    all.height = height;
    if constexpr (std::is_same_v<PlaneType, AnyView>)
      return Batch(all, count, step);
    else
      return ConstBatch(all, count, step);
  }
  Image<uint8_t> filled(uint64_t seed) const {
    Image<uint8_t> all(wide(), high());
    verify::fill(all, verify::Pattern::noise, seed);
    const Batch batch = cut(AnyView(all));
    for (int32_t i = 0; i < count; ++i)
      verify::fill(batch[i], verify::Pattern::natural, seed + uint64_t(i));
    return all;
  }
};

struct FoundTogether {
  Image<uint8_t> all;  // with what is between
  std::vector<CannyResult> used;
  size_t launches = 0;
};

FoundTogether together_there(const Canvas& canvas, const Image<uint8_t>& src,
                             const std::vector<Thresholds>& thresholds, CannyOptions options,
                             const Image<uint8_t>* masks, const Row& row) {
  DevicePicture src_there(canvas.wide(), canvas.high()), dst_there(canvas.wide(), canvas.high()),
      masks_there(canvas.wide(), canvas.high());
  FoundTogether found{canvas.filled(99), std::vector<CannyResult>(size_t(canvas.count))};
  upload(src, src_there);
  upload(found.all, dst_there);
  CannyEach each{.results = found.used};
  if (thresholds.size() == 1)
    options.thresholds = thresholds[0];
  else
    each.thresholds = thresholds;
  if (masks) {
    upload(*masks, masks_there);
    each.mask = canvas.cut(ConstAnyView(masks_there));
  }
  Exec exec;
  exec.strategy = row.strategy;
  exec.parameters = row.parameters;
  const auto run = [&] {
    canny(canvas.cut(ConstAnyView(src_there)), canvas.cut(AnyView(dst_there)), options, each, exec);
  };
#ifdef CUESTA_HAS_CUDA
  const cuda::LaunchRecorder recorder;
  run();
  found.launches = recorder.launches().size();
#else
  run();
#endif
  download(dst_there, found.all);
  return found;
}

FoundTogether together_here(const Canvas& canvas, const Image<uint8_t>& src,
                            const std::vector<Thresholds>& thresholds, CannyOptions options,
                            const Image<uint8_t>* masks) {
  FoundTogether found{canvas.filled(99), std::vector<CannyResult>(size_t(canvas.count))};
  const Batch dst = canvas.cut(AnyView(found.all));
  for (int32_t i = 0; i < canvas.count; ++i) {
    if (masks) options.mask = canvas.cut(ConstAnyView(*masks))[i];
    options.thresholds = thresholds[thresholds.size() == 1 ? 0 : size_t(i)];
    found.used[size_t(i)] =
        canny(canvas.cut(ConstAnyView(src))[i], dst[i], options, {.strategy = "serial"});
  }
  return found;
}

void expect_equal(const FoundTogether& found, const FoundTogether& expected,
                  const std::string& what) {
  EXPECT_EQ(hash_of(found.all), hash_of(expected.all)) << what;
  for (size_t i = 0; i < found.used.size(); ++i) {
    EXPECT_EQ(found.used[i].low, expected.used[i].low) << what << ", picture " << i;
    EXPECT_EQ(found.used[i].high, expected.used[i].high) << what << ", picture " << i;
  }
}

std::vector<Thresholds> given_pairs(int32_t count) {
  std::vector<Thresholds> pairs;
  pairs.reserve(size_t(count));
  for (int32_t i = 0; i < count; ++i)
    pairs.push_back(Thresholds::given(10 + 11 * (i % 17), 50 + 29 * (i % 19)));
  return pairs;
}

TEST_F(CannyDevice, ABatchIsItsPicturesWhateverTheRow) {
  const Canvas canvases[] = {{301, 123, 5, 0, 123},  // one below the other
                             {301, 123, 5, 3, 124},  // odd steps
                             {77, 250, 5, 80, 0},    // side by side
                             {1, 1, 5, 1, 1},
                             {640, 31, 5, 0, 40}};
  for (const Canvas& canvas : canvases) {
    const Image<uint8_t> src = canvas.filled(1), masks = canvas.filled(2);
    for (const bool masked : {false, true}) {
      const Image<uint8_t>* with = masked ? &masks : nullptr;
      for (const double sigma : {1.4, 0.0, 2.6}) {
        CannyOptions options;
        options.sigma = sigma;
        if (sigma == 1.4) options.ksize = 5;
        std::vector<Thresholds> thresholds = given_pairs(5);
        for (const bool automatic : {false, true}) {
          if (automatic) {
            thresholds[1] = Thresholds::automatic(AutoThreshold::otsu);
            thresholds[4] = Thresholds::automatic(AutoThreshold::percentile, 80);
          }
          const auto expected = together_here(canvas, src, thresholds, options, with);
          for (const Row& row : rows()) {
            expect_equal(together_there(canvas, src, thresholds, options, with, row), expected,
                         row.name() + " " + std::to_string(canvas.width) + "x" +
                             std::to_string(canvas.height) + " sigma " + std::to_string(sigma) +
                             (masked ? " masked" : "") + (automatic ? " automatic" : ""));
          }
        }
      }
    }
  }
}

TEST_F(CannyDevice, ABatchTakesTheLaunchesOfOnePicture) {
  for (const double sigma : {1.4, 2.6}) {
    for (const bool automatic : {false, true}) {
      CannyOptions options;
      options.sigma = sigma;
      if (sigma == 1.4) options.ksize = 5;
      const auto launches = [&](int32_t count, bool differ) {
        const Canvas canvas{90, 70, count, 0, 70};
        std::vector<Thresholds> thresholds = given_pairs(differ ? count : 1);
        if (automatic) thresholds[0] = Thresholds::automatic(AutoThreshold::otsu);
        const auto found =
            together_there(canvas, canvas.filled(1), thresholds, options, nullptr, production);
        expect_equal(found, together_here(canvas, canvas.filled(1), thresholds, options, nullptr),
                     std::to_string(count) + " pictures");
        return found.launches;
      };
      // One picture alone is smoothed before; two are by the march.
      const size_t one = launches(sigma > 2 ? 1 : 2, false), ours = automatic ? 6 : 4;
      if (sigma > 2) {  // a window larger than the fused one: gaussian() for each picture
        EXPECT_GT(one, ours);
        EXPECT_EQ(launches(5, true), ours + 5 * (one - ours));
        continue;
      }
      EXPECT_EQ(one, ours);
      EXPECT_EQ(launches(5, true), one);
      EXPECT_EQ(launches(256, true), one);
      // A second table of given thresholds; what the device found needs none.
      EXPECT_EQ(launches(257, true), one + !automatic);
      if (!automatic) {
        EXPECT_EQ(launches(600, false), one);
      }
    }
  }
}

TEST_F(CannyDevice, ABatchInPiecesIsItsPictures) {
  {  // more pictures than the grid's third dimension
    const Canvas canvas{16, 8, 70000, 0, 8};
    const Image<uint8_t> src = canvas.filled(4);
    const std::vector<Thresholds> one = given_pairs(1);
    const auto found = together_there(canvas, src, one, {}, nullptr, production);
    expect_equal(found, together_here(canvas, src, one, {}, nullptr), "many pictures");
    EXPECT_EQ(found.launches, 4u);  // a picture of one tile has no seams
  }
  {  // more counters than a piece's memory
    const Canvas canvas{16, 8, 3000, 0, 8};
    const Image<uint8_t> src = canvas.filled(5);
    CannyOptions options;
    options.aperture = 5;
    const std::vector<Thresholds> one = {Thresholds::automatic(AutoThreshold::otsu)};
    expect_equal(together_there(canvas, src, one, options, nullptr, production),
                 together_here(canvas, src, one, options, nullptr), "many counters");
  }
}

TEST_F(CannyDevice, AThousandRepetitionsOfABatchGiveOneHash) {
  const Canvas canvas{200, 150, 9, 3, 151};
  const Image<uint8_t> src = canvas.filled(6);
  const std::vector<Thresholds> thresholds = given_pairs(9);
  const uint64_t expected = hash_of(together_here(canvas, src, thresholds, {}, nullptr).all);
  DevicePicture src_there(canvas.wide(), canvas.high()), dst_there(canvas.wide(), canvas.high());
  upload(src, src_there);
  upload(canvas.filled(99), dst_there);
  Image<uint8_t> host(canvas.wide(), canvas.high());
  const Stream stream;
  int wrong = 0;
  for (int i = 0; i < 1000; ++i) {
    canny(canvas.cut(ConstAnyView(src_there)), canvas.cut(AnyView(dst_there)), {},
          {.thresholds = thresholds}, {.stream = stream.get()});
    download(dst_there, host, stream.get());
    wrong += hash_of(host) != expected;
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace cuesta
