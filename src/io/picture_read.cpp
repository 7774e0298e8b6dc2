#if defined(CUESTA_HAS_PICTURES)
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "cuesta/io/picture.hpp"
#include "io/errors.hpp"
#include "io/formats.hpp"
#include "io/picture_open.hpp"
#include "io/picture_rows.hpp"
#include "io/raw_picture.hpp"
#include "io/vips.hpp"
#include "recipes/holes.hpp"

namespace cuesta::io {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(const std::filesystem::path& path)
      : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (number_ < 0) throw_input(path.string(), reason_of(errno));
  }
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { close(number_); }
  int number() const { return number_; }

 private:
  int number_;
};

// Profile and descriptions, on an image without samples worth keeping.
// A row of CMYK (0 = no ink) to RGB, as cv::imread computes it.
void cmyk_to_rgb(const uint8_t* from, int32_t width, uint8_t* to) {
  for (int32_t x = 0; x < width; ++x, from += 4, to += 3) {
    const int white = 255 - from[3];
    for (int c = 0; c < 3; ++c) to[c] = uint8_t(white - ((from[c] * white) >> 8));
  }
}

void cmyk_to_rgb(Image<uint8_t>& picture) {
  Image<uint8_t> rgb(picture.width(), picture.height(), 3);
  for (int32_t y = 0; y < picture.height(); ++y)
    cmyk_to_rgb(picture.row(y), picture.width(), rgb.row(y));
  picture = std::move(rgb);
}

template <class T>
Image<T> samples_of(VipsImage* image, const std::string& name) {
  const int32_t width = image->Xsize, height = image->Ysize, channels = image->Bands;
  Image<T> out(width, height, channels);
  const VipsRegionPtr region(vips_region_new(image));
  // Strips of the height that decoders like (MCUs, tiles); sequential access goes downwards.
  constexpr int32_t strip = 256;
  for (int32_t y = 0; y < height; y += strip) {
    const VipsRect rect{0, y, width, std::min(strip, height - y)};
    if (vips_region_prepare(region.get(), &rect) != 0)
      throw_input(name, fmt::format("cannot be decoded: {}", take_vips_error()));
    for (int32_t i = 0; i < rect.height; ++i) {
      std::memcpy(out.row(y + i), VIPS_REGION_ADDR(region.get(), 0, y + i),
                  size_t(width) * size_t(channels) * sizeof(T));
    }
  }
  return out;
}

VipsImagePtr upright(VipsImagePtr image, const std::string& name) {
  if (vips_image_get_orientation(image.get()) <= 1) return image;
  // Turning reads in another order than files are decoded in.
  image.reset(vips_image_copy_memory(image.get()));
  if (!image) throw_input(name, fmt::format("cannot be decoded: {}", take_vips_error()));
  return transformed(std::move(image), name,
                     [](VipsImage* in, VipsImage** out) { return vips_autorot(in, out, nullptr); });
}

void set_levels(Picture& out, ConstAnyView samples, const ReadLimits& limits, bool holds_light) {
  recipes::Whitened white =
      recipes::levels_of(samples, out.has_alpha, limits.white, holds_light, limits.floats);
  out.holes = std::move(white.holes);
  out.pixels = std::move(white.pixels);
  out.remark = std::move(white.remark);
  out.clipped = white.clipped;
  out.scale = white.scale;
}

// Samples of 8 or 16 bits: as they are, or levels by a black or white that is given.
template <class T>
void set_integers(Picture& out, Image<T> samples, const ReadLimits& limits) {
  if (makes_levels(limits)) return set_levels(out, samples, limits, false);
  out.pixels = std::move(samples);
}

