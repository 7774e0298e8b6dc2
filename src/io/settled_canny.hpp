// Canny in bands whose thresholds and sigma may have to be found in a first pass.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cuesta/bands.hpp"

namespace cuesta::io {

/// What the first pass finds.
struct CannyFound {
  CannyResult thresholds{};
  double sigma = 0;  ///< pixels
};

/// CannyBands for each sigma that may be found, until one is settled.
class SettledCanny {
 public:
  /// `finds_sigma`: SigmaBands finds the sigma, not the options.
  SettledCanny(int32_t width, const CannyOptions& options, bool finds_sigma);

  bool wants_counts() const { return wants_counts_; }
  /// Counts rows as CannyBands does; any number of threads may call it.
  void count(ConstAnyView rows, int32_t first, int32_t end, const Exec& exec);
  /// All counts so far, and those of another object with the same options.
  std::vector<uint64_t> counts() const;
  /// The number of histograms in them, each of every pixel.
  int histograms() const;
  void add_counts(std::span<const uint64_t> counts, PixelType type);
  /// Settles thresholds and sigma, after every row was counted.
  CannyFound find();
  void settle(const CannyFound& found);
  CannyFound found() const { return found_; }

  /// Where neither has to be found, or once they are settled. Before that its thresholds and sigma
  /// mean nothing.
  CannyBands& bands() { return at_[settled_]; }
  const CannyBands& bands() const { return at_[settled_]; }

 private:
  std::vector<double> sigmas_;
  std::vector<CannyBands> at_;  // one for each sigma
  std::optional<SigmaBands> sigma_;
  bool shares_ = false;  // the counts for thresholds at its sigmas are SigmaBands' own
  std::atomic<PixelType> type_ = PixelType::u8;
  size_t settled_ = 0;
  bool wants_counts_;
  CannyFound found_{};
};

}  // namespace cuesta::io
