// Work that runs where --device says: what edges, filter and detect share.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "cli/common.hpp"
#include "cli/explain.hpp"
#include "cli/samples.hpp"
#include "core/round_trip.hpp"

namespace cuesta::cli {

/// How a verb's calls run: the operation that --strategy pins, and the operations around it.
struct Execs {
  Exec pinned, around;
};

class EitherDevice {
 public:
  /// Makes `out` of the sources, all of them in one space; sources without data stay so, and an
  /// `out` without data where the result is no picture. Also
  /// called to ask what would run (Exec::choices), with views that have no samples.
  using Work =
      std::function<void(std::span<const ConstAnyView> sources, AnyView out, const Execs& execs)>;

  /// `common` outlives it. Throws Error{device} where --device names a GPU that cannot be had.
  EitherDevice(const CommonOptions& common, Work work);

  /// Throws what the work says of its options, before any picture is there; `source` is a likely
  /// one.
  void check(PixelType source, std::optional<PixelType> out = {}) const;
  /// Runs the work on these pictures in host memory, or on copies of them on the GPU, as
  /// goes_to_gpu() says: what several objects run on threads of their own overlaps.
  void run(std::initializer_list<ConstAnyView> sources, AnyView out = {});
  /// The same of pictures that lie in gpu()'s memory already and that goes_to_gpu() sends there.
  void run_there(std::initializer_list<ConstAnyView> sources, AnyView out = {});
  /// Whether pictures like these go to the GPU. With --device auto they do where every operation
  /// has a production strategy for them there, or the one that is pinned; -v tells why not, once.
  /// Throws Error{unsupported} where the device that was asked for cannot run them.
  bool goes_to_gpu(std::span<const ConstAnyView> sources, ConstAnyView out);

  const Execs& execs() const { return execs_; }
  /// The way to the GPU that work may go to; null where --device or the machine has none.
  const std::shared_ptr<RoundTrip>& gpu() const { return gpu_; }
  /// Those that work of this kind may be spread over: objects that are made one after the other
  /// have their way to one after the other.
  const std::vector<int>& gpus() const { return gpus_; }
  /// Pictures on their way at once that keep these GPUs busy; 1 where there are no several.
  int at_once() const { return gpus_.size() > 1 ? 3 * int(gpus_.size()) : 1; }
  /// The paragraph of --explain, on stderr; nothing without it.
  void explain() const;
  Explainer& explainer() { return explainer_; }

 private:
  std::vector<Choice> ask(std::span<const ConstAnyView> sources, ConstAnyView out,
                          Space space) const;

  const CommonOptions& common_;
  Work work_;
  Execs execs_;
  Explainer explainer_;
  std::string why_not_;  // said once
  std::map<std::tuple<PixelType, int32_t, int32_t, int32_t>, bool> decided_;
  std::vector<int> gpus_;
  std::shared_ptr<RoundTrip> gpu_;  // none where no work goes to one
};

}  // namespace cuesta::cli
