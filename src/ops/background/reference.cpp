// The background models pixel by pixel. No cleverness.
#include "ops/background/reference.hpp"

#include "core/background_models.hpp"
#include "core/bits.hpp"

namespace cuesta {
namespace {

// The frame's pixel (x, y) of value v against the state, which founds or learns it.
template <class Model>
background::Verdict step(const BackgroundArgs& args, int32_t x, int32_t y, uint8_t v) {
  using Sample = typename Model::Sample;
  const auto state = args.state.as<Sample>();
  const background::Samples<Sample> samples{&state.at(x, y * Model::planes),
                                            args.state.stride_bytes / ptrdiff_t(sizeof(Sample))};
  if constexpr (background::is_spatial<Model>) {
    const int32_t width = args.frame.width, height = args.frame.height;
    if (args.founds) {
      Model::found(samples, [&](int32_t plane) {
        const auto at = background::sampled::founding(plane, x, y, width, height);
        return args.frame.as<uint8_t>().at(at.x, at.y);
      });
      return {v, 0};
    }
    const auto turn = background::sampled::turn_of(args.number);
    const uint32_t bits = background::sampled::bits_of(turn.key, x, y);
    const auto beside =
        background::sampled::neighbour(background::sampled::way_of(bits), x, y, width, height);
    return Model::learn(samples, v, turn, bits,
                        state.at(beside.x, beside.y * Model::planes + turn.reads));
  } else {
    if (!args.founds) return Model::learn(samples, v, args.rate, args.dither);
    Model::found(samples, v);
    return {v, 0};
  }
}

}  // namespace

void background_reference_rows(const BackgroundArgs& args, int32_t first, int32_t end) {
  const auto frame = args.frame.as<uint8_t>();
  const BackgroundOutputs& out = args.out;
  const auto one =
      background::with_model(args.model, [](auto model) { return step<decltype(model)>; });
  for (int32_t y = first; y < end; ++y) {
    for (int32_t x = 0; x < frame.width; ++x) {
      const uint8_t v = frame.at(x, y);
      const background::Verdict verdict = one(args, x, y, v);
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
  for (int32_t i = 0; i < args.count; ++i)
    background_reference_rows(args.one(i), 0, args.frame.height);
}

}  // namespace cuesta
