// The public entries of the point operations: check, choose a strategy, run.
#include <fmt/format.h>

#include <cmath>

#include "core/check.hpp"
#include "core/check_batch.hpp"
#include "ops/pixel/reference.hpp"

namespace cuesta {

std::string_view name_of(PixelOp op) {
  switch (op) {
    case PixelOp::gray: return "gray";
    case PixelOp::absdiff: return "absdiff";
    case PixelOp::threshold: return "threshold";
    case PixelOp::absdiff_threshold: return "absdiff_threshold";
    case PixelOp::histogram: return "histogram";
    case PixelOp::pack: return "pack";
    case PixelOp::unpack: return "unpack";
    case PixelOp::scale: return "scale";
    case PixelOp::keep_channels: return "keep_channels";
  }
  return "?";
}

namespace {

using enum PixelType;

void check_limit(double limit, std::string_view what) {
  if (std::isnan(limit)) throw_invalid("nan", "{}: limit is NaN; it must be a number", what);
}

// Names are "absdiff: a" and so on, whole: a check that passes allocates nothing.
void check_alike(ConstAnyView a, ConstAnyView b, std::string_view what_a, std::string_view what_b) {
  check_same_size(a, b, what_a, what_b);
  if (a.type != b.type || a.channels != b.channels) {
    throw_invalid(fmt::format("{} x {}", name_of(b.type), b.channels),
                  "{} is {} with {} channels and {} is {} with {}; types and channels must match",
                  what_a, name_of(a.type), a.channels, what_b, name_of(b.type), b.channels);
  }
}

void check_result(ConstAnyView src, AnyView dst, std::string_view what_src,
                  std::string_view what_dst) {
  check_same_size(src, dst, what_src, what_dst);
  check_no_overlap(src, dst, what_src, what_dst);
}

void check_same_type(ConstAnyView src, AnyView dst, std::string_view what_dst) {
  if (src.type != dst.type) {
    throw_invalid(name_of(dst.type), "{} is {}; it must have the source's type, {}", what_dst,
                  name_of(dst.type), name_of(src.type));
  }
}

}  // namespace

void to_gray(ConstAnyView src, OutView dst, ColorOrder order, const Exec& exec) {
  check_view(src, "to_gray: src", {u8, u16, f32}, 1, 4);
  check_view(dst, "to_gray: dst", {u8, u16, f32});
  check_same_type(src, dst, "to_gray: dst");
  check_result(src, dst, "to_gray: src", "to_gray: dst");
  dispatch(PixelArgs{.op = PixelOp::gray, .a = src, .dst = dst, .order = order}, exec);
}

void scale(ConstAnyView src, OutView dst, double factor, const Exec& exec) {
  check_view(src, "scale: src", {u8, u16, f32}, 1, 4);
  check_view(dst, "scale: dst", {u8, u16, f32}, src.channels, src.channels);
  if (!std::isfinite(factor))
    throw_invalid(fmt::format("{}", factor), "scale: factor is {}; it must be finite", factor);
  check_result(src, dst, "scale: src", "scale: dst");
  dispatch(PixelArgs{.op = PixelOp::scale, .a = src, .dst = dst, .factor = factor}, exec);
}

void keep_channels(ConstAnyView src, OutView dst, const Exec& exec) {
  check_view(src, "keep_channels: src", {u8, u16, f32}, 1, 4);
  check_view(dst, "keep_channels: dst", {u8, u16, f32}, 1, src.channels);
  check_same_type(src, dst, "keep_channels: dst");
  check_result(src, dst, "keep_channels: src", "keep_channels: dst");
  dispatch(PixelArgs{.op = PixelOp::keep_channels, .a = src, .dst = dst}, exec);
}

void absdiff(ConstAnyView a, ConstAnyView b, OutView dst, const Exec& exec) {
  check_view(a, "absdiff: a", {u8, u16, f32}, 1, 4);
  check_view(b, "absdiff: b", {u8, u16, f32}, 1, 4);
  check_alike(a, b, "absdiff: a", "absdiff: b");
  check_view(dst, "absdiff: dst", {u8, u16, f32}, a.channels, a.channels);
  check_same_type(a, dst, "absdiff: dst");
  check_result(a, dst, "absdiff: a", "absdiff: dst");
  check_result(b, dst, "absdiff: b", "absdiff: dst");
  dispatch(PixelArgs{.op = PixelOp::absdiff, .a = a, .b = b, .dst = dst}, exec);
}

void threshold(ConstAnyView src, OutView dst, double limit, const Exec& exec) {
  check_view(src, "threshold: src", {u8, u16, f32});
  check_view(dst, "threshold: dst", {u8, bit});
  check_limit(limit, "threshold");
  check_result(src, dst, "threshold: src", "threshold: dst");
  dispatch(PixelArgs{.op = PixelOp::threshold, .a = src, .dst = dst, .limit = limit}, exec);
}

void absdiff_threshold(ConstAnyView a, ConstAnyView b, OutView dst, double limit,
                       const Exec& exec) {
  check_view(a, "absdiff_threshold: a", {u8, u16});
  check_view(b, "absdiff_threshold: b", {u8, u16});
  check_alike(a, b, "absdiff_threshold: a", "absdiff_threshold: b");
  check_view(dst, "absdiff_threshold: dst", {u8, bit});
  check_limit(limit, "absdiff_threshold");
  check_result(a, dst, "absdiff_threshold: a", "absdiff_threshold: dst");
  check_result(b, dst, "absdiff_threshold: b", "absdiff_threshold: dst");
  dispatch(PixelArgs{.op = PixelOp::absdiff_threshold, .a = a, .b = b, .dst = dst, .limit = limit},
           exec);
}

void histogram(ConstAnyView src, std::span<uint64_t> bins, const Exec& exec) {
  check_view(src, "histogram: src", {u8, u16});
  const size_t wanted = src.type == u8 ? 256 : 65536;
  if (bins.size() != wanted) {
    throw_invalid(std::to_string(bins.size()),
                  "histogram: there are {} bins for a {} picture; there must be {}", bins.size(),
                  name_of(src.type), wanted);
  }
  dispatch(PixelArgs{.op = PixelOp::histogram, .a = src, .bins = bins}, exec);
}

void unpack_mask(ConstAnyView src, OutView dst, const Exec& exec) {
  check_view(src, "unpack_mask: src", {bit});
  check_view(dst, "unpack_mask: dst", {u8});
  check_result(src, dst, "unpack_mask: src", "unpack_mask: dst");
  dispatch(PixelArgs{.op = PixelOp::unpack, .a = src, .dst = dst}, exec);
}

void pack_mask(ConstAnyView src, OutView dst, const Exec& exec) {
  check_view(src, "pack_mask: src", {u8});
  check_view(dst, "pack_mask: dst", {bit});
  check_result(src, dst, "pack_mask: src", "pack_mask: dst");
  dispatch(PixelArgs{.op = PixelOp::pack, .a = src, .dst = dst}, exec);
}

std::vector<uint64_t> histogram(ConstAnyView src, const Exec& exec) {
  std::vector<uint64_t> bins(src.type == u16 ? 65536 : 256);
  histogram(src, bins, exec);
  return bins;
}

// ---- batches

void to_gray(const ConstBatch& src, const Batch& dst, ColorOrder order, const Exec& exec) {
  each_picture(src, dst, "to_gray: src", "to_gray: dst",
               [&](ConstAnyView from, AnyView to) { to_gray(from, to, order, exec); });
}

void scale(const ConstBatch& src, const Batch& dst, double factor, const Exec& exec) {
  each_picture(src, dst, "scale: src", "scale: dst",
               [&](ConstAnyView from, AnyView to) { scale(from, to, factor, exec); });
}

void keep_channels(const ConstBatch& src, const Batch& dst, const Exec& exec) {
  each_picture(src, dst, "keep_channels: src", "keep_channels: dst",
               [&](ConstAnyView from, AnyView to) { keep_channels(from, to, exec); });
}

void absdiff(const ConstBatch& a, const ConstBatch& b, const Batch& dst, const Exec& exec) {
  const int32_t count =
      check_batches({{a, "absdiff: a"}, {b, "absdiff: b"}}, {{dst, "absdiff: dst"}});
  for (int32_t i = 0; i < count; ++i) absdiff(a[i], b[i], dst[i], exec);
}

void threshold(const ConstBatch& src, const Batch& dst, double limit, const Exec& exec) {
  each_picture(src, dst, "threshold: src", "threshold: dst",
               [&](ConstAnyView from, AnyView to) { threshold(from, to, limit, exec); });
}

void absdiff_threshold(const ConstBatch& a, const ConstBatch& b, const Batch& dst, double limit,
                       const Exec& exec) {
  const int32_t count = check_batches({{a, "absdiff_threshold: a"}, {b, "absdiff_threshold: b"}},
                                      {{dst, "absdiff_threshold: dst"}});
  for (int32_t i = 0; i < count; ++i) absdiff_threshold(a[i], b[i], dst[i], limit, exec);
}

void histogram(const ConstBatch& src, std::span<uint64_t> bins, const Exec& exec) {
  const auto count = size_t(check_batches({{src, "histogram: src"}}, {}));
  if (bins.size() % count != 0) {
    throw_invalid(
        std::to_string(bins.size()),
        "histogram: {} bins cannot be divided among {} pictures; each must have the same number",
        bins.size(), count);
  }
  const size_t each = bins.size() / count;
  for (size_t i = 0; i < count; ++i) histogram(src[int32_t(i)], bins.subspan(i * each, each), exec);
}

void unpack_mask(const ConstBatch& src, const Batch& dst, const Exec& exec) {
  each_picture(src, dst, "unpack_mask: src", "unpack_mask: dst",
               [&](ConstAnyView from, AnyView to) { unpack_mask(from, to, exec); });
}

void pack_mask(const ConstBatch& src, const Batch& dst, const Exec& exec) {
  each_picture(src, dst, "pack_mask: src", "pack_mask: dst",
               [&](ConstAnyView from, AnyView to) { pack_mask(from, to, exec); });
}

}  // namespace cuesta
