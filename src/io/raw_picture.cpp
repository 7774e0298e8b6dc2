#include "io/raw_picture.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace cuesta::io {
namespace {

constexpr int64_t max_pixels = int64_t(1) << 40;

bool is_blank(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

// The words of a PNM file, without comments.
class Words {
 public:
  explicit Words(std::span<const uint8_t> bytes, size_t at) : bytes_(bytes), at_(at) {}

  size_t at() const { return at_; }
  bool skip_blanks() {
    while (at_ < bytes_.size() && (is_blank(bytes_[at_]) || bytes_[at_] == '#')) {
      if (bytes_[at_] == '#')
        while (at_ < bytes_.size() && bytes_[at_] != '\n') ++at_;
      else
        ++at_;
    }
    return at_ < bytes_.size();
  }
  bool skip_word() {
    if (!skip_blanks()) return false;
    while (at_ < bytes_.size() && !is_blank(bytes_[at_]) && bytes_[at_] != '#') ++at_;
    return true;
  }
  bool skip_digit() { return skip_blanks() && ++at_; }
  std::optional<int64_t> number() {
    if (!skip_blanks()) return std::nullopt;
    int64_t value = 0;
    const size_t begin = at_;
    for (; at_ < bytes_.size() && std::isdigit(bytes_[at_]); ++at_)
      value = std::min(max_pixels + 1, value * 10 + (bytes_[at_] - '0'));
    if (at_ == begin || at_ == bytes_.size()) return std::nullopt;
    return value;
  }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_;
};

std::optional<RawPicture> pnm_of(std::span<const uint8_t> head) {
  RawPicture out{.kind = char(head[1])};
  const bool is_pnm = out.kind >= '1' && out.kind <= '6',
             is_pfm = out.kind == 'f' || out.kind == 'F';
  if (!is_pnm && !is_pfm) return std::nullopt;
  Words words(head, 2);
  const auto width = words.number(), height = words.number();
  if (!width || !height || *width < 1 || *height < 1) return std::nullopt;
  if (*width > max_pixels / *height) {  // nothing below may overflow; it is refused by its size
    out.width = *width, out.height = *height;
    return out;
  }
  int64_t white = 255;
  if (is_pfm) {
    words.skip_word();  // the scale, whose sign is the order of bytes
  } else if (out.kind != '1' && out.kind != '4') {
    const auto found = words.number();
    if (!found) return std::nullopt;
    white = *found;
  }
  out.width = *width, out.height = *height;
  out.begin = int64_t(words.at()) + 1;
  const bool in_color = out.kind == '3' || out.kind == '6' || out.kind == 'F';
  out.samples = out.width * out.height * (in_color ? 3 : 1);
  const int64_t sample = is_pfm ? 4 : white > 255 ? 2 : 1;
  out.pixel_bytes = sample * (in_color ? 3 : 1);
  int64_t bytes = 0;
  switch (out.kind) {
    case '1': bytes = out.samples; break;
    case '2':
    case '3': bytes = 2 * out.samples - 1; break;
    case '4': bytes = (out.width + 7) / 8 * out.height; break;
    case '5':
    case '6':
    default: bytes = sample * out.samples;
  }
  out.least = out.begin + bytes;
  // Numbers of text may be far apart; more than this is none that a program writes.
  out.most = out.is_text() ? out.begin + 16 * out.samples + (1 << 20) : out.least;
  return out;
}

int64_t little_endian(std::span<const uint8_t> bytes) {
  int64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) value |= int64_t(bytes[i]) << (8 * i);
  return value;
}

std::optional<RawPicture> bmp_of(std::span<const uint8_t> head) {
  if (head.size() < 26 || little_endian(head.subspan(6, 4)) != 0) return std::nullopt;
  const bool is_old = little_endian(head.subspan(14, 4)) == 12;
  RawPicture out{.kind = 'B'};
  out.width = is_old ? little_endian(head.subspan(18, 2))
                     : int64_t(int32_t(little_endian(head.subspan(18, 4))));
  out.height = is_old ? little_endian(head.subspan(20, 2))
                      : std::abs(int64_t(int32_t(little_endian(head.subspan(22, 4)))));
  if (out.width < 1 || out.height < 1) return std::nullopt;
  if (out.width > max_pixels / out.height) return out;
  out.begin = little_endian(head.subspan(10, 4));
  const size_t depth_at = is_old ? 24 : 28;
  const bool has_coding = !is_old && head.size() >= 34;
  const int64_t depth = little_endian(head.subspan(std::min(depth_at, head.size() - 2), 2)),
                coding = has_coding ? little_endian(head.subspan(30, 4)) : 0;
  out.coding = int(coding);
  out.pixel_bytes = depth <= 8 ? 1 : 3;
  constexpr int64_t plain = 0, masked = 3;  // others are packed
  if (depth >= 1 && depth <= 32 && (coding == plain || coding == masked))
    out.least = out.begin + (out.width * depth + 31) / 32 * 4 * out.height;
  // No coding of BMP takes more than four bytes a pixel.
  out.most = out.begin + 4 * (out.width + 1) * out.height + (1 << 20);
  return out;
}

}  // namespace

std::optional<RawPicture> raw_picture_of(std::span<const uint8_t> head) {
  if (head.size() > 8 && head[0] == 'P') return pnm_of(head);
  if (head.size() > 8 && head[0] == 'B' && head[1] == 'M') return bmp_of(head);
  return std::nullopt;
}

int64_t numbers_in_text(const RawPicture& picture, std::span<const uint8_t> file) {
  Words words(file, size_t(std::min<int64_t>(picture.begin, int64_t(file.size()))));
  int64_t count = 0;
  while (count < picture.samples && (picture.kind == '1' ? words.skip_digit() : words.skip_word()))
    ++count;
  return count;
}

bool runs_stay_inside(const RawPicture& picture, std::span<const uint8_t> file) {
  const bool is_rle8 = picture.coding == 1;
  if (picture.kind != 'B' || (!is_rle8 && picture.coding != 2)) return true;
  // Two pixels of four bits are a byte, so that the last of a row may be one that is not shown.
  const int64_t width = is_rle8 ? picture.width : (picture.width + 1) / 2 * 2;
  int64_t x = 0, y = 0;
  for (size_t at = size_t(picture.begin); at + 1 < file.size();) {
    const uint8_t count = file[at], value = file[at + 1];
    at += 2;
    if (count == 0 && value == 0) {  // the end of a row
      x = 0, ++y;
    } else if (count == 0 && value == 1) {  // of the picture
      return true;
    } else if (count == 0 && value == 2) {  // a step
      if (at + 1 >= file.size()) return true;
      x += file[at], y += file[at + 1];
      at += 2;
      if (x > width || y > picture.height) return false;
    } else {
      x += count == 0 ? value : count;
      if (x > width || y >= picture.height) return false;
      if (count == 0) at += ((is_rle8 ? value : (value + 1) / 2) + 1) / 2 * 2;
    }
  }
  return true;
}

void complete(const RawPicture& picture, std::vector<uint8_t>& file) {
  if (!picture.is_text()) {
    if (int64_t(file.size()) < picture.least) file.resize(size_t(picture.least), 0);
    return;
  }
  const int64_t missing = picture.samples - numbers_in_text(picture, file);
  for (int64_t i = 0; i < missing; ++i) {
    file.push_back(' ');
    file.push_back('0');
  }
  file.push_back('\n');
}

}  // namespace cuesta::io
