#include "io/y4m.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <cstring>

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

Chroma parse_chroma(std::string_view text, const std::string& name) {
  if (text == "mono") return Chroma::none;
  if (text == "420" || text == "420jpeg" || text == "420mpeg2" || text == "420paldv")
    return Chroma::c420;
  if (text == "422") return Chroma::c422;
  if (text == "444") return Chroma::c444;
  throw_input(name,
              fmt::format("y4m chroma C{} is not read; 8-bit mono, 420, 422 and 444 are", text));
}

void parse_rate(std::string_view text, StreamFormat& format, const std::string& name) {
  const size_t colon = text.find(':');
  int64_t num = 0, den = 0;
  if (colon == std::string_view::npos || !parse_whole(text.substr(0, colon), num) ||
      !parse_whole(text.substr(colon + 1), den) || num < 0 || den < 0 || num > INT32_MAX ||
      den > INT32_MAX)
    throw_input(name, fmt::format("y4m frame rate F{} is not two whole numbers", text));
  if (num == 0 || den == 0) return;  // unknown: the default stays
  format.rate_num = num, format.rate_den = den;
  format.time_base_num = den, format.time_base_den = num;
}

}  // namespace

StreamFormat parse_y4m_header(std::string_view line, const std::string& name,
                              const StreamLimits& limits) {
  if (!line.starts_with(magic) || (line.size() > magic.size() && line[magic.size()] != ' '))
    throw_input(name, fmt::format("not a y4m stream: it does not begin with {}", magic));
  StreamFormat format;
  format.chroma = Chroma::c420;
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
          throw_input(name, fmt::format("y4m width {} is no size", field));
        break;
      case 'H':
        if (!parse_whole(value, format.height) || format.height < 1)
          throw_input(name, fmt::format("y4m height {} is no size", field));
        break;
      case 'F': parse_rate(value, format, name); break;
      case 'C': format.chroma = parse_chroma(value, name); break;
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
  return format;
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

Y4mSource::Y4mSource(std::FILE* file, std::string name, const StreamLimits& limits)
    : file_(file), name_(std::move(name)), limits_(limits) {
  start();
}

Y4mSource::Y4mSource(const std::string& path, const StreamLimits& limits)
    : file_(std::fopen(path.c_str(), "rbe")), owned_(true), name_(path), limits_(limits) {
  if (!file_) throw_input(name_, reason_of(errno));
  try {
    start();
  } catch (...) {
    std::fclose(file_);
    throw;
  }
}

Y4mSource::~Y4mSource() {
  if (owned_) std::fclose(file_);
}

void Y4mSource::start() {
  std::string line;
  if (!read_line(line)) {
    if (line.empty()) throw_input(name_, "the stream is empty");
    // Either it is something else, or it was cut.
    parse_y4m_header(line, name_, limits_);
    throw_input(name_, "the y4m header is cut off");
  }
  format_ = parse_y4m_header(line, name_, limits_);
  const PlaneSize chroma = chroma_size(format_.chroma, format_.width, format_.height);
  luma_ = Image<uint8_t>(format_.width, format_.height);
  if (chroma.width > 0) {
    cb_ = Image<uint8_t>(chroma.width, chroma.height);
    cr_ = Image<uint8_t>(chroma.width, chroma.height);
  }
  struct stat status {};
  const long at = std::ftell(file_);
  if (at >= 0 && fstat(fileno(file_), &status) == 0 && S_ISREG(status.st_mode)) {
    const int64_t frame =
        6 + int64_t(format_.width) * format_.height + 2 * int64_t(chroma.width) * chroma.height;
    expected_ = (status.st_size - at) / frame;
  }
}

// False at the end of the stream; what came before it is in `line`.
bool Y4mSource::read_line(std::string& line) {
  line.clear();
  for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_)) {
    if (c == '\n') return true;
    line.push_back(char(c));
    // Something else than y4m may have no newline for a long time.
    if (line.size() > longest_line ||
        (index_ == 0 && luma_.empty() && line.size() <= magic.size() &&
         line != magic.substr(0, line.size())))
      return false;
  }
  if (std::ferror(file_)) throw_input(name_, reason_of(errno));
  return false;
}

