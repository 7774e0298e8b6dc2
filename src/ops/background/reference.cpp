// The background models pixel by pixel. No cleverness.
#include "ops/background/reference.hpp"

#include "core/bits.hpp"
#include "ops/shared/background_models.hpp"

namespace cuesta {
namespace {

// The frame's pixel (x, y) of value v against the state, which initialises or learns it.
template <class Model>
background::BasicVerdict<typename Model::Value> step(const BackgroundArgs& args, int32_t x,
                                                     int32_t y, typename Model::Value v) {
  using Value = typename Model::Value;
  using Sample = typename Model::Sample;
  const auto state = args.state.as<Sample>();
  const background::Samples<Sample> samples{&state.at(x, y * Model::planes),
                                            args.state.stride_bytes / ptrdiff_t(sizeof(Sample))};
  if constexpr (background::is_spatial<Model>) {
    const int32_t width = args.frame.width, height = args.frame.height;
    if (args.founds) {
      Model::found(samples, [&](int32_t plane) {
        const auto at = background::sampled::founding(plane, x, y, width, height);
        return args.frame.as<Value>().at(at.x, at.y);
      });
      return {v, 0};
    }
    const auto turn = background::sampled::turn_of(args.now);
    const uint32_t bits = background::sampled::bits_of(turn.key, x, y);
    const auto beside =
        background::sampled::neighbour(background::sampled::way_of(bits), x, y, width, height);
    return Model::learn(samples, v, turn, bits,
                        state.at(beside.x, beside.y * Model::planes + turn.reads));
  } else {
    if (!args.founds) return Model::learn(samples, v, args.now.rate, args.now.dither);
    Model::found(samples, v);
    return {v, 0};
  }
}

// Whether pixel (x, y) of the mask is one of args.unmatched.
template <class Model>
bool is_unmatched(const BackgroundArgs& args, int32_t x, int32_t y, typename Model::Value v) {
  if constexpr (background::is_spatial<Model>) {
    using Sample = typename Model::Sample;
    const auto state = args.state.as<Sample>();
    const auto at = [&](int32_t column, int32_t row) {
      return background::Samples<Sample>{&state.at(column, row * Model::planes),
                                         args.state.stride_bytes / ptrdiff_t(sizeof(Sample))};
    };
    return !args.founds &&
           !Model::matches_near(v, x, y, {args.frame.width, args.frame.height}, args.displacement,
                                background::sampled::turn_of(args.now), at);
  } else {
    return false;
  }
}

void put_bit(AnyView bits, int32_t x, int32_t y, bool set) {
  uint64_t& word = bits_of(bits).row(y)[x >> 6];
  if (x % 64 == 0) word = 0;
  word |= uint64_t(set) << (x & 63);
}

template <class Model>
void rows_of(const BackgroundArgs& args, int32_t first, int32_t end) {
  using Value = typename Model::Value;
  const auto frame = args.frame.as<Value>();
  const BackgroundOutputs& out = args.out;
  for (int32_t y = first; y < end; ++y) {
    for (int32_t x = 0; x < frame.width; ++x) {
      const Value v = frame.at(x, y);
      const auto verdict = step<Model>(args, x, y, v);
      const bool foreground = double(verdict.difference) > args.limit;
      if (out.background) out.background.as<Value>().at(x, y) = verdict.background;
      if (out.difference) out.difference.as<Value>().at(x, y) = verdict.difference;
      if (out.mask.type == PixelType::u8) out.mask.as<uint8_t>().at(x, y) = foreground ? 255 : 0;
      if (out.mask.type == PixelType::bit) put_bit(out.mask, x, y, foreground);
      if (args.unmatched)
        put_bit(args.unmatched, x, y, foreground && is_unmatched<Model>(args, x, y, v));
    }
  }
}

}  // namespace

void background_reference_rows(const BackgroundArgs& args, int32_t first, int32_t end) {
  background::with_model(args.model, args.type(),
                         [](auto model) { return rows_of<decltype(model)>; })(args, first, end);
}

void background_serial(const BackgroundArgs& args, Call&) {
  for (int32_t i = 0; i < args.count; ++i)
    background_reference_rows(args.one(i), 0, args.frame.height);
}

}  // namespace cuesta
