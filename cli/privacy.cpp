#include "cli/privacy.hpp"

#include <algorithm>

#include "cli/digest.hpp"
#include "cli/samples.hpp"
#include "cuesta/fill.hpp"
#include "cuesta/io/picture.hpp"

namespace cuesta::cli {

namespace {

io::Picture picture_of(const std::string& path, Size size, const std::string& source,
                       const CommonOptions& common) {
  auto picture = io::read_picture(path, {.max_pixels = common.max_pixels,
                                         .allow_partial = common.partial,
                                         .max_memory = common.max_memory});
  if (picture.view().size() != size) {
    throw Error(ErrorCode::input,
                fmt::format("the mask {} is {} x {} and {} is {} x {}; the sizes must match", path,
                            picture.width(), picture.height(), source, size.width, size.height),
                path);
  }
  return picture;
}

// Makes 0 what the picture has black; says whether it has any.
bool add_black(const io::Picture& picture, ImageView<uint8_t> mask) {
  AnyImage holder;
  const ConstAnyView samples = converted(picture.view(), PixelType::u8, holder);
  const int32_t colors = samples.channels - (picture.has_alpha ? 1 : 0);
  bool has_black = false;
  for (int32_t y = 0; y < mask.height; ++y) {
    const uint8_t* row = samples.as<const uint8_t>().row(y);
    for (int32_t x = 0; x < mask.width; ++x, row += samples.channels) {
      if (std::any_of(row, row + colors, [](uint8_t sample) { return sample >= 128; })) continue;
      mask.at(x, y) = 0;
      has_black = true;
    }
  }
  return has_black;
}

}  // namespace

Image<uint8_t> mask_in(const std::string& path, Size size, const std::string& source,
                       const CommonOptions& common) {
  const auto picture = picture_of(path, size, source, common);
  Image<uint8_t> mask(size.width, size.height);
  fill_mask(picture.view(), picture.has_alpha, mask);
  return mask;
}

PrivacyMask::PrivacyMask(const std::vector<std::string>& paths, const io::StreamFormat& format,
                         const std::string& source, const CommonOptions& common)
    : size_{format.width, format.height},
      source_(source),
      black_(uint8_t(format.full_range ? 0 : 16)) {
  Image<uint8_t> mask(size_.width, size_.height);
  cuesta::fill<uint8_t>(mask.view(), 255);
  for (const std::string& path : paths) {
    const auto picture = picture_of(path, size_, source, common);
    if (!add_black(picture, mask))
      throw Error(ErrorCode::input,
                  fmt::format("the privacy mask {} has no black pixel, so that nothing would be "
                              "painted out; paint black what nobody may see",
                              path),
                  path);
  }
  luma_ = runs_of(mask, size_);
  const auto [width, height] = io::chroma_size(format.chroma, format.width, format.height);
  chroma_ = runs_of(mask, {width, height});
}

// The black of each row of a plane of this size. A sample that covers any black pixel is black.
std::vector<PrivacyMask::Run> PrivacyMask::runs_of(ConstAnyView mask, Size size) {
  std::vector<Run> runs;
  if (size.width == 0) return runs;
  const auto view = mask.as<const uint8_t>();
  const int32_t sx = (mask.width + size.width - 1) / size.width;
  const int32_t sy = (mask.height + size.height - 1) / size.height;
  const auto is_black = [&](int32_t x, int32_t y) {
    for (int32_t v = y * sy; v < std::min(mask.height, (y + 1) * sy); ++v)
      for (int32_t u = x * sx; u < std::min(mask.width, (x + 1) * sx); ++u)
        if (view.row(v)[u] == 0) return true;
    return false;
  };
  for (int32_t y = 0; y < size.height; ++y) {
    for (int32_t x = 0; x < size.width; ++x) {
      if (!is_black(x, y)) continue;
      if (!runs.empty() && runs.back().y == y && runs.back().end == x)
        ++runs.back().end;
      else
        runs.push_back({y, x, x + 1});
    }
  }
  return runs;
}

uint64_t PrivacyMask::digest() const {
  Digest digest;
  digest.add(uint32_t(size_.width));
  digest.add(uint32_t(size_.height));
  for (const Run& run : luma_)
    for (const int32_t value : {run.y, run.begin, run.end}) digest.add(uint32_t(value));
  return digest.value() | 1;
}

void PrivacyMask::paint(io::FrameBuffer& frame) const {
  const io::Frame& shown = frame.frame();
  if (!shown.luma || shown.luma.size() != size_ || shown.deep_luma || shown.gpu_luma)
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: frame {} cannot be painted out: it is not of {} x {} samples of 8 "
                            "bits in host memory",
                            source_, shown.index, size_.width, size_.height),
                source_);
  const auto fill = [](AnyView plane, const std::vector<Run>& runs, uint8_t value) {
    if (!plane.data) return;
    const auto view = plane.as<uint8_t>();
    for (const Run& run : runs)
      std::fill(view.row(run.y) + run.begin, view.row(run.y) + run.end, value);
  };
  fill(frame.luma(), luma_, black_);
  fill(frame.cb(), chroma_, 128);
  fill(frame.cr(), chroma_, 128);
}

}  // namespace cuesta::cli
