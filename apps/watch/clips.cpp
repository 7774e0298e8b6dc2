#include "apps/watch/clips.hpp"

#include <filesystem>

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
    std::filesystem::create_directories(folder, error);
    if (error)
      throw Error(ErrorCode::output, fmt::format("cannot make {}: {}", folder, error.message()),
                  folder);
  }
  void ended(const Event& event) override {
    io::cut_clip(facts_.source, folder_ / fmt::format("event-{:04}{}", event.id, extension_),
                 event.clip_start, event.clip_end);
  }
  void finish() override {}

 private:
  std::filesystem::path folder_;
  const WatchFacts& facts_;
  std::string extension_;
};

}  // namespace

std::unique_ptr<EventSink> clip_folder(const std::string& folder, const WatchFacts& facts) {
  return std::make_unique<Clips>(folder, facts);
}

}  // namespace cuesta::cli
