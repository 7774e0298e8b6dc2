// The public reader of videos.
#include <algorithm>
#include <cmath>

#include "cuesta/io.hpp"
#include "io/frames.hpp"

namespace cuesta {
namespace {

// YUV to RGB in Q16, by ITU-T H.273's numbers for the matrix.
struct RgbMatrix {
  int32_t luma, cr_to_r, cb_to_g, cr_to_g, cb_to_b, black;

  static RgbMatrix of(const io::StreamFormat& format) {
    const bool is_709 = format.matrix == 1, is_2020 = format.matrix == 9 || format.matrix == 10;
    const double kr = is_709 ? 0.2126 : is_2020 ? 0.2627 : 0.299;
    const double kb = is_709 ? 0.0722 : is_2020 ? 0.0593 : 0.114;
    const double luma = format.full_range ? 1 : 255.0 / 219,
                 color = format.full_range ? 1 : 255.0 / 224;
    const auto q16 = [](double value) { return int32_t(std::lround(value * 65536)); };
    const double r = 2 * (1 - kr) * color, b = 2 * (1 - kb) * color;
    return {q16(luma),
            q16(r),
            q16(-b * kb / (1 - kr - kb)),
            q16(-r * kr / (1 - kr - kb)),
            q16(b),
            format.full_range ? 0 : 16};
  }
};

uint8_t from_q16(int32_t value) { return uint8_t(std::clamp((value + 32768) >> 16, 0, 255)); }

void make_rgb(const io::Frame& frame, const io::StreamFormat& format, ImageView<uint8_t> rgb) {
  const RgbMatrix m = RgbMatrix::of(format);
  const bool halves_x = format.chroma == io::Chroma::c420 || format.chroma == io::Chroma::c422;
  const bool halves_y = format.chroma == io::Chroma::c420;
  const auto luma = frame.luma.as<uint8_t>(), cb = frame.cb.as<uint8_t>(),
             cr = frame.cr.as<uint8_t>();
  for (int32_t y = 0; y < rgb.height; ++y) {
    const uint8_t* from = luma.row(y);
    uint8_t* to = rgb.row(y);
    for (int32_t x = 0; x < rgb.width; ++x, to += 3) {
      const int32_t level = (from[x] - m.black) * m.luma;
      int32_t u = 0, v = 0;
      if (cb.data) {
        u = cb.at(x >> int(halves_x), y >> int(halves_y)) - 128;
        v = cr.at(x >> int(halves_x), y >> int(halves_y)) - 128;
      }
      to[0] = from_q16(level + v * m.cr_to_r);
      to[1] = from_q16(level + u * m.cb_to_g + v * m.cr_to_g);
      to[2] = from_q16(level + u * m.cb_to_b);
    }
  }
}

}  // namespace

struct Frame::State {
  io::Frame planes;
  io::StreamFormat format;
  Image<uint8_t> rgb;
  bool has_rgb = false;
};

Frame::Frame() : state_(std::make_unique<State>()) {}
Frame::~Frame() = default;

Size Frame::size() const { return state_->planes.luma.size(); }
int64_t Frame::index() const { return state_->planes.index; }
double Frame::time() const { return state_->planes.time; }
double Frame::lost() const {
  const io::Gap* gap = state_->planes.gap.get();
  return gap && gap->end ? *gap->end - gap->begin : 0;
}
bool Frame::damaged() const { return state_->planes.damaged; }
ImageView<const uint8_t> Frame::luma() const { return state_->planes.luma.as<uint8_t>(); }

ImageView<const uint8_t> Frame::rgb() const {
  if (!state_->has_rgb) {
    if (state_->rgb.empty()) state_->rgb = Image<uint8_t>(width(), height(), 3);
    make_rgb(state_->planes, state_->format, state_->rgb);
    state_->has_rgb = true;
  }
  return state_->rgb;
}

struct VideoReader::State {
  std::unique_ptr<io::FrameSource> source;
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
  return limits;
}
}  // namespace

VideoReader::VideoReader(const std::filesystem::path& path, const ReadOptions& options)
    : state_(new State{io::open_frames(path.string(), limits_of(options)), Frame()}) {
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
