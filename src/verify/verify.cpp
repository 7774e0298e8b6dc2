#include "verify/verify.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "core/check.hpp"
#include "cuesta/strategies.hpp"

namespace cuesta::verify {
namespace {

constexpr int32_t largest_side = 70;  // of Level::sizes

std::pair<int32_t, int32_t> shape_of(const std::string& label) {
  const char* const end = label.data() + label.size();
  for (const char* at = label.data(); at != end; ++at) {
    int32_t width = 0, height = 0;
    const auto first = std::from_chars(at, end, width);
    if (first.ec != std::errc()) continue;
    at = first.ptr;
    if (at == end) break;
    if (*at == 'x' && std::from_chars(at + 1, end, height).ec == std::errc())
      return {width, height};
  }
  throw Error(ErrorCode::invalid_argument, "verify: there is no WxH in the label '" + label + "'",
              label);
}

}  // namespace

std::string_view name_of(Level level) {
  switch (level) {
    case Level::quick: return "quick";
    case Level::full: return "full";
    case Level::sizes: return "sizes";
  }
  return "?";
}

Level level_from(std::string_view name) {
  for (const Level level : {Level::quick, Level::full, Level::sizes})
    if (name == name_of(level)) return level;
  throw_invalid(std::string(name), "level is '{}'; it must be quick, full or sizes", name);
}

std::vector<std::pair<int32_t, int32_t>> shapes(int radius, Level level) {
  if (level == Level::sizes) {
    std::vector<std::pair<int32_t, int32_t>> all;
    for (int32_t height = 1; height <= largest_side; ++height)
      for (int32_t width = 1; width <= largest_side; ++width) all.push_back({width, height});
    return all;
  }
  const int32_t r = std::max(1, radius);
  std::vector<std::pair<int32_t, int32_t>> out = {
      {1, 1},   {2, 2},    {1, 2},  {r, r},  {r + 1, r + 1}, {17, 17}, {33, 31},
      {64, 64}, {129, 67}, {1, 37}, {41, 1}, {5, 150},       {301, 4}};
  if (level == Level::full) {
    const int32_t sides[] = {1, 2, 3, r, r + 1, 2 * r + 1, 17, 31, 63, 64, 65, 129};
    for (const int32_t w : sides)
      for (const int32_t h : {1, 2, int(r), int(r) + 1, 17, 31, 64}) out.push_back({w, h});
    out.insert(out.end(), {{1, 259}, {517, 1}, {2, 300}, {400, 3}, {250, 190}});
  }
  return out;
}

namespace detail {

bool is_small(std::string_view label) {
  const auto [width, height] = shape_of(std::string(label));
  return int64_t(width) * height <= 1024;
}

std::vector<std::vector<size_t>> groups(std::span<const std::string> labels,
                                        const Options& options) {
  std::vector<std::vector<size_t>> out;
  if (options.level != Level::sizes) {
    for (size_t i = 0; i < labels.size(); ++i) out.push_back({i});
    return out;
  }
  std::map<std::pair<int32_t, int32_t>, std::vector<size_t>> by_shape;
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto shape = shape_of(labels[i]);
    if (std::max(shape.first, shape.second) <= largest_side) by_shape[shape].push_back(i);
  }
  size_t number = 0;
  for (auto& [shape, cases] : by_shape) {
    const size_t turn = number % cases.size();
    if (number++ % size_t(std::max(1, options.stride)) != 0) continue;
    std::rotate(cases.begin(), cases.begin() + ptrdiff_t(turn), cases.end());
    out.push_back(std::move(cases));
  }
  return out;
}

std::vector<std::vector<Parameter>> combinations(std::span<const ParameterInfo> parameters) {
  std::vector<std::vector<Parameter>> all = {{}};
  for (const auto& parameter : parameters) {
    std::vector<std::vector<Parameter>> next;
    for (const auto& before : all) {
      for (const auto value : parameter.values) {
        next.push_back(before);
        next.back().emplace_back(std::string(parameter.name), std::string(value));
      }
    }
    all = std::move(next);
  }
  return all;
}

std::vector<std::vector<Parameter>> single_values(std::span<const ParameterInfo> parameters) {
  std::vector<std::vector<Parameter>> all = {{}};
  for (const auto& parameter : parameters) {
    for (const auto value : parameter.values.subspan(1))
      all.push_back({{std::string(parameter.name), std::string(value)}});
  }
  return all;
}

void on_each_target(std::span<const std::string_view> targets, const std::function<void()>& work) {
  if (targets.empty()) return work();
  const std::string_view in_force = simd_target();
  for (const std::string_view target : targets) {
    force_simd_target(target);
    work();
  }
  force_simd_target(in_force);
}

}  // namespace detail
}  // namespace cuesta::verify
