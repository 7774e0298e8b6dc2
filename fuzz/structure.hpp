// Mutations that keep a file's structure: chunks of PNG, entries of TIFF's directories and boxes of
// MP4 are removed, repeated, exchanged, renamed or changed inside. Lengths, checksums and the
// places that MP4's tables name are made right again, but for one time in sixteen.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

namespace cuesta::fuzz {

using Bytes = std::vector<uint8_t>;
/// libFuzzer's own: changes the first `size` bytes, uses at most `room`, returns the new size.
using Plain = std::function<size_t(uint8_t*, size_t size, size_t room)>;

class Draw {
 public:
  Draw(unsigned seed, Plain plain) : random_(seed), plain_(std::move(plain)) {}
  /// 0 <= result < n.
  size_t below(size_t n) { return random_() % n; }
  bool one_in(size_t n) { return below(n) == 0; }
  template <class T, size_t N>
  const T& of(const T (&all)[N]) {
    return all[below(N)];
  }
  /// Numbers at which readers go wrong, or any.
  uint32_t number(size_t size) {
    const uint32_t all[] = {0,
                            1,
                            2,
                            8,
                            255,
                            65535,
                            0x7fffffff,
                            0xffffffff,
                            uint32_t(size),
                            uint32_t(below(size + 1)),
                            uint32_t(random_())};
    return of(all);
  }
  void plain(Bytes& bytes) {
    const size_t size = bytes.size(), room = size + 16 + size / 4;
    bytes.resize(room);
    bytes.resize(plain_(bytes.data(), size, room));
  }

 private:
  std::mt19937 random_;
  Plain plain_;
};

/// The four letters of a name.
using Name = std::array<char, 4>;
inline Name name_of(std::string_view text) { return {text[0], text[1], text[2], text[3]}; }

inline uint32_t read_be(const uint8_t* at) {
  return uint32_t(at[0]) << 24 | uint32_t(at[1]) << 16 | uint32_t(at[2]) << 8 | at[3];
}
inline void put_be(Bytes& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(uint8_t(value >> shift));
}
inline void put(Bytes& out, const void* from, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(from);
  out.insert(out.end(), bytes, bytes + size);
}

/// One change to a list of parts, each with a `name`.
template <class Part, size_t N>
void change_list(Draw& draw, std::vector<Part>& parts, const char* const (&names)[N]) {
  const size_t at = draw.below(parts.size()), other = draw.below(parts.size());
  switch (draw.below(4)) {
    case 0: parts.erase(parts.begin() + ptrdiff_t(at)); break;
    case 1: parts.insert(parts.begin() + ptrdiff_t(other), Part(parts[at])); break;
    case 2: std::swap(parts[at], parts[other]); break;
    case 3: parts[at].name = name_of(draw.of(names)); break;
  }
}

// ---- PNG

struct Chunk {
  Name name{};
  Bytes data{};
};
constexpr std::string_view png_signature = "\x89PNG\r\n\x1a\n";

inline uint32_t crc_of(const uint8_t* bytes, size_t size) {
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < size; ++i) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

/// The chunks up to the first that is not whole. Checksums are not looked at.
inline std::vector<Chunk> chunks_of(const Bytes& file) {
  std::vector<Chunk> out;
  for (size_t at = png_signature.size(); at + 12 <= file.size();) {
    const size_t size = read_be(&file[at]);
    if (size > file.size() - at - 12) break;
    Chunk& chunk = out.emplace_back();
    std::memcpy(chunk.name.data(), &file[at + 4], 4);
    chunk.data.assign(&file[at] + 8, &file[at] + 8 + size);
    at += 12 + size;
  }
  return out;
}

inline Bytes png_of(const std::vector<Chunk>& chunks) {
  Bytes out(png_signature.begin(), png_signature.end());
  for (const Chunk& chunk : chunks) {
    put_be(out, uint32_t(chunk.data.size()));
    const size_t from = out.size();
    put(out, chunk.name.data(), 4);
    put(out, chunk.data.data(), chunk.data.size());
    put_be(out, crc_of(&out[from], out.size() - from));
  }
  return out;
}

inline bool change_png(Draw& draw, Bytes& file) {
  static constexpr const char* names[] = {"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM",
                                          "sRGB", "iCCP", "sBIT", "pHYs", "tIME", "tEXt", "zTXt",
                                          "iTXt", "bKGD", "hIST", "eXIf", "acTL", "fcTL", "fdAT"};
  if (file.size() < 20 || std::memcmp(file.data(), png_signature.data(), 8) != 0) return false;
  std::vector<Chunk> chunks = chunks_of(file);
  if (chunks.empty()) return false;
  Chunk& one = chunks[draw.below(chunks.size())];
  if (draw.below(2) == 0)
    draw.plain(one.data);
  else
    change_list(draw, chunks, names);
  file = png_of(chunks);
  if (draw.one_in(16)) file[8 + draw.below(file.size() - 8)] ^= 1;
  return true;
}

// ---- TIFF

class Tiff {
 public:
  explicit Tiff(Bytes& file) : file_(file), is_big_(!file.empty() && file[0] == 'M') {}
  bool is_one() const {
    return file_.size() > 16 && (file_[0] == 'I' || file_[0] == 'M') && file_[1] == file_[0] &&
           number(2, 2) == 42;
  }
  /// Where the directories begin that follow each other, at most 16, each complete.
  std::vector<size_t> directories() const {
    std::vector<size_t> out;
    for (size_t at = number(4, 4); out.size() < 16 && at >= 8 && at + 6 <= file_.size();) {
      const size_t end = at + 2 + 12 * number(at, 2);
      if (end + 4 > file_.size()) break;
      out.push_back(at);
      at = number(end, 4);
    }
    return out;
  }
  uint32_t number(size_t at, int size) const {
    uint32_t value = 0;
    for (int i = 0; i < size; ++i)
      value |= uint32_t(file_[at + size_t(i)]) << (8 * (is_big_ ? size - 1 - i : i));
    return value;
  }
  void set(size_t at, int size, uint32_t value) {
    for (int i = 0; i < size; ++i)
      file_[at + size_t(i)] = uint8_t(value >> (8 * (is_big_ ? size - 1 - i : i)));
  }

