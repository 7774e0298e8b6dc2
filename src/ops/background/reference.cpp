// The background models pixel by pixel. No cleverness.
#include "ops/background/reference.hpp"

#include "core/bits.hpp"
#include "ops/background/models.hpp"

namespace cuesta {
namespace {

using background::Verdict;

// Samples of plane p of pixel (x, y) of the state.
template <class T>
T& state_at(const BackgroundArgs& args, int32_t x, int32_t y, int32_t p) {
  return args.state.as<T>().at(x, y * background::layout_of(args.model).planes + p);
}

Verdict found(const BackgroundArgs& args, int32_t x, int32_t y, uint8_t v) {
  using namespace background;
  switch (args.model) {
    case BackgroundModel::first: state_at<uint8_t>(args, x, y, 0) = v; break;
    case BackgroundModel::mean: state_at<uint16_t>(args, x, y, 0) = uint16_t(v << 8); break;
    case BackgroundModel::median:
      state_at<uint8_t>(args, x, y, 0) = v;
      state_at<uint8_t>(args, x, y, 1) = min_deviation;
      break;
    case BackgroundModel::mixture:
      for (int k = 0; k < gaussians::count; ++k) {
        state_at<uint16_t>(args, x, y, k) = uint16_t(k == 0 ? gaussians::whole : 0);
        state_at<uint16_t>(args, x, y, gaussians::count + k) = uint16_t(k == 0 ? v << 8 : 0);
        state_at<uint16_t>(args, x, y, 2 * gaussians::count + k) = gaussians::first_variance;
      }
      break;
  }
  return {v, 0};
}

Verdict learn(const BackgroundArgs& args, int32_t x, int32_t y, uint8_t v) {
  switch (args.model) {
    case BackgroundModel::first: {
      const uint8_t level = state_at<uint8_t>(args, x, y, 0);
      return {level, uint8_t(background::distance(v, level))};
    }
    case BackgroundModel::mean:
      return background::mean(state_at<uint16_t>(args, x, y, 0), v, args.rate, args.dither);
    case BackgroundModel::median:
      return background::median(state_at<uint8_t>(args, x, y, 0), state_at<uint8_t>(args, x, y, 1),
                                v);
    case BackgroundModel::mixture:
      return background::mixture(&state_at<uint16_t>(args, x, y, 0),
                                 args.state.stride_bytes / ptrdiff_t(sizeof(uint16_t)), v,
                                 args.rate, args.dither);
  }
  return {};
}

}  // namespace

void background_reference_rows(const BackgroundArgs& args, int32_t first, int32_t end) {
  const auto frame = args.frame.as<uint8_t>();
  const BackgroundOutputs& out = args.out;
  for (int32_t y = first; y < end; ++y) {
    for (int32_t x = 0; x < frame.width; ++x) {
      const uint8_t v = frame.at(x, y);
      const Verdict verdict = args.founds ? found(args, x, y, v) : learn(args, x, y, v);
      const bool foreground = double(verdict.difference) > args.limit;
      if (out.background) out.background.as<uint8_t>().at(x, y) = verdict.background;
      if (out.difference) out.difference.as<uint8_t>().at(x, y) = verdict.difference;
      if (out.mask.type == PixelType::u8) out.mask.as<uint8_t>().at(x, y) = foreground ? 255 : 0;
      if (out.mask.type == PixelType::bit) {
        uint64_t& word = bits_of(out.mask).row(y)[x >> 6];
        if (x % 64 == 0) word = 0;
        word |= uint64_t(foreground) << (x & 63);
      }
    }
  }
}

void background_serial(const BackgroundArgs& args, Call&) {
  background_reference_rows(args, 0, args.frame.height);
}

}  // namespace cuesta
