#include "bench/details.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "bench/text.hpp"

namespace cuesta::bench {

std::string label_of(const Row& row) {
  if (row.space != "host")
    return fmt::format("{}{}{}", row.strategy, row.variant.empty() ? "" : " ", row.variant);
  return fmt::format("{}, {} thread{}", row.strategy, row.threads, row.threads == 1 ? "" : "s");
}

std::string details_of(const std::string& title, const Measured& measured) {
  TextTable table(title, {"strategy", "ms", "spread", "x copy", "speed-up", "GFLOP/s", "FLOP/byte",
                          "by paper", "% roofline", "registers", "shared B", "occupancy"});
  for (const Row& row : measured.rows) {
    int registers = 0;
    size_t shared = 0;
    double occupancy = 1;
    for (const KernelUse& use : row.kernels) {
      registers = std::max(registers, use.registers);
      shared = std::max(shared, use.static_shared + use.dynamic_shared);
      occupancy = std::min(occupancy, use.occupancy);
    }
    const bool known = !row.kernels.empty();
    table.add({label_of(row), milliseconds(row.ms), milliseconds(row.ms_spread),
               figure(row.times_copy()), figure(row.speedup(), 1), figure(row.gflops, 1),
               figure(row.intensity), figure(row.intensity_paper),
               figure(row.roofline_percent(), 1), known ? fmt::to_string(registers) : "-",
               known ? fmt::to_string(shared) : "-",
               known ? fmt::format("{:.0f} %", 100 * occupancy) : "-"});
  }
  std::string text = table.text();
  for (const std::string& note : measured.notes) text += "  " + note + "\n";
  return text;
}

std::string parameter_of(const Row& row, const std::string& name, const std::string& fallback) {
  std::istringstream words(row.variant);
  for (std::string word; words >> word;) {
    if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
  }
  return fallback;
}

}  // namespace cuesta::bench