void set_floats(Picture& out, VipsImage* image, const std::string& name, const ReadLimits& limits,
                bool holds_light, std::optional<float> hole) {
  auto samples = samples_of<float>(image, name);
  if (hole) {
    for (int32_t y = 0; y < samples.height(); ++y)
      set_holes(samples.row(y), samples.width(), samples.channels(), out.has_alpha, *hole);
  }
  if (keeps_numbers(limits, holds_light)) {
    out.remark = hole ? fmt::format("numbers as they are; {:g} means no data", *hole)
                      : "numbers as they are";
    out.pixels = std::move(samples);
    return;
  }
  set_levels(out, samples, limits, holds_light);
}

constexpr const char* whole_levels =
    "its numbers become levels by the whole picture, so that it cannot be read in bands; convert "
    "it "
    "to 16 bits first or raise the memory limit";

[[noreturn]] void refuse_type(const VipsImage* image, const std::string& name) {
  throw_input(name, fmt::format("its samples are {}; save it as float32",
                                vips_enum_nick(VIPS_TYPE_BAND_FORMAT, image->BandFmt)));
}

Picture decode(VipsSource* source, std::span<const uint8_t> memory, const std::string& name,
               const ReadLimits& limits, bool is_lenient) {
  auto [image, cmyk, holds_light, has_alpha, extras] =
      prepare(source, memory, name, limits, is_lenient);
  const std::optional<float> hole = extras.hole;
  Picture out;
  out.has_alpha = has_alpha;
  out.metadata = metadata_of(image.get(), std::move(extras));
  image = upright(std::move(image), name);
  switch (image->BandFmt) {
    case VIPS_FORMAT_UCHAR: {
      auto samples = samples_of<uint8_t>(image.get(), name);
      if (cmyk) cmyk_to_rgb(samples);
      set_integers(out, std::move(samples), limits);
    } break;
    case VIPS_FORMAT_USHORT:
      set_integers(out, samples_of<uint16_t>(image.get(), name), limits);
      break;
    case VIPS_FORMAT_FLOAT: set_floats(out, image.get(), name, limits, holds_light, hole); break;
    default: refuse_type(image.get(), name);
  }
  vips_error_clear();
  return out;
}

// `new_source` opens the file from its beginning.
template <class NewSource>
Picture decode_twice(NewSource&& new_source, std::span<const uint8_t> memory,
                     const std::string& name, const ReadLimits& limits) {
  const auto open = [&] {
    VipsSourcePtr source(new_source());
    if (!source) throw_input(name, take_vips_error());
    return source;
  };
  try {
    return decode(open().get(), memory, name, limits, false);
  } catch (const Error& error) {
    if (std::string_view(error.what()).find(harmless_jpeg_warning) == std::string_view::npos) throw;
  }
  return decode(open().get(), memory, name, limits, true);
}

std::vector<uint8_t> begin_of_file(int file, int64_t size) {
  std::vector<uint8_t> bytes(size_t(size), 0);
  int64_t have = 0;
  while (have < size) {
    const ssize_t got = pread(file, bytes.data() + have, size_t(size - have), have);
    if (got <= 0) break;
    have += got;
  }
  bytes.resize(size_t(have));
  return bytes;
}

// What a file of raw samples declares is looked at before anything is read of it: libvips takes
// what is missing for black, and reads for each sample of text that is not there.
void check_raw(const RawPicture& raw, int64_t size, const std::string& name,
               const ReadLimits& limits) {
  check_pixels(name, raw.width, raw.height, limits.max_pixels);
  check_memory(name, raw.width, raw.height, raw.pixel_bytes, limits.max_memory);
  if (size >= raw.least) return;
  // A few bytes that declare a giant are not worth one: what a file costs is bounded by its size.
  constexpr int64_t at_least_of = 1000;
  const bool has_enough = size >= raw.least / at_least_of;
  if (limits.allow_partial && has_enough) return;
  throw_input(name,
              fmt::format("the file is truncated: {} x {} pixels require {} bytes and it has {}{}",
                          raw.width, raw.height, raw.least, size,
                          has_enough ? "" : ", less than a thousandth"),
              has_enough ? Hint::allow_partial : Hint::none);
}

