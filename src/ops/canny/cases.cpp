// The requests every Canny strategy is checked on.
#include <fmt/format.h>

#include <span>

#include "ops/canny/args.hpp"
#include "ops/canny/options.hpp"
#include "verify/verify.hpp"

namespace cuesta::verify {
namespace {

struct Smoothing {
  double sigma;
  int ksize;  // resolved, as the public entry leaves it
};

void fill_with_odd_floats(AnyView picture, uint64_t seed) {
  fill(picture, Pattern::natural, seed);
  scatter_odd_floats(picture, 96, seed, false);
}

// In units of the largest sample, so that they suit every type.
Thresholds drawn_thresholds(uint64_t number, double largest) {
  const auto given = [&](double low, double high) {
    return Thresholds::given(low * largest, high * largest);
  };
  if (number == 22) return Thresholds::automatic(AutoThreshold::noise);
  switch (number % 9) {
    case 0: return given(0.2, 0.6);
    case 1: return given(0.9013, 0.3007);  // to be swapped, no integers
    case 2: return given(0, 0);
    case 3: return given(-7, 1.1);
    case 4: return given(0.05, 1e6);  // nothing is strong
    case 5: return given(4, 12);
    case 6: return Thresholds::automatic(AutoThreshold::otsu);
    case 7: return Thresholds::automatic(AutoThreshold::median);
    default: return Thresholds::automatic(AutoThreshold::percentile, 70.5);
  }
}

// Where the pictures of a batch are in one larger picture: each this many columns and rows from the
// one before.
struct Apart {
  int32_t columns, rows;
  std::string_view name;
};
Apart apart_of(uint64_t number, int32_t width, int32_t height) {
  switch (number % 4) {
    case 0: return {0, height, "below"};
    case 1: return {0, height + 3, "apart"};
    case 2: return {width + 5, 0, "beside"};
    default: return {3, height + 1, "oblique"};  // steps that are no multiple of a row
  }
}

// The first picture of `count` in a larger one, and the bytes to the next.
template <class PlaneType>
ptrdiff_t cut_first(PlaneType& all, int32_t width, int32_t height, const Apart& apart) {
  all.width = width;
  all.height = height;
  return apart.rows * all.stride_bytes +
         ptrdiff_t(apart.columns) * all.channels * bytes_per_sample(all.type);
}

}  // namespace

}  // namespace cuesta::verify

