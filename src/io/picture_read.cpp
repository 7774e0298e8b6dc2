#if defined(CUESTA_HAS_PICTURES)
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "io/errors.hpp"
#include "io/formats.hpp"
#include "io/picture.hpp"
#include "io/vips.hpp"

namespace cuesta::io {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(const std::filesystem::path& path)
      : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number_ < 0) throw_input(path.string(), reason_of(errno));
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { close(number_); }
  int number() const { return number_; }

 private:
  int number_;
};

uint32_t little_endian_32(const uint8_t* bytes) {
  return uint32_t(bytes[0]) | uint32_t(bytes[1]) << 8 | uint32_t(bytes[2]) << 16 |
         uint32_t(bytes[3]) << 24;
}

bool begins_as_bmp(std::span<const uint8_t> bytes) {
  return bytes.size() >= 26 && bytes[0] == 'B' && bytes[1] == 'M' &&
         little_endian_32(&bytes[6]) == 0;
}

// What libjpeg says where a camera left bytes between the last scan and the end of the file. All
// samples are there by then.
constexpr std::string_view harmless_jpeg_warning = "extraneous bytes before marker 0xd9";

// libjpeg calls corrupt samples a warning; what others call warnings (odd tags and profiles) leaves
// the samples alone.
VipsFailOn fail_on_of(std::string_view loader, const ReadLimits& limits, bool is_lenient) {
  if (limits.allow_partial) return VIPS_FAIL_ON_NONE;
  return loader.starts_with("VipsForeignLoadJpeg") && !is_lenient ? VIPS_FAIL_ON_WARNING
                                                                  : VIPS_FAIL_ON_ERROR;
}

// The header of the picture in `source`; samples are decoded when they are asked for.
VipsImagePtr open_image(VipsSource* source, std::span<const uint8_t> memory,
                        const std::string& name, const ReadLimits& limits,
                        bool is_lenient = false) {
  VipsImage* image = nullptr;
  if (const char* loader = vips_foreign_find_load_source(source);
      loader && format_of_loader(loader)) {
    image = vips_image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                                       fail_on_of(loader, limits, is_lenient), nullptr);
  } else if (begins_as_bmp(memory)) {
    // libvips has BMP through ImageMagick only, which decodes at once: look at the size before.
    vips_error_clear();
    const bool is_old = little_endian_32(&memory[14]) == 12;
    const int64_t width =
        is_old ? memory[18] | memory[19] << 8 : int32_t(little_endian_32(&memory[18]));
    const int64_t height =
        is_old ? memory[20] | memory[21] << 8 : int32_t(little_endian_32(&memory[22]));
    check_pixels(name, width, std::abs(height), limits.max_pixels);
    image = vips_image_new_from_buffer(memory.data(), memory.size(), "", "access",
                                       VIPS_ACCESS_SEQUENTIAL, "fail_on",
                                       fail_on_of("", limits, is_lenient), nullptr);
  } else {
    vips_error_clear();
    throw_input(name, "not a picture in a format that this build reads");
  }
  if (!image) throw_input(name, fmt::format("cannot be read as a picture: {}", take_vips_error()));
  return VipsImagePtr(image);
}

// One libvips operation on an owned image.
template <class Operation>
VipsImagePtr transformed(VipsImagePtr image, const std::string& name, Operation&& operation) {
  VipsImage* out = nullptr;
  if (operation(image.get(), &out) != 0)
    throw_input(name, fmt::format("cannot be read as a picture: {}", take_vips_error()));
  return VipsImagePtr(out);
}

// Profile and descriptions, on an image without samples worth keeping.
Metadata metadata_of(VipsImage* image) {
  VipsImage* holder = nullptr;
  if (vips_black(&holder, 1, 1, nullptr) != 0) {
    vips_error_clear();
    return {};
  }
  // An image that an operation made may be shared; a copy may be written to.
  VipsImage* fields = nullptr;
  const int failed = vips_copy(holder, &fields, nullptr);
  g_object_unref(holder);
  if (failed) {
    vips_error_clear();
    return {};
  }
  vips_image_map(
      image,
      [](VipsImage*, const char* field, GValue* value, void* to) -> void* {
        const std::string_view key = field;
        if (key == VIPS_META_ICC_NAME || key == VIPS_META_XMP_NAME || key == VIPS_META_IPTC_NAME ||
            key == VIPS_META_EXIF_NAME || key.starts_with("exif-ifd"))
          vips_image_set(static_cast<VipsImage*>(to), field, value);
        return nullptr;
      },
      fields);
  return Metadata(std::shared_ptr<void>(fields, [](void* object) { g_object_unref(object); }));
}

