// Requests of every operation on two GPUs at once, each from its own thread with its own workspace:
// both give one GPU's answers, byte for byte. With fewer than two these skip.
#include <gtest/gtest.h>

#ifdef CUESTA_HAS_CUDA
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cuesta/cuesta.hpp"
#include "cuesta/device.hpp"
#include "verify/drawn_request.hpp"
#include "verify/harness.hpp"

namespace cuesta {
namespace {

using verify::Harness, verify::Layout;

struct Answer {
  std::unique_ptr<Harness> pictures;
  std::string refused;  // or why there is none
};

// The drawn requests of an operation, one after the other, on one GPU.
std::vector<Answer> answers_of(int gpu, std::string_view operation, int number) {
  use_device(gpu);
  const auto all = verify::drawn_operations();
  verify::Random random(uint64_t(std::ranges::find(all, operation) - all.begin()) + 77);
  Workspace workspace;
  std::vector<Answer> answers;
  for (int i = 0; i < number; ++i) {
    std::vector<uint8_t> drawn(160);
    for (uint8_t& byte : drawn) byte = uint8_t(random.next());
    verify::Bytes bytes(drawn);
    const auto request = verify::draw_request(bytes, operation, 700);
    Answer& answer = answers.emplace_back();
    // Rows lie otherwise on the second GPU: what is beside a picture may not show.
    answer.pictures = std::make_unique<Harness>(Layout((i + gpu) % verify::layout_count),
                                                uint8_t(0x5A + gpu), Space::device);
    try {
      answer.pictures->begin();
      request.run(*answer.pictures, {.workspace = i % 3 ? &workspace : nullptr});
      answer.pictures->finish();
    } catch (const Error& error) {
      answer.refused = error.what();
    }
  }
  return answers;
}

class TwoGpus : public testing::TestWithParam<std::string_view> {};

TEST_P(TwoGpus, GiveOneGpusAnswers) {
  std::string why;
  const size_t gpus = list_devices(&why).size();
  if (gpus < 2) GTEST_SKIP() << "needs two GPUs, there are " << gpus << ". " << why;
  constexpr int number = 200;
  std::vector<Answer> first, second;
  const auto on = [&](int gpu, std::vector<Answer>& answers) {
    return std::thread([&answers, gpu] { answers = answers_of(gpu, GetParam(), number); });
  };
  std::thread one = on(0, first), other = on(1, second);
  one.join();
  other.join();
  ASSERT_EQ(first.size(), second.size());
  int answered = 0;
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].refused, second[i].refused) << "request " << i;
    if (!first[i].refused.empty() || !second[i].refused.empty()) continue;
    ++answered;
    EXPECT_EQ(second[i].pictures->check_canaries(), "") << "request " << i;
    EXPECT_EQ(second[i].pictures->compare(*first[i].pictures, false), "") << "request " << i;
  }
  EXPECT_GT(answered, number / 2) << "options are drawn that nothing takes";
}

INSTANTIATE_TEST_SUITE_P(Operations, TwoGpus,
                         testing::ValuesIn(verify::drawn_operations().begin(),
                                           verify::drawn_operations().end()),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace cuesta
#endif
