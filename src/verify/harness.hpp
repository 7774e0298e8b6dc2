// What one run of one strategy is given: inputs, poisoned outputs with canaries around them, and
// places for results.
#pragma once

#include <any>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cuesta/image.hpp"
#include "verify/patterns.hpp"

namespace cuesta::verify {

/// How a picture is in memory. The oracle always runs on `tight`, so a strategy that reads
/// outside its view differs.
enum class Layout : uint8_t {
  tight,   ///< no padding; the last byte touches an unreadable page
  padded,  ///< rows padded to 64 bytes, and more
  odd,     ///< a stride that is no multiple of anything but the sample
  region,  ///< a region of a larger picture of noise
  mixed,   ///< each picture of a run in another of these
  far,     ///< on the host alone: rows so far apart that 2³² bytes are between the first and the
           ///< last; memory is there for the rows only
};
inline constexpr int layout_count = 5;  ///< that every space has: those before `far`
std::string_view name_of(Layout layout);

/// Draws a picture. It is called once, on the host, before the picture goes where it is used.
using Draw = std::function<void(AnyView)>;

class Harness {
 public:
  /// `layout` is that of the pictures of this run; `poison` fills outputs beforehand; pictures live
  /// in `space`.
  Harness(Layout layout, uint8_t poison, Space space = Space::host);
  ~Harness();
  Harness(Harness&&) noexcept;

  ConstAnyView input(PixelType type, int32_t width, int32_t height, int32_t channels,
                     Pattern pattern, uint64_t seed);
  ConstAnyView input(PixelType type, int32_t width, int32_t height, int32_t channels,
                     const Draw& draw);
  /// A picture the strategy must write everywhere. f32 results may differ from the oracle's by
  /// `bound` (absolute).
  AnyView output(std::string name, PixelType type, int32_t width, int32_t height,
                 int32_t channels = 1, double bound = 0);
  /// The same on the host, whatever the space of this run.
  AnyView host_output(std::string name, PixelType type, int32_t width, int32_t height,
                      int32_t channels = 1);
  /// A picture read and written in place.
  AnyView in_out(std::string name, PixelType type, int32_t width, int32_t height, int32_t channels,
                 Pattern pattern, uint64_t seed);
  AnyView in_out(std::string name, PixelType type, int32_t width, int32_t height, int32_t channels,
                 const Draw& draw);
  /// An object that lives as long as this harness, for results that Args point at.
  template <class T>
  T& keep(T value = {}) {
    auto held = std::make_shared<T>(std::move(value));
    kept_.push_back(held);
    return *held;
  }
  /// A result that is no picture, compared as text. Called by a case's `collect` after the run.
  void value(std::string name, std::string text) {
    values_.push_back({std::move(name), std::move(text)});
  }

  /// Every picture as it was handed out, where strategies see it: for another run.
  void rewind();
  /// The same, with the pictures that are only read turned upside down: another request of the same
  /// shape.
  void turn_over();

  /// Before a run: on a GPU, fills its shared memory with what no kernel has put there.
  void begin();
  /// After the run: brings device pictures back. Then:
  void finish();
  /// "" or what was written where nothing may be written (around outputs, into inputs).
  std::string check_canaries() const;
  /// "" or the first difference from the oracle's run of the same case.
  /// Bounds of outputs count only with `bounded`, for strategies that do not promise equal bytes.
  std::string compare(const Harness& oracle, bool bounded) const;
  /// A checksum of every result, the same on a machine of the other byte order; without results
  /// that may differ by a bound, and of f32 only with `floats`.
  uint64_t digest(bool floats) const;

 private:
  struct Buffer;
  AnyView make(std::string name, PixelType type, int32_t width, int32_t height, int32_t channels,
               bool is_output, double bound);
  /// The newest buffer, with its content, where strategies see it.
  AnyView publish(Space space);
  Layout layout_;
  uint8_t poison_;
  Space space_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<std::shared_ptr<void>> kept_;
  std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace cuesta::verify
