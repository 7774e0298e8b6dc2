#if defined(CUESTA_HAS_PICTURES)
#include "io/band_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "core/check.hpp"
#include "cuesta/device.hpp"

namespace cuesta::io {
namespace {

// Of rows and of what is made of them.
double bytes_of_samples(const PictureFacts& facts, const BandWork& work) {
  // Of canny two bits of a pixel, its sets and strips.
  const double out = work.canny ? 1 : work.channels * bytes_per_sample(work.type);
  return facts.channels * bytes_per_sample(facts.type) + out;
}

double bytes_of_row(const PictureFacts& facts, const BandWork& work, int at_once) {
  return facts.size.width *
         (std::max(2, at_once) * bytes_of_samples(facts, work) + at_once * work.scratch_bytes);
}

[[noreturn]] void throw_too_little(const PictureFacts& facts, const BandWork& work,
                                   std::string_view memory, std::string_view mend, int64_t bytes,
                                   std::optional<Hint> hint) {
  const std::string text =
      fmt::format("bands: {} hold too few rows of {} pixels with {} around them{}", memory,
                  facts.size.width, work.reach, mend);
  if (hint) throw Error(ErrorCode::out_of_memory, text, std::to_string(bytes), *hint);
  throw_invalid(std::to_string(bytes), "{}", text);
}

// Rows that the GPUs take: half of a GPU's memory holds what its bands need, and more pixels than
// fill a GPU would only make the copies wait for each other.
double rows_on_devices(const PictureFacts& facts, const BandWork& work,
                       const BandSettings& settings, int32_t least) {
  constexpr double scratch_bytes = 32;  // a pixel: canny's `plain` has the most, 23
  constexpr double max_pixels = 1 << 26;
  double rows = facts.size.height;
  const double at_once = double(settings.at_once) / double(settings.devices.size());
  for (const DeviceInfo& device : list_devices()) {
    if (std::ranges::find(settings.devices, device.index) == settings.devices.end()) continue;
    const double row = facts.size.width * at_once * (bytes_of_samples(facts, work) + scratch_bytes);
    rows = std::min(rows, double(device.memory_bytes) / 2 / row - 2 * work.reach);
    if (rows < least) {
      throw_too_little(facts, work,
                       fmt::format("the {} bytes of GPU {}", device.memory_bytes, device.index), "",
                       int64_t(device.memory_bytes), Hint::use_cpu);
    }
  }
  return std::min(rows, std::max<double>(least, max_pixels / facts.size.width));
}

}  // namespace

int32_t rows_of_bands(const PictureFacts& facts, const BandWork& work,
                      const BandSettings& settings) {
  const BandOptions& options = settings.bands;
  if (options.rows > 0) return options.rows;
  const double row = bytes_of_row(facts, work, settings.at_once);
  // A part is the decoder's and the encoder's.
  double rows = 0.75 * double(options.memory) / row - 2 * work.reach;
  const int32_t least = std::min(16, facts.size.height);
  if (rows < least) {
    const auto needed = int64_t(row * (least + 2 * work.reach) / 0.75) + 1;
    throw_too_little(facts, work, fmt::format("{} bytes of memory", options.memory),
                     fmt::format("; give {} or more", needed), options.memory, {});
  }
  if (!settings.devices.empty())
    rows = std::min(rows, rows_on_devices(facts, work, settings, least));
  return int32_t(std::min<double>(rows, facts.size.height));
}

int64_t whole_bytes(const PictureFacts& facts, const BandWork& work) {
  return int64_t(bytes_of_row(facts, work, 1)) * facts.size.height;
}

}  // namespace cuesta::io
#endif
