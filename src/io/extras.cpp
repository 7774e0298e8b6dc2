#if defined(CUESTA_HAS_PICTURES)
#include "io/extras.hpp"

#include <fmt/format.h>
#include <gio/gio.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "io/errors.hpp"
#include "io/vips.hpp"

namespace cuesta::io {
namespace {

using Bytes = std::span<const uint8_t>;
using namespace std::string_view_literals;

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

uint32_t big_endian(Bytes bytes) {
  uint32_t value = 0;
  for (const uint8_t byte : bytes) value = value << 8 | byte;
  return value;
}

ReadAt in_memory(Bytes file) {
  return [file](uint64_t offset, std::span<uint8_t> bytes) {
    if (offset > file.size() || bytes.size() > file.size() - offset) return false;
    std::copy_n(file.begin() + ptrdiff_t(offset), bytes.size(), bytes.begin());
    return true;
  };
}

// How many bytes zlib data becomes, counted up to `most`.
uint64_t inflated_size(Bytes data, uint64_t most) {
  const std::unique_ptr<GZlibDecompressor, Unref<GZlibDecompressor>> zlib(
      g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_ZLIB));
  std::array<char, 1 << 15> out;
  uint64_t total = 0;
  while (total <= most) {
    gsize used = 0, made = 0;
    const auto result =
        g_converter_convert(G_CONVERTER(zlib.get()), data.data(), data.size(), out.data(),
                            out.size(), G_CONVERTER_INPUT_AT_END, &used, &made, nullptr);
    if (result == G_CONVERTER_ERROR) break;
    total += made;
    data = data.subspan(used);
    if (result == G_CONVERTER_FINISHED) break;
  }
  return total;
}

class Extras {
 public:
  Extras(const ReadAt& read, uint64_t size, const std::string& name)
      : read_(read), size_(size), name_(name) {}

  void check() {
    std::array<uint8_t, 16> head{};
    if (!read_(0, head)) return;
    const std::string_view text = text_of(head);
    if (text.starts_with("\x89PNG\r\n\x1a\n")) png();
    if (text.starts_with("\xff\xd8")) jpeg();
    if (text.starts_with("RIFF") && text.substr(8, 4) == "WEBP") webp();
    if (text.starts_with("II") || text.starts_with("MM")) tiff();
    if (text.substr(4, 4) == "ftyp" || text.substr(4, 4) == "JXL ") boxes();
  }

 private:
  [[noreturn]] void refuse(std::string_view what) const {
    throw_input(name_, fmt::format("{}; remove what is not the picture (exiftool -all=)", what));
  }

  void count(uint64_t bytes) {
    total_ += std::min(bytes, max_extra_bytes + 1);
    if (total_ > max_extra_bytes)
      refuse(fmt::format("text and profiles of more than {} MiB are not supported",
                         max_extra_bytes >> 20));
    if (++pieces_ > max_extra_pieces)
      refuse(fmt::format("more than {} pieces of text are not supported", max_extra_pieces));
  }

  // Bytes of the file that are looked at as a whole; cut at its end.
  std::vector<uint8_t> piece(uint64_t offset, uint64_t bytes) const {
    if (offset >= size_) return {};
    std::vector<uint8_t> out(size_t(std::min(bytes, size_ - offset)));
    return read_(offset, out) ? out : std::vector<uint8_t>();
  }

  void png() {
    // More than any encoder's chunks of samples in a file of a few gigabytes.
    constexpr int max_chunks = 1'000'000;
    uint64_t at = 8;
    for (int i = 0; at + 12 <= size_; ++i) {
      if (i == max_chunks) refuse(fmt::format("more than {} chunks are not supported", max_chunks));
      std::array<uint8_t, 8> head{};
      if (!read_(at, head)) return;
      const uint64_t length = big_endian(Bytes(head).first(4));
      const std::string_view type = text_of(Bytes(head).subspan(4));
      if (type == "tEXt" || type == "zTXt" || type == "iTXt" || type == "iCCP" || type == "eXIf") {
        count(length);
        const std::vector<uint8_t> data = piece(at + 8, length);
        if (type == "eXIf")
          exif(data);
        else if (type != "tEXt")
          count_inflated(type, data);
      }
      at += length + 12;
    }
  }

  void count_inflated(std::string_view type, Bytes data) {
    const auto skip_text = [&] {
      const auto end = std::ranges::find(data, uint8_t(0));
      data = data.subspan(std::min<size_t>(size_t(end - data.begin()) + 1, data.size()));
    };
    skip_text();
    if (type == "iTXt") {
      if (data.size() < 2 || data[0] == 0) return;
      data = data.subspan(2);
      skip_text();
      skip_text();
    } else if (!data.empty()) {
      data = data.subspan(1);
    }
    count(inflated_size(data, max_extra_bytes));
  }

