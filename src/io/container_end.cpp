#ifdef CUESTA_HAS_VIDEO
#include "io/container_end.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace cuesta::io {
namespace {

using namespace std::string_view_literals;

class Bytes {
 public:
  explicit Bytes(AVIOContext& io) : io_(io), size_(avio_size(&io)) {}

  int64_t size() const { return size_; }
  /// Up to `count` bytes from `at`; fewer at the end.
  std::string get(int64_t at, int64_t count) {
    std::string out(size_t(std::clamp<int64_t>(size_ - at, 0, count)), '\0');
    if (out.empty() || avio_seek(&io_, at, SEEK_SET) < 0) return {};
    const int got = avio_read(&io_, reinterpret_cast<unsigned char*>(out.data()), int(out.size()));
    out.resize(size_t(std::max(got, 0)));
    return out;
  }

 private:
  AVIOContext& io_;
  int64_t size_;
};

uint64_t number(std::string_view bytes, bool big_endian) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = uint64_t(static_cast<unsigned char>(bytes[i]));
    value = big_endian ? value << 8 | byte : value | byte << (8 * i);
  }
  return value;
}

constexpr int max_parts = 1 << 20;  // of a file that is made to have many

// RIFF, and RIFF again where the first is full (OpenDML).
bool avi_is_cut(Bytes& file) {
  int64_t at = 0;
  for (int i = 0; i < max_parts && at < file.size(); ++i) {
    const std::string head = file.get(at, 8);
    if (!head.starts_with("RIFF")) return false;  // something behind it
    if (head.size() < 8) return true;
    const auto size = int64_t(number(std::string_view(head).substr(4), false));
    if (size == 0 || size == 0xffffffff) return false;  // of a writer that could not go back
    at += 8 + size + (size & 1);
  }
  // The last part's padding is often left out.
  return at > file.size() + 1;
}

// The numbers of MP4's fragments increase (ISO/IEC 14496-12, 8.8.5), by one wherever it was seen.
class FragmentNumbers {
 public:
  void see(uint64_t number) {
    if (last_) ++(number == *last_ + 1 ? ones_ : others_);
    last_ = number;
  }
  bool any() const { return last_.has_value(); }
  bool has_gap() const { return others_ > 0 && ones_ > others_; }

 private:
  std::optional<uint64_t> last_;
  int64_t ones_ = 0, others_ = 0;
};

// Boxes of MP4 and MOV one behind the other. A header of fragments must have its data.
bool mp4_is_cut(Bytes& file) {
  int64_t at = 0;
  bool waits_for_data = false;
  FragmentNumbers fragments;
  for (int i = 0; i < max_parts && at < file.size(); ++i) {
    const std::string head = file.get(at, 24);
    if (head.size() < 8) return head.find_first_not_of('\0') != head.npos;
    const std::string_view kind = std::string_view(head).substr(4, 4);
    uint64_t size = number(std::string_view(head).substr(0, 4), true);
    if (size == 1 && head.size() >= 16) size = number(std::string_view(head).substr(8, 8), true);
    // To the end of the file; or zeros, behind which a fragment may have been.
    if (size == 0) return fragments.any() && kind != "mdat";
    if (size < 8 || size > uint64_t(INT64_MAX) - uint64_t(at)) return size >= 8;
    if (kind == "moof") {
      waits_for_data = true;
      if (head.size() == 24 && head.compare(12, 4, "mfhd") == 0)
        fragments.see(number(std::string_view(head).substr(20), true));
    }
    if (kind == "mdat") waits_for_data = false;
    at += int64_t(size);
  }
  return at > file.size() || waits_for_data || fragments.has_gap();
}

// RFC 8794: a number's length in bytes is determined by its first one's leading zeros.
uint64_t ebml_number(std::string_view bytes, size_t& length, bool keeps_mark) {
  length = bytes.empty() || bytes[0] == 0
               ? 0
               : size_t(std::countl_zero(static_cast<unsigned char>(bytes[0]))) + 1;
  if (length == 0 || length > bytes.size()) return length = 0;
  const uint64_t value = number(bytes.substr(0, length), true);
  return keeps_mark ? value : value & ~(uint64_t(1) << (7 * length));
}

bool matroska_is_cut(Bytes& file) {
  int64_t at = 0;
  for (int i = 0; i < 64 && at < file.size(); ++i) {
    const std::string head = file.get(at, 12);
    size_t id_length = 0, size_length = 0;
    const uint64_t id = ebml_number(head, id_length, true);
    if (id_length == 0) return false;
    const uint64_t size = ebml_number(std::string_view(head).substr(id_length), size_length, false);
    if (size_length == 0) return true;
    if (size == (uint64_t(1) << (7 * size_length)) - 1) return false;  // unknown: live
    const int64_t begin = at + int64_t(id_length + size_length);
    if (size > uint64_t(INT64_MAX - begin)) return true;
    at = begin + int64_t(size);
    constexpr uint64_t segment = 0x18538067;
    if (id == segment) return at > file.size();
  }
  return at > file.size();
}

