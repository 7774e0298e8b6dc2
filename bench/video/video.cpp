// Experiment `video`: a made H.264 video decoded, searched and encoded, each alone and together,
// beside OpenCV's chain, DVR-Scan and ffmpeg where they are. Whole programs are timed from start to
// end, ours too.
#include "bench/video/video.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

#include "bench/engine/timing.hpp"
#include "bench/video/program.hpp"
#include "bench/works/motion.hpp"
#include "cuesta/error.hpp"
#include "cuesta/motion.hpp"
#include "cuesta/objects.hpp"
#include "io/frames.hpp"
#include "io/overlap.hpp"

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

/// Who does it, and how; false where it cannot.
struct Runner {
  std::string name;
  std::function<bool()> run;
};

class Videos {
 public:
  Videos(Session& session, int32_t width, int32_t height, int frames)
      : session_(session), width_(width), height_(height), frames_(frames) {
    make();
  }

  void measure() {
    time("detect", "samples", {detector("cuesta", MotionOptions())});
    std::vector<Runner> chain = {detector("cuesta", motion_options())};
    if (session_.opencv()) chain.push_back({"opencv", [&] { return search_by_opencv(); }});
    time("detect", "paper 004's chain", std::move(chain));
    if (!has_codecs) return;
    const double decode = time("decode", "H.264", decoders());
    time("encode", "H.264", {{"cuesta", [&] { return encode_to(out_); }}});
    const double passed = time("decode + encode", "H.264", transcoders());
    const double events = time("decode + detect", "samples", watchers());
    const double written = time("decode + detect + encode", "samples", painters());
    time("decode + detect", "paper 004's chain", watchers_of_the_chain());
    if (session_.command().empty()) return;
    tell("events only, of decode-only frames/s", "decode", decode / events, 0.95);
    tell("with video written, of the same transcode's frames/s", transcoder_, passed / written,
         0.95);
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

  bool encode_to(const std::string& path) {
    const auto sink = io::create_frames(path, format_, {}, {.threads = session_.threads()});
    for (int k = 0; k < frames_; ++k) {
      io::Frame frame;
      frame.luma = picture(k);
      frame.cb = frame.cr = gray_color_;
      frame.index = frame.pts = k;
      sink->write(frame);
    }
    sink->finish();
    return true;
  }

  std::unique_ptr<io::FrameSource> open() const {
    return io::open_frames(file_, {.threads = session_.threads()});
  }

  Runner detector(std::string name, MotionOptions options) {
    return {std::move(name), [this, options] {
              MotionDetector found(options);
              for (int k = 0; k < frames_; ++k) found.push(picture(k), session_.exec());
              return true;
            }};
  }
  bool search_by_opencv() {
    std::vector<Rect> boxes;
    session_.opencv()->motion({}, 0, 0, boxes, nullptr);
    for (int k = 0; k < frames_; ++k)
      session_.opencv()->motion(picture(k), chain_threshold, chain_element, boxes, nullptr);
    return true;
  }
  Runner opencv(double threshold, bool writes) {
    return {"opencv", [this, threshold, writes] {
              return session_.opencv()->video(file_.c_str(), threshold, chain_element,
                                              writes ? out_.c_str() : "") == frames_;
            }};
  }
  static Runner program(std::string name, std::vector<std::string> words) {
    return {std::move(name), [words] { return run_program(words) == 0; }};
  }
  Runner ours(const char* name, std::vector<std::string> words) {
    words.insert(words.begin(), session_.command());
    words.insert(words.end(), {"--device", "cpu", "--quiet"});
    return program(name, std::move(words));
  }
  std::vector<std::string> ffmpeg(std::vector<std::string> rest) const {
    std::vector<std::string> words = {"ffmpeg", "-v", "error", "-nostdin", "-y", "-i", file_};
    words.insert(words.end(), rest.begin(), rest.end());
    return words;
  }

  std::vector<Runner> decoders() {
    std::vector<Runner> all = {{"cuesta", [&] {
                                  int count = 0;
                                  io::Frame frame;
                                  for (const auto source = open(); source->next(frame);) ++count;
                                  return count == frames_;
                                }}};
    if (session_.opencv()) all.push_back(opencv(0, false));
    all.push_back(program("ffmpeg", ffmpeg({"-f", "null", "-"})));
    return all;
  }
  std::vector<Runner> transcoders() {
    std::vector<Runner> all = {{"cuesta", [&] {
                                  const auto source = open();
                                  const auto sink = io::create_frames(
                                      out_, source->format(), {}, {.threads = session_.threads()});
                                  io::overlap(
                                      *source, [](io::FrameBuffer&) {},
                                      [&](const io::Frame& frame) { sink->write(frame); });
                                  sink->finish();
                                  return true;
                                }}};
    // As io/video_writer.cpp sets libx264.
    all.push_back(program("ffmpeg", ffmpeg({"-c:v", "libx264", "-preset", "veryfast", "-crf", "20",
                                            "-pix_fmt", "yuv420p", out_})));
    return all;
  }
  std::vector<Runner> watchers() {
    std::vector<Runner> all;
    if (!session_.command().empty())
      all.push_back(ours("cuesta detect", {"detect", file_, "--json", lines_}));
    all.push_back(program("dvr-scan", {"dvr-scan", "-i", file_, "-so", "-q"}));
    return all;
  }
  std::vector<Runner> watchers_of_the_chain() {
    std::vector<Runner> all;
    if (!session_.command().empty()) {
      all.push_back(
          ours("cuesta detect", {"detect", file_, "--json", lines_, "--background", "first",
                                 "--close", "ellipse:15", "--open", "ellipse:15"}));
    }
    if (session_.opencv()) all.push_back(opencv(chain_threshold, false));
    return all;
  }
  std::vector<Runner> painters() {
    std::vector<Runner> all;
    if (!session_.command().empty())
      all.push_back(ours("cuesta detect", {"detect", file_, "-o", out_}));
    if (session_.opencv()) all.push_back(opencv(chain_threshold, true));
    return all;
  }

  /// Times them in turns, and returns ms a frame: of the first, or of ffmpeg among transcoders.
  double time(const char* operation, const char* parameters, const std::vector<Runner>& runners) {
    struct Timed {
      const Runner* runner;
      std::vector<double> times{};
    };
    std::vector<Timed> timed;
    Measured measured;
    for (const Runner& runner : runners) {
      if (runner.run())
        timed.push_back({&runner});
      else
        absent(runner.name, operation);
    }
    for (int round = session_.quick() ? 1 : 5; round > 0; --round) {
      for (Timed& one : timed) one.times.push_back(time_once([&] { one.runner->run(); }) / frames_);
    }
    double first = 0;
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
      const bool is_ffmpeg =
          row.strategy == "ffmpeg" && operation == std::string("decode + encode");
      if (first == 0 || is_ffmpeg) first = row.ms;
      if (is_ffmpeg) transcoder_ = "ffmpeg";
    }
    if (!measured.rows.empty()) session_.add_measured(std::move(measured));
    return first;
  }

  void absent(const std::string& name, const char* operation) {
    if (std::ranges::find(absent_, name) != absent_.end()) return;
    absent_.push_back(name);
    session_.note(fmt::format("video: {} does not {} here; its rows are absent", name, operation));
  }

  void tell(const char* what, const std::string& beside, double ratio, double goal) {
    session_.add_figure({.experiment = "video",
                         .width = width_,
                         .height = height_,
                         .source = "found",
                         .subject = beside,
                         .what = what,
                         .unit = "times",
                         .value = ratio});
    session_.note(fmt::format("video {} x {}: {}: {:.2f} (beside {}; goal {:.2f})", width_, height_,
                              what, ratio, beside, goal));
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
  std::string transcoder_ = "cuesta";
  std::vector<std::string> absent_;
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
