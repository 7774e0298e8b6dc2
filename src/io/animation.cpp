#include "io/animation.hpp"

namespace cuesta::io {

bool begins_as_animation(std::string_view head) {
  return head.size() > 20 && head.starts_with("RIFF") && head.substr(8, 8) == "WEBPVP8X" &&
         (head[20] & 2) != 0;
}

}  // namespace cuesta::io

#if defined(CUESTA_HAS_PICTURES)
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "cuesta/io/colors.hpp"
#include "cuesta/io/picture.hpp"
#include "io/errors.hpp"
#include "io/extras.hpp"
#include "io/frame_pool.hpp"
#include "io/vips.hpp"

namespace cuesta::io {
namespace {

constexpr int default_delay = 100;  // milliseconds, of frames that say none: as browsers have it

class Animation final : public FrameSource {
  struct Planes {
    std::array<Image<uint8_t>, 3> each;
    void clear() {}  // written over
  };

 public:
  Animation(std::unique_ptr<InputBytes> bytes, const StreamLimits& limits)
      : name_(bytes->name()), stop_(limits.stop), bytes_(bytes->read_all()) {
    check_extras(std::span(reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size()), name_);
    start_vips();
    // All frames below each other.
    with_own_errors([&] {
      image_.reset(vips_image_new_from_buffer(
          bytes_.data(), bytes_.size(), "[n=-1]", "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
          limits.allow_partial ? VIPS_FAIL_ON_NONE : VIPS_FAIL_ON_ERROR, nullptr));
      if (!image_) throw_input(name_, take_vips_error());
    });
    const int32_t width = image_->Xsize, height = vips_image_get_page_height(image_.get());
    check_pixels(name_, width, height, limits.max_pixels);
    if (image_->BandFmt != VIPS_FORMAT_UCHAR || image_->Bands < 3 || image_->Ysize % height != 0)
      throw_input(name_, "the frames are not 8-bit RGB of equal size");
    count_ = image_->Ysize / height;
    int* delays = nullptr;
    int entries = 0;
    if (vips_image_get_typeof(image_.get(), "delay") != 0 &&
        vips_image_get_array_int(image_.get(), "delay", &delays, &entries) == 0)
      delays_.assign(delays, delays + entries);
    delays_.resize(size_t(count_), default_delay);
    for (int& delay : delays_)
      if (delay <= 0) delay = default_delay;

    format_ = {.width = width, .height = height, .chroma = Chroma::c444, .full_range = true};
    int64_t whole = 0;
    for (const int delay : delays_) whole += delay;
    format_.rate_num = int64_t(count_) * 1000, format_.rate_den = std::max<int64_t>(whole, 1);
    format_.time_base_num = 1, format_.time_base_den = 1000;
    format_.matrix = 6;  // BT.601
    rgb_ = Image<uint8_t>(width, height, 3);
  }

  const StreamFormat& format() const override { return format_; }
  const std::string& name() const override { return name_; }
  std::optional<int64_t> expected_frames() const override { return count_; }
  std::string description() const override {
    return fmt::format("animated WebP, {}x{}, {} frames", format_.width, format_.height, count_);
  }
  void stop() override {
    if (stop_) stop_->request();
  }

  bool next(Frame& frame) override {
    if (index_ == count_ || (stop_ && stop_->requested())) return false;
    const VipsUse use;
    const VipsRect rect{0, int(index_) * format_.height, format_.width, format_.height};
    const VipsRegionPtr region(
        vips_region_new(image_.get()));  // belongs to the thread that made it
    if (vips_region_prepare(region.get(), &rect) != 0)
      throw_input(name_, fmt::format("frame {}: {}", index_, take_vips_error()));
    for (int32_t y = 0; y < format_.height; ++y) {
      const uint8_t* from = VIPS_REGION_ADDR(region.get(), 0, rect.top + y);
      uint8_t* to = rgb_.row(y);
      for (int32_t x = 0; x < format_.width; ++x, from += image_->Bands, to += 3)
        std::memcpy(to, from, 3);
    }
    const std::shared_ptr<Planes> planes = pool_.take();
    for (auto& plane : planes->each)
      if (plane.empty()) plane = Image<uint8_t>(format_.width, format_.height);
    make_planes(rgb_, planes->each[0], planes->each[1], planes->each[2]);
    frame = {};
    frame.owner = planes;
    frame.luma = planes->each[0], frame.cb = planes->each[1], frame.cr = planes->each[2];
    frame.pts = pts_;
    frame.time = double(pts_) / 1000;
    pts_ += delays_[size_t(index_)];
    frame.index = index_++;
    return true;
  }

 private:
  std::string name_;
  std::shared_ptr<StopSignal> stop_;
  std::vector<uint8_t> bytes_;
  VipsImagePtr image_;
  StreamFormat format_;
  std::vector<int> delays_;
  Image<uint8_t> rgb_;
  Pool<Planes> pool_;
  int64_t index_ = 0, count_ = 0, pts_ = 0;
};

class AnimationSink final : public FrameSink {
 public:
  AnimationSink(const std::string& path, const StreamFormat& format, const StreamLimits& limits)
      : path_(path),
        format_(format),
        channels_(format.chroma == Chroma::none && format.full_range ? 1 : 3),
        max_(limits.max_pixels) {}

  void write(const Frame& frame) override {
    const int64_t pixels = int64_t(format_.width) * format_.height;
    if (pixels * (int64_t(times_.size()) + 1) > max_) {
      throw_output(path_, fmt::format("{} animation frames exceed the limit of {} pixels in "
                                      "memory; raise the limit or write .mp4",
                                      times_.size() + 1, max_));
    }
    const size_t begin = samples_.size(), bytes = size_t(pixels) * size_t(channels_);
    samples_.resize(begin + bytes);
    const ImageView<uint8_t> to{samples_.data() + begin, format_.width, format_.height, channels_,
                                ptrdiff_t(format_.width) * channels_};
    if (channels_ == 3) {
      make_rgb(frame, format_, to);
    } else {
      const auto luma = frame.luma.as<uint8_t>();
      for (int32_t y = 0; y < to.height; ++y) std::copy_n(luma.row(y), to.width, to.row(y));
    }
    times_.push_back(frame.time);
  }

  void finish() override {
    WriteOptions options{.lossless = true, .page_height = format_.height};
    for (size_t i = 0; i < times_.size(); ++i) {
      const double usual = double(format_.rate_den) / double(format_.rate_num);
      const double shown = i + 1 < times_.size() ? times_[i + 1] - times_[i] : usual;
      options.delays.push_back(int(std::lround(std::clamp(shown, 0.0, 60.0) * 1000)));
    }
    const int32_t rows = format_.height * int32_t(times_.size());
    write_picture(path_,
                  ImageView<const uint8_t>{samples_.data(), format_.width, rows, channels_,
                                           ptrdiff_t(format_.width) * channels_},
                  options);
  }

  std::string description() const override { return "an animation"; }

 private:
  std::string path_;
  StreamFormat format_;
  int32_t channels_;
  int64_t max_;
  std::vector<uint8_t> samples_;
  std::vector<double> times_;
};

}  // namespace

std::unique_ptr<FrameSource> open_animation(std::unique_ptr<InputBytes> bytes,
                                            const StreamLimits& limits) {
  return std::make_unique<Animation>(std::move(bytes), limits);
}

std::unique_ptr<FrameSink> create_animation(const std::string& path, const StreamFormat& format,
                                            const StreamLimits& limits) {
  return std::make_unique<AnimationSink>(path, format, limits);
}

}  // namespace cuesta::io
#endif
