// --memory: pictures larger than that are worked on in bands of rows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/common.hpp"
#include "cli/inputs.hpp"
#include "io/bands.hpp"

namespace cuesta::cli {

/// --memory, --tiff and --restart.
struct MemoryOptions {
  std::string memory{}, tiff{};
  bool restart = false;
  bool given() const { return !memory.empty(); }
};
void add_memory(CLI::App& app, MemoryOptions& options);

/// "512MB", "2GiB", "100000": bytes. Throws Error{invalid_argument} naming the option.
int64_t parse_bytes(std::string_view option, std::string_view text);
TiffLayout layout_of(const MemoryOptions& options);
/// Throws Error{invalid_argument} for --memory that is no number of bytes, and for --restart
/// without it.
void check_memory(const MemoryOptions& options);

/// How a picture is worked on in bands, if it is larger than the memory that was given, by what
/// `bytes_of` says of a whole one; nothing where it fits, or is read whole. Throws Error{input} for
/// one that bands cannot have.
std::optional<io::BandSettings> larger_than_memory(
    const Job& job, const MemoryOptions& options, const CommonOptions& common,
    io::ReadLimits limits, const std::function<int64_t(const io::PictureFacts&)>& bytes_of);
/// Processes a picture in bands, if it is larger than the memory that was given, and writes the
/// result. `make` is called once for each band in flight and says on which GPUs they may run.
/// Nothing where the picture fits, or is read whole.
std::optional<FileResult> in_bands(
    const Job& job, const MemoryOptions& options, const CommonOptions& common,
    io::ReadLimits limits,
    const std::function<io::BandWork(const io::PictureFacts&, std::vector<int>& devices)>& make);

}  // namespace cuesta::cli
