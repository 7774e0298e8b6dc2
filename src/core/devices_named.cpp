#include <algorithm>
#include <charconv>

#include "core/check.hpp"
#include "cuesta/device.hpp"

namespace cuesta {

std::vector<int> devices_named(std::string_view name) {
  if (name == "cpu") return {};
  const bool all = name == "cuda:all";
  int wanted = 0;
  if (!all && name != "cuda") {
    const std::string_view number = name.starts_with("cuda:") ? name.substr(5) : "";
    const char* const end = number.data() + number.size();
    if (const auto [at, problem] = std::from_chars(number.data(), end, wanted);
        number.empty() || problem != std::errc() || at != end || wanted < 0) {
      throw_invalid(std::string(name),
                    "device is {}; it must be cpu, cuda, cuda:N (N counts from 0) or cuda:all",
                    name);
    }
  }
  std::string why;
  std::vector<int> found;
  for (const DeviceInfo& device : list_devices(&why)) found.push_back(device.index);
  if (all && !found.empty()) return found;
  if (std::ranges::find(found, wanted) != found.end()) return {wanted};
  if (!found.empty())
    why = fmt::format("there {} {} GPU{}", found.size() == 1 ? "is" : "are", found.size(),
                      found.size() == 1 ? "" : "s");
  throw Error(ErrorCode::device, fmt::format("device {}: {}", name, why), std::string(name),
              Hint::use_cpu);
}

}  // namespace cuesta
