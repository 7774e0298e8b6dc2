// Production rows of every operation only enqueue: they become part of the caller's graph and run
// again on another picture, with the caller's workspace and without. Without a GPU these skip.
#include <gtest/gtest.h>

#ifdef CUESTA_HAS_CUDA
#include <functional>
#include <optional>
#include <string>
#include <type_traits>

#include "ops/operations.hpp"
#include "support/graph.hpp"
#include "support/pictures.hpp"
#include "verify/verify.hpp"

namespace cuesta {
namespace {

using verify::Harness, verify::Layout;

// Whether the answer is a host object, which the call waits for.
template <class Args>
bool waits(const Args&) {
  return std::is_same_v<Args, MotionArgs>;
}
bool waits(const LabelArgs& args) { return !args.device_list(); }
bool waits(const PixelArgs& args) { return args.op == PixelOp::histogram; }
bool waits(const CannyArgs& args) {
  bool found = false;
  for (int32_t i = 0; i < args.count; ++i) found |= args.thresholds_of(i).is_automatic();
  return found;
}

// "" or what is wrong with the answers of a row's graph; nothing where the row does not take it.
template <class Args>
std::optional<std::string> run_captured(const Strategy<Args>& row, const verify::Case<Args>& c,
                                        Layout layout, bool own_workspace) {
  Harness mine(layout, 0xCD, Space::device);
  const Args args = c.make(mine);
  const Stream stream;
  Workspace workspace;
  Exec exec;
  exec.stream = stream.get();
  if (own_workspace) exec.workspace = &workspace;
  if (waits(args) || !row.supports(args, {exec, row.parameters}).empty()) return std::nullopt;
  for (int again = 0; own_workspace && again < 2; ++again) run_strategy(row, args, exec);  // memory
  wait(stream.get());
  const test::Graph graph(stream, [&](void*) { run_strategy(row, args, exec); });
  for (const int turn : {0, 1, 0}) {
    Harness theirs(Layout::tight, 0x5A);
    const Args again = c.make(theirs);
    // Turned over twice it is as it was.
    turn == 0 ? mine.rewind() : mine.turn_over();
    if (turn == 1) theirs.turn_over();
    run_strategy(reference_of<Args>(), again, {});
    mine.begin();
    graph.launch();
    wait(stream.get());
    mine.finish();
    std::string problem = mine.check_canaries();
    if (problem.empty()) problem = mine.compare(theirs, row.exactness != "equal bytes");
    if (!problem.empty()) return "picture " + std::to_string(turn) + ": " + problem;
    if (turn == 1) mine.turn_over();
  }
  return std::string();
}

template <class Args>
void walk() {
  constexpr int wanted = 40;  // requests of a row
  const auto cases = Args::cases(verify::Level::full);
  for (const auto& row : Args::strategies()) {
    if (row.space != Space::device || row.tier != Tier::production || !row.built()) continue;
    SCOPED_TRACE(std::string(Args::operation) + " " + std::string(row.name));
    int run = 0, wrong = 0;
    // Every case comes once, neighbours apart: no number of cases has this prime.
    for (size_t i = 0, at = 0; i < cases.size() && run < wanted && wrong < 3; ++i) {
      at = (at + 7919) % cases.size();
      const auto layout = Layout(i % verify::layout_count);
      try {
        const auto problem = run_captured(row, cases[at], layout, i % 3 != 0);
        run += problem.has_value();
        if (!problem || problem->empty()) continue;
        ADD_FAILURE() << cases[at].label << ": " << *problem;
      } catch (const Error& error) {
        // A smoothing that no production strategy takes cannot be recorded, and says so.
        const bool is_refused = std::string_view(error.what()).find("a CUDA graph cannot record") !=
                                std::string_view::npos;
        if (is_refused && error.code() == ErrorCode::unsupported) continue;
        ADD_FAILURE() << cases[at].label << ": " << error.what();
      }
      ++wrong;
    }
    // Others wait for the host in every call.
    if (!row.host_sync) {
      EXPECT_GE(run, 3) << "too few requests that it takes";
    }
  }
}

TEST(CapturedRows, RunAgainOnAnotherPicture) {
  std::string why;
  if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  for_each_operation([]<class Args>(std::type_identity<Args>) { walk<Args>(); });
}

// A recorded copy reads pageable memory when the graph runs.
TEST(CapturedRows, TapsOutliveTheCallThatRecordsThem) {
  std::string why;
  if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  constexpr int side = 63;
  std::vector<int32_t> taps(side * side);
  for (size_t i = 0; i < taps.size(); ++i) taps[i] = int32_t(i * 7 % 5) - 1;
  const Stencil stencil = Stencil::integers(side, side, taps, 4096);
  for (const int32_t channels : {1, 3}) {
    Image<uint16_t> picture(90, 70, channels), expected(90, 70, channels), back(90, 70, channels);
    verify::fill(picture, verify::Pattern::noise, 5);
    correlate(picture, expected, stencil);
    Image<uint16_t, Space::device> src(90, 70, channels), dst(90, 70, channels);
    upload(picture, src);
    wait();
    const Stream stream;
    const test::Graph graph(stream,
                            [&](void* on) { correlate(src, dst, stencil, {}, {.stream = on}); });
    // What the call has freed is written again.
    std::vector<std::vector<uint32_t>> others;
    for (size_t words = 4; words < 64 * 1024; words += words / 4)
      for (int i = 0; i < 8; ++i) others.emplace_back(words, 0x7F7FFFFFu);
    graph.launch();
    wait(stream.get());
    download(dst, back, stream.get());
    EXPECT_TRUE(test::equal(expected, back)) << channels << " channels";
  }
}

TEST(CapturedRows, WhatWaitsIsRefusedInWords) {
  std::string why;
  if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  Image<uint8_t> picture(300, 200), here(300, 200), back(300, 200);
  verify::fill(picture, verify::Pattern::natural, 3);
  Image<uint8_t, Space::device> src(300, 200), dst(300, 200);
  upload(picture, src);
  wait();
  const std::pair<const char*, std::function<void(const Exec&)>> calls[] = {
      {"canny", [&](const Exec& exec) { canny(src, dst, {}, exec); }},
      {"histogram", [&](const Exec& exec) { histogram(src, exec); }},
      {"label", [&](const Exec& exec) { label(src, AnyView(), nullptr, {}, exec); }}};
  for (const auto& [name, call] : calls) {
    const Stream stream;
    try {
      const test::Graph graph(stream, [&](void* on) {
        Exec exec;
        exec.stream = on;
        call(exec);
      });
      ADD_FAILURE() << name << " was recorded";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported) << name << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find("a CUDA graph cannot record"), std::string::npos)
          << name << ": " << error.what();
    }
    // And the GPU continues.
    sobel(src, {.magnitude = dst}, {}, {.stream = stream.get()});
    download(dst, back, stream.get());
    sobel(picture, {.magnitude = here});
    EXPECT_TRUE(test::equal(here, back)) << "after " << name;
  }
}

}  // namespace
}  // namespace cuesta
#endif
