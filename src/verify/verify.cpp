#include "verify/verify.hpp"

namespace cuesta::verify {

std::vector<std::pair<int32_t, int32_t>> shapes(int radius, Level level) {
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

}  // namespace detail
}  // namespace cuesta::verify
