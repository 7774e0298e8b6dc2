// Erosion and dilation as the definition reads: the least or largest sample under the element. No
// cleverness: samples of every type are widened to 16 bits, and a step reads one picture and writes
// another.
#include "ops/morphology/reference.hpp"

#include <algorithm>

#include "core/border_sample.hpp"

namespace cuesta {
namespace {

const uint64_t* bit_row(ConstAnyView plane, int32_t y) {
  return reinterpret_cast<const uint64_t*>(static_cast<const char*>(plane.data) +
                                           ptrdiff_t(y) * plane.stride_bytes);
}
uint64_t* bit_row(AnyView plane, int32_t y) {
  return reinterpret_cast<uint64_t*>(static_cast<char*>(plane.data) +
                                     ptrdiff_t(y) * plane.stride_bytes);
}

uint16_t sample_at(const MorphologyStep& step, int32_t x, int32_t y) {
  const auto& src = step.src;
  const ElementView& element = step.element;
  const int32_t left = x - element.anchor_x(), top = y - element.anchor_y();
  if (!step.neutral && step.border == BorderMode::ignore &&
      (left < 0 || top < 0 || left + element.width() > src.width ||
       top + element.height() > src.height)) {
    return 0;
  }
  // What never wins, until a sample has.
  uint16_t best = step.dilate ? 0 : step.largest;
  for (int j = 0; j < element.height(); ++j) {
    for (int i = 0; i < element.width(); ++i) {
      if (!element.contains(i, j)) continue;
      int32_t sx = left + i, sy = top + j;
      if (step.neutral && (sx < 0 || sy < 0 || sx >= src.width || sy >= src.height)) continue;
      sx = map_index(step.border, sx, src.width);
      sy = map_index(step.border, sy, src.height);
      const uint16_t v = sx < 0 || sy < 0 ? step.outside : src.at(sx, sy);
      best = step.dilate ? std::max(best, v) : std::min(best, v);
    }
  }
  return best;
}

}  // namespace

uint16_t morphology_largest(PixelType type) {
  return type == PixelType::u16 ? 65535 : type == PixelType::u8 ? 255 : 1;
}

uint16_t morphology_border_sample(PixelType type, const Border& border) {
  if (type == PixelType::u16) return border_sample<uint16_t>(border);
  return std::min<uint16_t>(border_sample<uint8_t>(border), morphology_largest(type));
}

void morphology_read_rows(ConstAnyView src, ImageView<uint16_t> out, int32_t first, int32_t end) {
  for (int32_t y = first; y < end; ++y) {
    for (int32_t x = 0; x < src.width; ++x) {
      if (src.type == PixelType::u8) out.at(x, y) = src.as<uint8_t>().at(x, y);
      if (src.type == PixelType::u16) out.at(x, y) = src.as<uint16_t>().at(x, y);
      if (src.type == PixelType::bit) out.at(x, y) = (bit_row(src, y)[x / 64] >> (x % 64)) & 1;
    }
  }
}

void morphology_step_rows(const MorphologyStep& step, int32_t first, int32_t end) {
  for (int32_t y = first; y < end; ++y)
    for (int32_t x = 0; x < step.src.width; ++x) step.dst.at(x, y) = sample_at(step, x, y);
}

void morphology_write_rows(ImageView<const uint16_t> in, AnyView dst, int32_t first, int32_t end) {
  for (int32_t y = first; y < end; ++y) {
    if (dst.type == PixelType::bit) std::fill_n(bit_row(dst, y), (dst.width + 63) / 64, 0);
    for (int32_t x = 0; x < dst.width; ++x) {
      const uint16_t v = in.at(x, y);
      if (dst.type == PixelType::u8) dst.as<uint8_t>().at(x, y) = uint8_t(v);
      if (dst.type == PixelType::u16) dst.as<uint16_t>().at(x, y) = v;
      if (dst.type == PixelType::bit) bit_row(dst, y)[x / 64] |= uint64_t(v != 0) << (x % 64);
    }
  }
}

void morphology_plain(const MorphologyArgs& args, Call& call, int threads) {
  const int32_t width = args.src.width, height = args.src.height;
  const auto first = call.scratch().image<uint16_t>(width, height);
  const auto second = call.scratch().image<uint16_t>(width, height);
  const auto over_rows = [&](auto body) { parallel_rows(height, threads, body); };

  over_rows([&](int32_t a, int32_t b) { morphology_read_rows(args.src, first, a, b); });
  MorphologyStep step{first, second, args.dilates_first(), args.first()};
  const Border border = args.options.border.value_or(Border{});
  step.neutral = !args.options.border;
  step.border = border.mode;
  step.outside = morphology_border_sample(args.src.type, border);
  step.largest = morphology_largest(args.src.type);
  over_rows([&](int32_t a, int32_t b) { morphology_step_rows(step, a, b); });
  if (args.two_steps()) {
    step.src = second;
    step.dst = first;
    step.dilate = !step.dilate;
    step.element = args.second();
    over_rows([&](int32_t a, int32_t b) { morphology_step_rows(step, a, b); });
  }
  over_rows([&](int32_t a, int32_t b) { morphology_write_rows(step.dst, args.dst, a, b); });
}

void morphology_serial(const MorphologyArgs& args, Call& call) { morphology_plain(args, call, 1); }

}  // namespace cuesta
