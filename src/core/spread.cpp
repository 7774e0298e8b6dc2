#include "cuesta/spread.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <vector>

#include "core/check.hpp"
#include "core/check_batch.hpp"
#include "core/round_trip.hpp"
#include "cuesta/strategies.hpp"

namespace cuesta {

void spread(const ConstBatch& src, const Batch& dst,
            const std::function<void(ConstAnyView, AnyView, const Exec&)>& work, const Exec& exec) {
  if (src.first.space != Space::host || dst.first.space != Space::host)
    throw_invalid("space", "spread: src or dst is on the device; both must be on the host");
  const int32_t count = check_batches({{src, "spread: src"}}, {{dst, "spread: dst"}});
  if (exec.devices.empty()) {
    for (int32_t i = 0; i < count; ++i) work(src[i], dst[i], exec);
    return;
  }
  if (exec.choices) {  // all pictures are alike
    const auto there = [](ConstAnyView p) {
      return placeholder(p.width, p.height, p.type, p.channels, Space::device);
    };
    return work(there(src[0]), there(dst[0]), exec);
  }
  constexpr size_t at_once = 3;  // on a GPU: one goes up, one is worked on, one comes down
  std::vector<std::unique_ptr<RoundTrip>> ways;
  for (size_t i = 0; i < std::min(at_once * exec.devices.size(), size_t(count)); ++i)
    ways.push_back(std::make_unique<RoundTrip>(exec.devices[i % exec.devices.size()]));

  std::atomic<int32_t> next{0};
  std::mutex mutex;
  int32_t failed = count;  // the first picture that did
  std::exception_ptr fault;
  const auto pass = [&](RoundTrip& way) {
    const Exec call = way.exec(exec);
    for (int32_t i = next++; i < count; i = next++) {
      try {
        const ConstAnyView picture = src[i];
        way.run({&picture, 1}, dst[i], [&](std::span<const ConstAnyView> there, AnyView result) {
          work(there[0], result, call);
        });
      } catch (...) {
        const std::lock_guard lock(mutex);
        next = count;  // those that were begun come first
        if (i < failed) failed = i, fault = std::current_exception();
      }
    }
  };
  std::vector<std::future<void>> running;
  running.reserve(ways.size());
  for (const auto& way : ways)
    running.push_back(std::async(std::launch::async, pass, std::ref(*way)));
  for (auto& one : running) one.get();
  if (fault) std::rethrow_exception(fault);
}

}  // namespace cuesta
