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
#include "core/round_trip.hpp"
#include "cuesta/recipes/recipe.hpp"

namespace cuesta::cli {

using recipes::Execs;

/// A picture that work is chosen for.
struct WorkShape {
  Size size{};
  PixelType type = PixelType::u8;
  int32_t channels = 1;
  friend auto operator<=>(const WorkShape& a, const WorkShape& b) {
    const auto key = [](const WorkShape& of) {
      return std::tuple(of.type, of.size.width, of.size.height, of.channels);
    };
    return key(a) <=> key(b);
  }
  friend bool operator==(const WorkShape&, const WorkShape&) = default;
};
inline WorkShape shape_of(ConstAnyView picture) {
  return {picture.size(), picture.type, picture.channels};
}

class EitherDevice {
 public:
  /// Makes `out` of the sources, all of them in one space; sources without data stay so, and an
  /// `out` without data where the result is no picture.
  using Work =
      std::function<void(std::span<const ConstAnyView> sources, AnyView out, const Execs& execs)>;
  /// The strategies that the work takes for such a picture in a space; runs nothing.
  using Plan = std::function<std::vector<Choice>(const WorkShape&, Space, const Execs&)>;

  /// `common` outlives it. Throws Error{device} where --device names a GPU that is not available.
  EitherDevice(const CommonOptions& common, Plan plan, Work work = {});

  /// Throws what the operations say of their options, before any picture is there; `source` is a
  /// likely type.
  void check(PixelType source) const;
  /// Runs the work on these pictures in host memory, or on copies of them on the GPU, as
  /// goes_to_gpu() says: what several objects run on threads of their own overlaps.
  void run(std::initializer_list<ConstAnyView> sources, AnyView out = {});
  /// The same of pictures in gpu()'s memory, which goes_to_gpu() sends there.
  void run_there(std::initializer_list<ConstAnyView> sources, AnyView out = {});
  /// Whether pictures like these go to the GPU. With --device auto they do where every operation
  /// has a production strategy for them there, or the one that is pinned; -v reports why not, once.
  /// Throws Error{unsupported} where the device that was requested cannot run them.
  bool goes_to_gpu(const WorkShape& shape);

  const Execs& execs() const { return execs_; }
  /// The way to the GPU that work may go to; null where --device or the machine has none.
  const std::shared_ptr<RoundTrip>& gpu() const { return gpu_; }
  /// Those that work of this kind may be spread over: objects that are made one after the other
  /// have their way to one after the other.
  const std::vector<int>& gpus() const { return gpus_; }
  /// Pictures in flight at once that keep these GPUs busy; 1 where there are no several.
  int at_once() const { return gpus_.size() > 1 ? 3 * int(gpus_.size()) : 1; }
  /// The paragraph of --explain, on stderr; nothing without it.
  void explain() const;
  Explainer& explainer() { return explainer_; }

 private:
  std::vector<Choice> ask(const WorkShape& shape, Space space) const;

  const CommonOptions& common_;
  Plan plan_;
  Work work_;
  Execs execs_;
  Explainer explainer_;
  std::string why_not_;  // said once
  std::map<WorkShape, bool> decided_;
  std::vector<int> gpus_;
  std::shared_ptr<RoundTrip> gpu_;  // none where no work goes to one
};

}  // namespace cuesta::cli