namespace cuesta {

std::vector<verify::Case<CannyArgs>> CannyArgs::cases(verify::Level level) {
  using namespace verify;
  static constexpr Smoothing smoothings[] = {{0, 0},    {1.4, 5}, {0.8, 3}, {0, 0},
                                             {2.6, 15}, {3, 1},   {9, 33}};
  static constexpr Pattern patterns[] = {Pattern::natural, Pattern::extremes, Pattern::noise,
                                         Pattern::blobs, Pattern::gradient};
  static constexpr int apertures[] = {3, 5, 7};
  static constexpr int32_t counts[] = {1, 2, 3, 7};
  std::vector<Case<CannyArgs>> out;
  uint64_t seed = 1;
  auto all = shapes(3, level);
  if (level == Level::full) all.insert(all.end(), {{1100, 40}, {70, 600}, {2050, 9}});
  const int rounds = level == Level::full ? 11 : 8;
  for (const auto& shape : all) {
    const int32_t width = shape.first, height = shape.second;
    for (int i = 0; i < rounds; ++i) {
      // Options take turns with numbers of cases that share no factor.
      ++seed;
      const Smoothing smoothing = smoothings[seed % 7];
      const bool given = seed % 7 == 3;  // gradients, which the public entry leaves so:
      const int aperture = given ? 3 : apertures[seed % 13 % 3];
      const PixelType of_picture = seed % 11 < 3 ? PixelType::u16 : PixelType::u8;
      const bool floats = seed % 11 == 3 || seed % 11 == 4;
      const PixelType type = floats ? PixelType::f32 : given ? PixelType::s16 : of_picture;
      const bool odd = type == PixelType::f32 && seed % 3 == 1;
      const int32_t channels = seed % 37 < 9 ? 3 : 1;
      const ColorGradient color =
          channels == 3 && seed % 37 < 4 ? ColorGradient::structure : ColorGradient::strongest;
      // The public entry leaves l2 with the structure tensor.
      const bool structure = color == ColorGradient::structure;
      const Norm norm = structure || seed % 17 < 7 ? Norm::l2 : Norm::l1;
      const Pattern pattern = patterns[seed % 5];
      const bool masked = seed % 19 < 4;
      const bool masks_differ = seed % 2 == 0;
      const double largest = type == PixelType::s16   ? 20000.0
                             : type == PixelType::u16 ? 65535.0
                             : type == PixelType::u8  ? 255.0
                                                      : 4.0;
      const Thresholds thresholds = drawn_thresholds(seed % 23, largest);
      const int32_t count = seed % 29 < 9 ? counts[seed % 29 % 4] : 1;
      const Apart apart = apart_of(seed % 31, width, height);
      const bool thresholds_differ = count > 1 && seed % 3 > 0;
      const PixelType to = seed % 41 > 7 ? PixelType::u8 : canny_strength_type(type, aperture);
      const auto* pair = std::get_if<Given>(&thresholds);
      const std::string rule = pair ? fmt::format("given({}, {})", pair->low, pair->high)
                                    : std::string(name_in(std::get<Automatic>(thresholds).rule));
      const std::string batch = count == 1
                                    ? std::string()
                                    : fmt::format(" {} pictures {}{}", count, apart.name,
                                                  thresholds_differ ? ", thresholds of each" : "");
      out.push_back(
          {fmt::format("{}x{} {}{} {}{}sigma={} aperture={} norm={} {}{}{} {} seed={}", width,
                       height, given ? "gradients of " : "", name_of(type),
                       channels == 1 ? ""
                       : structure   ? "x3 structure "
                                     : "x3 ",
                       to == PixelType::u8 ? "" : "strengths ", smoothing.sigma, aperture,
                       norm == Norm::l1 ? "l1" : "l2", rule, masked ? " masked" : "", batch,
                       odd ? "odd floats" : name_of(pattern), seed),
           [=](Harness& h) {
             const int32_t wide = width + (count - 1) * apart.columns;
             const int32_t high = height + (count - 1) * apart.rows;
             CannyArgs args;
             args.count = count;
             args.src = odd ? h.input(type, wide, high, channels,
                                      [=](AnyView p) { fill_with_odd_floats(p, seed); })
                            : h.input(type, wide, high, channels, pattern, seed);
             args.src_step = cut_first(args.src, width, height, apart);
             if (given) {
               args.gy = h.input(type, wide, high, channels, pattern, seed + 3);
               args.gy_step = cut_first(args.gy, width, height, apart);
             }
             // Whoever writes between the pictures makes a difference too.
             args.dst = count == 1 ? h.output("edges", to, width, height)
                                   : h.in_out("edges", to, wide, high, 1, Pattern::noise, seed + 2);
             args.dst_step = cut_first(args.dst, width, height, apart);
             args.options.sigma = smoothing.sigma;
             args.options.ksize = smoothing.ksize;
             args.options.aperture = aperture;
             args.options.norm = norm;
             args.options.color = color;
             args.options.thresholds = thresholds;
             if (thresholds_differ) {
               auto& each = h.keep<std::vector<Thresholds>>();
               for (int32_t n = 0; n < count; ++n)
                 each.push_back(drawn_thresholds(seed % 23 + uint64_t(n), largest));
               args.thresholds = each;
             }
             if (masked) {
               const bool many = masks_differ && count > 1;
               ConstAnyView mask = h.input(PixelType::u8, many ? wide : width, many ? high : height,
                                           1, Pattern::blobs, seed + 1);
               if (many) args.mask_step = cut_first(mask, width, height, apart);
               args.options.mask = mask;
             }
             args.result =
                 h.keep<std::vector<CannyResult>>(std::vector<CannyResult>(size_t(count))).data();
             return args;
           },
           [](const CannyArgs& args, Harness& h) {
             for (const CannyResult& used : std::span(args.result, size_t(args.count)))
               h.value("thresholds", fmt::format("{} {}", used.low, used.high));
           }});
    }
  }
  return out;
}

}  // namespace cuesta
