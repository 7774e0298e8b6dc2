// The public reader of videos.
#include <utility>

#include "cuesta/io.hpp"
#include "cuesta/io/colors.hpp"
#include "cuesta/io/frames.hpp"
#include "io/frame_pool.hpp"

namespace cuesta {

namespace {
struct Colors {
  Image<uint8_t> rgb{};
  void clear() {}
};
}  // namespace

struct Frame::State {
  io::Frame planes;
  io::StreamFormat format;
  io::Pool<Colors> pool;
  std::shared_ptr<Colors> colors;
  bool has_rgb = false;
};

Frame::Frame() : state_(std::make_unique<State>()) {}
Frame::~Frame() = default;

Size Frame::size() const { return state_->planes.luma.size(); }
int64_t Frame::index() const { return state_->planes.index; }
double Frame::time() const { return state_->planes.time; }
std::optional<double> Frame::lost() const {
  const io::Gap* gap = state_->planes.gap.get();
  if (!gap || !gap->end) return std::nullopt;
  return *gap->end - gap->begin;
}
bool Frame::damaged() const { return state_->planes.damaged; }
ImageView<const uint8_t> Frame::luma() const { return state_->planes.luma.as<uint8_t>(); }

ImageView<const uint16_t> Frame::deep_luma() const {
  const ConstAnyView& deep = state_->planes.deep_luma;
  return deep ? deep.as<uint16_t>() : ImageView<const uint16_t>();
}

ImageView<const uint8_t> Frame::rgb() const {
  State& s = *state_;
  if (!s.has_rgb) {
    s.colors.reset();  // back to the pool, unless somebody holds it
    s.colors = s.pool.take();
    if (s.colors->rgb.empty()) s.colors->rgb = Image<uint8_t>(width(), height(), 3);
    io::make_rgb(s.planes, s.format, s.colors->rgb);
    s.has_rgb = true;
  }
  return s.colors->rgb;
}

std::shared_ptr<const void> Frame::hold() const {
  using Both = std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>;
  if (!state_->has_rgb) return state_->planes.owner;
  return std::make_shared<const Both>(state_->planes.owner, state_->colors);
}

struct VideoReader::State {
  std::unique_ptr<io::FrameSource> source;
  bool is_live;
  Frame frame;
};

namespace {
io::StreamLimits limits_of(const ReadOptions& options) {
  io::StreamLimits limits;
  limits.max_pixels = options.max_pixels;
  limits.allow_partial = options.allow_partial;
  limits.threads = options.threads;
  limits.timeout = options.timeout;
  limits.reconnect = options.reconnect;
  limits.keep_depth = options.keep_depth;
  if (options.part) limits.part = *options.part;
  return limits;
}
}  // namespace

VideoReader::VideoReader(const std::filesystem::path& path, const ReadOptions& options)
    : state_(new State{io::open_frames(path.string(), limits_of(options)),
                       io::is_live(path.string()), Frame()}) {
  state_->frame.state_->format = state_->source->format();
}
VideoReader::VideoReader(VideoReader&&) noexcept = default;
VideoReader& VideoReader::operator=(VideoReader&&) noexcept = default;
VideoReader::~VideoReader() = default;

Size VideoReader::size() const {
  return {state_->source->format().width, state_->source->format().height};
}
double VideoReader::rate() const {
  const io::StreamFormat& format = state_->source->format();
  return double(format.rate_num) / double(format.rate_den);
}
bool VideoReader::is_live() const { return state_->is_live; }
std::optional<int64_t> VideoReader::expected_frames() const {
  return state_->source->expected_frames();
}
std::string VideoReader::damage() const { return state_->source->damage(); }

void VideoReader::stop() { state_->source->stop(); }

const Frame* VideoReader::next() {
  Frame::State& frame = *state_->frame.state_;
  frame.has_rgb = false;
  return state_->source->next(frame.planes) ? &state_->frame : nullptr;
}

}  // namespace cuesta
