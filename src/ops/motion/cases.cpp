// The requests every strategy of the chain is checked on: a frame after none, one or three others.
#include <fmt/format.h>

#include <numeric>

#include "cuesta/device.hpp"
#include "cuesta/filter.hpp"
#include "ops/motion/args.hpp"
#include "ops/motion/reference.hpp"
#include "verify/verify.hpp"

namespace cuesta::verify {
namespace {

// A camera and what is found in its frames.
struct Chain {
  MotionOptions options;
  BackgroundSubtractor background;
  std::vector<std::vector<Component>> components;
  double threshold = -1;
  MotionMemory memory;
};

struct Variant {
  BackgroundModel model;
  int blur, channels;
  bool automatic;
  double threshold;
  const char *close, *open;
};

// The frames before the one that the strategy sees. On the host they go through the reference; on
// the device the background learns what the reference makes of them, so that only the last frame is
// the strategy's.
void push_before(const MotionArgs& args, uint64_t frames, uint64_t seed) {
  const int32_t width = args.frame.width, height = args.frame.height;
  const bool on_device = args.space() == Space::device;
  const PixelType type = args.frame.type;
  AnyImage frame(width, height, args.frame.channels, type);
  BitImage mask(width, height);
  MotionArgs before = args;
  before.count = 1;
  before.frame = frame;
  before.mask = mask;
  Workspace workspace;
  const Exec exec{.strategy = "serial", .threads = 1, .workspace = &workspace};
  for (uint64_t t = 0; t < frames; ++t) {
    fill(frame, Pattern::natural, seed + t % 2);
    if (!on_device) {
      Call call(exec, Space::host, {});
      motion_serial(before, call);
      continue;
    }
    AnyImage gray(width, height, 1, type), smooth(width, height, 1, type);
    to_gray(frame, gray, ColorOrder::rgb, exec);
    gaussian(gray, smooth, {.sigma = args.options->blur_sigma, .ksize = args.options->blur}, exec);
    AnyImage there(width, height, 1, type, Space::device);
    upload(smooth, there);
    args.background->push(there);
    if (t > 0 || type != PixelType::u8) continue;
    args.memory->first_frame = Image<uint8_t, Space::device>(width, height, args.frame.channels);
    upload(frame, args.memory->first_frame);
  }
}

// The background that the next frame would meet.
AnyImage learned(const MotionArgs& args) {
  const int32_t width = args.frame.width, height = args.frame.height;
  const PixelType type = args.frame.type;
  AnyImage next(width, height, 1, type), background(width, height, 1, type);
  fill(next, Pattern::constant, 1);
  if (args.space() == Space::host) {
    args.background->push(next, BackgroundOutputs{.background = background}, 0,
                          {.strategy = "serial"});
  } else {
    AnyImage there(width, height, 1, type, Space::device);
    AnyImage result(width, height, 1, type, Space::device);
    upload(next, there);
    args.background->push(there, BackgroundOutputs{.background = result});
    download(result, background);
  }
  return background;
}

// One camera's frames, below each other, and what its strategy meets: frames learned before.
struct Camera {
  Variant variant;
  int32_t width, height, count;
  int connectivity;
  uint64_t before, seed;
  Pattern pattern;
  PixelType type;
  bool limited;  // each pixel has a threshold
};

MotionArgs args_of(const Camera& c, const char* mask, Harness& h) {
  const Variant& v = c.variant;
  const auto threshold =
      v.automatic ? DifferenceThreshold::automatic(v.threshold) : DifferenceThreshold(v.threshold);
  MotionOptions wanted{.background = {v.model, 0},
                       .blur = v.blur,
                       .threshold = threshold,
                       .close = StructuringElement::parse(v.close),
                       .open = StructuringElement::parse(v.open),
                       .connectivity = c.connectivity,
                       .displacement = int(c.seed % 5)};
  auto& chain = h.keep(Chain{std::move(wanted),
                             BackgroundSubtractor({v.model, 0}),
                             std::vector<std::vector<Component>>(size_t(c.count)),
                             -1,
                             {}});
  MotionArgs args;
  args.frame = h.input(c.type, c.width, c.height * c.count, v.channels, c.pattern, c.seed);
  args.frame.height = c.height;
  args.frame_step = c.height * args.frame.stride_bytes;
  args.count = c.count;
  const AnyView bits = h.host_output(mask, PixelType::bit, c.width, c.height);
  args.mask = {static_cast<uint64_t*>(bits.data), c.width, c.height, bits.stride_bytes / 8};
  args.options = &chain.options;
  args.background = &chain.background;
  args.components = chain.components.data();
  args.threshold = &chain.threshold;
  args.memory = &chain.memory;
  if (c.limited) args.limits = h.input(c.type, c.width, c.height, 1, Pattern::noise, c.seed + 1);
  push_before(args, c.before, c.seed);
  return args;
}

// What was found, in words, and what was learned.
void tell(const MotionArgs& args, const std::string& camera, Harness& h) {
  std::string text = fmt::format("threshold {}", *args.threshold);
  for (int32_t i = 0; i < args.count; ++i) {
    text += fmt::format("; frame {}", i);
    for (const Component& c : args.components[i])
      text += fmt::format("; {}: {},{} {}x{} area {} sums {} {}", c.label, c.box.x, c.box.y,
                          c.box.width, c.box.height, c.area, c.sum_x, c.sum_y);
  }
  h.value("components" + camera, text);
  const AnyImage learned_level = learned(args);
  const ConstAnyView known = learned_level;
  uint64_t sum = 0;
  for (int32_t y = 0; y < known.height; ++y)
    for (int32_t x = 0; x < known.width; ++x) {
      const uint32_t level = known.type == PixelType::u16 ? known.as<uint16_t>().at(x, y)
                                                          : known.as<uint8_t>().at(x, y);
      sum = sum * 0x100000001B3ull + level;
    }
  h.value("background" + camera, fmt::format("{:x}", sum));
}

}  // namespace

}  // namespace cuesta::verify

