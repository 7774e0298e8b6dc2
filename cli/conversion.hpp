// Verbs that make pictures of pictures and videos of videos: what edges and filter share.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/common.hpp"
#include "cli/either_device.hpp"
#include "cli/inputs.hpp"
#include "cli/memory.hpp"
#include "cli/run_files.hpp"
#include "cuesta/io/picture.hpp"
#include "cuesta/lines.hpp"
#include "cuesta/recipes/recipe.hpp"

namespace cuesta::cli {

/// What came of one input.
struct Made {
  ConstAnyView pixels{};  ///< of a picture; valid until the next one is converted
  io::WriteOptions writing{};
  int32_t source_channels = 1;
  int64_t frames = 0;  ///< of a video
  recipes::Used used{};
  std::optional<FileResult> banded{};       ///< of a picture in bands
  Polylines lines{};                        ///< for --lines
  std::vector<cuesta::Outline> outlines{};  ///< the same of regions
  AnyImage own{};                           ///< what `pixels` shows, where it is not kept
};

/// A verb that makes pictures of pictures by a recipe. Serves one thread.
class Conversion {
 public:
  using Json = nlohmann::ordered_json;

  /// Throws Error{invalid_argument} for options that the operations refuse. `common` outlives it.
  Conversion(const CommonOptions& common, std::shared_ptr<const recipes::Recipe> recipe);
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;
  virtual ~Conversion() = default;

  /// How pictures are read for it.
  virtual io::ReadLimits reading(const Job& job) const = 0;
  /// Whether a video keeps its color beside the new luma. Throws where the options fit no video.
  virtual bool keeps_color() const = 0;
  /// What -v says of a result after its size, and --json between its size and its time.
  virtual std::string remark(const Made& made) const = 0;
  virtual void add_facts(Json& line, const Made& made) const = 0;
  /// Writes what belongs beside the picture.
  virtual void write_more(const Job&, const Made&) const {}

  Made on_picture(const io::Picture& picture, const Job& job);
  /// Makes `out` of the part of a frame's luma that --region names; the frame has `whole` pixels.
  Made on_frame(const Job& job, ConstAnyView luma, AnyView out, Size whole);
  /// Finds in this frame, as on_frame() takes it, what the frames of a video have in common; the
  /// recipe for them, or null where nothing is found. settle() is given that.
  std::shared_ptr<const recipes::Recipe> settled(const Job& job, ConstAnyView luma,
                                                 Size whole) const;
  void settle(std::shared_ptr<const recipes::Recipe> recipe) { of_frames_ = std::move(recipe); }
  /// The same of a picture in bands of rows; `devices` becomes the GPUs that they may go to.
  io::BandWork band_work(const io::PictureFacts& facts, std::vector<int>& devices);

  const recipes::Recipe& recipe() const { return *recipe_; }
  /// Frames of a video in flight at once, each with a conversion of its own.
  int frames_at_once() const { return device_.at_once(); }
  /// The paragraph of --explain.
  void explain() const { device_.explain(); }

 protected:
  /// The mask of a picture of this size, whole; none by default.
  virtual ConstAnyView mask_for(const std::string& name, Size size) const;
  /// Adds what is found in the picture besides its result.
  virtual void add_more(const Job&, ConstAnyView /*seen*/, ConstAnyView /*holes*/,
                        const recipes::PictureKind&, Made&) const {}
  /// Throws where options fit no bands.
  virtual void check_bands() const {}

 private:
  void run(ConstAnyView seen, AnyView out, ConstAnyView mask, const recipes::PictureKind& kind,
           Made& made);
  void run_on(std::span<const ConstAnyView> sources, AnyView out, const Execs& execs);

  const CommonOptions& common_;
  std::shared_ptr<const recipes::Recipe> recipe_;
  std::shared_ptr<const recipes::Recipe> of_frames_;  // instead of it, where settled
  std::optional<Rect> region_;
  EitherDevice device_;
  double scale_ = 1;    // of the picture in flight
  recipes::Used used_;  // by it
  AnyImage seen_, out_;
};

using MakeConversion = std::function<std::unique_ptr<Conversion>()>;

/// Runs every job of the command line, reports each, and returns the exit code. `files` are
/// those that the verb knows of beside the jobs'. Several pictures are converted at once, each
/// thread of them with a conversion that `make` makes there, and bands of one; the first is made,
/// and may refuse the options, before anything is read. `name_more` gives jobs what else they
/// write.
int convert(const JobOptions& jobs, const CommonOptions& common, const MemoryOptions& memory,
            const MakeConversion& make, RunFiles& files,
            const std::function<void(Plan&)>& name_more = {});

}  // namespace cuesta::cli
