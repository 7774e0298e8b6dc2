#include "apps/watch/pictures.hpp"

#include <filesystem>

#include "apps/watch/clips.hpp"
#include "apps/watch/snapshot.hpp"
#include "cli/run_lock.hpp"
#include "cuesta/io/picture.hpp"

namespace cuesta::cli {
namespace {

class Pictures final : public EventSink {
 public:
  Pictures(const std::string& folder, const WatchFacts& facts)
      : folder_(folder), facts_(facts), lock_(lock_folder(folder, "--pictures")) {
    // What a build cannot do is said before the video is watched.
    io::encode_picture(".jpg", Image<uint8_t>(8, 8));
  }
  void frame(const io::Frame& frame, const SceneStep& step) override {
    picture_.see(frame, step, facts_.format);
  }
  void ended(const Event& event) override {
    const std::string bytes = picture_.jpeg();
    picture_.clear();
    if (bytes.empty()) return;
    const auto path = folder_ / (event_name(event, facts_) + ".jpg");
    const auto file = text_file(path.string(), io::Placing::when_whole);
    file->write(bytes);
    file->finish();
  }
  void finish() override {}

 private:
  std::filesystem::path folder_;
  const WatchFacts& facts_;
  std::shared_ptr<const RunLock> lock_;
  EventPicture picture_;
};

}  // namespace

void EventPicture::see(const io::Frame& frame, const SceneStep& step,
                       const io::StreamFormat& format) {
  if (step.is_best) best_ = snapshot_of(frame, format, step.event->best_box);
}

std::string EventPicture::jpeg() const {
  if (best_.empty()) return {};
  const auto bytes = io::encode_picture(".jpg", best_, {.quality = 75});
  return {bytes.begin(), bytes.end()};
}

std::unique_ptr<EventSink> picture_folder(const std::string& folder, const WatchFacts& facts) {
  return std::make_unique<Pictures>(folder, facts);
}

}  // namespace cuesta::cli
