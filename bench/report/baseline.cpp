// This run against an earlier one.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/report/report.hpp"
#include "bench/report/table.hpp"
#include "cuesta/error.hpp"
#include "io/text_file.hpp"

namespace cuesta::bench {
namespace {

std::string key_of(std::string_view experiment, std::string_view operation,
                   std::string_view strategy, std::string_view space, std::string_view parameters,
                   std::string_view variant, std::string_view type, int width, int height,
                   int threads) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", experiment, operation, strategy, space,
                     parameters, variant, type, width, height, threads);
}

Error no_result(const std::string& name, std::string_view why) {
  return {ErrorCode::input, fmt::format("{}: no result of cuesta bench --json ({})", name, why),
          name};
}

}  // namespace

Baseline::Baseline(const std::filesystem::path& path) : name_(path.string()) {
  const std::string text = io::text_of_file(name_);
  try {
    const auto json = nlohmann::json::parse(text);
    for (const auto& row : json.at("rows")) {
      const auto word = [&](const char* name) { return row.value(name, std::string()); };
      rows_[key_of(word("experiment"), word("operation"), word("strategy"), word("space"),
                   word("parameters"), word("strategy_parameters"), word("type"),
                   row.at("width").get<int>(), row.at("height").get<int>(),
                   row.at("threads").get<int>())] = {row.at("ms").get<double>(),
                                                     row.at("ms_spread").get<double>()};
    }
  } catch (const nlohmann::json::exception& error) {
    throw no_result(name_, error.what());
  }
}

Comparison Baseline::compare(const Result& now) const {
  Comparison comparison;
  TextTable table(fmt::format("against {}: now / then", name_),
                  {"row", "then ms", "now ms", "ratio", ""});
  for (const Row& row : now.rows) {
    const auto at =
        rows_.find(key_of(row.experiment, row.operation, row.strategy, row.space, row.parameters,
                          row.variant, row.type, row.width, row.height, row.threads));
    if (at == rows_.end() || at->second.ms <= 0) continue;
    ++comparison.compared;
    const double difference = row.ms - at->second.ms, noise = row.ms_spread + at->second.spread;
    const bool slower = difference > noise, faster = -difference > noise;
    comparison.slower += slower;
    comparison.faster += faster;
    table.add({fmt::format("{} {} {} {}{}{} {}x{} {}", row.experiment, row.space, row.strategy,
                           row.variant, row.variant.empty() ? "" : ", ", row.parameters, row.width,
                           row.height, row.type),
               milliseconds(at->second.ms), milliseconds(row.ms),
               fmt::format("{:.3f}", row.ms / at->second.ms), slower ? "SLOWER" : ""});
  }
  comparison.table =
      table.text() + fmt::format(
                         "{} rows compared, {} slower and {} faster than the spreads "
                         "explain; {} rows are not in the earlier run\n",
                         comparison.compared, comparison.slower, comparison.faster,
                         int64_t(now.rows.size()) - comparison.compared);
  return comparison;
}

}  // namespace cuesta::bench
