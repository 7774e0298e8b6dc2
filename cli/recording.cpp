#include "cli/recording.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string_view>

#include "cli/journal.hpp"
#include "cli/results.hpp"
#include "cuesta/io/address.hpp"
#include "cuesta/io/clip.hpp"
#include "io/errors.hpp"

namespace cuesta::cli {
namespace {

// "90", "1:30.5", "1:02:03"; nothing for other text.
std::optional<double> seconds_of(std::string_view text) {
  double all = 0;
  for (int parts = 0; parts < 3; ++parts) {
    const size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    double value = 0;
    const auto [end, error] =
        std::from_chars(part.data(), part.data() + part.size(), value, std::chars_format::fixed);
    const bool is_last = colon == text.npos;
    if (part.empty() || part[0] == '-' || error != std::errc() ||
        end != part.data() + part.size() || !std::isfinite(value) || (parts > 0 && value >= 60) ||
        (!is_last && value != std::floor(value)))
      return std::nullopt;
    all = all * 60 + value;
    if (is_last) return all;
    text.remove_prefix(colon + 1);
  }
  return std::nullopt;
}

double time_of(const char* option, const std::string& text, double usual) {
  if (text.empty()) return usual;
  if (const auto seconds = seconds_of(text)) return *seconds;
  usage_error(text, "{} is {}; it must be seconds, M:S or H:M:S, such as 90, 1:30 or 1:02:03.5",
              option, text);
}

io::RecordingOptions options_of(const RecordingChoice& choice) {
  io::RecordingOptions options;
  options.strict = choice.strict;
  options.from = time_of("--from", choice.from, options.from);
  options.to = time_of("--to", choice.to, options.to);
  options.every = choice.every;
  if (options.from >= options.to)
    usage_error(choice.to, "--from {} is not before --to {}",
                choice.from.empty() ? "0" : choice.from, choice.to);
  return options;
}

// Lists files until there is one: the first, or with --resume a new one, may yet have to come.
std::vector<std::string> awaited(const std::function<std::vector<std::string>()>& list,
                                 const std::string& input, const RecordingChoice& choice,
                                 io::StopSignal& stop) {
  constexpr double pause = 0.2;
  for (double waited = 0;; waited += pause) {
    const bool is_last = waited >= choice.growing;
    try {
      if (auto files = list(); !files.empty()) return files;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::input || is_last) throw;
    }
    if (is_last)
      io::throw_input(input, fmt::format("{} says that all of its files are done", choice.resume));
    if (stop.wait(pause)) io::throw_input(input, "stopped before its first file");
  }
}

}  // namespace

void add_recording_options(CLI::App& app, RecordingChoice& choice) {
  const auto known = app.get_options();
  app.add_option("--from", choice.from, "begin at this time of the recording: S, M:S or H:M:S")
      ->type_name("TIME");
  app.add_option("--to", choice.to, "end before this time")->type_name("TIME");
  app.add_option("--every", choice.every, "read one frame of N (default 1)")
      ->type_name("N")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 20));
  app.add_flag("--join-inputs", choice.join,
               "treat all videos as one recording, in order. A folder, a quoted pattern "
               "('*.mp4') and a list for FFmpeg's concat stand for their files");
  app.add_flag("--strict", choice.strict,
               "treat damage of a file as an error (default: warn and continue)");
  app.add_option("--growing", choice.growing,
                 "read a file that is still being written, until it has not grown for SECONDS; "
                 "results grow, too, as with --follow")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 1e6));
  app.add_option("--resume", choice.resume,
                 "note in this file which videos of --join-inputs are done. A later run with the "
                 "same options continues there, and its results are added to")
      ->type_name("OUT");
  group_since(app, known, "Recordings");
}

void check_recording(const RecordingChoice& choice, const std::string& input,
                     const CommonOptions& common) {
  options_of(choice);
  if (choice.strict && common.partial)
    usage_error("--strict", "--strict and --partial contradict each other; use one of them");
  const bool is_live = input == "-" || io::is_live(input);
  if (is_live && !choice.from.empty())
    usage_error(choice.from, "--from {}: {} cannot be read from a later time; use it for files",
                choice.from, io::without_password(input));
  if (choice.growing > 0 && io::is_live(input))
    usage_error(fmt::format("{:g}", choice.growing),
                "--growing: {} is not a file; live video is read as it comes without it",
                io::without_password(input));
  std::error_code ignored;
  if (!choice.join && std::filesystem::is_directory(input, ignored))
    throw Error(ErrorCode::input,
                fmt::format("{}: this is a folder; --join-inputs reads its videos as one "
                            "recording",
                            input),
                input);
  if (!choice.join) return;
  for (const std::string& one : choice.inputs.empty() ? std::vector{input} : choice.inputs)
    if (one == "-" || io::is_live(one))
      usage_error(one, "--join-inputs: {} is not a file; only files can be joined",
                  io::without_password(one));
}

std::vector<std::string> files_of(const RecordingChoice& choice, const std::string& input) {
  if (!choice.join) return {input};
  std::vector<std::string> files;
  for (const std::string& one : choice.inputs.empty() ? std::vector{input} : choice.inputs)
    for (std::string& file : io::recording_files(one)) files.push_back(std::move(file));
  return files;
}

std::vector<std::string> files_there(const RecordingChoice& choice, const std::string& input) try {
  return files_of(choice, input);
} catch (const Error& error) {
  if (choice.growing <= 0 || error.code() != ErrorCode::input) throw;
  return {};
}

std::string sound_of(const RecordingChoice& choice, const std::string& input) {
  const bool is_part =
      choice.join || choice.growing > 0 || !choice.from.empty() || !choice.to.empty();
  return is_part || io::is_live(input) ? "" : input;
}

std::unique_ptr<io::FrameSource> open_recording(
    const RecordingChoice& choice, const std::string& input, const CommonOptions& common,
    const StopOnSignal& stop, std::optional<io::GpuDecoding> gpu, bool keep_depth,
    std::shared_ptr<io::PacketRing> ring, const RecordingJournal* journal) {
  return open_stream(
      input, common, stop, keep_depth, gpu, [&](const std::string& place, io::StreamLimits limits) {
        limits.growing = choice.growing;
        limits.ring = ring;
        io::RecordingOptions which = options_of(choice);
        if (!choice.join) return io::open_recording({place}, limits, which);
        const auto list = [&choice, &input, journal] {
          auto files = files_of(choice, input);
          return journal ? journal->left_of(std::move(files)) : files;
        };
        if (choice.growing > 0 || journal) which.more = list;
        if (journal) which.start = journal->start();
        return io::open_recording(awaited(list, input, choice, *limits.stop), limits, which);
      });
}

}  // namespace cuesta::cli