// CMYK (0 = no ink) to RGB in place of the first three channels, as cv::imread computes it.
void cmyk_to_rgb(Image<uint8_t>& picture) {
  Image<uint8_t> rgb(picture.width(), picture.height(), 3);
  for (int32_t y = 0; y < picture.height(); ++y) {
    const uint8_t* from = picture.row(y);
    uint8_t* to = rgb.row(y);
    for (int32_t x = 0; x < picture.width(); ++x, from += 4, to += 3) {
      const int white = 255 - from[3];
      for (int c = 0; c < 3; ++c) to[c] = uint8_t(white - ((from[c] * white) >> 8));
    }
  }
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

Picture decode(VipsSource* source, std::span<const uint8_t> memory, const std::string& name,
               const ReadLimits& limits, bool is_lenient) {
  VipsImagePtr image = open_image(source, memory, name, limits, is_lenient);
  check_pixels(name, image->Xsize, image->Ysize, limits.max_pixels);

  const VipsInterpretation colors = vips_image_guess_interpretation(image.get());
  const bool is_cmyk = colors == VIPS_INTERPRETATION_CMYK && image->Bands == 4 &&
                       image->BandFmt == VIPS_FORMAT_UCHAR;
  const bool is_plain = colors == VIPS_INTERPRETATION_B_W || colors == VIPS_INTERPRETATION_GREY16 ||
                        colors == VIPS_INTERPRETATION_sRGB || colors == VIPS_INTERPRETATION_RGB ||
                        colors == VIPS_INTERPRETATION_RGB16 ||
                        colors == VIPS_INTERPRETATION_MULTIBAND;
  if (!is_cmyk && !is_plain) {
    image = transformed(std::move(image), name, [](VipsImage* in, VipsImage** out) {
      return vips_colourspace(in, out, VIPS_INTERPRETATION_sRGB, nullptr);
    });
  }
  const Metadata metadata = metadata_of(image.get());
  if (vips_image_get_orientation(image.get()) > 1) {
    // Turning reads in another order than files are decoded in.
    image.reset(vips_image_copy_memory(image.get()));
    if (!image) throw_input(name, fmt::format("cannot be decoded: {}", take_vips_error()));
    image = transformed(std::move(image), name, [](VipsImage* in, VipsImage** out) {
      return vips_autorot(in, out, nullptr);
    });
  }
  if (image->Bands < 1 || image->Bands > 4)
    throw_input(name, fmt::format("the picture has {} channels; 1 to 4 are read", image->Bands));

  Picture out;
  out.metadata = metadata;
  out.has_alpha = !is_cmyk && vips_image_hasalpha(image.get());
  switch (image->BandFmt) {
    case VIPS_FORMAT_UCHAR: {
      auto samples = samples_of<uint8_t>(image.get(), name);
      if (is_cmyk) cmyk_to_rgb(samples);
      out.pixels = std::move(samples);
      break;
    }
    case VIPS_FORMAT_USHORT: out.pixels = samples_of<uint16_t>(image.get(), name); break;
    default:
      throw_input(name, fmt::format("samples are of type {}; pictures of 8 and 16 bits are read",
                                    vips_enum_nick(VIPS_TYPE_BAND_FORMAT, image->BandFmt)));
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
  start_vips();
  try {
    return decode(open().get(), memory, name, limits, false);
  } catch (const Error& error) {
    if (std::string_view(error.what()).find(harmless_jpeg_warning) == std::string_view::npos) throw;
  }
  return decode(open().get(), memory, name, limits, true);
}

std::vector<uint8_t> whole_file(int file, int64_t size) {
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

// Whole in memory go BMP, because libvips has it that way only, and on request cut-off PNM, because
// libvips does not read what is there of it.
bool goes_through_memory(int file, const ReadLimits& limits) {
  char head[2] = {};
  if (pread(file, head, 2, 0) != 2) return false;
  return (head[0] == 'B' && head[1] == 'M') ||
         (limits.allow_partial && head[0] == 'P' && head[1] >= '4' && head[1] <= '6');
}

// The samples that a PNM file of raw samples lacks, as zeros behind it.
void complete_pnm(std::vector<uint8_t>& bytes, const std::string& name, const ReadLimits& limits) {
  if (bytes.size() < 2 || bytes[0] != 'P' || bytes[1] < '4' || bytes[1] > '6') return;
  const VipsSourcePtr source(vips_source_new_from_memory(bytes.data(), bytes.size()));
  const VipsImagePtr image = open_image(source.get(), bytes, name, limits);
  check_pixels(name, image->Xsize, image->Ysize, limits.max_pixels);
  const size_t samples = size_t(VIPS_IMAGE_SIZEOF_IMAGE(image.get()));
  if (bytes.size() < samples + 64) bytes.resize(samples + 64);
}

}  // namespace

Picture read_picture(const std::filesystem::path& path, const ReadLimits& limits) {
  const std::string name = path.string();
  const FileDescriptor file(path);
  struct stat status {};
  if (fstat(file.number(), &status) != 0) throw_input(name, reason_of(errno));
  if (S_ISDIR(status.st_mode)) throw_input(name, "this is a folder, not a picture");
  if (S_ISREG(status.st_mode)) {
    if (status.st_size == 0) throw_input(name, "the file is empty");
    if (goes_through_memory(file.number(), limits))
      return read_picture(whole_file(file.number(), status.st_size), name, limits);
  }
  return decode_twice(
      [&] {
        lseek(file.number(), 0, SEEK_SET);
        return vips_source_new_from_descriptor(file.number());
      },
      {}, name, limits);
}

Picture read_picture(std::span<const uint8_t> bytes, const std::string& name,
                     const ReadLimits& limits) {
  if (bytes.empty()) throw_input(name, "the file is empty");
  start_vips();
  std::vector<uint8_t> completed;
  if (limits.allow_partial && bytes[0] == 'P') {
    completed.assign(bytes.begin(), bytes.end());
    complete_pnm(completed, name, limits);
    bytes = completed;
  }
  return decode_twice([&] { return vips_source_new_from_memory(bytes.data(), bytes.size()); },
                      bytes, name, limits);
}

bool is_picture(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  struct stat status {};
  bool known = false;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    start_vips();
    if (const VipsSourcePtr source(vips_source_new_from_descriptor(file)); source) {
      const char* loader = vips_foreign_find_load_source(source.get());
      uint8_t head[26] = {};
      known = (loader && format_of_loader(loader)) ||
              (pread(file, head, sizeof head, 0) == ssize_t(sizeof head) && begins_as_bmp(head));
    }
    vips_error_clear();
  }
  close(file);
  return known;
}

}  // namespace cuesta::io
#endif
