#include "cli/memory.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "cli/nearest.hpp"
#include "cli/progress.hpp"

namespace cuesta::cli {

void add_memory(CLI::App& app, MemoryOptions& options) {
  app.add_option("--memory", options.memory,
                 "limit memory: 512MB, 2GiB or bytes. Larger pictures are processed in bands of "
                 "rows with identical results, and interrupted runs resume")
      ->type_name("SIZE")
      ->group("Large pictures");
  app.add_flag("--restart", options.restart, "start over instead of resuming (with --memory)")
      ->group("Large pictures");
  app.add_option(
         "--tiff", options.tiff,
         "lay out .tif results as strips (default), tiled, pyramid. Files above 4 GB are BigTIFF")
      ->type_name("LAYOUT")
      ->check(one_of_names({"strips", "tiled", "pyramid"}))
      ->group("Large pictures");
}

int64_t parse_bytes(std::string_view option, std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 10> units = {{{"", 1},
                                                                          {"B", 1},
                                                                          {"kB", 1e3},
                                                                          {"KB", 1e3},
                                                                          {"MB", 1e6},
                                                                          {"GB", 1e9},
                                                                          {"TB", 1e12},
                                                                          {"KiB", 0x1p10},
                                                                          {"MiB", 0x1p20},
                                                                          {"GiB", 0x1p30}}};
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, problem] = std::from_chars(text.data(), end, number);
  const std::string_view rest(at, size_t(end - at));
  const auto unit = std::find_if(units.begin(), units.end(),
                                 [&](const auto& known) { return known.first == rest; });
  if (problem != std::errc() || unit == units.end() || !std::isfinite(number) ||
      number * unit->second < 1 || number * unit->second > 0x1p62) {
    usage_error(std::string(text),
                "{} is {}; it must be a number of bytes, or one with MB, GB, MiB or GiB", option,
                text);
  }
  return int64_t(number * unit->second);
}

TiffLayout layout_of(const MemoryOptions& options) {
  return options.tiff == "pyramid" ? TiffLayout::pyramid
         : options.tiff == "tiled" ? TiffLayout::tiled
                                   : TiffLayout::strips;
}

void check_memory(const MemoryOptions& options) {
  if (options.given())
    parse_bytes("--memory", options.memory);
  else if (options.restart)
    usage_error("", "--restart requires --memory");
}

namespace {

std::optional<io::PictureFacts> facts_of(const Job& job, const io::ReadLimits& limits,
                                         const std::optional<Rect>& region) {
  try {
    return io::PictureRows(job.input, limits, region).facts();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::input) return {};  // read whole, it says what is wrong
    throw;
  }
}

[[noreturn]] void refuse(const Job& job, const MemoryOptions& options, std::string_view why) {
  throw Error(
      ErrorCode::input,
      fmt::format("{}: the picture exceeds --memory {}, and {}", job.input, options.memory, why),
      job.input);
}

}  // namespace

std::optional<io::BandSettings> larger_than_memory(
    const Job& job, const MemoryOptions& options, const CommonOptions& common,
    io::ReadLimits limits, const std::function<int64_t(const io::PictureFacts&)>& bytes_of) {
  if (!options.given() || job.input == "-" || job.kind != InputKind::picture) return {};
  io::BandSettings settings;
  settings.bands.memory = parse_bytes("--memory", options.memory);
  settings.bands.resume = !options.restart;
  settings.bands.layout = layout_of(options);
  settings.region = common.region_rect();
  // The usual limit is one of memory, which is another here.
  if (common.max_pixels == CommonOptions().max_pixels)
    limits.max_pixels = std::numeric_limits<int64_t>::max();
  if (!limits.page) limits.page = job.page;
  settings.limits = limits;
  const auto facts = facts_of(job, limits, settings.region);
  if (!facts || bytes_of(*facts) <= settings.bands.memory) return {};
  if (!facts->refusal.empty()) refuse(job, options, facts->refusal);
  if (job.pages > 1)
    refuse(job, options, fmt::format("the file has {} pages; choose one with --page", job.pages));
  return settings;
}

std::optional<FileResult> in_bands(
    const Job& job, const MemoryOptions& options, const CommonOptions& common,
    io::ReadLimits limits,
    const std::function<io::BandWork(const io::PictureFacts&, std::vector<int>& devices)>& make) {
  io::BandWork work;
  std::vector<int> devices;
  auto settings =
      larger_than_memory(job, options, common, limits, [&](const io::PictureFacts& facts) {
        work = make(facts, devices);
        return io::whole_bytes(facts, work);
      });
  if (!settings) return {};
  if (!work.whole_only.empty())
    refuse(job, options, fmt::format("{}; raise --memory", work.whole_only));
  if (!job.lines.empty())
    refuse(job, options, "--lines requires the whole picture; raise --memory");
  if (job.output.empty() || job.output == "-")
    refuse(job, options, "standard output is not a file");
  Progress progress("rows", {});
  settings->bands.progress = [&](int64_t done, int64_t all) { progress.set(done, all); };
  settings->use(devices);
  if (common.explain) settings->at_once = 1;  // what it sums up is one thread's
  bool is_first = true;
  return io::run_bands(job.input, job.output, *settings, [&](const io::PictureFacts& facts) {
    return std::exchange(is_first, false) ? work : make(facts, devices);
  });
}

}  // namespace cuesta::cli
