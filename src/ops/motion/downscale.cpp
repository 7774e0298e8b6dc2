#include "cuesta/downscale.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "core/threads.hpp"
#include "cuesta/strategies.hpp"
#include "ops/motion/check_frame.hpp"
#include "ops/motion/limits.hpp"
#include "ops/motion/means.hpp"
#include "ops/motion/options.hpp"
#include "ops/motion/saved.hpp"

namespace cuesta {
namespace {

// Sets bits [begin, end) of a row.
void set_bits(uint64_t* row, int32_t begin, int32_t end) {
  for (int32_t word = begin / 64; begin < end; ++word) {
    const int32_t next = std::min(end, 64 * (word + 1)), count = next - begin;
    row[word] |= (~uint64_t(0) >> (64 - count)) << (begin % 64);
    begin = next;
  }
}

// The element of pixels N times larger.
StructuringElement downscaled(const StructuringElement& of_frames, int32_t factor) {
  const auto divided = [&](int32_t offset) {
    const int32_t nearest = (2 * std::abs(offset) + factor - 1) / (2 * factor);
    return offset < 0 ? -nearest : nearest;
  };
  std::vector<std::pair<int32_t, int32_t>> offsets;
  int32_t across = 0, down = 0;  // the farthest from the anchor
  for (int32_t y = 0; y < of_frames.height(); ++y) {
    for (int32_t x = 0; x < of_frames.width(); ++x) {
      if (!of_frames.contains(x, y)) continue;
      const auto [dx, dy] = offsets.emplace_back(divided(x - of_frames.anchor_x()),
                                                 divided(y - of_frames.anchor_y()));
      across = std::max(across, std::abs(dx)), down = std::max(down, std::abs(dy));
    }
  }
  const int32_t width = 2 * across + 1, height = 2 * down + 1;
  std::vector<uint8_t> cells(size_t(width) * size_t(height));
  for (const auto& [dx, dy] : offsets)
    cells[size_t(dy + down) * size_t(width) + size_t(dx + across)] = 1;
  return {width, height, cells};
}

// What a state has before the detector's.
struct SavedFrames {
  int32_t factor = 1, width = 0, height = 0;
};

}  // namespace

Downscale::Downscale(DownscaleOptions options) : factor_(options.downscale) {
  check_options(options, "motion");
}

MotionOptions Downscale::options_for(MotionOptions of_frames) {
  if (factor_ == 1) return of_frames;
  check_options(of_frames, "motion");
  const auto up = [this](int pixels) { return (pixels + factor_ - 1) / factor_; };
  min_area_ = of_frames.min_area;
  of_frames.min_area = std::min<int64_t>(min_area_, 1);  // 0: as specks have it
  of_frames.steady = up(of_frames.steady);
  of_frames.displacement = up(of_frames.displacement);
  of_frames.blur = 2 * up((of_frames.blur - 1) / 2) + 1;
  of_frames.blur_sigma /= factor_;
  of_frames.close = downscaled(of_frames.close, factor_);
  of_frames.open = downscaled(of_frames.open, factor_);
  return of_frames;
}

ConstAnyView Downscale::look(ConstAnyView frame, const Exec& exec) {
  if (factor_ == 1) return frame;
  motion::check_frame(frame);
  if (frame.space != Space::host) {
    throw Error(ErrorCode::unsupported,
                "motion: downscaling frames on the GPU is not supported; pass host frames or set "
                "downscale to 1",
                std::to_string(factor_));
  }
  if (size_ != Size{}) motion::check_same_as_before(frame, size_);
  ConstAnyView gray = frame;
  const Exec before{.threads = exec.threads, .observer = exec.observer, .choices = exec.choices};
  if (exec.choices) {
    if (frame.channels != 1)
      to_gray(frame, placeholder(frame.width, frame.height, frame.type), ColorOrder::rgb, before);
    const Size small = motion::downscaled(frame.size(), factor_);
    return placeholder(small.width, small.height, frame.type);
  }
  if (frame.channels != 1) {
    gray_.create(frame.size(), 1, frame.type);
    to_gray(frame, gray_, ColorOrder::rgb, before);
    gray = gray_;
  }
  size_ = frame.size();
  small_.create(motion::downscaled(size_, factor_), 1, frame.type);
  // A strip of less than 2 Mi pixels takes about as long as handing it to a thread.
  const int64_t least = (1 << 21) / (int64_t(frame.width) * factor_);
  parallel_rows(
      small_.height(), thread_count(exec.threads),
      [&](int32_t first, int32_t end) {
        motion::means_simd(gray, small_.view(), factor_, first, end);
      },
      int32_t(std::max<int64_t>(least, 16)));
  return small_;
}

Image<float> Downscale::thresholds(ConstAnyView of_frames) const {
  motion::check_thresholds(of_frames);
  Image<float> reduced(motion::downscaled(of_frames.size(), factor_));
  for (int32_t y = 0; y < reduced.height(); ++y)
    std::fill_n(reduced.row(y), reduced.width(), std::numeric_limits<float>::infinity());
  for (int32_t y = 0; y < of_frames.height; ++y) {
    for (int32_t x = 0; x < of_frames.width; ++x) {
      float& lowest = reduced.at(x / factor_, y / factor_);
      lowest = std::min(lowest, of_frames.as<float>().at(x, y));
    }
  }
  return reduced;
}

std::span<const Detection> Downscale::detections(std::span<const Detection> seen) {
  if (factor_ == 1) return seen;
  detections_.clear();
  for (const Detection& one : seen) {
    Rect box{one.box.x * factor_, one.box.y * factor_, one.box.width * factor_,
             one.box.height * factor_};
    box.width = std::min(box.width, size_.width - box.x);
    box.height = std::min(box.height, size_.height - box.y);
    const int64_t area =
        std::min(one.area * factor_ * factor_, int64_t(box.width) * int64_t(box.height));
    if (area < min_area_) continue;
    const auto centroid = [&](double c) { return factor_ * c + (factor_ - 1) / 2.0; };
    detections_.push_back({box, area, centroid(one.centroid_x), centroid(one.centroid_y)});
  }
  return detections_;
}

FrameState Downscale::state(FrameState seen) const {
  seen.shift_x *= factor_, seen.shift_y *= factor_;
  return seen;
}

ConstBitView Downscale::mask(ConstBitView seen) {
  if (factor_ == 1 || seen.width == 0) return seen;
  if (mask_.size() != size_) mask_ = BitImage(size_);
  const BitView to = mask_;
  for (int32_t y = 0; y < to.height; ++y) {
    uint64_t* row = to.row(y);
    if (y % factor_ != 0) {
      std::copy_n(to.row(y - 1), to.words(), row);
      continue;
    }
    std::fill_n(row, to.words(), uint64_t(0));
    const uint64_t* from = seen.row(y / factor_);
    for (int32_t w = 0; w < seen.words(); ++w) {
      for (uint64_t bits = from[w]; bits != 0;) {
        const int32_t begin = std::countr_zero(bits);
        const int32_t count = std::countr_one(bits >> begin);
        set_bits(row, (64 * w + begin) * factor_,
                 std::min((64 * w + begin + count) * factor_, to.width));
        bits &= begin + count == 64 ? 0 : ~uint64_t(0) << (begin + count);
      }
    }
  }
  return to;
}

void Downscale::reset() { size_ = {}; }

std::vector<uint8_t> Downscale::save(const MotionDetector& detector) const {
  std::vector<uint8_t> saved = detector.save();
  if (factor_ == 1) return saved;
  const SavedFrames frames{.factor = factor_, .width = size_.width, .height = size_.height};
  saved.insert(saved.begin(), sizeof(motion::SavedSeal) + sizeof frames, 0);
  std::memcpy(saved.data() + sizeof(motion::SavedSeal), &frames, sizeof frames);
  motion::SavedSeal::close(motion::SavedSeal::of_downscale, saved);
  return saved;
}

void Downscale::load(MotionDetector& detector, std::span<const uint8_t> saved) {
  using motion::SavedSeal;
  SavedFrames frames;
  const bool is_of_frames = SavedSeal::is_of(SavedSeal::of_detector, saved);
  if (!is_of_frames && (factor_ > 1 || SavedSeal::is_of(SavedSeal::of_downscale, saved))) {
    saved = SavedSeal::open(SavedSeal::of_downscale, saved);
    if (saved.size() < sizeof frames) motion::throw_saved("is cut off");
    std::memcpy(&frames, saved.data(), sizeof frames);
    saved = saved.subspan(sizeof frames);
  }
  if (frames.factor != factor_) {
    motion::throw_saved(
        fmt::format("has downscale {} and this detector has {}", frames.factor, factor_),
        "downscale");
  }
  if (frames.width < 0 || frames.height < 0 || (frames.width == 0) != (frames.height == 0))
    motion::throw_saved("is damaged");
  detector.load(saved);
  if (factor_ > 1) size_ = {frames.width, frames.height};
}

}  // namespace cuesta
