#include "apps/watch/masked_clip.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "cuesta/io/overlap.hpp"

namespace cuesta::cli {

/// One clip.
class MaskedClips::Writer {
 public:
  Writer(const io::StreamFormat& format, const PrivacyMask& mask, std::string path)
      : format_(format), mask_(mask), path_(std::move(path)) {}

  void write(io::Frame frame) {
    if (!sink_) {
      sink_ = io::create_frames(path_, format_);
      first_ = frame.time;
    }
    frame.index = index_++;
    frame.time -= first_;
    frame.pts =
        std::llround(frame.time * double(format_.time_base_den) / double(format_.time_base_num));
    buffer_.assign(std::move(frame));
    mask_.paint(buffer_);
    sink_->write(buffer_.frame());
  }
  void finish() {
    if (sink_) sink_->finish();
  }

 private:
  const io::StreamFormat& format_;
  const PrivacyMask& mask_;
  std::string path_;
  std::unique_ptr<io::FrameSink> sink_;
  io::FrameBuffer buffer_;
  double first_ = 0;
  int64_t index_ = 0;
};

MaskedClips::MaskedClips(const io::StreamFormat& format, const PrivacyMask& mask)
    : format_(format), mask_(mask) {}

void MaskedClips::open(const std::string& path) {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(path, ignored);  // it may grow
  if (path_ == path && size_ == size) return;
  parts_ = video_parts(path);
  const io::StreamFormat format = io::open_frames(path)->format();
  unit_ = double(format.time_base_num) / double(format.time_base_den);
  path_ = path;
  size_ = size;
}

void MaskedClips::write(std::span<const io::RecordingFile> files, const std::filesystem::path& path,
                        double start, double end) {
  constexpr double rounding = 1e-6;
  Writer clip(format_, mask_, path.string());
  for (size_t i = 0; i < files.size() && files[i].begin <= end; ++i) {
    const double begin = files[i].begin;
    const double next =
        i + 1 < files.size() ? files[i + 1].begin : std::numeric_limits<double>::infinity();
    if (next <= start) continue;
    open(files[i].path);
    for (const VideoPart& part : parts_) {
      if (begin + double(part.begin) * unit_ > end) break;
      if (begin + double(part.end) * unit_ < start) continue;
      const auto frames = io::open_frames(path_, {.allow_partial = true, .part = part});
      for (io::Frame frame; frames->next(frame);) {
        frame.time += begin;
        if (frame.time > end + rounding) break;
        if (frame.time >= start - rounding) clip.write(std::move(frame));
      }
    }
  }
  clip.finish();
}

}  // namespace cuesta::cli
