#include "io/tiff_tags.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "io/microscopy.hpp"
#include "io/output_file.hpp"

namespace cuesta::io {
namespace {

constexpr uint16_t tag_pixel_scale = 33550, tag_tie_points = 33922, tag_transformation = 34264,
                   tag_geo_keys = 34735, tag_geo_doubles = 34736, tag_geo_ascii = 34737;
constexpr uint16_t tag_no_data = 42113;
constexpr uint16_t type_ascii = 2;
constexpr uint64_t max_bytes = 1 << 20;  // of a tag

// Bytes whose order is that of the machine: of a fraction each of the two numbers.
size_t size_of(uint16_t type) { return type == 12 ? 8 : type == 5 ? 4 : type == 3 ? 2 : 1; }

bool is_georeference(const TiffFile::Entry& entry) {
  switch (entry.tag) {
    case tag_pixel_scale:
    case tag_tie_points:
    case tag_transformation:
    case tag_geo_doubles: return entry.type == 12;
    case tag_geo_keys: return entry.type == 3;
    case tag_geo_ascii: return entry.type == 2;
    default: return false;
  }
}

// Resolution across and down, and the color profile: libvips leaves out what it cannot read of
// them.
constexpr std::array<uint16_t, 3> kept_tags{282, 283, 34675};

double* doubles_of(TiffTag& tag) { return reinterpret_cast<double*>(tag.bytes.data()); }

// Bytes of a file that is written, or of one in memory.
class Place {
 public:
  virtual ~Place() = default;
  virtual bool read(uint64_t at, std::span<uint8_t> to) = 0;
  virtual void write(uint64_t at, std::span<const uint8_t> bytes) = 0;
  virtual uint64_t size() const = 0;

