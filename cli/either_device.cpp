#include "cli/either_device.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "cuesta/device.hpp"

namespace cuesta::cli {
namespace {

// Whether work that `choice` reports goes to the GPU. With --device auto it does where a
// production strategy takes it there, or the one that is pinned; else -v says why not.
bool may_go_to_gpu(const CommonOptions& common, const Choice& choice) {
  const bool automatic = common.device == "auto";
  std::string why = choice.refusal;
  if (why.empty() && automatic && choice.tier == Tier::baseline && common.strategy.empty())
    why =
        fmt::format("{}: only the plain strategy on the GPU takes this request", choice.operation);
  if (why.empty()) return true;
  if (!automatic) throw Error(ErrorCode::unsupported, why, common.strategy);
  detail_once(fmt::format("running on the CPU: {}", why));
  return false;
}

}  // namespace

EitherDevice::EitherDevice(const CommonOptions& common, Plan plan, Work work)
    : common_(common), plan_(std::move(plan)), work_(std::move(work)) {
  execs_.pinned = common.exec();
  execs_.around.threads = execs_.pinned.threads;
  gpus_ = find_gpus(common, why_not_);
  if (!gpus_.empty()) {
    // One after the other, on whichever thread they are made.
    static std::atomic<size_t> turn{0};
    gpu_ = std::make_shared<RoundTrip>(gpus_[turn++ % gpus_.size()]);
    for (Exec* exec : {&execs_.pinned, &execs_.around}) *exec = gpu_->exec(std::move(*exec));
  }
  explainer_.watch(execs_.pinned, common.explain);
  explainer_.watch(execs_.around, common.explain);
}

std::vector<Choice> EitherDevice::ask(const WorkShape& shape, Space space) const {
  Execs asking = execs_;
  asking.pinned.observer = asking.around.observer = nullptr;
  return plan_(shape, space, asking);
}

void EitherDevice::check(PixelType source) const { ask({{8, 8}, source}, Space::host); }

bool EitherDevice::goes_to_gpu(const WorkShape& shape) {
  if (const auto known = decided_.find(shape); known != decided_.end()) return known->second;
  bool goes = false;
  if (gpu_) {
    const std::vector<Choice> choices = ask(shape, Space::device);
    goes = std::all_of(choices.begin(), choices.end(),
                       [&](const Choice& choice) { return may_go_to_gpu(common_, choice); });
  } else if (!why_not_.empty()) {
    detail_once(fmt::format("running on the CPU: {}", std::exchange(why_not_, {})));
  }
  decided_[shape] = goes;
  return goes;
}

void EitherDevice::run(std::initializer_list<ConstAnyView> sources, AnyView out) {
  const std::span<const ConstAnyView> given(sources.begin(), sources.size());
  if (goes_to_gpu(shape_of(given[0]))) {
    gpu_->run(given, out, [&](std::span<const ConstAnyView> sources_there, AnyView out_there) {
      work_(sources_there, out_there, execs_);
      explainer_.end();  // before its result comes down
    });
  } else {
    work_(given, out, execs_);
    explainer_.end();
  }
}

void EitherDevice::run_there(std::initializer_list<ConstAnyView> sources, AnyView out) {
  gpu_->run_there([&] {
    work_({sources.begin(), sources.size()}, out, execs_);
    explainer_.end();
  });
}

void EitherDevice::explain() const {
  if (common_.explain) print_explanation(explainer_.text());
}

}  // namespace cuesta::cli
