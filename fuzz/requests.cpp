// Requests of the library: an operation, its options as their descriptions draw them, a small
// picture. The strategy that a call chooses makes the reference's bytes, or both refuse.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "core/memory.hpp"
#include "cuesta/cuesta.hpp"
#include "fuzz/draw.hpp"
#include "ops/canny/options.hpp"
#include "ops/log/options.hpp"
#include "ops/median/options.hpp"
#include "ops/motion/options.hpp"
#include "ops/operations.hpp"
#include "verify/patterns.hpp"

namespace cuesta::fuzz {
namespace {

using Results = std::vector<AnyImage>;
/// Runs a request into new pictures.
using Request = std::function<Results(const Exec&)>;

// The results, or nothing for a request that is refused.
std::optional<Results> run(const Request& request, const Exec& exec) {
  try {
    return request(exec);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument) throw;
    return std::nullopt;
  }
}

bool equal(const AnyImage& a, const AnyImage& b) {
  const ConstAnyView x = a, y = b;
  const auto row = size_t(detail::row_bytes(x));
  for (int32_t r = 0; r < x.height; ++r) {
    if (std::memcmp(static_cast<const char*>(x.data) + r * x.stride_bytes,
                    static_cast<const char*>(y.data) + r * y.stride_bytes, row) != 0)
      return false;
  }
  return true;
}

template <class Args>
void check(const Request& request, int threads) {
  const auto chosen = run(request, {.threads = threads});
  const auto known =
      run(request, {.strategy = std::string(reference_of<Args>().name), .threads = 1});
  if (chosen.has_value() != known.has_value()) std::abort();
  if (!chosen) return;
  for (size_t i = 0; i < known->size(); ++i)
    if (!equal((*chosen)[i], (*known)[i])) std::abort();
}

AnyImage picture(Bytes& bytes, PixelType type, int channels) {
  AnyImage made;
  made.create({1 + bytes.below(48), 1 + bytes.below(32)}, channels, type);
  verify::fill(made, verify::Pattern(bytes.below(8)), bytes.next());
  return made;
}

// A picture of the source's size for one result.
AnyView result(Results& results, const AnyImage& like, PixelType type, int channels = 1) {
  return results.emplace_back().create(ConstAnyView(like).size(), channels, type);
}

// Operations on one picture that write one of a type that follows from the source's.
template <class Args, class Options, class Function>
void one_to_one(Bytes& bytes, const AnyImage& source, PixelType type, Function function) {
  const auto options = draw_options<Options>(bytes);
  const ConstAnyView src = source;
  const int threads = 1 + bytes.below(2);
  check<Args>(
      [&](const Exec& exec) {
        Results results;
        function(src, result(results, source, type, src.channels), options, exec);
        return results;
      },
      threads);
}

void filters(Bytes& bytes) {
  static constexpr PixelType types[] = {PixelType::u8, PixelType::u16, PixelType::f32};
  const PixelType type = types[bytes.below(3)];
  const AnyImage source = picture(bytes, type, 1 + bytes.below(4));
  switch (bytes.below(5)) {
    case 0:
      return one_to_one<ConvolveArgs, GaussianOptions>(
          bytes, source, type, [](auto&&... a) { gaussian(std::forward<decltype(a)>(a)...); });
    case 1:
      return one_to_one<ConvolveArgs, BoxOptions>(
          bytes, source, type, [](auto&&... a) { box(std::forward<decltype(a)>(a)...); });
    case 2:
      return one_to_one<ConvolveArgs, SharpenOptions>(
          bytes, source, type, [](auto&&... a) { sharpen(std::forward<decltype(a)>(a)...); });
    case 3:
      return one_to_one<ConvolveArgs, FilterOptions>(
          bytes, source, type, [](auto&&... a) { laplacian(std::forward<decltype(a)>(a)...); });
    default:
      return one_to_one<MedianArgs, MedianOptions>(
          bytes, source, type, [](auto&&... a) { median(std::forward<decltype(a)>(a)...); });
  }
}

void edges(Bytes& bytes) {
  const PixelType type = bytes.below(2) ? PixelType::u16 : PixelType::u8;
  const AnyImage source = picture(bytes, type, 1);
  switch (bytes.below(3)) {
    case 0:
      return one_to_one<CannyArgs, CannyOptions>(bytes, source, PixelType::u8, [](auto&&... a) {
        canny(std::forward<decltype(a)>(a)...);
      });
    case 1:
      return one_to_one<LogArgs, LogOptions>(
          bytes, source, bytes.below(2) ? PixelType::s32 : PixelType::u8,
          [](auto&&... a) { log_edges(std::forward<decltype(a)>(a)...); });
    default: {
      const auto magnitude = [](ConstAnyView src, AnyView dst, const SobelOptions& options,
                                const Exec& exec) {
        sobel(src, {.magnitude = dst}, options, exec);
      };
      if (bytes.below(3))
        return one_to_one<SobelArgs, SobelOptions>(bytes, source, type, magnitude);
      const AnyImage floats = picture(bytes, PixelType::f32, 1);
      return one_to_one<SobelArgs, SobelOptions>(bytes, floats, PixelType::f32, magnitude);
    }
  }
}

void masks(Bytes& bytes) {
  static constexpr PixelType types[] = {PixelType::u8, PixelType::u16, PixelType::bit};
  const PixelType type = types[bytes.below(3)];
  const AnyImage source = picture(bytes, type, 1);
  if (type != PixelType::u16 && bytes.below(3) == 0) {
    return one_to_one<LabelArgs, LabelOptions>(
        bytes, source, PixelType::s32,
        [](ConstAnyView mask, AnyView labels, const LabelOptions& options, const Exec& exec) {
          std::vector<Component> components;
          label(mask, labels, &components, options, exec);
        });
  }
  StructuringElement element = StructuringElement::rectangle(1, 1);
  draw(bytes, any(), element);
  const auto what = Morph(bytes.below(4));
  one_to_one<MorphologyArgs, MorphologyOptions>(
      bytes, source, type,
      [&](ConstAnyView src, AnyView dst, const MorphologyOptions& options, const Exec& exec) {
        morphology(src, dst, what, element, options, exec);
      });
}

void motion(Bytes& bytes) {
  const auto options = draw_options<MotionOptions>(bytes);
  const int channels = bytes.below(2) ? 3 : 1;
  std::vector<AnyImage> frames;
  for (int t = 0; t < 3; ++t) {
    frames.emplace_back().create({40, 24}, channels, PixelType::u8);
    verify::fill(frames.back(), verify::Pattern(bytes.below(8)), bytes.next());
  }
  check<MotionArgs>(
      [&](const Exec& exec) {
        MotionDetector detector(options);
        Results masks;
        for (const AnyImage& frame : frames) {
          detector.push(frame, exec);
          copy(detector.mask(), result(masks, frame, PixelType::bit));
        }
        return masks;
      },
      1 + bytes.below(2));
}

}  // namespace
}  // namespace cuesta::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cuesta::fuzz;
  Bytes bytes({data, size});
  switch (bytes.below(4)) {
    case 0: filters(bytes); break;
    case 1: edges(bytes); break;
    case 2: masks(bytes); break;
    default: motion(bytes); break;
  }
  return 0;
}
