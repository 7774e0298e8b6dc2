#include "bench/engine/result.hpp"

#include <fmt/format.h>

#include <sstream>

#include "cuesta/strategies.hpp"

namespace cuesta::bench {
namespace {

void erase_all(std::string& text, std::string_view what) {
  for (size_t at; (at = text.find(what)) != text.npos;) text.erase(at, what.size());
}

}  // namespace

const Row* Measured::find(std::string_view strategy, Space space, std::string_view variant) const {
  for (const Row& row : rows) {
    if (row.strategy == strategy && row.space == name_of(space) &&
        (variant.empty() || row.variant == variant))
      return &row;
  }
  return nullptr;
}

std::string label_of(const Row& row) {
  if (row.space != "host")
    return fmt::format("{}{}{}", row.strategy, row.variant.empty() ? "" : " ", row.variant);
  return fmt::format("{}, {} thread{}", row.strategy, row.threads, row.threads == 1 ? "" : "s");
}

std::string parameter_of(const Row& row, const std::string& name, const std::string& fallback) {
  std::istringstream words(row.variant);
  for (std::string word; words >> word;) {
    if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
  }
  return fallback;
}

std::string short_kernel_name(std::string_view demangled) {
  std::string name(demangled);
  erase_all(name, "(anonymous namespace)::");
  erase_all(name, "cuesta::");
  if (name.starts_with("void ")) name.erase(0, 5);
  // Up to the parameters: the first bracket outside template arguments.
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == '(' && depth == 0) {
      name.erase(i);
      break;
    }
  }
  return name;
}

}  // namespace cuesta::bench
