#include "apps/watch/clips.hpp"

#include <filesystem>
#include <optional>
#include <vector>

#include "apps/watch/masked_clip.hpp"
#include "cli/common.hpp"
#include "io/clip.hpp"

namespace cuesta::cli {
namespace {

class Clips final : public EventSink {
 public:
  Clips(const std::string& folder, const WatchFacts& facts) : folder_(folder), facts_(facts) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(facts.source, error)) {
      usage_error(folder, "--clips {}: clips require a file, and {} can be read only once", folder,
                  facts.source == "-" ? "standard input" : facts.source);
    }
    extension_ = io::clip_extension(facts.source);
    if (extension_.empty()) {
      usage_error(folder, "--clips {}: clips require encoded video, and {} is not encoded", folder,
                  facts.source);
    }
    if (facts.privacy) {
      warn("--clips {}: clips are encoded, and without sound, because there is a mask_privacy",
           folder);
      extension_ = ".mp4";
      masked_.emplace(facts.format, *facts.privacy);
    }
    std::filesystem::create_directories(folder, error);
    if (error)
      throw Error(ErrorCode::output, fmt::format("cannot make {}: {}", folder, error.message()),
                  folder);
  }
  void frame(const io::Frame& frame, const SceneStep&) override {
    if (frame.file) files_.push_back(*frame.file);
  }
  void ended(const Event& event) override {
    std::string name = fmt::format("event-{:04}", event.id);
    if (facts_.clock.is_known()) name += fmt::format("-{}", facts_.clock.name(event.clip_start));
    const std::filesystem::path path = folder_ / (name + extension_);
    const std::vector<io::RecordingFile> whole = {{facts_.source, 0}};
    const auto& files = files_.empty() ? whole : files_;
    if (masked_) return masked_->write(files, path, event.clip_start, event.clip_end);
    const double end = io::cut_clip(files, path, event.clip_start, event.clip_end);
    if (end < event.clip_end)
      warn("{}: ends at {:.1f} s instead of {:.1f} s, where the encoding changes", path.string(),
           end, event.clip_end);
  }
  void finish() override {}

 private:
  std::filesystem::path folder_;
  const WatchFacts& facts_;
  std::string extension_;
  std::optional<MaskedClips> masked_;
  std::vector<io::RecordingFile> files_;  // of a joined recording, as far as it was read
};

}  // namespace

std::unique_ptr<EventSink> clip_folder(const std::string& folder, const WatchFacts& facts) {
  return std::make_unique<Clips>(folder, facts);
}

}  // namespace cuesta::cli
