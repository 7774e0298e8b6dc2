// Verbs that make pictures of pictures and videos of videos: what edges and filter share.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/common.hpp"
#include "cli/inputs.hpp"
#include "cli/memory.hpp"
#include "io/picture.hpp"

namespace cuesta::cli {

/// What a picture becomes, and how it is written.
struct Converted {
  ConstAnyView pixels{};
  io::WriteOptions options{};
};

/// How a verb turns one input into one output.
class Conversion {
 public:
  virtual ~Conversion() = default;

  /// How pictures are read for it.
  virtual io::ReadLimits reading(const Job& job) const = 0;
  /// What becomes of a picture; its pixels are valid until the next call.
  virtual Converted on_picture(const io::Picture& picture, const Job& job) = 0;
  /// How a picture becomes that in bands of rows, by this object. Throws where the options fit no
  /// bands.
  virtual io::BandWork band_work(const io::PictureFacts& facts) = 0;
  /// Told what came of it.
  virtual void take(const FileResult&) {}
  /// Writes what there is beside the picture, after it.
  virtual void write_more(const Job&) {}
  /// Throws where the options fit no video.
  virtual void check_video() const {}
  /// Makes `out` of the part of a frame's luma that --region names; the frame has `whole` pixels.
  virtual void on_frame(const Job& job, ConstAnyView luma, AnyView out, Size whole) = 0;
  /// Frames of a video that are worked on at once, each by a conversion of its own.
  virtual int frames_at_once() const = 0;
  /// Whether a video keeps its color beside the new luma.
  virtual bool keeps_color() const = 0;
  /// What -v says of a picture after its size.
  virtual std::string remark(ConstAnyView out) const = 0;
  /// What it says of a video after that.
  virtual std::string remark_of_frames() const { return {}; }
  /// What --json says of a result between its size and its time; `frames` is 0 for pictures.
  virtual void add_facts(nlohmann::ordered_json& line, ConstAnyView out, int64_t frames) const = 0;
  /// The paragraph of --explain.
  virtual void explain() const = 0;
};

using MakeConversion = std::function<std::unique_ptr<Conversion>()>;

/// Runs every job of the command line, reports each, and returns the exit code. `also_read` are
/// further files that no result may replace. Several pictures are converted at once, each thread of
/// them with a conversion that `make` makes there, and bands of one; the first is made, and may
/// refuse the options, before anything is read. `name_more` gives jobs what else they write.
int convert(const JobOptions& jobs, const CommonOptions& common, const MemoryOptions& memory,
            const MakeConversion& make, const std::vector<std::string>& also_read,
            const std::function<void(Plan&)>& name_more = {});

}  // namespace cuesta::cli