template <class T>
bool Y4mSource::read_plane(Image<T>& plane) {
  for (int32_t y = 0; y < plane.height(); ++y) {
    const size_t row = size_t(plane.width());
    if (std::fread(plane.row(y), 1, row, file_) != row) {
      if (std::ferror(file_)) throw_input(name_, reason_of(errno));
      return false;
    }
  }
  return true;
}

bool Y4mSource::next(Frame& frame) {
  if (ended_) return false;
  std::string line;
  const bool whole_line = read_line(line);
  if (!whole_line && line.empty()) {
    ended_ = true;
    return false;
  }
  const bool is_frame = line == "FRAME" || line.starts_with("FRAME ");
  if (whole_line && !is_frame)
    throw_input(name_, fmt::format("frame {} does not begin with FRAME: the y4m stream is corrupt",
                                   index_));
  if (!whole_line || !read_plane(luma_) || !read_plane(cb_) || !read_plane(cr_)) {
    ended_ = true;
    damage_ = fmt::format("the stream breaks off in frame {}", index_);
    if (!limits_.allow_partial) throw_input(name_, damage_, Hint::allow_partial);
    return false;
  }
  frame.luma = luma_;
  frame.cb = cb_;
  frame.cr = cr_;
  frame.index = frame.pts = index_;
  frame.time = double(index_) * double(format_.rate_den) / double(format_.rate_num);
  ++index_;
  return true;
}

Y4mSink::Y4mSink(std::FILE* file, std::string name, const StreamFormat& format)
    : file_(file), name_(std::move(name)), format_(format) {
  const std::string header = y4m_header(format_);
  write_bytes(header.data(), header.size());
}

Y4mSink::Y4mSink(const std::string& path, const StreamFormat& format)
    : staged_(std::make_unique<StagedFile>(path)),
      file_(std::fopen(staged_->path().c_str(), "wbe")),
      name_(path),
      format_(format) {
  if (!file_) throw_output(name_, reason_of(errno));
  const std::string header = y4m_header(format_);
  write_bytes(header.data(), header.size());
}

Y4mSink::~Y4mSink() {
  if (staged_ && file_) std::fclose(file_);
}

void Y4mSink::write_bytes(const void* bytes, size_t count) {
  if (std::fwrite(bytes, 1, count, file_) != count) throw_output(name_, reason_of(errno));
}

void Y4mSink::write_plane(ConstAnyView plane, PlaneSize size, const char* what) {
  if (plane.width != size.width || plane.height != size.height || plane.type != PixelType::u8 ||
      plane.channels != 1) {
    throw_invalid(what, "y4m: {} of a frame is {} x {} {}; the stream has {} x {} u8", what,
                  plane.width, plane.height, name_of(plane.type), size.width, size.height);
  }
  const auto view = plane.as<uint8_t>();
  for (int32_t y = 0; y < size.height; ++y) write_bytes(view.row(y), size_t(size.width));
}

void Y4mSink::write(const Frame& frame) {
  write_bytes("FRAME\n", 6);
  write_plane(frame.luma, {format_.width, format_.height}, "luma");
  if (format_.chroma == Chroma::none) return;
  const PlaneSize chroma = chroma_size(format_.chroma, format_.width, format_.height);
  write_plane(frame.cb, chroma, "cb");
  write_plane(frame.cr, chroma, "cr");
}

void Y4mSink::finish() {
  if (!staged_) {
    if (std::fflush(file_) != 0) throw_output(name_, reason_of(errno));
    return;
  }
  const int failed = std::fclose(file_);
  file_ = nullptr;
  if (failed) throw_output(name_, reason_of(errno));
  staged_->commit();
}

}  // namespace cuesta::io
