// What MotionDetector::save() writes: a head, then what is known, numbers and rows as they are in
// memory.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cuesta/error.hpp"
#include "cuesta/motion.hpp"

namespace cuesta::motion {

[[noreturn]] inline void throw_saved(std::string_view why, const std::string& value = "state") {
  throw Error(ErrorCode::input, fmt::format("motion: the saved state {}", why), value);
}

struct SavedHead {
  static constexpr uint32_t magic_number = 0x4d435502;  // its last byte is the version

  uint32_t magic = magic_number;
  // The options that determine the state.
  int32_t model = 0, rate_shift = 0, blur = 0, warm_up = 0, relearn = 0, steady = 0, gap = 0;
  double blur_sigma = 0;
  // The contents.
  int64_t learned = 0;  // frames, by the background
  int32_t width = 0, height = 0, channels = 1;
  // keeps: number of frames of the warm-up; deep: frames are u16
  uint8_t begun = 0, keeps = 0, holds = 0, deep = 0;

  // Saved as it is in memory: it has no padding.
  static SavedHead of(const MotionOptions& options) {
    SavedHead head;
    head.model = int32_t(options.background.model);
    head.rate_shift = options.background.rate_shift;
    head.blur = options.blur;
    head.blur_sigma = options.blur_sigma;
    head.warm_up = options.warm_up;
    head.relearn = options.relearn;
    head.steady = options.steady;
    return head;
  }

  void check(const MotionOptions& options) const {
    if (magic != magic_number) throw_saved("has another version or byte order");
    const SavedHead mine = of(options);
    const auto check = [](const char* name, auto saved, auto here) {
      if (saved != here)
        throw_saved(fmt::format("has {} {} and this detector has {}", name, saved, here), name);
    };
    check("background model", model, mine.model);
    check("rate_shift", rate_shift, mine.rate_shift);
    check("blur", blur, mine.blur);
    check("blur_sigma", blur_sigma, mine.blur_sigma);
    check("warm_up", warm_up, mine.warm_up);
    check("relearn", relearn, mine.relearn);
    check("steady", steady, mine.steady);
  }

  /// Checks, before memory is allocated, that `bytes` can hold a frame of this size: each state has
  /// at least a byte a pixel.
  void check_size(int64_t bytes) const {
    if (width < 1 || height < 1 || int64_t(width) * height > bytes || learned < 0 ||
        (channels != 1 && channels != 3 && channels != 4) || deep > 1 || holds > int(steady > 0) ||
        (keeps > 0 && warm_up < 3))
      throw_saved("is damaged");
  }

  /// Of the frames' shape, without pixels.
  ConstAnyView frame() const {
    ConstAnyView view;
    view.width = width, view.height = height, view.channels = channels;
    view.type = deep ? PixelType::u16 : PixelType::u8;
    view.space = Space::host;
    view.stride_bytes = ptrdiff_t(width) * channels * bytes_per_sample(view.type);
    return view;
  }
};

static_assert(std::is_trivially_copyable_v<SavedHead> && sizeof(SavedHead) == 64);

template <class T>
concept SavedNumber = std::is_arithmetic_v<T> || std::is_same_v<T, SavedHead>;

/// Bytes of a row that hold samples, not padding.
inline size_t bytes_of_row(const AnyView& rows) {
  return size_t(rows.width) * size_t(rows.channels) * size_t(bytes_per_sample(rows.type));
}

struct SavedSize {
  size_t bytes = 0;
  template <SavedNumber T>
  void operator()(const T&) {
    bytes += sizeof(T);
  }
  void operator()(const std::vector<uint8_t>& part) { bytes += part.size(); }
  void operator()(const AnyView& rows) { bytes += bytes_of_row(rows) * size_t(rows.height); }
};

struct SavedWriter {
  std::vector<uint8_t> bytes;
  explicit SavedWriter(size_t room) { bytes.reserve(room); }

  template <SavedNumber T>
  void operator()(const T& part) {
    put(&part, sizeof part);
  }
  void operator()(const std::vector<uint8_t>& part) { put(part.data(), part.size()); }
  void operator()(const AnyView& rows) {
    for (int32_t y = 0; y < rows.height; ++y)
      put(static_cast<const uint8_t*>(rows.data) + ptrdiff_t(y) * rows.stride_bytes,
          bytes_of_row(rows));
  }

 private:
  void put(const void* from, size_t count) {
    const auto* first = static_cast<const uint8_t*>(from);
    bytes.insert(bytes.end(), first, first + count);
  }
};

class SavedReader {
 public:
  explicit SavedReader(std::span<const uint8_t> bytes) : rest_(bytes) {}

  template <SavedNumber T>
  void operator()(T& part) {
    take(&part, sizeof part);
  }
  void operator()(std::vector<uint8_t>& part) { take(part.data(), part.size()); }
  void operator()(const AnyView& rows) {
    for (int32_t y = 0; y < rows.height; ++y)
      take(static_cast<uint8_t*>(rows.data) + ptrdiff_t(y) * rows.stride_bytes, bytes_of_row(rows));
  }
  void finish() const {
    if (!rest_.empty()) throw_saved(fmt::format("is {} bytes too long", rest_.size()));
  }

 private:
  void take(void* to, size_t count) {
    if (rest_.size() < count) throw_saved("is cut off");
    if (count > 0) std::memcpy(to, rest_.data(), count);
    rest_ = rest_.subspan(count);
  }
  std::span<const uint8_t> rest_;
};

}  // namespace cuesta::motion
