// The point operations as their definitions read. No cleverness.
#include "ops/pixel/reference.hpp"

#include <algorithm>
#include <cmath>

#include "core/bits.hpp"
#include "core/one_nan.hpp"
#include "ops/shared/pixel_arithmetic.hpp"

namespace cuesta {
namespace {

template <class T>
void gray_row(const PixelArgs& args, int32_t y) {
  const auto src = args.a.as<T>();
  const auto dst = args.dst.as<T>();
  for (int32_t x = 0; x < src.width; ++x) {
    if (src.channels <= 2) {
      dst.at(x, y) = pixel::gray(src.at(x, y));
    } else {
      const T first = src.at(x, y, 0), second = src.at(x, y, 1), third = src.at(x, y, 2);
      dst.at(x, y) = args.order == ColorOrder::rgb ? T(pixel::gray(first, second, third))
                                                   : T(pixel::gray(third, second, first));
    }
  }
}

template <class From, class To>
void scale_row(const PixelArgs& args, int32_t y) {
  const auto src = args.a.as<From>();
  const auto dst = args.dst.as<To>();
  for (int32_t x = 0; x < src.width; ++x)
    for (int32_t c = 0; c < src.channels; ++c)
      dst.at(x, y, c) = pixel::scaled<To>(src.at(x, y, c), args.factor);
}

template <class T>
void keep_channels_row(const PixelArgs& args, int32_t y) {
  const auto src = args.a.as<T>();
  const auto dst = args.dst.as<T>();
  for (int32_t x = 0; x < dst.width; ++x)
    for (int32_t c = 0; c < dst.channels; ++c) dst.at(x, y, c) = src.at(x, y, c);
}

template <class T>
T difference(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return with_one_nan(std::fabs(a - b));
  else
    return T(a > b ? a - b : b - a);
}

template <class T>
void absdiff_row(const PixelArgs& args, int32_t y) {
  const auto a = args.a.as<T>(), b = args.b.as<T>();
  const auto dst = args.dst.as<T>();
  for (int32_t x = 0; x < a.width; ++x)
    for (int32_t c = 0; c < a.channels; ++c)
      dst.at(x, y, c) = difference(a.at(x, y, c), b.at(x, y, c));
}

// Row y of a mask, u8 or bits, from `set(x)`.
template <class Set>
void mask_row(AnyView dst, int32_t y, Set&& set) {
  if (dst.type == PixelType::u8) {
    uint8_t* row = dst.as<uint8_t>().row(y);
    for (int32_t x = 0; x < dst.width; ++x) row[x] = set(x) ? 255 : 0;
    return;
  }
  const BitView bits = bits_of(dst);
  uint64_t* row = bits.row(y);
  std::fill_n(row, bits.words(), uint64_t(0));
  for (int32_t x = 0; x < dst.width; ++x) row[x >> 6] |= uint64_t(set(x)) << (x & 63);
}

template <class T>
void threshold_row(const PixelArgs& args, int32_t y) {
  const T* a = args.a.as<T>().row(y);
  mask_row(args.dst, y, [&](int32_t x) { return double(a[x]) > args.limit; });
}

template <class T>
void absdiff_threshold_row(const PixelArgs& args, int32_t y) {
  const T* a = args.a.as<T>().row(y);
  const T* b = args.b.as<T>().row(y);
  mask_row(args.dst, y, [&](int32_t x) { return double(difference(a[x], b[x])) > args.limit; });
}

void unpack_row(const PixelArgs& args, int32_t y) {
  const ConstBitView a = bits_of(args.a);
  mask_row(args.dst, y, [&](int32_t x) { return a.at(x, y); });
}

void pack_row(const PixelArgs& args, int32_t y) {
  const uint8_t* a = args.a.as<uint8_t>().row(y);
  mask_row(args.dst, y, [&](int32_t x) { return a[x] != 0; });
}

using Row = void (*)(const PixelArgs&, int32_t);

template <class From>
Row scale_function(PixelType to) {
  return to == PixelType::u8    ? scale_row<From, uint8_t>
         : to == PixelType::u16 ? scale_row<From, uint16_t>
                                : scale_row<From, float>;
}

Row row_function(const PixelArgs& args) {
  const PixelType type = args.a.type;
  switch (args.op) {
    case PixelOp::gray:
      return type == PixelType::u8    ? gray_row<uint8_t>
             : type == PixelType::u16 ? gray_row<uint16_t>
                                      : gray_row<float>;
    case PixelOp::absdiff:
      return type == PixelType::u8    ? absdiff_row<uint8_t>
             : type == PixelType::u16 ? absdiff_row<uint16_t>
                                      : absdiff_row<float>;
    case PixelOp::threshold:
      return type == PixelType::u8    ? threshold_row<uint8_t>
             : type == PixelType::u16 ? threshold_row<uint16_t>
                                      : threshold_row<float>;
    case PixelOp::absdiff_threshold:
      return type == PixelType::u8 ? absdiff_threshold_row<uint8_t>
                                   : absdiff_threshold_row<uint16_t>;
    case PixelOp::pack: return pack_row;
    case PixelOp::unpack: return unpack_row;
    case PixelOp::scale:
      return type == PixelType::u8    ? scale_function<uint8_t>(args.dst.type)
             : type == PixelType::u16 ? scale_function<uint16_t>(args.dst.type)
                                      : scale_function<float>(args.dst.type);
    case PixelOp::keep_channels:
      return type == PixelType::u8    ? keep_channels_row<uint8_t>
             : type == PixelType::u16 ? keep_channels_row<uint16_t>
                                      : keep_channels_row<float>;
    case PixelOp::histogram: break;
  }
  return nullptr;
}

}  // namespace

void pixel_reference_rows(const PixelArgs& args, int32_t first, int32_t end) {
  const Row row = row_function(args);
  for (int32_t y = first; y < end; ++y) row(args, y);
}

void histogram_reference_rows(const PixelArgs& args, int32_t first, int32_t end, uint64_t* bins) {
  for (int32_t y = first; y < end; ++y)
    for (int32_t x = 0; x < args.a.width; ++x)
      ++bins[args.a.type == PixelType::u8 ? args.a.as<uint8_t>().at(x, y)
                                          : args.a.as<uint16_t>().at(x, y)];
}

void pixel_serial(const PixelArgs& args, Call&) {
  if (args.op != PixelOp::histogram) return pixel_reference_rows(args, 0, args.a.height);
  std::fill(args.bins.begin(), args.bins.end(), uint64_t(0));
  histogram_reference_rows(args, 0, args.a.height, args.bins.data());
}

}  // namespace cuesta