namespace cuesta {

std::vector<verify::Case<MotionArgs>> MotionArgs::cases(verify::Level level) {
  using namespace verify;
  using enum BackgroundModel;
  static constexpr Variant variants[] = {
      {first, 15, 1, false, 25, "disk:15", "disk:15"},
      {first, 3, 3, true, 10, "disk:3", "disk:5"},
      {mean, 5, 1, false, 12.5, "disk:5", "cross:3"},
      {median, 1, 4, false, 0, "rect:2x3", "disk:1"},
      {mixture, 7, 1, true, 5, "disk:1", "ellipse:5x3"},
      {first, 1, 1, false, 300, "disk:3", "disk:3"},
      {first, 5, 3, false, 12.5, "rect:2x3", "ellipse:5x3"},
      {first, 21, 4, false, 0, "cross:4", "disk:1"},
      {first, 1, 3, false, 10, "rect:17x17", "rect:1x2"},
      {first, 1, 1, false, 60, "disk:1", "disk:1"},  // diagonal contacts stay
      {first, 3, 4, false, 40, "rect:9x2", "cross:3"},
      // Elements whose loops some rungs unroll; the anchor of an even side is off the centre.
      {first, 7, 3, false, 10, "ellipse:15", "disk:13"},
      {first, 11, 4, false, 8, "disk:5", "rect:2x3"},
      // Displacement of 0 to 4 pixels, by the seed.
      {samples, 3, 1, false, 16, "disk:9", "disk:5"},
      {samples, 5, 3, true, 16, "disk:3", "cross:3"},
      {samples, 1, 1, false, 0, "rect:2x3", "disk:1"},
      {samples, 3, 4, false, 16, "disk:1", "disk:1"},
  };
  // Else a variant would meet some patterns, histories or neighbourhoods only.
  static_assert(std::gcd(std::size(variants), 2 * 3 * 5 * 7 * 11) == 1);
  static constexpr Pattern patterns[] = {Pattern::natural, Pattern::blobs, Pattern::noise};
  std::vector<Case<MotionArgs>> out;
  uint64_t seed = 1;
  for (const auto& shape : shapes(7, level)) {
    const int32_t width = shape.first, height = shape.second;
    for (const Variant& v : variants) {
      const uint64_t before = seed % 5 == 0 ? 0 : seed % 3 == 0 ? 3 : 1;
      const Pattern pattern = patterns[seed % 7 % 3];
      const PixelType type = seed % 11 % 4 == 3 ? PixelType::u16 : PixelType::u8;
      const int connectivity = seed % 4 ? 8 : 4;
      const int32_t count = seed % 4 == 1 ? int32_t(2 + seed % 3) : 1;  // below each other
      const bool several = seed % 6 == 1;  // two other cameras go with it
      const bool limited = seed % 13 == 5;
      ++seed;
      out.push_back(
          {fmt::format("{} {} {}x{}x{} count={} blur={} {}threshold={} close={} open={} way={} "
                       "before={} {}{}{} "
                       "seed={}",
                       cuesta::name_of(v.model), cuesta::name_of(type), width, height, v.channels,
                       count, v.blur, v.automatic ? "automatic " : "", v.threshold, v.close, v.open,
                       connectivity, before, name_of(pattern), several ? " cameras=3" : "",
                       limited ? " thresholds" : "", seed),
           [=](Harness& h) {
             const Camera camera{v,      width, height,  count, connectivity,
                                 before, seed,  pattern, type,  limited};
             MotionArgs args = args_of(camera, "mask", h);
             if (!several) return args;
             auto& more = h.keep(std::vector<MotionArgs>());
             Camera other = camera;
             other.variant = variants[seed % std::size(variants)];
             other.width = width / 2 + 1, other.height = height + 3, other.count = 1;
             other.before = 2;
             more.push_back(args_of(other, "second mask", h));
             other = camera;
             other.variant.model = variants[seed % 5].model;
             other.width = width + 70, other.before = seed % 2;
             more.push_back(args_of(other, "third mask", h));
             args.others = more;
             return args;
           },
           [](const MotionArgs& args, Harness& h) {
             tell(args, "", h);
             for (size_t i = 0; i < args.others.size(); ++i)
               tell(args.others[i], fmt::format(" {}", i + 1), h);
           }});
    }
  }
  return out;
}

}  // namespace cuesta
