#include "cli/results.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <atomic>

#include <exception>
#include <filesystem>
#include <utility>

#include "cuesta/io/address.hpp"
#include "io/errors.hpp"

namespace cuesta::cli {
namespace {

// "boxes.mp4 (1.2 MB)"; pipes and devices have no size.
std::string name_and_size(const std::string& name) {
  struct stat status {};
  if (stat(name.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return name;
  const auto bytes = double(status.st_size);
  if (bytes < 1e3) return fmt::format("{} ({} bytes)", name, status.st_size);
  if (bytes < 1e6) return fmt::format("{} ({:.1f} kB)", name, bytes / 1e3);
  return fmt::format("{} ({:.1f} MB)", name, bytes / 1e6);
}

io::StreamLimits limits_of(const CommonOptions& common, const StopOnSignal& stop) {
  io::StreamLimits limits{common.max_pixels, common.partial,   common.threads, stop.signal(),
                          common.timeout,    common.reconnect, print_warning};
  limits.max_memory = common.max_memory;
  limits.waits = true;
  return limits;
}

}  // namespace

std::unique_ptr<io::RecordFile> text_file(const std::string& name, io::Placing placing,
                                          int64_t kept) {
  if (name == "-") return std::make_unique<io::RecordFile>(STDOUT_FILENO, "standard output");
  return std::make_unique<io::RecordFile>(name, placing, kept);
}

std::string line_of(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string valid_utf8(const std::string& text) {
  return Json::parse(line_of(Json(text))).get<std::string>();
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : valid_utf8(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default:
        if (static_cast<unsigned char>(c) >= ' ' && c != 0x7f) out += c;
    }
  }
  return out;
}
Json line_of(const char* kind, Json value) { return {{"kind", kind}, {kind, std::move(value)}}; }

Json of_camera(const std::string& camera, Json line) {
  if (camera.empty()) return line;
  Json named = {{"camera", camera}};
  named.update(line);
  return named;
}

JsonLines::JsonLines(const std::string& name, io::Placing placing, int64_t kept)
    : file_(text_file(name, placing, kept)) {}

void JsonLines::write(const Json& line) {
  const std::string text = line_of(line) + "\n";
  const std::lock_guard lock(mutex_);
  file_->write(text);
}

void Results::add(const std::string& name, std::function<void()> finish) {
  if (!name.empty()) all_.push_back({name, std::move(finish)});
}

void Results::finish(Ending ending, const std::string& stream, int64_t frames) {
  const bool grows = placing_ == io::Placing::growing, is_empty = frames == 0 && !continues_;
  const bool keeps = ending == Ending::whole || (grows && !is_empty);
  std::exception_ptr failed;
  std::string kept;
  bool files = false;
  for (const auto& one : all_) {
    files |= one.name != "-";
    if (failed && !grows && one.name != "-") continue;
    if (!keeps && one.name != "-") {
      std::error_code ignored;
      if (grows && std::filesystem::is_regular_file(one.name, ignored))
        std::filesystem::remove(one.name, ignored);
      continue;
    }
    try {
      one.finish();
    } catch (const Error&) {
      if (!failed) failed = std::current_exception();
      if (!grows) continue;
    }
    if (one.name != "-") kept += (kept.empty() ? "" : ", ") + name_and_size(one.name);
  }
  if (ending != Ending::whole) {
    const char* how = ending == Ending::interrupted ? "interrupted" : "ended";
    if (!kept.empty())
      note("{}: {} after {} frames; kept: {}", stream, how, frames, kept);
    else if (files && !is_empty)
      note("{}: {} after {} frames; no result is kept (--follow keeps what was written)", stream,
           how, frames);
    else if (ending == Ending::interrupted)
      note("{}: {} after {} frames", stream, how, frames);
  }
  if (failed && ending != Ending::faulty) std::rethrow_exception(failed);
}

io::Placing placing_of(const std::string& input, bool follow) {
  return follow || io::is_live(input) ? io::Placing::growing : io::Placing::when_whole;
}

void tell_depth(const io::FrameSource& source, bool shown) {
  const int bits = source.format().bits;
  if (bits <= 8) return;
  const auto text = fmt::format("{}: samples of {} bits are rounded to 8", source.name(), bits);
  shown ? print_warning(text) : print_detail(text);
}

std::unique_ptr<io::FrameSource> open_stream(
    const std::string& input, const CommonOptions& common, const StopOnSignal& stop,
    bool keep_depth, std::optional<io::GpuDecoding> gpu,
    const std::function<std::unique_ptr<io::FrameSource>(const std::string&,
                                                         const io::StreamLimits&)>& open) {
  try {
    io::StreamLimits limits = limits_of(common, stop);
    limits.keep_depth = keep_depth;
    limits.gpu = gpu;
    auto source = open(io::with_password(input, common.passwords, print_warning), limits);
    if (stop.came()) throw Interrupted();
    if (const auto text = source->description(); !text.empty())
      detail("{}: {}", source->name(), text);
    return source;
  } catch (const Error&) {
    if (stop.came()) throw Interrupted();
    throw;
  }
}

int pass_frames(io::FrameSource& source, const CommonOptions& common, const StopOnSignal& stop,
                Results& results, Progress& progress,
                const std::function<void(io::FrameBuffer&, int)>& work,
                const std::function<void(const io::Frame&)>& write, int at_once) {
  std::atomic<int64_t> frames{0};
  try {
    io::overlap(
        source,
        [&](io::FrameBuffer& buffer, int lane) {
          work(buffer, lane);
          ++frames;
          progress.step();
        },
        write, at_once);
    if (frames == 0 && !stop.came()) io::throw_input(source.name(), "the video has no frames");
  } catch (...) {
    results.finish(Ending::faulty, source.name(), frames);
    throw;
  }
  results.finish(stop.came() ? Ending::interrupted : Ending::whole, source.name(), frames);
  if (const auto what = source.damage(); !what.empty())
    warn("{}: {}; continued{}", source.name(), what, common.partial ? " (--partial)" : "");
  return stop.came() ? exit_interrupted : exit_done;
}

}  // namespace cuesta::cli
