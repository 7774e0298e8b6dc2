// Experiment `video`: a made H.264 video decoded, searched and encoded, each alone and together,
// beside OpenCV's chain, DVR-Scan and ffmpeg where they are. Whole programs are timed from start to
// end, ours too.
#include "bench/video/video.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "bench/engine/timing.hpp"
#include "bench/video/program.hpp"
#include "bench/works/motion.hpp"
#include "cuesta/error.hpp"
#include "cuesta/io/frames.hpp"
#include "cuesta/io/overlap.hpp"
#include "cuesta/motion.hpp"
#include "cuesta/objects.hpp"

namespace cuesta::bench {
namespace {

#if defined(CUESTA_HAS_VIDEO)
constexpr bool has_codecs = true;
#else
constexpr bool has_codecs = false;
#endif
constexpr double chain_threshold = 25;
constexpr int chain_element = 15;

class Folder {
 public:
  Folder() {
    std::string path = (std::filesystem::temp_directory_path() / "cuesta-bench-XXXXXX").string();
    if (!mkdtemp(path.data()))
      throw Error(ErrorCode::output, fmt::format("cannot make the folder {}", path), path);
    path_ = path;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// Who does it, and how: returns why it cannot, in a sentence, or nothing.
struct Runner {
  std::string name;
  std::function<std::string()> run;
};

/// ms a frame that the parts take alone, each on every core, beside what they are held against.
struct Parts {
  double ours = 0, theirs = 0;
};

std::string unless(bool holds, const char* why) { return holds ? "" : why; }

class Videos {
 public:
  Videos(Session& session, int32_t width, int32_t height, int frames)
      : session_(session), width_(width), height_(height), frames_(frames) {
    make();
  }

  void measure() {
    const auto alone = time("detect", "samples", {detector("cuesta", MotionOptions())});
    const auto chain =
        time("detect", "paper 004's chain", {detector("cuesta", motion_options()), opencv_chain()});
    tell("the chain, times OpenCV's", chain["opencv"], "opencv", chain["cuesta"], 20);
    if (!has_codecs) return;
    const auto decode = time("decode", "H.264", decoders());
    const auto encode = time("encode", "H.264", {{"cuesta", [&] { return encode_to(out_); }}});
    const auto passed = time("decode + encode", "H.264", transcoders());
    const auto events = time("decode + detect", "samples", watchers());
    const auto written = time("decode + detect + encode", "samples", painters());
    time("decode + detect", "paper 004's chain", watchers_of_the_chain());
    const double read = decode["cuesta"], found = alone["cuesta"];
    tell("events only, of decode-only frames/s", read, "cuesta", events["cuesta detect"], 0.95,
         {read + found, read});
    tell("events only, times DVR-Scan's frames/s", events["dvr-scan"], "dvr-scan",
         events["cuesta detect"], 1);
    tell("with video written, of the same transcode's frames/s", passed["ffmpeg"], "ffmpeg",
         written["cuesta detect"], 0.95, {read + found + encode["cuesta"], passed["ffmpeg"]});
  }

 private:
  // An object that crosses a still scene again and again, as H.264 in MP4.
  void make() {
    const auto pictures = moving_object_video(width_, height_, std::min(frames_, 48));
    io::StreamFormat format;
    format.width = width_, format.height = height_;
    format.chroma = io::Chroma::c420;
    format.full_range = true;
    const io::PlaneSize half = io::chroma_size(format.chroma, width_, height_);
    gray_color_ = Image<uint8_t>(half.width, half.height);
    for (int32_t y = 0; y < half.height; ++y) std::fill_n(gray_color_.row(y), half.width, 128);
    for (const auto& picture : pictures) {
      luma_.emplace_back(width_, height_);
      to_gray(picture, luma_.back());
    }
    format_ = format;
    if (has_codecs) encode_to(file_);
  }

  const Image<uint8_t>& picture(int k) const { return luma_[size_t(k) % luma_.size()]; }

  std::string encode_to(const std::string& path) {
    const auto sink = io::create_frames(path, format_, {}, {.threads = session_.threads()});
    for (int k = 0; k < frames_; ++k) {
      io::Frame frame;
      frame.luma = picture(k);
      frame.cb = frame.cr = gray_color_;
      frame.index = frame.pts = k;
      sink->write(frame);
    }
    sink->finish();
    return {};
  }

  std::unique_ptr<io::FrameSource> open() const {
    return io::open_frames(file_, {.threads = session_.threads()});
  }

  Runner detector(std::string name, MotionOptions options) {
    return {std::move(name), [this, options] {
              MotionDetector found(options);
              for (int k = 0; k < frames_; ++k) found.push(picture(k), session_.exec());
              return std::string();
            }};
  }
  static constexpr const char* no_opencv = "OpenCV's module is not there (CUESTA_OPENCV)";
  Runner opencv_chain() {
    return {"opencv", [this]() -> std::string {
              if (!session_.opencv()) return no_opencv;
              std::vector<Rect> boxes;
              session_.opencv()->motion({}, 0, 0, boxes, nullptr);
              for (int k = 0; k < frames_; ++k)
                session_.opencv()->motion(picture(k), chain_threshold, chain_element, boxes,
                                          nullptr);
              return {};
            }};
  }
  Runner opencv(double threshold, bool writes) {
    return {"opencv", [this, threshold, writes]() -> std::string {
              if (!session_.opencv()) return no_opencv;
              return unless(session_.opencv()->video(file_.c_str(), threshold, chain_element,
                                                     writes ? out_.c_str() : "") == frames_,
                            "its videoio does not read or write this video");
            }};
  }
  static Runner program(std::string name, std::vector<std::string> words, std::string source = {}) {
    return {std::move(name), [words, source]() -> std::string {
              const int code = run_program(words);
              if (code < 0) return fmt::format("{} is not on the PATH{}", words[0], source);
              return code == 0 ? "" : fmt::format("{} ends with {}", words[0], code);
            }};
  }
  Runner ours(const char* name, std::vector<std::string> words) {
    if (session_.command().empty())
      return {name, [] {
                return std::string("the command cuesta is neither beside cuesta-bench nor in PATH");
              }};
    words.insert(words.begin(), session_.command());
    words.insert(words.end(), {"--device", "cpu", "--quiet"});
    return program(name, std::move(words));
  }
  Runner ffmpeg(const std::vector<std::string>& rest) const {
    std::vector<std::string> words = {"ffmpeg", "-v", "error", "-nostdin", "-y", "-i", file_};
    words.insert(words.end(), rest.begin(), rest.end());
    return program("ffmpeg", std::move(words), " (Debian: ffmpeg)");
  }

  std::vector<Runner> decoders() {
    return {{"cuesta",
             [&] {
               int count = 0;
               io::Frame frame;
               for (const auto source = open(); source->next(frame);) ++count;
               return unless(count == frames_, "frames are missing");
             }},
            opencv(0, false),
            ffmpeg({"-f", "null", "-"})};
  }
  std::vector<Runner> transcoders() {
    return {{"cuesta",
             [&] {
               const auto source = open();
               const auto sink =
                   io::create_frames(out_, source->format(), {}, {.threads = session_.threads()});
               io::overlap(
                   *source, [](io::FrameBuffer&, int) {},
                   [&](const io::Frame& frame) { sink->write(frame); });
               sink->finish();
               return std::string();
             }},
            // As io/video_writer.cpp sets libx264.
            ffmpeg({"-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p",
                    out_})};
  }
  std::vector<Runner> watchers() {
    return {ours("cuesta detect", {"detect", file_, "--json", lines_}),
            program("dvr-scan", {"dvr-scan", "-i", file_, "-so", "-q"}, " (pip install dvr-scan)")};
  }
  std::vector<Runner> watchers_of_the_chain() {
    return {ours("cuesta detect", {"detect", file_, "--json", lines_, "--background", "first",
                                   "--close", "ellipse:15", "--open", "ellipse:15"}),
            opencv(chain_threshold, false)};
  }
  std::vector<Runner> painters() {
    return {ours("cuesta detect", {"detect", file_, "-o", out_}), opencv(chain_threshold, true)};
  }

  /// ms a frame of each that could; asked for another, 0.
  class Times {
   public:
    double& at(const std::string& name) { return times_[name]; }
    double operator[](const std::string& name) const {
      const auto found = times_.find(name);
      return found == times_.end() ? 0 : found->second;
    }

   private:
    std::map<std::string, double> times_;
  };

  /// Times them in turns.
  Times time(const char* operation, const char* parameters, const std::vector<Runner>& runners) {
    struct Timed {
      const Runner* runner;
      std::vector<double> times{};
    };
    std::vector<Timed> timed;
    Measured measured;
    for (const Runner& runner : runners) {
      if (const std::string why = runner.run(); why.empty())
        timed.push_back({&runner});
      else
        absent(runner.name, why);
    }
    for (int round = session_.quick() ? 1 : 5; round > 0; --round) {
      for (Timed& one : timed) one.times.push_back(time_once([&] { one.runner->run(); }) / frames_);
    }
    Times found;
    for (Timed& one : timed) {
      const Timing timing = summary_of(std::move(one.times));
      Row row;
      row.experiment = "video";
      row.operation = operation;
      row.strategy = one.runner->name;
      row.parameters = parameters;
      row.space = "host";
      row.type = "u8";
      row.width = width_, row.height = height_;
      row.threads = session_.threads();
      row.pictures = frames_;
      row.ms = timing.ms, row.ms_spread = timing.spread;
      measured.rows.push_back(row);
      found.at(row.strategy) = row.ms;
    }
    if (!measured.rows.empty()) session_.add_measured(std::move(measured));
    return found;
  }

  void absent(const std::string& name, const std::string& why) {
    absent_[name] = why;
    if (told_.insert(name + why).second)
      session_.note(fmt::format("video: rows of {} are absent: {}", name, why));
  }

  /// How many times as fast as theirs ours is, the goal, and where it is missed what bounds it.
  void tell(const char* what, double theirs, const std::string& beside, double ours, double goal,
            Parts parts = {}) {
    const auto head = fmt::format("video {} x {}: {}", width_, height_, what);
    for (const auto& [time, name] : {std::pair(theirs, beside), {ours, "cuesta detect"}}) {
      if (time > 0) continue;
      return session_.note(
          fmt::format("{}: not known: {}", head, absent_.contains(name) ? absent_.at(name) : name));
    }
    const double ratio = theirs / ours;
    session_.add_figure({.experiment = "video",
                         .width = width_,
                         .height = height_,
                         .source = "found",
                         .subject = beside,
                         .what = what,
                         .unit = "times",
                         .value = ratio});
    std::string why;
    if (ratio < goal && parts.ours > 0) {
      why = fmt::format(
          "; missed: its parts alone take {:.2f} ms a frame on these cores, beside {:.2f}: at most "
          "{:.2f}",
          parts.ours, parts.theirs, parts.theirs / parts.ours);
    } else if (ratio < goal) {
      why = fmt::format("; missed: {:.2f} ms a frame, beside {:.2f}", ours, theirs);
    }
    session_.note(
        fmt::format("{}: {:.2f} (beside {}; goal {:.2f}{})", head, ratio, beside, goal, why));
  }

  Session& session_;
  int32_t width_, height_;
  int frames_;
  Folder folder_;
  const std::string file_ = folder_ / "street.mp4", out_ = folder_ / "out.mp4",
                    lines_ = folder_ / "objects.ndjson";
  io::StreamFormat format_;
  std::vector<Image<uint8_t>> luma_;
  Image<uint8_t> gray_color_;
  std::map<std::string, std::string> absent_;  // why
  std::set<std::string> told_;
};

}  // namespace

void bench_video(Session& session) {
  struct Case {
    int32_t width, height;
    int frames;
  };
  std::vector<Case> cases = {{1920, 1080, 300}, {1280, 720, 600}, {596, 336, 1500}};
  if (session.quick()) cases = {{596, 336, 60}};
  const auto sides = session.sizes({});
  if (!sides.empty()) cases.clear();
  for (const int32_t side : sides) {
    const int32_t even = std::max(side, smallest_video) & ~1;
    cases.push_back({even, even, session.quick() ? 20 : 150});
  }
  if (!has_codecs) session.note("video: this build has no libav: frames are searched, not coded");
  for (const Case& one : cases) Videos(session, one.width, one.height, one.frames).measure();
}

}  // namespace cuesta::bench
