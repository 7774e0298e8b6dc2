// A video that detect is tuned on.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "apps/tune/controls.hpp"
#include "apps/tune/lane.hpp"
#include "apps/tune/subject.hpp"
#include "cli/common.hpp"
#include "cli/detecting.hpp"
#include "cli/scene_file.hpp"
#include "cuesta/io/frames.hpp"

namespace cuesta::cli::tune {

/// Its first frames, decoded once by a thread of its own: as many as `max_bytes` of luma hold, in
/// all bits of a sample, as `detect` looks at them.
/// The foreground in a frame follows from all before it, so results are of frame after frame from
/// the first.
class Film final : public Subject {
 public:
  static constexpr size_t max_bytes = size_t(1) << 29;

  /// Throws Error{input}.
  Film(std::string input, const CommonOptions& common);
  ~Film() override;

  Json about() const override;
  Reply answer(const HttpRequest& request) override;

 private:
  struct Run;
  /// Waits for it. Throws Error{input} past the last one, or where decoding failed before.
  ConstAnyView frame(size_t index) const;
  /// Waits until it is known.
  bool has_frame(size_t index) const;
  /// Pushes frames up to `last`; false where a newer request waits.
  bool push_to(Run& run, size_t from, size_t last, bool moves);
  void decode();
  Reply source(size_t index) const;
  Reply result(const Json& asked);
  Reply copies(const Json& asked) const;

  std::string input_;
  int threads_;
  std::unique_ptr<io::FrameSource> reader_;
  double rate_;
  int bits_;
  std::optional<int64_t> expected_;

  mutable std::mutex mutex_;
  mutable std::condition_variable grew_;
  std::vector<AnyImage> frames_;  // u8, or u16 with the bits highest
  std::vector<double> times_;
  bool whole_ = false;  // every frame of the video is here
  bool ended_ = false;  // no more will come
  std::string problem_;

  std::unique_ptr<Run> run_;  // of the exact lane
  Lane exact_, quick_;
  std::jthread decoder_;
};

/// `cuesta detect` of values of the page; `scene` is the name of its file, empty for none.
class DetectAsked : public Asked<DetectOptions> {
 public:
  DetectAsked(const Json& values, const std::string& scene);
};
Json detect_controls();

}  // namespace cuesta::cli::tune
