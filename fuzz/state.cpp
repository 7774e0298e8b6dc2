// Saved states of detectors, as they were saved and changed since. Every change is refused. Where
// the seal is made again, so that the checksum holds, a changed state is refused by cuesta::Error
// or serves as one: frames are detected and saved again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "cuesta/downscale.hpp"
#include "cuesta/error.hpp"
#include "cuesta/motion.hpp"
#include "ops/motion/options.hpp"
#include "ops/motion/saved.hpp"
#include "verify/draw.hpp"

namespace {

using namespace cuesta;

MotionOptions drawn_options(verify::Bytes& bytes) {
  auto options = MotionOptions::of(BackgroundModel(bytes.below(5)));
  options.blur = 1 + 2 * bytes.below(3);
  options.warm_up = 1 + bytes.below(6);
  options.relearn = 25 * bytes.below(4);
  options.steady = bytes.below(3);
  options.displacement = bytes.below(2) * 2;
  return options;
}

// Patches that move, so that there is something to learn.
AnyImage drawn_frame(verify::Bytes& bytes, const AnyView& like) {
  AnyImage frame(like.width, like.height, like.channels, like.type);
  const AnyView view = frame;
  const auto row = size_t(view.width) * size_t(view.channels) * size_t(bytes_per_sample(view.type));
  const uint8_t level = bytes.next();
  const int32_t from = bytes.below(32);
  for (int32_t y = 0; y < view.height; ++y) {
    auto* to = static_cast<uint8_t*>(view.data) + y * view.stride_bytes;
    std::fill(to, to + row, y / 4 == from / 4 ? uint8_t(~level) : level);
  }
  return frame;
}

using Found = std::vector<Detection>;
Found found_in(MotionDetector& detector, const AnyImage& frame) {
  const auto found = detector.push(frame.view(), {.threads = 1});
  return {found.begin(), found.end()};
}

void change(verify::Bytes& bytes, std::vector<uint8_t>& state) {
  switch (bytes.below(8)) {
    case 0:
      state.resize(state.size() - size_t(bytes.below_many(65536)) % (state.size() + 1));
      break;
    case 1: state.resize(state.size() + 1 + bytes.next(), bytes.next()); break;
    default: {
      // Mostly the head, which says how the rest is read.
      const auto room = bytes.below(4) == 0 ? state.size() : std::min<size_t>(state.size(), 96);
      for (int n = 1 + bytes.below(4); n > 0; --n)
        state[size_t(bytes.below_many(int(room))) % room] ^= bytes.next();
    }
  }
}

// Nothing where it was refused.
std::optional<MotionDetector> loaded(const MotionOptions& options,
                                     const std::vector<uint8_t>& state) {
  MotionDetector detector(options);
  try {
    detector.load(state);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::input) std::abort();
    return {};
  }
  return detector;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  verify::Bytes bytes({data, size});
  const MotionOptions options = drawn_options(bytes);
  AnyView shape;
  shape.width = 1 + bytes.below(24), shape.height = 1 + bytes.below(24);
  shape.channels = bytes.below(4) == 0 ? 3 : 1;
  shape.type = bytes.below(4) == 0 ? PixelType::u16 : PixelType::u8;
  MotionDetector first(options);
  for (int n = bytes.below(9); n > 0; --n) (void)found_in(first, drawn_frame(bytes, shape));
  const std::vector<uint8_t> saved = first.save();
  const bool seals = bytes.below(4) != 0;
  std::vector<uint8_t> state = saved;
  for (int n = bytes.below(3); n > 0 && !state.empty(); --n) change(bytes, state);
  const bool is_changed = state != saved;
  if (is_changed && seals && state.size() >= sizeof(motion::SavedSeal))
    motion::SavedSeal::close(motion::SavedSeal::of_detector, state);

  auto second = loaded(options, state);
  if (!second) {
    if (!is_changed) std::abort();
    return 0;
  }
  if (state != saved && !seals) std::abort();
  for (int n = 0; n < 3; ++n) {
    const AnyImage frame = drawn_frame(bytes, shape);
    try {
      const Found found = found_in(*second, frame);
      if (state == saved && found != found_in(first, frame)) std::abort();
    } catch (const Error&) {  // frames of another size
      if (state == saved) std::abort();
      break;
    }
  }
  if (!loaded(options, second->save())) std::abort();
  return 0;
}