  void jpeg() {
    uint64_t at = 2;
    std::array<uint8_t, 4> head{};
    while (read_(at, head)) {
      if (head[0] != 0xff || head[1] == 0xda) return;  // samples begin
      if (head[1] == 0xff) {                           // fills
        ++at;
        count(0);
        continue;
      }
      const uint64_t length = big_endian(Bytes(head).subspan(2));
      if (length < 2) return;
      count(length);
      if (head[1] == 0xe1) {
        const std::vector<uint8_t> data = piece(at + 4, length - 2);
        if (text_of(data).starts_with("Exif\0\0"sv)) exif(Bytes(data).subspan(6));
      }
      at += 2 + length;
    }
  }

  void webp() {
    std::array<uint8_t, 8> head{};
    for (uint64_t at = 12; read_(at, head);) {
      const uint64_t length = head[4] | head[5] << 8 | head[6] << 16 | uint64_t(head[7]) << 24;
      const std::string_view type = text_of(Bytes(head).first(4));
      if (type == "EXIF" || type == "XMP " || type == "ICCP") {
        count(length);
        const std::vector<uint8_t> data = piece(at + 8, length);
        if (type == "EXIF")
          exif(text_of(data).starts_with("Exif\0\0"sv) ? Bytes(data).subspan(6) : Bytes(data));
      } else if (type != "ANMF") {
        count(0);
      }
      at += 8 + length + length % 2;
    }
  }

  // EXIF is in an item or box somewhere: wherever a TIFF header is.
  void boxes() {
    constexpr uint64_t block = 1 << 20, overlap = 4, exif_bytes = 1 << 16;
    constexpr int most = 256;
    int found = 0;
    for (uint64_t at = 0; at < size_; at += block) {
      const std::vector<uint8_t> bytes = piece(at, block + overlap);
      for (const std::string_view head : {"II*\0"sv, "MM\0*"sv}) {
        for (size_t i = 0; (i = text_of(bytes).find(head, i)) != std::string_view::npos; ++i) {
          if (++found > most) refuse("more than 256 blocks of EXIF are not supported");
          exif(piece(at + i, exif_bytes));
        }
      }
    }
  }

  // What libexif does, counted: it reads a directory as often as one names it.
  void exif(Bytes data) const {
    const ReadAt read = in_memory(data);
    TiffFile file(read);
    if (!file.open()) return;
    int directories = 0, entries = 0;
    uint64_t bytes = 0;
    std::vector<uint64_t> wanted{file.first()};
    bool is_first = true;
    while (!wanted.empty()) {
      const auto directory = file.directory(wanted.back());
      wanted.pop_back();
      if (!directory) continue;
      if (std::exchange(is_first, false) && directory->next != 0) wanted.push_back(directory->next);
      entries += int(directory->entries.size());
      ++directories;
      for (const auto& entry : directory->entries) {
        constexpr uint16_t exif_ifd = 0x8769, gps_ifd = 0x8825, interoperability_ifd = 0xa005;
        if (entry.tag == exif_ifd || entry.tag == gps_ifd || entry.tag == interoperability_ifd)
          wanted.push_back(entry.value);
        if (entry.bytes() <= data.size()) bytes += entry.bytes();
      }
      if (directories + int(wanted.size()) > max_exif_directories || entries > max_exif_entries ||
          bytes > max_extra_bytes)
        refuse(
            fmt::format("EXIF with more than {} directories, {} entries or {} MiB of values is "
                        "not supported",
                        max_exif_directories, max_exif_entries, max_extra_bytes >> 20));
    }
  }

  void tiff() {
    TiffFile file(read_);
    if (!file.open()) return;
    std::set<uint64_t> seen;
    for (uint64_t at = file.first(); at != 0;) {
      if (!seen.insert(at).second) break;
      if (int(seen.size()) > max_tiff_directories)
        throw_input(name_, fmt::format("TIFF files of more than {} pages are not supported; divide "
                                       "the file (tiffsplit)",
                                       max_tiff_directories));
      const auto directory = file.directory(at);
      if (!directory) break;
      uint64_t bytes = 0;
      for (const auto& entry : directory->entries) {
        const uint64_t of_entry = entry.bytes();
        if (!file.fits_entry(of_entry) && of_entry <= size_) bytes += of_entry;
      }
      if (bytes > size_ + max_extra_bytes)
        refuse(fmt::format("the values of page {} are larger than the file", seen.size()));
      at = directory->next;
    }
  }

  const ReadAt& read_;
  const uint64_t size_;
  const std::string& name_;
  uint64_t total_ = 0;
  int pieces_ = 0;
};

}  // namespace

void check_extras(const ReadAt& read, uint64_t size, const std::string& name) {
  Extras(read, size, name).check();
}

void check_extras(std::span<const uint8_t> file, const std::string& name) {
  check_extras(in_memory(file), file.size(), name);
}

}  // namespace cuesta::io
#endif
