// A pass over the bands of a picture: read, worked on and given in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>

#include "io/band_feed.hpp"

namespace cuesta::io {

/// Every band through `work`, which gets its place, then `then` and `give` in order, while the
/// next are read: `at_once` places at once, or one after the other with the `then` of each.
struct Pass {
  std::function<void(Band&, int place)> work;
  std::function<void(Band&)> then{}, give{};
};
void pass_bands(BandFeed& feed, int at_once, const Pass& pass);

/// Reports progress: rows that are done, of all passes.
class Meter {
 public:
  Meter(const BandOptions& options, int64_t all) : tell_(options.progress), all_(all) {}
  void add(int64_t rows) {
    if (!tell_) return;
    const std::lock_guard lock(mutex_);
    done_ += rows;
    tell_(std::min(done_, all_), all_);
  }

 private:
  const std::function<void(int64_t, int64_t)>& tell_;
  std::mutex mutex_;
  int64_t all_, done_ = 0;
};

}  // namespace cuesta::io
