#include "io/microscopy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <span>
#include <string_view>

namespace cuesta::io {
namespace {

constexpr uint16_t tag_description = 270;
constexpr uint64_t max_bytes = 1 << 20;  // what matters is at the beginning
constexpr int64_t max_planes = 1 << 20;  // of a dimension
constexpr std::string_view axes = "XYZ";

std::string first_description(const ReadAt& read) {
  TiffFile file(read);
  const auto directory = file.open() ? file.directory_at(0) : std::nullopt;
  if (!directory) return {};
  for (const auto& entry : directory->entries) {
    constexpr uint16_t ascii = 2;
    if (entry.tag != tag_description || entry.type != ascii) continue;
    std::string text(size_t(std::min(entry.count, max_bytes)), '\0');
    const std::span bytes(reinterpret_cast<uint8_t*>(text.data()), text.size());
    if (!read(file.fits_entry(entry.count) ? entry.at : entry.value, bytes)) return {};
    return text.substr(0, text.find('\0'));
  }
  return {};
}

int64_t number_of(std::string_view text) {
  int64_t value = 1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && value > 0 && value <= max_planes ? value : 1;
}

// ---- XML, as far as elements and their attributes

struct Element {
  std::string name{};  // without its namespace; begins with / where it ends
  std::map<std::string, std::string, std::less<>> attributes{};

