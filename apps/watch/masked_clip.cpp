#include "apps/watch/masked_clip.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "io/frames.hpp"
#include "io/overlap.hpp"

namespace cuesta::cli {

MaskedClips::MaskedClips(std::string source, const io::StreamFormat& format,
                         const PrivacyMask& mask)
    : source_(std::move(source)),
      unit_(double(format.time_base_num) / double(format.time_base_den)),
      mask_(mask),
      parts_(video_parts(source_)) {}

void MaskedClips::write(const std::filesystem::path& path, double start, double end) const {
  std::unique_ptr<io::FrameSink> sink;
  io::FrameBuffer buffer;
  std::optional<io::Frame> first;
  for (const VideoPart& part : parts_) {
    if (double(part.begin) * unit_ > end) break;
    if (double(part.end) * unit_ < start) continue;
    const auto frames = io::open_frames(source_, {.allow_partial = true, .part = part});
    for (io::Frame frame; frames->next(frame) && frame.time <= end;) {
      if (frame.time < start) continue;
      if (!first) {
        first = frame;
        sink = io::create_frames(path.string(), frames->format());
      }
      frame.index -= first->index;
      frame.pts -= first->pts;
      frame.time -= first->time;
      buffer.assign(std::move(frame));
      mask_.paint(buffer);
      sink->write(buffer.frame());
    }
  }
  if (sink) sink->finish();
}

}  // namespace cuesta::cli
