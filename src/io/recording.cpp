// Files that may be damaged, in one piece or many, read from one time to another.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "cuesta/io/clip.hpp"
#include "cuesta/io/frames.hpp"
#include "io/errors.hpp"

namespace cuesta::io {
namespace {

double frame_seconds(const StreamFormat& format) {
  return double(format.rate_den) / double(format.rate_num);
}

/// A file that is decoded strictly, and patiently from the first damage on.
class DamagedFile final : public FrameSource {
 public:
  DamagedFile(std::string path, const StreamLimits& limits, double from)
      : path_(std::move(path)), limits_(limits) {
    if (from > 0) limits_.part = part_from(path_, from, limits_.max_pixels);
    try {
      source_ = open_frames(path_, limits_);
    } catch (const Error& error) {
      go_on_after(error);
    }
  }

  const StreamFormat& format() const override { return source_->format(); }
  const std::string& name() const override { return source_->name(); }
  std::string description() const override { return source_->description(); }
  std::optional<int64_t> expected_frames() const override { return source_->expected_frames(); }
  std::string damage() const override { return source_->damage(); }
  void stop() override { limits_.stop->request(); }

  bool next(Frame& frame) override {
    for (;;) {
      try {
        if (!source_->next(frame)) return false;
      } catch (const Error& error) {
        go_on_after(error);
        continue;
      }
      if (last_ && frame.time <= *last_) continue;  // read a second time
      last_ = frame.time;
      return true;
    }
  }

 private:
  void go_on_after(const Error& error) {
    if (limits_.allow_partial || error.hint() != Hint::allow_partial) throw error;
    if (limits_.report) limits_.report(fmt::format("{}; continuing", error.what()));
    limits_.allow_partial = true;
    if (last_) limits_.part = part_from(path_, *last_, limits_.max_pixels);
    source_.reset();
    source_ = open_frames(path_, limits_);
  }

  std::string path_;
  StreamLimits limits_;
  std::unique_ptr<FrameSource> source_;
  std::optional<double> last_;  // time of the last frame that was taken
};

std::unique_ptr<FrameSource> open_whole(const std::string& path, const StreamLimits& limits,
                                        bool strict, double from) {
  if (strict || is_live(path)) return open_frames(path, limits);
  return std::make_unique<DamagedFile>(path, limits, from);
}

std::unique_ptr<FrameSource> open_file(const std::string& path, StreamLimits limits, bool strict,
                                       double from = 0) {
  if (limits.growing <= 0) return open_whole(path, limits, strict, from);
  StreamLimits whole = limits;
  whole.growing = 0;
  limits.allow_partial |= !strict;
  try {
    return open_frames(path, limits);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::input || limits.stop->requested()) throw;
  }
  // It was read to its end: an MP4 file has its index there.
  return open_whole(path, whole, strict, from);
}

/// Several files as one.
class JoinedFiles final : public FrameSource {
  using Clock = std::chrono::steady_clock;

 public:
  JoinedFiles(std::vector<std::string> files, const StreamLimits& limits,
              const RecordingOptions& options)
      : files_(std::move(files)),
        name_(files_[0]),
        limits_(limits),
        strict_(options.strict),
        more_(options.more),
        index_(options.start.frame),
        shift_(options.start.time),
        next_time_(shift_),
        clock_zero_(options.start.clock) {
    while (!source_ && place_ < files_.size()) open_next();
    if (!source_) throw_input(files_[0], fmt::format("none of {} files can be read", place_));
    format_ = source_->format();
    if (format_.clock) format_.clock.micros -= std::llround(shift_ * 1e6);
    if (clock_zero_) format_.clock = {ClockSource::file, *clock_zero_};
  }

  const StreamFormat& format() const override { return format_; }
  const std::string& name() const override { return name_; }
  std::string description() const override {
    return fmt::format("{}, {} files joined", source_->description(), files_.size());
  }
  void stop() override { limits_.stop->request(); }
  std::string damage() const override {
    std::string text = damage_;
    if (left_out_ > 0)
      text += fmt::format("{}{} of {} files left out", text.empty() ? "" : "; ", left_out_,
                          files_.size());
    return text;
  }

  bool next(Frame& frame) override {
    while (source_ && !limits_.stop->requested()) {
      if (source_->next(frame)) {
        read_ = Clock::now();
        retime(frame);
        return true;
      }
      keep_damage();
      source_.reset();
      shift_ = next_time_;
      while (!source_ && !limits_.stop->requested() && has_next()) open_next();
      if (source_ && index_ > 0) check_same(source_->format());
    }
    return false;
  }

 private:
  // Waits for a new file as long as for one that grows: chunks may come whole.
  bool has_next() {
    constexpr double pause = 0.2;
    while (place_ == files_.size() && more_) {
      list_more();
      const std::chrono::duration<double> quiet = Clock::now() - read_;
      if (place_ < files_.size() || quiet.count() >= limits_.growing) break;
      if (limits_.stop->wait(pause)) return false;
    }
    return place_ < files_.size();
  }

  // Whoever writes the files may remove old ones, and all of them.
  void list_more() try {
    for (std::string& path : more_())
      if (std::ranges::find(files_, path) == files_.end()) files_.push_back(std::move(path));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::input) throw;
  }

  void open_next() {
    const std::string& path = files_[place_++];
    StreamLimits limits = limits_;
    if (place_ < files_.size()) limits.growing = 0;
    try {
      source_ = open_file(path, limits, strict_);
      begins_ = true;
    } catch (const Error& error) {
      if (strict_ || error.code() != ErrorCode::input) throw;
      ++left_out_;
      if (limits_.report) limits_.report(fmt::format("{}; left out", error.what()));
    }
    read_ = Clock::now();
  }

