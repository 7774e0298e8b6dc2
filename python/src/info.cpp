// Strategies and devices, and their verification.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "core/check.hpp"
#include "cuesta/device.hpp"
#include "keywords.hpp"
#include "module.hpp"
#include "verify/verify.hpp"

namespace nb = nanobind;

namespace cuesta::python {
namespace {

using namespace nb::literals;

using ParameterRow = std::tuple<std::string, std::string, std::vector<std::string>>;

// The members of cuesta::StrategyDescription, in its order.
using StrategyRow =
    std::tuple<std::string, std::string, std::string, std::string, std::string, std::string,
               std::string, std::vector<ParameterRow>, bool, bool, bool>;

std::vector<StrategyRow> strategies() {
  std::vector<StrategyRow> rows;
  for (const StrategyDescription& row : list_strategies()) {
    std::vector<ParameterRow> parameters;
    for (const ParameterInfo& p : row.parameters)
      parameters.emplace_back(p.name,
                              std::string(p.meaning) + (p.max > 0 ? "; " + p.choices() : ""),
                              std::vector<std::string>(p.values.begin(), p.values.end()));
    rows.emplace_back(row.operation, row.name, name_of(row.space), name_of(row.tier), row.idea,
                      row.paper, row.exactness, std::move(parameters), row.allocates, row.host_sync,
                      row.built);
  }
  return rows;
}

// (operation, strategy or "", space, tier, processor, threads, passed over: (strategy, why),
// refusal)
using ChoiceRow = std::tuple<std::string, std::string, std::string, std::string, std::string, int,
                             std::vector<std::pair<std::string, std::string>>, std::string>;

// The steps that `call()` would run, in order; nothing runs.
std::vector<ChoiceRow> which(const nb::callable& call) {
  std::vector<Choice> choices;
  struct Asking {
    std::vector<Choice>* before;
    explicit Asking(std::vector<Choice>& into) : before(asking()) { asking() = &into; }
    ~Asking() { asking() = before; }
  };
  {
    const Asking scope(choices);
    call();
  }
  std::vector<ChoiceRow> rows;
  for (const Choice& c : choices) {
    std::vector<std::pair<std::string, std::string>> passed_over;
    for (const auto& p : c.passed_over) passed_over.emplace_back(p.strategy, p.why);
    rows.emplace_back(c.operation, c.strategy, name_of(c.space), c ? name_of(c.tier) : "",
                      c.processor, c.threads, std::move(passed_over), c.refusal);
  }
  return rows;
}

// (operation, strategy, cases equal, refused, failed, failures)
using ReportRow =
    std::tuple<std::string, std::string, int64_t, int64_t, int64_t, std::vector<std::string>>;

std::vector<ReportRow> run_verify(const std::string& operation, const std::string& strategy,
                                  const std::string& level, const std::string& device) {
  const verify::Options options{.strategy = strategy,
                                .level = verify::level_from(level),
                                .space = device == "cuda" ? Space::device : Space::host};
  std::vector<ReportRow> rows;
  const Unlocked unlocked;
  for (const verify::Operation& op : verify::operations()) {
    if (!operation.empty() && op.name != operation) continue;
    for (const verify::StrategyReport& row : op.run(options)) {
      rows.emplace_back(row.operation, row.strategy, row.run - row.failed, row.refused, row.failed,
                        row.failures);
    }
  }
  return rows;
}

// (name, compute capability, memory in bytes) and, for an empty list, the reason.
std::pair<std::vector<std::tuple<std::string, std::string, size_t>>, std::string> devices() {
  std::string why;
  std::vector<std::tuple<std::string, std::string, size_t>> found;
  for (const DeviceInfo& info : list_devices(&why)) {
    found.emplace_back(info.name, std::to_string(info.major) + "." + std::to_string(info.minor),
                       info.memory_bytes);
  }
  return {found, why};
}

}  // namespace

void bind_info(nb::module_& m) {
  m.def("strategies", strategies);
  m.def("operations", [] {
    std::vector<std::string_view> names;
    for (const OperationDescription& operation : list_operations()) names.push_back(operation.name);
    return names;
  });
  m.def("which", which, "call"_a);
  m.def("verify", run_verify, "operation"_a, "strategy"_a, "level"_a, "device"_a);
  m.def("devices", devices);
  m.def("release_memory", [] { release_memory(); });
  m.def("simd_target", [] { return std::string(simd_target()); });
}

}  // namespace cuesta::python
