// Results of a stream: where each goes, whether it grows there, and what is kept of one that ended
// early.
#pragma once

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/boxes.hpp"
#include "cli/common.hpp"
#include "cli/progress.hpp"
#include "cuesta/io/frames.hpp"
#include "cuesta/io/overlap.hpp"

namespace cuesta::cli {

using Json = nlohmann::ordered_json;

/// A text under its name; "-" is standard output. One that grows keeps its first `kept` bytes.
std::unique_ptr<io::RecordFile> text_file(const std::string& name, io::Placing placing,
                                          int64_t kept = 0);

/// One line of it, without the end of the line.
std::string line_of(const Json& value);
/// The text as line_of() shows it: what is no UTF-8 in a name becomes U+FFFD.
std::string valid_utf8(const std::string& text);
/// The same for text of HTML and XML: & < > and " escaped, and without control codes.
std::string escaped(const std::string& text);
/// A line of one kind, {"kind": KIND, KIND: value}.
Json line_of(const char* kind, Json value);
/// The line with its camera's name in front, where there are several; `camera` is empty else.
Json of_camera(const std::string& camera, Json line);

/// Lines of JSON in a file or on standard output ("-"), each written when it is known, from any
/// thread.
class JsonLines {
 public:
  JsonLines(const std::string& name, io::Placing placing, int64_t kept = 0);
  bool is_empty() const { return file_->is_empty(); }
  /// Throws Error{output}.
  void write(const Json& line);
  void finish() { file_->finish(); }

 private:
  std::mutex mutex_;
  std::unique_ptr<io::RecordFile> file_;
};

/// What became of a stream: all was read, the user ended it, or a fault did.
enum class Ending : uint8_t { whole, interrupted, faulty };

/// Several results that share one fate: whole together, or, where they grow, kept together.
class Results {
 public:
  explicit Results(io::Placing placing) : placing_(placing) {}

  io::Placing placing() const { return placing_; }
  /// The results have lines of an earlier run: they are kept, whatever this one reads.
  void continue_earlier() { continues_ = true; }
  /// `finish` makes what was written a result under `name`; "-" is standard output, and empty one
  /// that is not asked for.
  void add(const std::string& name, std::function<void()> finish);
  /// Finishes every result of a whole stream, and the growing ones of any that gave a frame (else
  /// they are removed); one that cannot be finished does not keep the others from it. Says what is
  /// kept of a stream that was not read to its end. Throws the first Error{output}, unless the
  /// stream is faulty: then that fault counts.
  void finish(Ending ending, const std::string& stream, int64_t frames);

 private:
  struct One {
    std::string name;
    std::function<void()> finish;
  };
  io::Placing placing_;
  bool continues_ = false;
  std::vector<One> all_;
};

/// Whether results of this input grow under their names: where --follow says so, and where the
/// input is live.
io::Placing placing_of(const std::string& input, bool follow);

/// Says that samples of more than 8 bits are rounded to 8: as a warning where a result shows them.
void tell_depth(const io::FrameSource& source, bool shown);

/// Opens a video with the limits of the options; what happens to a live one is reported as a
/// warning. `keep_depth`: frames have their deep_luma, too; `gpu`: which decodes; `open` opens it.
/// Throws Error, Interrupted.
std::unique_ptr<io::FrameSource> open_stream(
    const std::string& input, const CommonOptions& common, const StopOnSignal& stop,
    bool keep_depth = false, std::optional<io::GpuDecoding> gpu = {},
    const std::function<std::unique_ptr<io::FrameSource>(
        const std::string&, const io::StreamLimits&)>& open = io::open_frames);

/// Passes every frame of `source` through `work`, `at_once` of them at once, each on a lane, and
/// `write` (io::overlap), telling `progress`, until its end, a signal or a fault; then finishes
/// `results` accordingly. Returns the exit code. Throws the fault, and Error{input} for a stream
/// without frames.
int pass_frames(io::FrameSource& source, const CommonOptions& common, const StopOnSignal& stop,
                Results& results, Progress& progress,
                const std::function<void(io::FrameBuffer&, int lane)>& work,
                const std::function<void(const io::Frame&)>& write, int at_once = 1);

}  // namespace cuesta::cli
