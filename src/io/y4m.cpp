#include "io/y4m.hpp"

#include "cuesta/io/colors.hpp"

#include <fmt/format.h>

#include <charconv>

#include "core/check.hpp"
#include "io/errors.hpp"

namespace cuesta::io {
namespace {

constexpr std::string_view magic = y4m_magic;
constexpr size_t longest_line = 4096;  // header and FRAME lines; real ones are below 200 bytes

template <class T>
bool parse_whole(std::string_view text, T& value) {
  const auto [at, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && at == text.data() + text.size();
}

struct Sampling {
  std::string_view name;
  Chroma chroma;
  ChromaShift stored;
  bool has_alpha;
};
constexpr Sampling samplings[] = {
    {"mono", Chroma::none, {}, false},         {"420jpeg", Chroma::c420, {1, 1}, false},
    {"420mpeg2", Chroma::c420, {1, 1}, false}, {"420paldv", Chroma::c420, {1, 1}, false},
    {"420", Chroma::c420, {1, 1}, false},      {"422", Chroma::c422, {1, 0}, false},
    {"444alpha", Chroma::c444, {0, 0}, true},  {"444", Chroma::c444, {0, 0}, false},
    {"411", Chroma::c444, {2, 0}, false},      {"410", Chroma::c444, {2, 2}, false},
    {"440", Chroma::c444, {0, 1}, false}};

// "420p10", "mono12": a sampling, and how many bits where that is not 8.
void parse_chroma(std::string_view text, Y4mLayout& layout, const std::string& name) {
  for (const auto& sampling : samplings) {
    if (!text.starts_with(sampling.name)) continue;
    std::string_view bits = text.substr(sampling.name.size());
    if (sampling.chroma != Chroma::none && bits.starts_with('p')) bits.remove_prefix(1);
    int depth = 8;
    if (text != sampling.name && (!parse_whole(bits, depth) || depth < 9 || depth > 16)) continue;
    layout.format.chroma = sampling.chroma;
    layout.depth = layout.format.bits = depth;
    layout.stored = sampling.stored;
    layout.has_alpha = sampling.has_alpha;
    return;
  }
  throw_input(name, fmt::format("y4m chroma is C{}; it must be mono, 410, 411, 420, 422, 440 or "
                                "444 of 8 to 16 bits (C420p10, Cmono12)",
                                text));
}

void parse_rate(std::string_view text, StreamFormat& format, const std::string& name) {
  const size_t colon = text.find(':');
  int64_t num = 0, den = 0;
  if (colon == std::string_view::npos || !parse_whole(text.substr(0, colon), num) ||
      !parse_whole(text.substr(colon + 1), den) || num < 0 || den < 0 || num > INT32_MAX ||
      den > INT32_MAX)
    throw_input(
        name,
        fmt::format("y4m frame rate is F{}; it must be two whole numbers, as in F25:1", text));
  if (num == 0 || den == 0) return;  // unknown: the default stays
  format.rate_num = num, format.rate_den = den;
  format.time_base_num = den, format.time_base_den = num;
}

}  // namespace

Y4mLayout parse_y4m_header(std::string_view line, const std::string& name,
                           const StreamLimits& limits) {
  if (!line.starts_with(magic) || (line.size() > magic.size() && line[magic.size()] != ' '))
    throw_input(name, fmt::format("not a y4m stream: it does not begin with {}", magic));
  Y4mLayout layout;
  StreamFormat& format = layout.format;
  std::string_view chroma = "420";
  std::string_view rest = line.substr(magic.size());
  while (!rest.empty()) {
    const size_t blank = rest.find(' ');
    const std::string_view field = rest.substr(0, blank);
    rest = blank == std::string_view::npos ? std::string_view() : rest.substr(blank + 1);
    if (field.empty()) continue;
    const std::string_view value = field.substr(1);
    switch (field[0]) {
      case 'W':
        if (!parse_whole(value, format.width) || format.width < 1)
          throw_input(
              name, fmt::format("y4m width is {}; it must be a whole number of at least 1", field));
        break;
      case 'H':
        if (!parse_whole(value, format.height) || format.height < 1)
          throw_input(name, fmt::format("y4m height is {}; it must be a whole number of at least 1",
                                        field));
        break;
      case 'F': parse_rate(value, format, name); break;
      case 'C': chroma = value; break;
      case 'X':
        if (value == "COLORRANGE=FULL") format.full_range = true;
        break;
      default: break;  // interlacing and pixel shape say nothing about samples
    }
  }
  if (format.width == 0 || format.height == 0)
    throw_input(name,
                fmt::format("the y4m header has no {}", format.width == 0 ? "width" : "height"));
  check_pixels(name, format.width, format.height, limits.max_pixels);
  check_memory(name, format.width, format.height, 1, limits.max_memory);
  parse_chroma(chroma, layout, name);
  return layout;
}

std::string y4m_header(const StreamFormat& format) {
  const char* chroma = format.chroma == Chroma::c420   ? "420jpeg"
                       : format.chroma == Chroma::c422 ? "422"
                       : format.chroma == Chroma::c444 ? "444"
                                                       : "mono";
  return fmt::format("{} W{} H{} F{}:{} Ip A0:0 C{} XCOLORRANGE={}\n", magic, format.width,
                     format.height, format.rate_num, format.rate_den, chroma,
                     format.full_range ? "FULL" : "LIMITED");
}

Y4mSource::Y4mSource(std::unique_ptr<InputBytes> bytes, const StreamLimits& limits)
    : bytes_(std::move(bytes)), limits_(limits) {
  std::string line;
  if (!read_line(line)) {
    if (line.empty()) throw_input(name(), "the stream is empty");
    // Either it is something else, or it was cut.
    parse_y4m_header(line, name(), limits_);
    throw_input(name(), "the y4m header is truncated");
  }
  layout_ = parse_y4m_header(line, name(), limits_);
  const StreamFormat& format = layout_.format;
  int64_t samples = int64_t(format.width) * format.height * (layout_.has_alpha ? 2 : 1);
  if (format.chroma != Chroma::none) {
    samples += 2 * int64_t(shifted(format.width, layout_.stored.x)) *
               shifted(format.height, layout_.stored.y);
  }
  if (bytes_->size() >= 0) {
    const int64_t frame = 6 + samples * (layout_.depth > 8 ? 2 : 1);
    expected_ = (bytes_->size() - bytes_->position()) / frame;
  }
}

std::string Y4mSource::description() const {
  const StreamFormat& f = layout_.format;
  return fmt::format("y4m, {}x{}, {:.4g} frames/s, {} bits, {} range", f.width, f.height,
                     double(f.rate_num) / double(f.rate_den), layout_.depth,
                     f.full_range ? "full" : "limited");
}

// False at the end of the stream; what came before it is in `line`.
bool Y4mSource::read_line(std::string& line) {
  line.clear();
  for (int c = bytes_->get(); c >= 0; c = bytes_->get()) {
    if (c == '\n') return true;
    line.push_back(char(c));
    // Something else than y4m may have no newline for a long time.
    if (line.size() > longest_line || (layout_.format.width == 0 && line.size() <= magic.size() &&
                                       line != magic.substr(0, line.size())))
      return false;
  }
  return false;
}

bool Y4mSource::read_plane(Image<uint8_t>& plane, Image<uint16_t>* deep) {
  const auto width = size_t(plane.width());
  for (int32_t y = 0; y < plane.height(); ++y) {
    uint8_t* row = plane.row(y);
    if (layout_.depth == 8) {
      if (bytes_->read(row, width) != width) return false;
      continue;
    }
    line_.resize(2 * width);
    if (bytes_->read(line_.data(), line_.size()) != line_.size()) return false;
    const auto sample = [&](size_t x) { return uint32_t(line_[2 * x] | line_[2 * x + 1] << 8); };
    for (size_t x = 0; x < width; ++x) row[x] = to_8_bits(sample(x), layout_.depth);
    if (!deep) continue;
    for (size_t x = 0; x < width; ++x)
      deep->row(y)[x] = uint16_t(sample(x) << (16 - layout_.depth));
  }
  return true;
}

bool Y4mSource::skip_alpha() {
  line_.resize(size_t(layout_.format.width) * (layout_.depth > 8 ? 2 : 1));
  for (int32_t y = 0; layout_.has_alpha && y < layout_.format.height; ++y) {
    if (bytes_->read(line_.data(), line_.size()) != line_.size()) return false;
  }
  return true;
}

bool Y4mSource::read_planes(Planes& planes) {
  const StreamFormat& format = layout_.format;
  const ChromaShift shift = layout_.stored, wanted = shift_of(format.chroma);
  const bool color = format.chroma != Chroma::none;
  if (planes.stored[0].empty()) {
    planes.stored[0] = Image<uint8_t>(format.width, format.height);
    if (limits_.keep_depth && layout_.depth > 8)
      planes.deep_luma = Image<uint16_t>(format.width, format.height);
    for (size_t i = 1; color && i <= 2; ++i) {
      planes.stored[i] =
          Image<uint8_t>(shifted(format.width, shift.x), shifted(format.height, shift.y));
      if (shift == wanted) continue;
      planes.sampled[i] =
          Image<uint8_t>(shifted(format.width, wanted.x), shifted(format.height, wanted.y));
    }
  }
  if (!read_plane(planes.stored[0], planes.deep_luma.empty() ? nullptr : &planes.deep_luma))
    return false;
  for (size_t i = 1; i <= 2; ++i) {
    if (!read_plane(planes.stored[i])) return false;
  }
  for (size_t i = 1; i <= 2; ++i) {
    if (!planes.sampled[i].empty())
      resample_chroma(planes.stored[i].view(), shift, planes.sampled[i].view(), wanted);
  }
  return skip_alpha();
}

bool Y4mSource::next(Frame& frame) {
  if (ended_ || bytes_->stopped()) return false;
  std::string line;
  const bool whole_line = read_line(line);
  if (bytes_->stopped() || (!whole_line && line.empty())) {
    ended_ = true;
    return false;
  }
  const bool is_frame = line == "FRAME" || line.starts_with("FRAME ");
  if (whole_line && !is_frame)
    throw_input(name(), fmt::format("frame {} does not begin with FRAME: the y4m stream is corrupt",
                                    index_));
  const std::shared_ptr<Planes> planes = pool_.take();
  if (!whole_line || !read_planes(*planes)) {
    ended_ = true;
    if (bytes_->stopped()) return false;
    damage_ = fmt::format("the stream breaks off in frame {}", index_);
    if (!limits_.allow_partial) throw_input(name(), damage_, Hint::allow_partial);
    return false;
  }
  const auto color = [&](size_t i) -> ConstAnyView {
    if (planes->stored[i].empty()) return {};
    return planes->sampled[i].empty() ? planes->stored[i] : planes->sampled[i];
  };
  const StreamFormat& format = layout_.format;
  frame.owner = planes;
  frame.luma = planes->stored[0];
  frame.deep_luma = planes->deep_luma.empty() ? ConstAnyView() : ConstAnyView(planes->deep_luma);
  frame.cb = color(1);
  frame.cr = color(2);
  frame.index = frame.pts = index_;
  frame.time = double(index_) * double(format.rate_den) / double(format.rate_num);
  ++index_;
  return true;
}

Y4mSink::Y4mSink(int descriptor, std::string name, const StreamFormat& format)
    : file_(descriptor, std::move(name)), format_(format) {
  write_header();
}

Y4mSink::Y4mSink(const std::string& path, const StreamFormat& format, Placing placing)
    : file_(path, placing), format_(format) {
  write_header();
}

void Y4mSink::write_header() { file_.write(y4m_header(format_)); }

void Y4mSink::add_plane(ConstAnyView plane, PlaneSize size, const char* what) {
  if (plane.width != size.width || plane.height != size.height || plane.type != PixelType::u8 ||
      plane.channels != 1) {
    throw_invalid(what, "y4m: {} of a frame is {} x {} {}; the stream requires {} x {} u8", what,
                  plane.width, plane.height, name_of(plane.type), size.width, size.height);
  }
  const auto view = plane.as<uint8_t>();
  for (int32_t y = 0; y < size.height; ++y)
    record_.insert(record_.end(), view.row(y), view.row(y) + size.width);
}

void Y4mSink::write(const Frame& frame) {
  constexpr std::string_view mark = "FRAME\n";
  record_.assign(mark.begin(), mark.end());
  add_plane(frame.luma, {format_.width, format_.height}, "luma");
  if (format_.chroma != Chroma::none) {
    const PlaneSize chroma = chroma_size(format_.chroma, format_.width, format_.height);
    add_plane(frame.cb, chroma, "cb");
    add_plane(frame.cr, chroma, "cr");
  }
  file_.write(record_);
}

}  // namespace cuesta::io
