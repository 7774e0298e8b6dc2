#include "bench/engine/stages.hpp"

#include <algorithm>

namespace cuesta::bench {

StageTimer::StageTimer(Space space) {
  if (space == Space::device) marks_ = std::make_unique<DeviceMarks>();
}
StageTimer::~StageTimer() = default;

StageTimer::Series& StageTimer::find(std::vector<Series>& all, std::string_view name) {
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const Series& s) { return s.name == name; });
  return at != all.end() ? *at : all.emplace_back(Series{std::string(name), {}});
}

void StageTimer::open(std::string_view name, void* stream) {
  Series& series = find(stages_, name);
  const size_t mark = marks_ ? marks_->mark(stream) : 0;
  opened_.push_back({size_t(&series - stages_.data()), mark, Clock::now()});
}

void StageTimer::begin(void* stream) {
  if (marks_) marks_->clear();
  opened_.clear();
  open(before, stream);
}

void StageTimer::stage(std::string_view name, void* stream) {
  if (!opened_.empty()) open(name, stream);
}

void StageTimer::end(void* stream) {
  open("", stream);
  std::vector<double> ms(stages_.size(), 0);
  for (size_t i = 0; i + 1 < opened_.size(); ++i) {
    const Open &from = opened_[i], &to = opened_[i + 1];
    ms[from.series] += marks_
                           ? marks_->ms_between(from.mark, to.mark)
                           : std::chrono::duration<double, std::milli>(to.time - from.time).count();
  }
  for (size_t i = 0; i < stages_.size(); ++i) {
    stages_[i].values.resize(calls_, 0);
    stages_[i].values.push_back(ms[i]);
  }
  ++calls_;
  opened_.clear();
}

void StageTimer::statistic(std::string_view name, double value) {
  find(statistics_, name).values.push_back(value);
}

namespace {
double middle_of(const std::vector<double>& values, StageTimer::Middle middle) {
  return middle == StageTimer::Middle::mean ? mean_of(values) : summary_of(values).ms;
}
}  // namespace

std::vector<std::pair<std::string, double>> StageTimer::stages(Middle middle) const {
  std::vector<std::pair<std::string, double>> out;
  for (const Series& series : stages_) {
    if (series.name.empty() || series.name == counting) continue;
    const double ms = middle_of(series.values, middle);
    if (series.name == before && (ms < 1e-4 || stages_.size() <= 2)) continue;
    out.emplace_back(series.name, ms);
  }
  return out;
}

std::vector<std::pair<std::string, double>> StageTimer::statistics(Middle middle) const {
  std::vector<std::pair<std::string, double>> out;
  for (const Series& series : statistics_)
    out.emplace_back(series.name, middle_of(series.values, middle));
  return out;
}

}  // namespace cuesta::bench