// Whole in memory go BMP, because libvips has it that way only; PNM of text, whose numbers are
// counted; and on request cut-off PNM, because libvips does not read what is there of it.
bool goes_through_memory(const RawPicture& raw, const ReadLimits& limits) {
  return raw.kind == 'B' || raw.is_text() || limits.allow_partial;
}

// What fills memory that malloc() gives, as long as it lives, with zeros: libde265, behind HEIF,
// shows what was there where a damaged file says nothing.
class ZeroedMemory {
 public:
#if defined(M_PERTURB)
  ZeroedMemory() {
    if (users_++ == 0) mallopt(M_PERTURB, 0xff);  // glibc fills with the complement
  }
  ~ZeroedMemory() {
    if (--users_ == 0) mallopt(M_PERTURB, 0);
  }
#else
  ZeroedMemory() = default;
  ~ZeroedMemory() = default;
#endif
  ZeroedMemory(const ZeroedMemory&) = delete;
  ZeroedMemory& operator=(const ZeroedMemory&) = delete;

 private:
  inline static std::atomic<int> users_{0};
};

// ISO/IEC 14496-12: a box "ftyp" first.
bool begins_as_heif(std::span<const uint8_t> head) {
  return head.size() > 12 && std::memcmp(&head[4], "ftyp", 4) == 0;
}

Picture decode_file(int file, const std::string& name, const ReadLimits& limits) {
  return decode_twice(
      [&] {
        lseek(file, 0, SEEK_SET);
        return vips_source_new_from_descriptor(file);
      },
      {}, name, limits);
}

FileDescriptor file_in_memory(std::span<const uint8_t> bytes, const std::string& name) {
  const int file = memfd_create("picture", MFD_CLOEXEC);
  size_t have = 0;
  while (file >= 0 && have < bytes.size()) {
    const ssize_t put = ::write(file, bytes.data() + have, bytes.size() - have);
    if (put <= 0) break;
    have += size_t(put);
  }
  if (have < bytes.size()) {
    const std::string reason = reason_of(errno);
    if (file >= 0) close(file);
    throw_input(name, reason);
  }
  return FileDescriptor(file);
}

}  // namespace

Picture read_picture(const std::filesystem::path& path, const ReadLimits& limits) {
  const std::string name = path.string();
  const FileDescriptor file(path);
  struct stat status {};
  if (fstat(file.number(), &status) != 0) throw_input(name, reason_of(errno));
  if (S_ISDIR(status.st_mode)) throw_input(name, "this is a folder; name a picture file");
  if (!S_ISREG(status.st_mode)) throw_input(name, "this is not a regular file");
  if (status.st_size == 0) throw_input(name, "the file is empty");
  const auto head =
      begin_of_file(file.number(), std::min<int64_t>(status.st_size, int64_t(head_bytes)));
  // libvips would seek in all of it for what it might be.
  if (!is_picture(head)) throw_input(name, "not a picture in a format that this build reads");
  if (const auto raw = raw_picture_of(head)) {
    check_raw(*raw, status.st_size, name, limits);
    if (goes_through_memory(*raw, limits)) {
      return read_picture(begin_of_file(file.number(), std::min(status.st_size, raw->most)), name,
                          limits);
    }
  }
  start_vips();
  std::optional<ZeroedMemory> zeroed;
  if (begins_as_heif(head)) zeroed.emplace();
  return with_own_errors([&] { return decode_file(file.number(), name, limits); });
}