  void keep_damage() {
    if (const auto text = source_->damage(); !text.empty())
      damage_ += fmt::format("{}{}: {}", damage_.empty() ? "" : "; ", source_->name(), text);
  }

  void check_same(const StreamFormat& now) const {
    if (now.width != format_.width || now.height != format_.height)
      throw ChangedStream(
          source_->name(),
          fmt::format("its frames are {}x{}, and those of {} {}x{}; files that are "
                      "joined must have one size",
                      now.width, now.height, files_[0], format_.width, format_.height));
    if (now.chroma != format_.chroma || (now.bits > 8) != (format_.bits > 8))
      throw ChangedStream(
          source_->name(),
          fmt::format("its chroma or bit depth differs from that of {}; files that are joined must "
                      "have one format",
                      files_[0]));
  }

  void retime(Frame& frame) {
    frame.file.reset();
    if (std::exchange(begins_, false))
      frame.file = std::make_shared<const RecordingFile>(RecordingFile{files_[place_ - 1], shift_});
    frame.index = index_++;
    const bool begins = frame.file != nullptr;
    frame.time += shift_;
    const auto num = double(format_.time_base_num), den = double(format_.time_base_den);
    frame.pts = std::llround(frame.time * den / num);
    // Sums of many files' lengths stay on the ticks that they were on.
    constexpr double rounding = 1e-9;
    const double ticked = double(frame.pts) * num / den;
    if (std::abs(ticked - frame.time) < rounding) frame.time = ticked;
    retime_clock(frame, begins);
    next_time_ = frame.time + frame_seconds(source_->format());
  }

  // Containers have whole seconds, and tools that split a file copy the time of the whole: a file
  // counts where it was made later than its frames follow.
  void retime_clock(Frame& frame, bool begins) {
    constexpr int64_t tolerance = 2000000;
    const int64_t time = std::llround(frame.time * 1e6);
    if (begins && frame.clock) {
      const int64_t zero = frame.clock.micros - time;
      if (!clock_zero_ || zero - *clock_zero_ > tolerance) clock_zero_ = zero;
    }
    if (clock_zero_) frame.clock = {ClockSource::file, *clock_zero_ + time};
  }

  std::vector<std::string> files_;
  std::string name_;  // the first of them
  StreamLimits limits_;
  bool strict_;
  std::function<std::vector<std::string>()> more_;
  Clock::time_point read_{};  // when the last frame or file came
  std::unique_ptr<FrameSource> source_;
  StreamFormat format_;
  std::string damage_;
  size_t place_ = 0;  // of the next file
  int64_t index_ = 0, left_out_ = 0;
  bool begins_ = false;  // no frame of this file was taken yet
  double shift_ = 0, next_time_ = 0;
  std::optional<int64_t> clock_zero_;  // microseconds since 1970 at time 0
};

/// Some of the frames of another source.
class Excerpt final : public FrameSource {
 public:
  Excerpt(std::unique_ptr<FrameSource> source, const RecordingOptions& options)
      : source_(std::move(source)),
        options_(options),
        format_(source_->format()),
        index_(options.start.frame) {
    format_.rate_den *= options_.every;
  }

  const StreamFormat& format() const override { return format_; }
  const std::string& name() const override { return source_->name(); }
  std::string description() const override { return source_->description(); }
  std::string damage() const override { return source_->damage(); }
  std::shared_ptr<const Gap> open_gap() const override { return source_->open_gap(); }
  void stop() override { source_->stop(); }
  std::optional<int64_t> expected_frames() const override {
    const auto all = source_->expected_frames();
    const double rate = 1 / frame_seconds(source_->format());
    if (!all) return std::nullopt;
    const double end = std::min(double(*all), options_.to* rate);
    return int64_t(std::max(0.0, end - options_.from * rate)) / options_.every;
  }

  bool next(Frame& frame) override {
    while (source_->next(frame)) {
      end_ = frame.time;
      if (frame.gap) gap_ = frame.gap;
      if (frame.file) file_ = frame.file;
      if (frame.time >= options_.to) {
        frame = {};
        source_->stop();
        return false;
      }
      if (frame.time < options_.from || passed_++ % options_.every != 0) continue;
      frame.gap = std::exchange(gap_, nullptr);
      frame.file = std::exchange(file_, nullptr);
      frame.index = index_++;
      return true;
    }
    if (passed_ == 0 && options_.from > 0)
      throw_input(name(), fmt::format("nothing to read from {:g} s on: it ends after {:.1f} s",
                                      options_.from, end_ + frame_seconds(source_->format())));
    return false;
  }

 private:
  std::unique_ptr<FrameSource> source_;
  RecordingOptions options_;
  StreamFormat format_;
  std::shared_ptr<const Gap> gap_;
  std::shared_ptr<const RecordingFile> file_;  // of frames that were passed over
  int64_t passed_ = 0, index_ = 0;
  double end_ = 0;
};

}  // namespace

std::unique_ptr<FrameSource> open_recording(std::vector<std::string> files,
                                            const StreamLimits& given,
                                            const RecordingOptions& options) {
  StreamLimits limits = given;
  // One for all that read this recording, and for none that reads another.
  limits.stop = std::make_shared<StopSignal>(given.stop);
  std::unique_ptr<FrameSource> source;
  if (files.size() == 1 && !options.more)
    source = open_file(files[0], limits, options.strict, options.from);
  else
    source = std::make_unique<JoinedFiles>(std::move(files), limits, options);
  if (options.from <= 0 && std::isinf(options.to) && options.every == 1) return source;
  return std::make_unique<Excerpt>(std::move(source), options);
}

}  // namespace cuesta::io
