#include "bench/engine/answers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "bench/engine/timing.hpp"
#include "core/memory.hpp"

namespace cuesta::bench {

AnyImage::AnyImage(PixelType type, int32_t width, int32_t height, int32_t channels) {
  if (type == PixelType::none) return;
  bytes_ = Image<uint8_t>(int32_t(detail::row_bytes(type, width, channels)), height);
  plane_ = AnyView(bytes_.view().data, width, height, channels, bytes_.view().stride_bytes, type);
}

Answers::Answers(const Work& work, const Exec& reference) : work_(work) {
  for (const ConstAnyView& src : work.sources) {
    pictures_.emplace_back(work.result, src.width, src.height, work.result_channels);
    ms_ += time_once([&] { work.call(src, pictures_.back().plane(), reference); }) /
           double(work.sources.size());
    texts_.push_back(work.answer ? work.answer() : std::string());
  }
}

std::string Answers::compare(size_t source, ConstAnyView got, bool bounded, int32_t rim) const {
  if (work_.result == PixelType::none) return {};
  ConstAnyView want = pictures_[source].plane();
  if (want.width <= 2 * rim || want.height <= 2 * rim) return {};
  if (rim > 0) {  // of masks of bits there are no regions
    const Rect inner = {rim, rim, want.width - 2 * rim, want.height - 2 * rim};
    want = want.region(inner);
    got = got.region(inner);
  }
  const bool floats = bounded && work_.bound > 0 && want.type == PixelType::f32;
  for (int32_t y = 0; y < want.height; ++y) {
    const auto* a = static_cast<const char*>(got.data) + got.stride_bytes * y;
    const auto* b = static_cast<const char*>(want.data) + want.stride_bytes * y;
    if (std::memcmp(a, b, size_t(detail::row_bytes(want))) == 0) continue;
    if (!floats) return fmt::format("row {} differs from the reference", y);
    for (int32_t x = 0; x < want.width; ++x) {
      const double off = std::fabs(double(got.as<float>().at(x, y)) - want.as<float>().at(x, y));
      if (!(off <= work_.bound))
        return fmt::format("({}, {}) is {} off the reference, more than {}", x, y, off,
                           work_.bound);
    }
  }
  return {};
}

std::string Answers::compare_answer(size_t source) const {
  if (!work_.answer || work_.answer() == texts_[source]) return {};
  return "its answer differs from the reference's";
}

}  // namespace cuesta::bench