Picture read_picture(std::span<const uint8_t> bytes, const std::string& name,
                     const ReadLimits& limits) {
  if (bytes.empty()) throw_input(name, "the file is empty");
  start_vips();
  std::vector<uint8_t> completed;
  if (const auto raw = raw_picture_of(bytes.first(std::min(bytes.size(), head_bytes)))) {
    check_raw(*raw, int64_t(bytes.size()), name, limits);
    if (raw->kind != 'B' && limits.allow_partial) {
      completed.assign(bytes.begin(), bytes.end());
      complete(*raw, completed);
      bytes = completed;
    } else if (const int64_t found = raw->is_text() ? numbers_in_text(*raw, bytes) : raw->samples;
               found < raw->samples) {
      throw_input(
          name, fmt::format("the file is truncated: it has {} of {} numbers", found, raw->samples),
          Hint::allow_partial);
    }
    if (!limits.allow_partial && !runs_stay_inside(*raw, bytes))
      throw_input(name, "the file is damaged: a run of pixels leaves the picture",
                  Hint::allow_partial);
  }
  std::optional<ZeroedMemory> zeroed;
  if (begins_as_heif(bytes)) zeroed.emplace();
  return with_own_errors([&] {
    if (begins_as_openexr(bytes)) {
      const FileDescriptor file = file_in_memory(bytes, name);
      return decode_file(file.number(), name, limits);
    }
    return decode_twice([&] { return vips_source_new_from_memory(bytes.data(), bytes.size()); },
                        bytes, name, limits);
  });
}

// One page of a file that reading it refuses.
static Pages pages_where_allowed(VipsSource* source) {
  try {
    check_extras(source, "picture");
  } catch (const Error&) {
    return {};
  }
  return pages_in(source);
}

Pages pages_of(const std::filesystem::path& path) {
  const FileDescriptor file(path);
  start_vips();
  const VipsUse use;
  uint8_t head[head_bytes] = {};
  const ssize_t have = pread(file.number(), head, sizeof head, 0);
  // One page; libvips would look for a line's end in all of it.
  if (have > 0 && begins_as_bmp({head, size_t(have)})) return {};
  const VipsSourcePtr source(vips_source_new_from_descriptor(file.number()));
  if (!source || have < 0) return {};
  return pages_where_allowed(source.get());
}

Pages pages_of(std::span<const uint8_t> bytes) {
  start_vips();
  const VipsUse use;
  const VipsSourcePtr source(vips_source_new_from_memory(bytes.data(), bytes.size()));
  if (!source) return {};
  return pages_where_allowed(source.get());
}

bool is_picture(std::span<const uint8_t> head) {
  if (head.empty()) return false;
  start_vips();
  const VipsUse use;
  const VipsSourcePtr source(vips_source_new_from_memory(head.data(), head.size()));
  const char* loader = source ? vips_foreign_find_load_source(source.get()) : nullptr;
  const bool known = (loader && format_of_loader(loader)) || begins_as_bmp(head) ||
                     begins_as_tiff(head) || begins_as_openexr(head);
  vips_error_clear();
  return known;
}

bool is_picture(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  struct stat status {};
  bool known = false;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode))
    known = is_picture(begin_of_file(file, std::min<int64_t>(status.st_size, head_bytes)));
  close(file);
  return known;
}

