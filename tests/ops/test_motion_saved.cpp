// Saved states of detectors: one that was changed, cut off or lengthened is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cuesta/downscale.hpp"
#include "ops/motion/saved.hpp"
#include "support/errors.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using motion::SavedSeal;
using Bytes = std::vector<uint8_t>;

// A detector of small frames, in the warm-up or after it.
struct Learned {
  int32_t factor;
  MotionOptions options;
  Downscale small;
  MotionDetector detector;

  Learned(BackgroundModel model, int32_t of_factor, int32_t warm_up, int32_t steady)
      : factor(of_factor),
        options(options_of(model, warm_up, steady)),
        small(factor),
        detector(small.options_for(options)) {}

  static MotionOptions options_of(BackgroundModel model, int32_t warm_up, int32_t steady) {
    MotionOptions options = MotionOptions::of(model);
    options.blur = 1, options.warm_up = warm_up, options.steady = steady;
    options.close = options.open = StructuringElement::rectangle(1, 1);
    return options;
  }
  void push(int32_t frames, uint64_t seed = 1) {
    Image<uint8_t> frame(8 * factor, 6 * factor);
    for (int32_t t = 0; t < frames; ++t) {
      verify::fill(frame, verify::Pattern::natural, seed + uint64_t(t));
      detector.push(small.look(frame.view()));
    }
  }
  Bytes save() const { return small.save(detector); }
  std::string refused(const Bytes& saved) {
    return test::error_of(ErrorCode::input, [&] { small.load(detector, saved); });
  }
};

struct Kind {
  BackgroundModel model;
  int32_t downscale, warm_up, frames;
  int32_t steady = 0;
};

class SavedStates : public testing::TestWithParam<Kind> {
 protected:
  Learned fresh() const {
    const Kind& kind = GetParam();
    return {kind.model, kind.downscale, kind.warm_up, kind.steady};
  }
  // A steady detector's state is large: of it some bytes.
  static size_t step_of(const Bytes& saved) { return saved.size() > 10000 ? 397 : 1; }
  Learned learned() const {
    Learned one = fresh();
    one.push(GetParam().frames);
    return one;
  }
};

TEST_P(SavedStates, WithAnyByteChangedAreRefused) {
  const Bytes saved = learned().save();
  Learned other = fresh();
  other.push(3, 77);
  const Bytes before = other.save();
  Bytes changed = saved;
  for (size_t at = 0; at < saved.size(); at += step_of(saved)) {
    for (const uint8_t flip : {0x01, 0x80, 0xff}) {
      changed[at] = saved[at] ^ flip;
      ASSERT_NE(other.refused(changed), "no error") << "byte " << at << " ^ " << int(flip);
    }
    changed[at] = saved[at];
  }
  EXPECT_EQ(other.save(), before);
  other.small.load(other.detector, changed);
  EXPECT_EQ(other.save(), saved);
}

TEST_P(SavedStates, OfAnotherLengthAreRefused) {
  const Bytes saved = learned().save();
  Learned other = fresh();
  for (size_t size = 0; size < saved.size(); size += step_of(saved)) {
    ASSERT_EQ(other.refused({saved.begin(), saved.begin() + ptrdiff_t(size)}),
              "motion: the saved state is cut off")
        << size;
  }
  Bytes longer = saved;
  longer.resize(saved.size() + 7);
  EXPECT_EQ(other.refused(longer), "motion: the saved state is 7 bytes too long");
}

TEST_P(SavedStates, OfAnotherVersionAreRefused) {
  Bytes saved = learned().save();
  Learned other = fresh();
  for (int version = 0; version < 256; ++version) {
    if (version == int(SavedSeal::version)) continue;
    saved[0] = uint8_t(version);
    ASSERT_EQ(other.refused(saved), "motion: the saved state has version " +
                                        std::to_string(version) +
                                        " of the format and this Cuesta reads version 5");
  }
}

// Bytes that someone changed and sealed again: an error or a state, never a fault.
TEST_P(SavedStates, ThatWereForgedDoNoHarm) {
  const Bytes saved = learned().save();
  const uint32_t kind = GetParam().downscale > 1 ? SavedSeal::of_downscale : SavedSeal::of_detector;
  const size_t inner = GetParam().downscale > 1 ? sizeof(SavedSeal) + 12 : 0;
  for (size_t at = sizeof(SavedSeal); at < std::min<size_t>(saved.size(), 160); ++at) {
    for (const uint8_t flip : {0x01, 0x80, 0xff}) {
      Bytes forged = saved;
      forged[at] ^= flip;
      if (inner > 0 && at >= inner + sizeof(SavedSeal))
        SavedSeal::close(SavedSeal::of_detector, std::span(forged).subspan(inner));
      SavedSeal::close(kind, forged);
      Learned other = fresh();
      try {
        other.small.load(other.detector, forged);
        other.push(2);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::input) << at << ": " << error.what();
      }
    }
  }
}

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (int model = int(BackgroundModel::first); model <= int(BackgroundModel::samples); ++model) {
    const auto one = BackgroundModel(model);
    all.push_back({one, 1, 1, 3});  // after the warm-up
    all.push_back({one, 1, 9, 4});  // in it
    all.push_back({one, 1, 4, 0});  // before any frame
    all.push_back({one, 3, 1, 3});
  }
  all.push_back({BackgroundModel::samples, 1, 1, 5, 8});
  return all;
}

INSTANTIATE_TEST_SUITE_P(OfEveryModel, SavedStates, testing::ValuesIn(kinds()), [](const auto& of) {
  const Kind& kind = of.param;
  return "model" + std::to_string(int(kind.model)) + "_downscale" + std::to_string(kind.downscale) +
         "_frames" + std::to_string(kind.frames) + (kind.steady > 0 ? "_steady" : "");
});

}  // namespace
}  // namespace cuesta