  // Where the bytes are, from a multiple of 8 on.
  uint64_t append(std::span<const uint8_t> bytes) {
    const uint64_t at = (size() + 7) / 8 * 8;
    const std::array<uint8_t, 8> zeros{};
    write(size(), std::span(zeros).first(size_t(at - size())));
    write(at, bytes);
    return at;
  }
};

class FilePlace final : public Place {
 public:
  explicit FilePlace(OutputFile& file) : file_(file) {}
  bool read(uint64_t at, std::span<uint8_t> to) override {
    file_.seek(int64_t(at), SEEK_SET);
    return file_.get({reinterpret_cast<char*>(to.data()), to.size()}) == int64_t(to.size());
  }
  void write(uint64_t at, std::span<const uint8_t> bytes) override {
    file_.seek(int64_t(at), SEEK_SET);
    file_.put({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  uint64_t size() const override { return uint64_t(file_.size()); }

 private:
  OutputFile& file_;
};

class MemoryPlace final : public Place {
 public:
  explicit MemoryPlace(std::vector<uint8_t>& file) : file_(file) {}
  bool read(uint64_t at, std::span<uint8_t> to) override {
    if (at > file_.size() || to.size() > file_.size() - at) return false;
    std::copy_n(file_.begin() + ptrdiff_t(at), to.size(), to.begin());
    return true;
  }
  void write(uint64_t at, std::span<const uint8_t> bytes) override {
    file_.resize(std::max(file_.size(), size_t(at) + bytes.size()));
    std::ranges::copy(bytes, file_.begin() + ptrdiff_t(at));
  }
  uint64_t size() const override { return file_.size(); }

 private:
  std::vector<uint8_t>& file_;
};

void put_number(std::vector<uint8_t>& to, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i)
    to.push_back(
        uint8_t(value >> 8 * (std::endian::native == std::endian::little ? i : size - 1 - i)));
}

uint64_t number_in(std::span<const uint8_t> bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i)
    value |= uint64_t(bytes[i]) << 8 * (std::endian::native == std::endian::little
                                            ? i
                                            : bytes.size() - 1 - i);
  return value;
}

// How numbers of a directory are laid out.
struct Layout {
  bool is_big = false;
  size_t room() const { return is_big ? 8 : 4; }  // of an offset, and of values in an entry
  size_t entry() const { return is_big ? 20 : 12; }
  size_t count() const { return is_big ? 8 : 2; }
};

std::vector<uint8_t> entry_of(const TiffTag& tag, const Layout& layout, Place& file) {
  std::vector<uint8_t> entry;
  put_number(entry, tag.tag, 2);
  put_number(entry, tag.type, 2);
  put_number(entry, tag.count, layout.room());
  if (tag.bytes.size() <= layout.room())
    entry.insert(entry.end(), tag.bytes.begin(), tag.bytes.end());
  else
    put_number(entry, file.append(tag.bytes), layout.room());
  entry.resize(layout.entry());
  return entry;
}

// False where the file is not what libvips writes.
bool add_to(Place& file, const std::vector<TiffTag>& tags) {
  std::array<uint8_t, 16> head{};
  if (!file.read(0, head)) return false;
  const Layout layout{number_in(std::span(head).subspan(2, 2)) == 43};
  const uint64_t first = number_in(std::span(head).subspan(layout.room(), layout.room()));
  std::vector<uint8_t> count(layout.count());
  if (!file.read(first, count)) return false;
  const size_t entries = size_t(number_in(count));
  std::vector<uint8_t> old(entries * layout.entry() + layout.room());
  if (!file.read(first + layout.count(), old)) return false;

  std::vector<std::vector<uint8_t>> all;
  for (size_t i = 0; i < entries; ++i) {
    const auto one = std::span(old).subspan(i * layout.entry(), layout.entry());
    const uint64_t tag = number_in(one.first(2));
    if (std::ranges::find(tags, tag, &TiffTag::tag) == tags.end())
      all.emplace_back(one.begin(), one.end());
  }
  for (const TiffTag& tag : tags) all.push_back(entry_of(tag, layout, file));
  std::ranges::stable_sort(all, {},
                           [](const auto& entry) { return number_in(std::span(entry).first(2)); });
  std::vector<uint8_t> directory;
  put_number(directory, all.size(), layout.count());
  for (const auto& entry : all) directory.insert(directory.end(), entry.begin(), entry.end());
  directory.insert(directory.end(), old.end() - ptrdiff_t(layout.room()), old.end());
  std::vector<uint8_t> place;
  put_number(place, file.append(directory), layout.room());
  file.write(layout.room(), place);
  return true;
}

}  // namespace

std::optional<uint16_t> tag_past_end(const ReadAt& read, int number) {
  TiffFile file(read);
  const auto directory = file.open() ? file.directory_at(number) : std::nullopt;
  if (!directory) return {};
  for (const auto& entry : directory->entries) {
    if (!is_georeference(entry) && std::ranges::find(kept_tags, entry.tag) == kept_tags.end())
      continue;
    const uint64_t size = entry.bytes();
    std::array<uint8_t, 1> last{};
    if (size > 0 && !file.fits_entry(size) && !read(entry.value + size - 1, last)) return entry.tag;
  }
  return {};
}

namespace {

// Those tags of a directory; empty where one of them is damaged.
std::vector<TiffTag> tags_in(const ReadAt& read, const TiffFile& file,
                             const TiffFile::Directory& directory,
                             bool (*wanted)(const TiffFile::Entry&)) {
  std::vector<TiffTag> tags;
  for (const auto& entry : directory.entries) {
    if (!wanted(entry)) continue;
    const uint64_t size = entry.bytes();
    if (size == 0 || size > max_bytes) return {};
    TiffTag one{entry.tag, entry.type, entry.count, std::vector<uint8_t>(size_t(size))};
    if (!read(file.fits_entry(size) ? entry.at : entry.value, one.bytes)) return {};
    if (file.is_little() != (std::endian::native == std::endian::little))
      for (size_t i = 0, step = size_of(one.type); i < one.bytes.size(); i += step)
        std::reverse(one.bytes.begin() + ptrdiff_t(i), one.bytes.begin() + ptrdiff_t(i + step));
    tags.push_back(std::move(one));
  }
  return tags;
}

// The resolution of a directory that has no unit, as ImageJ writes it; else empty. libvips takes it
// for that of millimetres.
std::vector<TiffTag> resolution_without_unit(const ReadAt& read, const TiffFile& file,
                                             const TiffFile::Directory& directory) {
  constexpr uint16_t across = 282, down = 283, unit = 296, fraction = 5, number16 = 3, none = 1;
  auto tags = tags_in(read, file, directory, [](const TiffFile::Entry& entry) {
    return entry.tag == unit ? entry.type == number16 && entry.count == 1
                             : (entry.tag == across || entry.tag == down) &&
                                   entry.type == fraction && entry.count == 1;
  });
  const auto of_unit = std::ranges::find(tags, unit, &TiffTag::tag);
  if (tags.size() != 3 || of_unit == tags.end() || number_in(of_unit->bytes) != none) return {};
  return tags;
}

// The number that stands for "no data" (GDAL's tag 42113). Nothing without one, and where it is no
// number.
std::optional<double> no_data_of(const ReadAt& read, const TiffFile& file,
                                 const TiffFile::Directory& directory) {
  for (const auto& entry : directory.entries) {
    std::array<char, 64> text{};
    if (entry.tag != tag_no_data || entry.type != type_ascii || entry.count > text.size()) continue;
    const std::span bytes(reinterpret_cast<uint8_t*>(text.data()), size_t(entry.count));
    if (!read(file.fits_entry(entry.count) ? entry.at : entry.value, bytes)) return {};
    const char *begin = text.data(), *const end = begin + entry.count;
    while (begin != end && *begin == ' ') ++begin;
    if (begin != end && *begin == '+') ++begin;
    double value = 0;
    if (std::from_chars(begin, end, value).ec == std::errc()) return value;
  }
  return {};
}

}  // namespace

TiffExtras extras_of(const ReadAt& read, int number, int page) {
  TiffExtras extras;
  const auto shared = [](std::vector<TiffTag> tags) -> TiffExtras::Tags {
    if (tags.empty()) return nullptr;
    return std::make_shared<const std::vector<TiffTag>>(std::move(tags));
  };
  TiffFile file(read);
  const auto directory = file.open() ? file.directory_at(number) : std::nullopt;
  if (!directory) return {};
  extras.georeference = shared(tags_in(read, file, *directory, is_georeference));
  extras.resolution = shared(resolution_without_unit(read, file, *directory));
  if (const auto number_without_data = no_data_of(read, file, *directory))
    extras.hole = float(*number_without_data);
  if (auto found = microscopy_of(read, page))
    extras.microscopy = std::make_shared<const Microscopy>(std::move(*found));
  return extras;
}

TiffTag description_tag(const std::string& text) {
  constexpr uint16_t tag_description = 270;
  std::vector<uint8_t> bytes(text.begin(), text.end());
  bytes.push_back(0);
  return {tag_description, type_ascii, bytes.size(), std::move(bytes)};
}

TiffTag no_data_is_nan() { return {tag_no_data, type_ascii, 4, {'n', 'a', 'n', 0}}; }

std::optional<MapGrid> Metadata::map_grid() const {
  const TiffExtras extras = extras_of(*this);
  return extras.georeference ? map_grid_of(*extras.georeference) : std::nullopt;
}

std::optional<MapGrid> map_grid_of(const std::vector<TiffTag>& georeference) {
  const auto find = [&](uint16_t tag, uint64_t least) -> const TiffTag* {
    for (const TiffTag& one : georeference)
      if (one.tag == tag && one.count >= least) return &one;
    return nullptr;
  };
  const auto value = [](const TiffTag* tag, size_t i) {
    double number = 0;
    std::memcpy(&number, &tag->bytes[i * sizeof number], sizeof number);
    return number;
  };
  MapGrid grid;
  const TiffTag *scale = find(tag_pixel_scale, 2), *tie = find(tag_tie_points, 6);
  if (const TiffTag* all = find(tag_transformation, 16)) {
    grid = {{value(all, 0), value(all, 1), value(all, 3)},
            {value(all, 4), value(all, 5), value(all, 7)}};
  } else if (scale && tie && tie->count == 6) {
    const double x = value(scale, 0), y = -value(scale, 1);
    grid = {{x, 0, value(tie, 3) - value(tie, 0) * x}, {0, y, value(tie, 4) - value(tie, 1) * y}};
  } else {
    return {};
  }
  const TiffTag* keys = find(tag_geo_keys, 4);
  const auto key = [&](uint16_t wanted) {
    for (uint64_t i = 4; keys && i + 4 <= keys->count; i += 4) {
      uint16_t four[4];
      std::memcpy(four, &keys->bytes[size_t(i) * 2], sizeof four);
      if (four[0] == wanted && four[1] == 0) return int(four[3]);
    }
    return 0;
  };
  constexpr int point = 2, user_defined = 32767;
  if (key(1025) == point) {  // coordinates are those of pixels' centres
    grid.across[2] -= (grid.across[0] + grid.across[1]) / 2;
    grid.down[2] -= (grid.down[0] + grid.down[1]) / 2;
  }
  const int projected = key(3072), geographic = key(2048);
  grid.epsg = projected > 0 ? projected : geographic;
  if (grid.epsg >= user_defined) grid.epsg = 0;
  return grid;
}

std::vector<TiffTag> moved(std::vector<TiffTag> georeference, int32_t x, int32_t y) {
  for (TiffTag& tag : georeference) {
    double* numbers = doubles_of(tag);
    if (tag.tag == tag_tie_points)
      for (uint64_t i = 0; i + 6 <= tag.count; i += 6) numbers[i] -= x, numbers[i + 1] -= y;
    if (tag.tag == tag_transformation && tag.count == 16)
      for (uint64_t row = 0; row < 12; row += 4)
        numbers[row + 3] += numbers[row] * x + numbers[row + 1] * y;
  }
  return georeference;
}

void add_tags(OutputFile& file, const std::vector<TiffTag>& tags) {
  FilePlace place(file);
  if (!add_to(place, tags)) file.fail(EIO);
}

void add_tags(std::vector<uint8_t>& file, const std::vector<TiffTag>& tags) {
  MemoryPlace place(file);
  add_to(place, tags);
}

}  // namespace cuesta::io