// Advanced Systems Format, 3.2: the file's size, unless it is a broadcast.
bool asf_is_cut(Bytes& file) {
  constexpr auto properties = "\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\x00\xc0\x0c\x20\x53\x65"sv;
  const std::string head = file.get(0, 1 << 16);
  const size_t at = head.find(properties);
  if (at == head.npos || at + 92 > head.size()) return at != head.npos;
  const std::string_view object = std::string_view(head).substr(at);
  const bool is_broadcast = object[88] & 1;
  return !is_broadcast && number(object.substr(40, 8), false) > uint64_t(file.size());
}

// What muxers leave in the script data for players: "filesize" and a double.
bool flv_is_cut(Bytes& file) {
  const std::string head = file.get(0, 1 << 14);
  constexpr auto key =
      "\0\x08"
      "filesize\0"sv;
  const size_t at = head.find(key);
  if (at == head.npos || at + key.size() + 8 > head.size()) return false;
  const double size =
      std::bit_cast<double>(number(std::string_view(head).substr(at + key.size(), 8), true));
  return size > double(file.size());
}

// RFC 3533: the last page of every stream says so. Looks at the last pages of the file.
bool ogg_is_cut(Bytes& file) {
  constexpr int64_t longest_page = 27 + 255 + 255 * 255;
  const int64_t begin = std::max<int64_t>(0, file.size() - 8 * longest_page);
  const std::string tail = file.get(begin, file.size() - begin);
  std::map<uint64_t, bool> has_ended;  // by the stream's number
  size_t at = tail.find("OggS");
  while (at != tail.npos && at + 27 <= tail.size()) {
    const std::string_view page = std::string_view(tail).substr(at);
    const auto segments = size_t(static_cast<unsigned char>(page[26]));
    if (27 + segments > page.size()) return true;
    size_t size = 27 + segments;
    for (size_t i = 0; i < segments; ++i) size += static_cast<unsigned char>(page[27 + i]);
    if (size > page.size()) return true;
    has_ended[number(page.substr(14, 4), false)] = page[5] & 4;
    at = tail.find("OggS", at + size);
  }
  if (at != tail.npos) return true;
  return std::any_of(has_ended.begin(), has_ended.end(),
                     [](const auto& stream) { return !stream.second; });
}

// GIF89a, appendix B: blocks of sub-blocks up to the trailer. The last byte alone may be any.
bool gif_is_cut(Bytes& file) {
  constexpr int64_t head_bytes = 13, image_bytes = 10;
  const std::string head = file.get(0, head_bytes);
  if (int64_t(head.size()) < head_bytes) return true;
  const auto table_bytes = [](char flags) { return flags & 0x80 ? 3 << ((flags & 7) + 1) : 0; };
  int64_t at = head_bytes + table_bytes(head[10]);
  while (at < file.size()) {
    const std::string block = file.get(at, image_bytes);
    if (block.empty() || block[0] == ';') return block.empty();
    if (block[0] == ',') {
      if (int64_t(block.size()) < image_bytes) return true;
      at += image_bytes + table_bytes(block[9]) + 1;
    } else if (block[0] == '!') {
      at += 2;
    } else {
      return true;  // damaged: what follows is not looked at
    }
    for (int64_t size = -1; size != 0; at += 1 + size) {
      const std::string sub_block = file.get(at, 1);
      if (sub_block.empty()) return true;
      size = static_cast<unsigned char>(sub_block[0]);
    }
  }
  return true;
}

// ISO/IEC 13818-1: packets of 188 bytes, of 192 with a time before each (M2TS).
bool ts_is_cut(Bytes& file) {
  const std::string head = file.get(0, 193);
  if (head.size() < 193 || head[0] != 'G' || head[188] != 'G') return false;
  if (file.size() % 188 != 0) return true;
  // The decoder passes over what does not begin as a packet, and counts what it misses modulo 16.
  constexpr int64_t block = 1024 * 188;
  for (int64_t at = 0; at < file.size(); at += block) {
    const std::string packets = file.get(at, block);
    for (size_t i = 0; i < packets.size(); i += 188)
      if (packets[i] != 'G') return true;
  }
  return false;
}

// The index is the end: its length is before its checksum, and so it is found. Writers that leave
// it out are taken for cut, as nothing else says that the last frame is whole.
bool nut_is_cut(Bytes& file) {
  constexpr auto startcode = "NX\xdd\x67\x2f\x23\xe6\x4e"sv;
  constexpr int64_t length_and_checksum = 12;
  const int64_t at = file.size() - length_and_checksum;
  if (at < 0) return true;
  const uint64_t length = number(file.get(at, 8), true);
  return length > uint64_t(file.size()) || file.get(file.size() - int64_t(length), 8) != startcode;
}

}  // namespace

bool ends_before_its_container(std::string_view container, AVIOContext& bytes) {
  Bytes file(bytes);
  if (file.size() <= 0) return false;
  const auto is = [&](std::string_view name) { return container.find(name) != container.npos; };
  if (is("matroska")) return matroska_is_cut(file);
  if (is("mp4")) return mp4_is_cut(file);
  if (container == "avi") return avi_is_cut(file);
  if (container == "asf") return asf_is_cut(file);
  if (container == "flv") return flv_is_cut(file);
  if (container == "ogg") return ogg_is_cut(file);
  if (container == "gif") return gif_is_cut(file);
  if (container == "nut") return nut_is_cut(file);
  if (container == "mpegts") return ts_is_cut(file);
  return false;
}

}  // namespace cuesta::io
#endif
