// A GPU as the model sees it: what it holds, and what it reaches.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/engine/result.hpp"

namespace cuesta::bench::model {

/// What a multiprocessor keeps at a time, by compute capability.
struct Residency {
  std::string_view capability{};
  int threads = 0, blocks = 0, registers = 0;
  int shared_bytes = 0, shared_block = 0;  ///< all of it, and the most of one block
  int shared_reserved = 0;                 ///< of every block, for the system
};

struct GpuModel {
  std::string name{}, source{};  ///< "measured, 2026-11-22", "from the data sheet"
  int multiprocessors = 0;
  int l2_bytes = 0;
  Residency residency{};
  Ceilings ceilings{};

  /// Cycles of all multiprocessors' four schedulers are what issue counts; its rate gives the
  /// clock.
  double gigahertz() const { return ceilings.issue_ginstructions / (4.0 * multiprocessors); }
  /// Blocks that one multiprocessor keeps.
  int blocks_of(int threads, int registers, int shared_bytes) const;
};

/// What a data sheet tells. `texture_units` are of one multiprocessor.
struct DataSheet {
  int multiprocessors = 0, cores = 0, texture_units = 0;
  double gigahertz = 0, memory_gbs = 0;
};
/// Ceilings that nobody measured, by rules that the definition tells one by one.
Ceilings derived_ceilings(const DataSheet& sheet);

/// What a GPU that was measured is.
GpuModel model_of(const Gpu& gpu);

/// The GPU that a file describes: `gpu` of a file of `cuesta bench --json`, or a data sheet
/// (bench/model/gpus). `name` is a path, or a name of known_gpus(). Throws Error{input} for a file
/// that is neither, Error{invalid_argument} for a name that is no file and none of them.
GpuModel read_gpu(const std::string& name);
/// A file that comes with the command, "gpus/h200.json" or "ladder.json": beside it where it is
/// installed, else in the sources.
std::filesystem::path data_file(const std::string& name);
/// Files that come with the command: names without ".json", in order.
std::vector<std::string> known_gpus();

}  // namespace cuesta::bench::model
