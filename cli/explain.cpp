#include "cli/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cuesta/device.hpp"

namespace cuesta::cli {

void Explainer::watch(Exec& exec, bool wanted) {
  if (!wanted) return;
  exec.observer = this;
  exec.workspace = &workspace_;
}

void Explainer::wait_for_device() const {
  if (on_device_) wait(stream_);
}

void Explainer::close_stage() {
  if (!in_stage_) return;
  wait_for_device();
  seen_[current_].stages[current_stage_].seconds +=
      std::chrono::duration<double>(Clock::now() - began_).count();
  in_stage_ = false;
}

void Explainer::end() { close_stage(); }

void Explainer::chosen(const Choice& choice) {
  close_stage();
  on_device_ = choice.space == Space::device;
  const auto same = [&](const Seen& s) {
    return s.choice.operation == choice.operation && s.choice.strategy == choice.strategy &&
           s.choice.space == choice.space;
  };
  const auto found = std::find_if(seen_.begin(), seen_.end(), same);
  current_ = size_t(found - seen_.begin());
  if (found == seen_.end()) seen_.push_back({choice, 0, {}, {}});
  ++seen_[current_].calls;
  stage("all", nullptr);
}

void Explainer::stage(std::string_view name, void* stream) {
  if (seen_.empty()) return;
  stream_ = stream;
  close_stage();
  wait_for_device();
  auto& stages = seen_[current_].stages;
  const auto known =
      std::find_if(stages.begin(), stages.end(), [&](const Stage& s) { return s.name == name; });
  current_stage_ = size_t(known - stages.begin());
  if (known == stages.end()) stages.push_back({std::string(name), 0});
  in_stage_ = true;
  began_ = Clock::now();
}

void Explainer::statistic(std::string_view name, double value) {
  if (!seen_.empty()) seen_[current_].statistics[std::string(name)] = value;
}

std::string Explainer::text() const {
  std::string out;
  for (const Seen& s : seen_) {
    const Choice& c = s.choice;
    out += fmt::format("{}: strategy '{}' ({}) on the {}, {}", c.operation, c.strategy,
                       name_of(c.tier), c.space == Space::host ? "CPU" : "GPU", c.processor);
    if (c.space == Space::host)
      out += fmt::format(", {} thread{}", c.threads, c.threads == 1 ? "" : "s");
    out += '\n';
    for (const auto& passed : c.passed_over)
      out +=
          fmt::format("  passed over: '{}', which does not take {}\n", passed.strategy, passed.why);
    double all = 0;
    for (const Stage& stage : s.stages) all += stage.seconds;
    out += fmt::format("  {} call{}, {:.3f} ms", s.calls, s.calls == 1 ? "" : "s", 1e3 * all);
    // What comes before the first stage, and where there are none everything, counts as "all".
    if (s.stages.size() > 1) {
      out += ":";
      for (const Stage& stage : s.stages) {
        out += fmt::format(" {} {:.3f},", stage.name == "all" ? "before" : stage.name,
                           1e3 * stage.seconds);
      }
      out.pop_back();
    }
    out += '\n';
    for (const auto& [name, value] : s.statistics) out += fmt::format("  {}: {:g}\n", name, value);
  }
  if (!seen_.empty()) {
    out += fmt::format("scratch memory: {:.1f} MB on the CPU, {:.1f} MB on the GPU\n",
                       double(workspace_.bytes(Space::host)) / 1e6,
                       double(workspace_.bytes(Space::device)) / 1e6);
  }
  return out;
}

}  // namespace cuesta::cli