  std::string value(std::string_view key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? std::string() : found->second;
  }
};

void put_utf8(std::string& to, uint32_t code) {
  if (code < 0x80) {
    to += char(code);
  } else if (code < 0x800) {
    to += char(0xC0 | code >> 6), to += char(0x80 | (code & 63));
  } else if (code < 0x10000) {
    to += char(0xE0 | code >> 12), to += char(0x80 | (code >> 6 & 63));
    to += char(0x80 | (code & 63));
  } else {
    to += char(0xF0 | (code >> 18 & 7)), to += char(0x80 | (code >> 12 & 63));
    to += char(0x80 | (code >> 6 & 63)), to += char(0x80 | (code & 63));
  }
}

std::string unescaped(std::string_view text) {
  constexpr std::pair<std::string_view, char> names[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  std::string out;
  while (!text.empty()) {
    const size_t begin = text.find('&'), end = text.find(';', begin);
    out += text.substr(0, begin);
    if (begin == text.npos) break;
    if (end == text.npos) return out + std::string(text.substr(begin));
    std::string_view name = text.substr(begin + 1, end - begin - 1);
    text.remove_prefix(end + 1);
    if (name.starts_with('#')) {
      const bool is_hex = name.starts_with("#x");
      name.remove_prefix(is_hex ? 2 : 1);
      uint32_t code = 0;
      std::from_chars(name.data(), name.data() + name.size(), code, is_hex ? 16 : 10);
      if (code >= 32 && code < 0x110000) put_utf8(out, code);
    } else {
      for (const auto& [known, letter] : names)
        if (name == known) out += letter;
    }
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

// The next element of `text`, from `at` on, which then is behind it; nothing at the end.
std::optional<Element> next_element(std::string_view text, size_t& at) {
  constexpr std::string_view space = " \t\r\n";
  const size_t begin = text.find('<', at);
  if (begin == text.npos) return {};
  size_t i = begin + 1;
  Element one;
  const size_t name_end = std::min(text.find_first_of(" \t\r\n>", i), text.size());
  one.name = text.substr(i, name_end - i);
  const size_t first = one.name.starts_with('/') ? 1 : 0;
  if (const size_t colon = one.name.find(':'); colon != one.name.npos && colon >= first)
    one.name.erase(first, colon + 1 - first);
  for (i = name_end; i < text.size() && text[i] != '>';) {
    i = std::min(text.find_first_not_of(space, i), text.size());
    const size_t equals = text.find_first_of("=>", i);
    if (equals == text.npos || text[equals] == '>') {
      i = equals;
      break;
    }
    const std::string_view key = text.substr(i, equals - i);
    const size_t open = text.find_first_of("\"'", equals);
    if (open == text.npos) return {};
    const size_t end = text.find(text[open], open + 1);
    if (end == text.npos) return {};
    one.attributes[std::string(key)] = unescaped(text.substr(open + 1, end - open - 1));
    i = end + 1;
    if (i < text.size() && text[i] == '/') ++i;
  }
  at = std::min(i, text.size());
  return one;
}

// ---- the two descriptions

std::optional<Microscopy> of_ome(std::string_view text) {
  Microscopy out{.is_ome = true};
  bool is_inside = false;
  int64_t samples = 1;
  for (size_t at = 0; auto element = next_element(text, at);) {
    if (element->name == "Pixels" && !is_inside) {
      is_inside = true;
      for (size_t i = 0; i < axes.size(); ++i) {
        const std::string name = fmt::format("PhysicalSize{}", axes[i]);
        out.pixel[i] = {element->value(name), element->value(name + "Unit")};
      }
      if (std::string order = element->value("DimensionOrder"); order.size() == 5)
        out.order = std::move(order);
      out.sizes = {number_of(element->value("SizeC")), number_of(element->value("SizeZ")),
                   number_of(element->value("SizeT"))};
    } else if (element->name == "Channel" && is_inside) {
      out.channels.push_back(element->value("Name"));
      if (const auto more = element->value("SamplesPerPixel"); !more.empty())
        samples = number_of(more);
    } else if (element->name == "/Pixels") {
      break;
    }
  }
  if (!is_inside) return {};
  out.sizes[0] = std::max<int64_t>(1, out.sizes[0] / samples);
  return out;
}

std::optional<Microscopy> of_imagej(std::string_view text) {
  Microscopy out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (const size_t equals = line.find('='); equals != line.npos)
      out.lines.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
  return out;
}

std::string_view ome_name(PixelType type) {
  switch (type) {
    case PixelType::u8: return "uint8";
    case PixelType::u16: return "uint16";
    case PixelType::s16: return "int16";
    case PixelType::s32: return "int32";
    default: return "float";
  }
}

std::string ome_of(const Microscopy& source, Size size, int32_t channels, PixelType type,
                   int64_t pages) {
  const bool is_whole = pages == source.pages();
  const auto [planes, z, t] = is_whole ? source.sizes : std::array<int64_t, 3>{1, pages, 1};
  std::string lengths;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto& [value, unit] = source.pixel[i];
    if (value.empty()) continue;
    lengths += fmt::format(" PhysicalSize{}=\"{}\"", axes[i], escaped(value));
    if (!unit.empty()) lengths += fmt::format(" PhysicalSize{}Unit=\"{}\"", axes[i], escaped(unit));
  }
  std::string of_channels;
  for (int64_t i = 0; i < planes; ++i) {
    const auto from = size_t(is_whole ? i : source.channel());
    const std::string name = from < source.channels.size() ? source.channels[from] : "";
    of_channels +=
        fmt::format("<Channel ID=\"Channel:0:{}\" SamplesPerPixel=\"{}\"{}/>", i, channels,
                    name.empty() ? "" : fmt::format(" Name=\"{}\"", escaped(name)));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
      "<OME xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\">"
      "<Image ID=\"Image:0\"><Pixels ID=\"Pixels:0\" DimensionOrder=\"{}\" Type=\"{}\" "
      "SizeX=\"{}\" SizeY=\"{}\" SizeC=\"{}\" SizeZ=\"{}\" SizeT=\"{}\"{}>{}<TiffData/></Pixels>"
      "</Image></OME>",
      escaped(source.order), ome_name(type), size.width, size.height, planes * channels, z, t,
      lengths, of_channels);
}

std::string imagej_of(const Microscopy& source, int64_t pages) {
  // Levels of the display, and what else describes the samples, are left out.
  constexpr std::string_view of_pixel[] = {"ImageJ", "unit", "yunit", "zunit"};
  constexpr std::string_view of_stack[] = {"images", "channels", "slices",     "frames",
                                           "mode",   "spacing",  "hyperstack", "finterval"};
  const bool is_whole = pages > 1 && pages == source.pages();
  std::string text;
  for (const auto& [key, value] : source.lines) {
    if (std::ranges::find(of_pixel, key) != std::end(of_pixel) ||
        (is_whole && std::ranges::find(of_stack, key) != std::end(of_stack)))
      text += fmt::format("{}={}\n", key, value);
  }
  if (pages > 1 && !is_whole) text += fmt::format("images={0}\nslices={0}\n", pages);
  return text;
}

}  // namespace

int64_t Microscopy::pages() const {
  if (is_ome) return sizes[0] * sizes[1] * sizes[2];
  for (const auto& [key, value] : lines)
    if (key == "images") return number_of(value);
  return 1;
}

int64_t Microscopy::channel() const {
  int64_t rest = page;
  for (const char axis : order) {
    const int64_t size = axis == 'C'   ? sizes[0]
                         : axis == 'Z' ? sizes[1]
                         : axis == 'T' ? sizes[2]
                                       : 1;
    if (axis == 'C') return rest % size;
    rest /= size;
  }
  return 0;
}

std::optional<Microscopy> microscopy_of(const ReadAt& read, int page) {
  const std::string text = first_description(read);
  std::optional<Microscopy> found;
  if (text.starts_with("ImageJ="))
    found = of_imagej(text);
  else if (text.find("<OME") != text.npos || text.find(":OME") != text.npos)
    found = of_ome(text);
  if (found) found->page = page;
  return found && page < std::max<int64_t>(found->pages(), 1) ? found : std::nullopt;
}

std::string description_of(const Microscopy& source, Size size, int32_t channels, PixelType type,
                           int64_t pages) {
  return source.is_ome ? ome_of(source, size, channels, type, pages) : imagej_of(source, pages);
}

}  // namespace cuesta::io
