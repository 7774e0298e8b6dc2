// What MotionDetector::save() writes: a seal, a head, then what is known, numbers and rows as they
// are in memory.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/checksum.hpp"
#include "cuesta/error.hpp"
#include "cuesta/motion.hpp"

namespace cuesta::motion {

[[noreturn]] inline void throw_saved(std::string_view why, const std::string& value = "state") {
  throw Error(ErrorCode::input, fmt::format("motion: the saved state {}", why), value);
}

/// What a saved state begins with: its kind, the version of its format, its size and a checksum of
/// all that follows.
struct SavedSeal {
  static constexpr uint32_t of_detector = 0x4d435500, of_downscale = 0x44435500;
  static constexpr uint32_t version = 5;  // in the last byte of `magic`

  uint32_t magic = 0;
  uint32_t reserved = 0;
  uint64_t bytes = 0, checksum = 0;

  /// Whether the bytes are a state of this kind, in whichever version.
  static bool is_of(uint32_t kind, std::span<const uint8_t> saved) {
    return saved.size() >= sizeof(SavedSeal) && (read(saved).magic & ~0xffU) == kind;
  }

  /// Fills the room for the seal at the start of a state.
  static void close(uint32_t kind, std::span<uint8_t> saved) {
    const auto rest = saved.subspan(sizeof(SavedSeal));
    const SavedSeal seal{kind | version, 0, rest.size(), sum(rest)};
    std::memcpy(saved.data(), &seal, sizeof seal);
  }

  /// Returns what a seal closes. Throws Error{input} unless every byte is as it was saved.
  static std::span<const uint8_t> open(uint32_t kind, std::span<const uint8_t> saved) {
    if (saved.size() < sizeof(SavedSeal)) throw_saved("is cut off");
    const SavedSeal seal = read(saved);
    if (!is_of(kind, saved))
      throw_saved("does not begin as one does; it is damaged, or has another byte order");
    if (seal.magic != (kind | version)) {
      throw_saved(fmt::format("has version {} of the format and this Cuesta reads version {}",
                              seal.magic & 0xff, version));
    }
    const auto rest = saved.subspan(sizeof seal);
    if (rest.size() < seal.bytes) throw_saved("is cut off");
    if (rest.size() > seal.bytes)
      throw_saved(fmt::format("is {} bytes too long", rest.size() - seal.bytes));
    if (seal.reserved != 0 || seal.checksum != sum(rest))
      throw_saved("is damaged: its checksum does not match");
    return rest;
  }

 private:
  static SavedSeal read(std::span<const uint8_t> saved) {
    SavedSeal seal;
    std::memcpy(&seal, saved.data(), sizeof seal);
    return seal;
  }
  static uint64_t sum(std::span<const uint8_t> bytes) {
    Checksum made;
    made.add(bytes.data(), int64_t(bytes.size()));
    return made.value();
  }
};

static_assert(std::is_trivially_copyable_v<SavedSeal> && sizeof(SavedSeal) == 24);

struct SavedHead {
  // The options that determine the state.
  int32_t model = 0, rate_shift = 0, absorb = 0, radius = 0, blur = 0, warm_up = 0, relearn = 0,
          steady = 0;
  double blur_sigma = 0;
  // The contents.
  int64_t learned = 0;  // frames, by the background
  int32_t width = 0, height = 0, channels = 1;
  // keeps: number of frames of the warm-up; deep: frames are u16
  uint8_t begun = 0, keeps = 0, holds = 0, deep = 0;

  // Saved as it is in memory: it has no padding.
  static SavedHead of(const MotionOptions& options, int32_t radius) {
    SavedHead head;
    head.radius = radius;
    head.model = int32_t(options.background.model);
    head.rate_shift = options.background.rate_shift;
    head.absorb = options.background.absorb;
    head.blur = options.blur;
    head.blur_sigma = options.blur_sigma;
    head.warm_up = options.warm_up;
    head.relearn = options.relearn;
    head.steady = options.steady;
    return head;
  }

  void check(const MotionOptions& options, int32_t of_samples) const {
    const SavedHead mine = of(options, of_samples);
    const auto check = [](const char* name, auto saved, auto here) {
      if (saved != here)
        throw_saved(fmt::format("has {} {} and this detector has {}", name, saved, here), name);
    };
    check("background model", model, mine.model);
    check("rate_shift", rate_shift, mine.rate_shift);
    check("absorb", absorb, mine.absorb);
    check("threshold, at most 16,", radius, mine.radius);
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

class SavedWriter {
 public:
  explicit SavedWriter(size_t room) {
    bytes_.reserve(sizeof(SavedSeal) + room);
    bytes_.resize(sizeof(SavedSeal));
  }

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
  std::vector<uint8_t> finish() {
    SavedSeal::close(SavedSeal::of_detector, bytes_);
    return std::move(bytes_);
  }

 private:
  void put(const void* from, size_t count) {
    const auto* first = static_cast<const uint8_t*>(from);
    bytes_.insert(bytes_.end(), first, first + count);
  }
  std::vector<uint8_t> bytes_;
};

class SavedReader {
 public:
  explicit SavedReader(std::span<const uint8_t> bytes)
      : rest_(SavedSeal::open(SavedSeal::of_detector, bytes)) {}

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
