#include "bench/model/gpu.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cuesta/error.hpp"
#include "io/folder.hpp"

namespace cuesta::bench::model {
namespace {

namespace fs = std::filesystem;

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr int kib = 1024;
constexpr Residency residencies[] = {{"5.0", 2048, 32, 65536, 64 * kib, 48 * kib, 0},
                                     {"6.1", 2048, 32, 65536, 96 * kib, 48 * kib, 0},
                                     {"7.0", 2048, 32, 65536, 96 * kib, 96 * kib, 0},
                                     {"7.5", 1024, 16, 65536, 64 * kib, 64 * kib, 0},
                                     {"8.0", 2048, 32, 65536, 164 * kib, 163 * kib, kib},
                                     {"8.6", 1536, 16, 65536, 100 * kib, 99 * kib, kib},
                                     {"8.9", 1536, 24, 65536, 100 * kib, 99 * kib, kib},
                                     {"9.0", 2048, 32, 65536, 228 * kib, 227 * kib, kib},
                                     {"10.0", 2048, 32, 65536, 228 * kib, 227 * kib, kib},
                                     {"12.0", 1536, 24, 65536, 100 * kib, 99 * kib, kib}};

// Of a capability that is not in the table, the last before it.
Residency residency_of(const std::string& capability) {
  const auto number = [](std::string_view text) { return std::atof(std::string(text).c_str()); };
  Residency found = residencies[0];
  for (const Residency& known : residencies)
    if (number(known.capability) <= number(capability)) found = known;
  return found;
}

int up_to(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }

}  // namespace

fs::path data_file(const std::string& name) {
  std::error_code ignored;
  const fs::path beside =
      fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() / "share/cuesta";
  if (fs::is_directory(beside / "gpus", ignored)) return beside / name;
  const fs::path sources = CUESTA_SOURCES;
  if (name.starts_with("gpus")) return sources / "bench/model" / name;
  return sources / (name.starts_with("ladder/") ? "docs" : "docs/results/data") / name;
}

int GpuModel::blocks_of(int threads, int registers, int shared_bytes) const {
  // Registers are handed out to warps, 256 at a time.
  const int warps = up_to(threads, 32) / 32, of_block = warps * up_to(registers * 32, 256);
  int blocks = std::min(residency.blocks, residency.threads / (warps * 32));
  if (of_block > 0) blocks = std::min(blocks, residency.registers / of_block);
  const int shared = shared_bytes + residency.shared_reserved;
  if (shared_bytes > 0) blocks = std::min(blocks, residency.shared_bytes / shared);
  return std::max(blocks, 1);
}

Ceilings derived_ceilings(const DataSheet& sheet) {
  const double clock = sheet.gigahertz, mps = sheet.multiprocessors;
  Ceilings c;
  // A large copy reaches as much of the data sheet's bandwidth as on the H200: 0.88.
  c.copy_gbs = 0.88 * sheet.memory_gbs;
  // A core makes a multiply-add a cycle; a warp's instruction takes 32 of them.
  c.fma_gflops = 2.0 * sheet.cores * clock * mps;
  c.issue_ginstructions = c.integer_ginstructions = sheet.cores / 32.0 * clock * mps;
  // A warp's line a cycle from shared memory; half of one from the first-level cache, which
  // Maxwell and Pascal read through their texture units.
  c.shared_gwavefronts = clock * mps;
  c.l1_gwavefronts = 0.5 * clock * mps;
  c.texture_gfetches = sheet.texture_units * clock * mps;
  // A sector of 32 bytes a cycle into every multiprocessor.
  c.l2_gbs = 32 * clock * mps;
  // Cycles, of the order that microbenchmarks of these generations found.
  c.l2_ns = 220 / clock;
  c.memory_ns = 450 / clock;
  // A block begins as many cycles after another as on the H200.
  c.warp_us = 30e-3 / clock;
  c.block_us = 220e-3 / clock;
  // The host and the bus make these: ours, of a host of today.
  c.launch_us = 1.5;
  c.enqueue_us = 3;
  c.wait_us = 10;
  return c;
}

GpuModel model_of(const Gpu& gpu) {
  return {gpu.name,
          "measured in this run",
          gpu.multiprocessors,
          gpu.l2_bytes,
          residency_of(gpu.compute_capability),
          gpu.ceilings};
}

std::vector<std::string> known_gpus() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const std::string& name : io::names_in(data_file("gpus"), ignored))
    if (name.ends_with(".json")) names.push_back(name.substr(0, name.size() - 5));
  return names;
}

GpuModel read_gpu(const std::string& name) {
  std::error_code ignored;
  fs::path path = name;
  if (!fs::is_regular_file(path, ignored)) path = data_file("gpus/" + name + ".json");
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("no file and no known GPU '{}'; there are {}", name,
                            fmt::join(known_gpus(), ", ")),
                name);
  try {
    auto json = nlohmann::json::parse(file);
    const std::string date = json.value("date", std::string());
    if (json.contains("rows")) json = json.at("gpu");  // a whole run
    GpuModel gpu;
    gpu.name = json.at("name").get<std::string>();
    gpu.multiprocessors = json.at("multiprocessors").get<int>();
    gpu.l2_bytes = json.at("l2_bytes").get<int>();
    gpu.residency = residency_of(json.at("compute_capability").get<std::string>());
    if (json.contains("data_sheet")) {
      const auto& sheet = json.at("data_sheet");
      gpu.source = "from the data sheet";
      gpu.ceilings = derived_ceilings(
          {gpu.multiprocessors, sheet.at("cores_a_multiprocessor").get<int>(),
           sheet.at("texture_units_a_multiprocessor").get<int>(),
           sheet.at("boost_mhz").get<double>() / 1000, sheet.at("memory_gbs").get<double>()});
    } else {
      gpu.source = json.value(
          "source", "measured" + (date.empty() ? std::string() : ", " + date.substr(0, 10)));
      for (const auto& [field, member] : ceiling_fields)
        gpu.ceilings.*member = json.at("ceilings").value(field, 0.0);
    }
    if (gpu.multiprocessors <= 0 || gpu.ceilings.issue_ginstructions <= 0)
      throw Error(ErrorCode::input,
                  fmt::format("{}: has no ceilings that the model needs: a run of this version has "
                              "them",
                              path.string()),
                  path.string());
    return gpu;
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::input,
                fmt::format("{}: describes no GPU ({})", path.string(), error.what()),
                path.string());
  }
}

}  // namespace cuesta::bench::model