struct PictureRows::State {
  State(const std::filesystem::path& path, const ReadLimits& limits)
      : name(path.string()), file(path) {
    struct stat status {};
    if (fstat(file.number(), &status) != 0) throw_input(name, reason_of(errno));
    if (!S_ISREG(status.st_mode))
      throw_input(name,
                  "this is a folder, pipe or device; reading in bands requires a regular file");
    ReadLimits of_rows = limits;  // whose bands are bounded by their caller
    of_rows.max_memory = std::numeric_limits<int64_t>::max();
    const auto head =
        begin_of_file(file.number(), std::min<int64_t>(status.st_size, int64_t(head_bytes)));
    if (const auto raw = raw_picture_of(head)) {
      check_raw(*raw, status.st_size, name, of_rows);
      if (goes_through_memory(*raw, limits)) {
        throw_input(name,
                    "BMP, text PNM and damaged PNM cannot be read in bands; convert the picture to "
                    "TIFF first");
      }
    }
    start_vips();
    Prepared made = with_own_errors([&] {
      lseek(file.number(), 0, SEEK_SET);
      source.reset(vips_source_new_from_descriptor(file.number()));
      if (!source) throw_input(name, take_vips_error());
      return prepare(source.get(), {}, name, of_rows, true);
    });
    image = std::move(made.image);
    cmyk = made.cmyk;
    if (const int turned = vips_image_get_orientation(image.get()); turned > 1) {
      facts.refusal = fmt::format(
          "its EXIF orientation {} turns it, so that it cannot be read in bands; rotate it first "
          "(vips autorot) or raise the memory limit",
          turned);
    }
    facts.size = {image->Xsize, image->Ysize};
    facts.channels = cmyk ? 3 : image->Bands;
    facts.has_alpha = made.has_alpha;
    hole = made.extras.hole;
    facts.metadata = metadata_of(image.get(), std::move(made.extras));
    switch (image->BandFmt) {
      case VIPS_FORMAT_UCHAR: facts.type = PixelType::u8; break;
      case VIPS_FORMAT_USHORT: facts.type = PixelType::u16; break;
      case VIPS_FORMAT_FLOAT:
        if (!keeps_numbers(limits, made.holds_light)) {
          facts.refusal =
              hole ? fmt::format(
                         "it has a number for no data, {:g}, which this method leaves out in whole "
                         "pictures only; use canny or raise the memory limit",
                         *hole)
                   : whole_levels;
        }
        facts.type = PixelType::f32;
        break;
      default: refuse_type(image.get(), name);
    }
    if (facts.type != PixelType::f32 && makes_levels(limits)) facts.refusal = whole_levels;
  }

  std::string name;
  FileDescriptor file;
  VipsSourcePtr source{};
  VipsImagePtr image{};
  PictureFacts facts{};
  bool cmyk = false;
  std::optional<float> hole{};
  int32_t next = 0;
};

PictureRows::PictureRows(const std::filesystem::path& path, const ReadLimits& limits,
                         const std::optional<Rect>& region)
    : state_(std::make_unique<State>(path, limits)) {
  if (!region) return;
  State& s = *state_;
  detail::check_region(s.facts.size, *region);
  s.image = transformed(std::move(s.image), s.name, [&](VipsImage* in, VipsImage** out) {
    return vips_extract_area(in, out, region->x, region->y, region->width, region->height, nullptr);
  });
  s.facts.size = {region->width, region->height};
  s.facts.metadata = s.facts.metadata.of_result(region->x, region->y, true);
}
PictureRows::~PictureRows() = default;

const PictureFacts& PictureRows::facts() const { return state_->facts; }

void PictureRows::read(int32_t first, AnyView rows) {
  State& s = *state_;
  if (!s.facts.refusal.empty()) throw_input(s.name, s.facts.refusal);
  const size_t row_bytes =
      size_t(rows.width) * size_t(rows.channels) * size_t(bytes_per_sample(rows.type));
  constexpr int32_t strip = 64;
  const int32_t end = first + rows.height;
  const VipsUse use;
  const VipsRegionPtr region(vips_region_new(s.image.get()));  // belongs to a thread
  // What is before is decoded and passed over, in order, as decoders want it.
  for (int32_t y = s.next; y < end;) {
    const VipsRect rect{0, y, s.image->Xsize, std::min(strip, (y < first ? first : end) - y)};
    if (vips_region_prepare(region.get(), &rect) != 0)
      throw_input(s.name, fmt::format("cannot be decoded: {}", take_vips_error()));
    for (int32_t i = y; y >= first && i < y + rect.height; ++i) {
      char* to = static_cast<char*>(rows.data) + ptrdiff_t(i - first) * rows.stride_bytes;
      const VipsPel* from = VIPS_REGION_ADDR(region.get(), 0, i);
      if (s.cmyk)
        cmyk_to_rgb(from, rows.width, reinterpret_cast<uint8_t*>(to));
      else
        std::memcpy(to, from, row_bytes);
      if (s.hole)
        set_holes(reinterpret_cast<float*>(to), rows.width, rows.channels, s.facts.has_alpha,
                  *s.hole);
    }
    y += rect.height;
  }
  s.next = end;
}

}  // namespace cuesta::io
#endif
