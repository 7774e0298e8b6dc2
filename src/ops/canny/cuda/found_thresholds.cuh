// Automatic thresholds that the device finds for the kernels behind, and the host for the caller.
#pragma once

#include "cuda/in_flight.cuh"
#include "ops/canny/cuda/device.cuh"
#include "ops/canny/cuda/summary.hpp"

namespace cuesta::canny_cuda {

/// The thresholds of a batch with automatic ones, from `n` bins for each picture in device memory.
/// Kernels read limits() at once; the host makes the caller's thresholds of the same summaries.
class FoundThresholds {
 public:
  FoundThresholds(const CannyArgs& args, int32_t n, const uint32_t* bins, Call& call)
      : args_(args),
        n_(n),
        call_(call),
        summaries_(call, size_t(args.count), "canny: thresholds"),
        limits_(enqueue(bins)) {}

  static constexpr auto max_pictures = int32_t(cuda::Mail<DeviceSummary>::max_count);

  /// Of each picture, in device memory.
  const FoundLimits* limits() const { return limits_; }

  /// Waits, and sets args.result of the pictures with automatic thresholds. Throws Error{device}
  /// where these are not what limits() follow from.
  void settle() {
    each_automatic([&](int32_t i, const ThresholdRule& rule) {
      const DeviceSummary& one = summaries_.await(size_t(i));
      args_.result[i] = canny_rules::thresholds_from(rule, one.known);
      if (canny_rules::limits_for(rule, args_.result[i]) == one.limits) return;
      throw Error(ErrorCode::device, "canny: the GPU's arithmetic is not the host's");
    });
    summaries_.close();
  }

 private:
  // body(i, rule) for the pictures with automatic thresholds.
  template <class Body>
  void each_automatic(Body&& body) const {
    for (int32_t i = 0; i < args_.count; ++i)
      if (args_.thresholds_of(i).is_automatic()) body(i, rule_of(i));
  }
  ThresholdRule rule_of(int32_t picture) const {
    return canny_rule(args_.part(picture, 1).options, args_.src.type, n_);
  }
  FoundLimits* enqueue(const uint32_t* bins) const {
    const auto count = size_t(args_.count);
    auto* const limits = reinterpret_cast<FoundLimits*>(
        call_.scratch().take<std::byte>(count * sizeof(FoundLimits)));
    const SummariesTo to{summaries_.to(), limits};
    void* const room = call_.scratch().take<double>(summary_room() / sizeof(double));
    if (args_.thresholds.empty()) {
      summarise(rule_of(0), bins, n_, args_.count, to, room, call_);
      return limits;
    }
    take_given(limits);
    each_automatic([&](int32_t i, const ThresholdRule& rule) {
      summarise(rule, bins + ptrdiff_t(n_) * i, n_, 1, to + i, room, call_);
    });
    return limits;
  }
  // The limits of the pictures whose thresholds are given.
  void take_given(FoundLimits* limits) const {
    Scratch host(call_.nested(), Space::host);
    auto* const values = reinterpret_cast<FoundLimits*>(
        host.take<std::byte>(size_t(args_.count) * sizeof(FoundLimits)));
    for (int32_t i = 0; i < args_.count; ++i) {
      const bool given = !args_.thresholds_of(i).is_automatic();
      const CannyResult of = given ? args_.result[i] : CannyResult{};
      new (values + i)
          FoundLimits{canny_limits_in<int64_t>(args_, of), canny_limits_in<double>(args_, of)};
    }
    cuda::copy_values(std::span<const FoundLimits>(values, size_t(args_.count)), limits,
                      cuda::stream_of(call_), "canny: thresholds");
  }
  const CannyArgs& args_;
  int32_t n_;
  Call& call_;
  cuda::Mail<DeviceSummary> summaries_;
  FoundLimits* limits_;
};

}  // namespace cuesta::canny_cuda