 private:
  Bytes& file_;
  bool is_big_;
};

inline bool change_tiff(Draw& draw, Bytes& file) {
  // Sizes, layout, places of samples, pages below pages, Exif, GeoTIFF.
  static constexpr uint16_t tags[] = {
      254, 256, 257, 258, 259, 262, 266, 273, 274, 277,   278,   279,   284,   317,   320,  322,
      323, 324, 325, 330, 338, 339, 347, 530, 700, 33550, 33922, 34665, 34675, 34735, 34853};
  Tiff tiff(file);
  if (!tiff.is_one()) return false;
  const auto directories = tiff.directories();
  if (directories.empty()) return false;
  const size_t directory = directories[draw.below(directories.size())];
  const uint32_t count = tiff.number(directory, 2);
  if (count == 0) return false;
  const auto entry = [&](size_t n) { return directory + 2 + 12 * n; };
  const size_t at = entry(draw.below(count)), other = entry(draw.below(count));
  const size_t next = entry(count);
  switch (draw.below(8)) {
    case 0: tiff.set(at, 2, draw.of(tags)); break;
    case 1: tiff.set(at + 2, 2, uint32_t(draw.below(20))); break;
    case 2: tiff.set(at + 4, 4, draw.number(file.size())); break;
    case 3:
    case 4: tiff.set(at + 8, 4, draw.number(file.size())); break;
    case 5: std::swap_ranges(&file[at], &file[at] + 12, &file[other]); break;
    case 6:
      if (at != other) std::copy_n(&file[at], 12, &file[other]);
      break;
    case 7: {  // a ring, itself, or nothing
      const uint32_t to[] = {uint32_t(directories[0]), uint32_t(directory), 0,
                             draw.number(file.size())};
      tiff.set(next, 4, draw.of(to));
      break;
    }
  }
  return true;
}

// ---- MP4

struct Box {
  Name name{};
  Bytes data{};           // of one that holds boxes, what stands before them
  std::vector<Box> in{};  // boxes inside
};

inline bool holds_boxes(const Name& name) {
  static constexpr const char* names[] = {"moov", "trak", "mdia", "minf", "stbl",
                                          "edts", "dinf", "mvex", "moof", "traf"};
  return std::any_of(std::begin(names), std::end(names),
                     [&](const char* one) { return name == name_of(one); });
}

/// The boxes of these bytes; false unless they fill them.
inline bool read_boxes(const uint8_t* at, size_t size, std::vector<Box>& out, int depth = 0) {
  while (size > 0) {
    const size_t whole = size < 8 ? 0 : read_be(at);
    if (whole < 8 || whole > size) return false;
    Box& box = out.emplace_back();
    std::memcpy(box.name.data(), at + 4, 4);
    if (depth > 8 || !holds_boxes(box.name) || !read_boxes(at + 8, whole - 8, box.in, depth + 1)) {
      box.in.clear();
      box.data.assign(at + 8, at + whole);
    }
    at += whole, size -= whole;
  }
  return true;
}

inline void put_boxes(const std::vector<Box>& boxes, Bytes& out) {
  for (const Box& box : boxes) {
    const size_t from = out.size();
    put_be(out, 0);
    put(out, box.name.data(), 4);
    put(out, box.data.data(), box.data.size());
    put_boxes(box.in, out);
    const auto size = uint32_t(out.size() - from);
    for (size_t i = 0; i < 4; ++i) out[from + i] = uint8_t(size >> (24 - 8 * i));
  }
}

/// Where the first mdat of the outermost boxes begins; 0 without one.
inline size_t samples_at(const std::vector<Box>& boxes) {
  size_t at = 0;
  for (const Box& box : boxes) {
    if (box.name == name_of("mdat")) return at;
    Bytes bytes;
    put_boxes({box}, bytes);
    at += bytes.size();
  }
  return 0;
}

inline void move_samples(std::vector<Box>& boxes, uint32_t by) {
  for (Box& box : boxes) {
    move_samples(box.in, by);
    if (box.name != name_of("stco")) continue;
    for (size_t at = 8; at + 4 <= box.data.size(); at += 4) {
      Bytes moved;
      put_be(moved, read_be(&box.data[at]) + by);
      std::copy(moved.begin(), moved.end(), box.data.begin() + ptrdiff_t(at));
    }
  }
}

inline bool change_mp4(Draw& draw, Bytes& file) {
  static constexpr const char* names[] = {
      "ftyp", "moov", "mdat", "free", "trak", "tkhd", "mdhd", "hdlr", "stsd", "stts",
      "ctts", "stsc", "stsz", "stco", "co64", "stss", "elst", "edts", "udta", "meta",
      "mvex", "moof", "traf", "trun", "avcC", "uuid", "sidx", "dref", "colr", "pasp"};
  std::vector<Box> boxes;
  const auto known = [](const Box& box) {
    return box.name == name_of("ftyp") || box.name == name_of("moov");
  };
  if (!read_boxes(file.data(), file.size(), boxes) || boxes.empty() ||
      std::none_of(boxes.begin(), boxes.end(), known))
    return false;
  const size_t before = samples_at(boxes);
  std::vector<Box>* level = &boxes;
  while (!draw.one_in(4)) {  // down, where it goes
    Box& one = (*level)[draw.below(level->size())];
    if (!one.in.empty()) level = &one.in;
  }
  Box& one = (*level)[draw.below(level->size())];
  if (one.data.size() >= 4 && draw.below(2) == 0) {  // a number of a table, or of a size
    Bytes number;
    put_be(number, draw.number(file.size()));
    const size_t words = std::min<size_t>(one.data.size() / 4, 24);
    std::copy(number.begin(), number.end(), one.data.begin() + ptrdiff_t(4 * draw.below(words)));
  } else if (one.in.empty() && draw.below(2) == 0) {
    draw.plain(one.data);
  } else {
    change_list(draw, *level, names);
  }
  move_samples(boxes, uint32_t(samples_at(boxes) - before));
  file.clear();
  put_boxes(boxes, file);
  if (draw.one_in(16) && !file.empty()) file[draw.below(file.size())] ^= 1;
  return !file.empty();
}

/// For LLVMFuzzerCustomMutator: a change to the structure of a file that has one, else, and one
/// time in four, a plain one.
inline size_t mutate(uint8_t* data, size_t size, size_t room, unsigned seed, const Plain& plain) {
  Draw draw(seed, plain);
  Bytes file(data, data + size);
  if (draw.one_in(4) ||
      !(change_png(draw, file) || change_tiff(draw, file) || change_mp4(draw, file)) ||
      file.size() > room)
    return plain(data, size, room);
  std::copy(file.begin(), file.end(), data);
  return file.size();
}

}  // namespace cuesta::fuzz
