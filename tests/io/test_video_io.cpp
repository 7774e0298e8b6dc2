// Videos written and read again: pictures, sizes, times, range, sound; and what is no video.
#if defined(CUESTA_HAS_VIDEO)
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cuesta/device.hpp"
#include "cuesta/error.hpp"
#include "cuesta/io.hpp"
#include "cuesta/io/frames.hpp"
#include "io/av.hpp"
#include "io/video.hpp"
#include "support/errors.hpp"
#include "support/temp_folder.hpp"

namespace cuesta {
namespace {

using io::Chroma;
using io::Frame;
using io::StreamFormat;
using test::TempFolder;

/// A frame's planes, owned.
struct Pixels {
  Image<uint8_t> luma, cb, cr;
  explicit Pixels(const StreamFormat& format) : luma(format.width, format.height) {
    const auto size = io::chroma_size(format.chroma, format.width, format.height);
    if (size.width == 0) return;
    cb = Image<uint8_t>(size.width, size.height);
    cr = Image<uint8_t>(size.width, size.height);
  }
  /// A smooth picture, another one for every k; inside the limited range.
  void fill(int64_t k) {
    const auto wave = [&](Image<uint8_t>& plane, double base, double scale) {
      for (int32_t y = 0; y < plane.height(); ++y) {
        for (int32_t x = 0; x < plane.width(); ++x) {
          const double v = std::sin((x * scale + double(k)) * 0.1) + std::cos(y * scale * 0.13);
          plane.row(y)[x] = uint8_t(base + 40 * v);
        }
      }
    };
    wave(luma, 128, 1);
    if (!cb.empty()) wave(cb, 110, 2), wave(cr, 140, 3);
  }
  Frame frame(int64_t index, int64_t pts) {
    Frame out{.luma = luma, .index = index, .pts = pts};
    if (!cb.empty()) out.cb = cb, out.cr = cr;
    return out;
  }
};

StreamFormat format_of(int32_t width, int32_t height, Chroma chroma = Chroma::c420) {
  StreamFormat format;
  format.width = width, format.height = height, format.chroma = chroma;
  return format;
}

void write_video(const std::string& path, const StreamFormat& format,
                 const std::vector<int64_t>& times, const std::string& sound = {},
                 io::Placing placing = io::Placing::when_whole,
                 io::Coding coding = io::Coding::for_viewing) {
  const auto sink = io::create_frames(path, format, sound, {.threads = 1}, placing, coding);
  Pixels pixels(format);
  for (size_t k = 0; k < times.size(); ++k) {
    pixels.fill(int64_t(k));
    sink->write(pixels.frame(int64_t(k), times[k]));
  }
  sink->finish();
}

std::vector<int64_t> steady(int64_t count) {
  std::vector<int64_t> out;
  for (int64_t k = 0; k < count; ++k) out.push_back(k);
  return out;
}

double mean_difference(ConstAnyView a, ConstAnyView b) {
  if (a.width != b.width || a.height != b.height) return 1e9;
  int64_t sum = 0;
  for (int32_t y = 0; y < a.height; ++y) {
    for (int32_t x = 0; x < a.width; ++x)
      sum += std::abs(int(a.as<uint8_t>().row(y)[x]) - b.as<uint8_t>().row(y)[x]);
  }
  return double(sum) / (double(a.width) * a.height);
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Reads to the end, which must come by an Error{input} that names the file.
void expect_input_error(const std::string& path, const io::StreamLimits& limits = {}) {
  try {
    const auto source = io::open_frames(path, limits);
    Frame frame;
    int64_t most = 10000;
    while (source->next(frame) && --most > 0) {
    }
    ADD_FAILURE() << path << " was read whole";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input) << error.what();
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
  }
}

// While it lives libav gets no memory but in pieces of this many bytes.
struct LittleMemory {
  explicit LittleMemory(size_t bytes) { av_max_alloc(bytes); }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;
  ~LittleMemory() { av_max_alloc(INT_MAX); }
};

TEST(VideoOptions, OneThatFindsNoMemoryIsNotLeftOut) {
  io::av::Options options(2);
  options.set("preset", "veryfast");
  {
    const LittleMemory little(4);
    EXPECT_THROW(options.set("protocol_whitelist", "rtsp,http"), std::bad_alloc);
  }
  options.set("max_pixels", int64_t(12));
  for (int i = 0; i < 2; ++i) {
    EXPECT_STREQ(av_dict_get(options.get()[i], "max_pixels", nullptr, 0)->value, "12");
    EXPECT_STREQ(av_dict_get(options.get()[i], "preset", nullptr, 0)->value, "veryfast");
  }
  EXPECT_EQ(io::av::Options(0).get(), nullptr);

  const AVCodec* h264 = avcodec_find_encoder_by_name("libx264");
  if (!h264) GTEST_SKIP() << "libav has no libx264, whose options are texts";
  const io::av::CodecPtr encoder(avcodec_alloc_context3(h264));
  ASSERT_TRUE(encoder);
  io::av::set_option(*encoder, "no-such-option", "1");
  const LittleMemory little(4);
  EXPECT_THROW(io::av::set_option(*encoder, "preset", "veryfast"), std::bad_alloc);
}

TEST(VideoIo, Y4mKeepsEveryByte) {
  const TempFolder folder;
  for (const auto& [width, height] : {std::pair{1, 1}, {16, 16}, {33, 17}, {64, 49}}) {
    for (const Chroma chroma : {Chroma::none, Chroma::c420, Chroma::c422, Chroma::c444}) {
      for (const bool full : {false, true}) {
        StreamFormat format = format_of(width, height, chroma);
        format.full_range = full;
        format.rate_num = 30000, format.rate_den = 1001;
        const std::string path = folder / "a.y4m";
        write_video(path, format, steady(3));
        const auto source = io::open_frames(path);
        EXPECT_EQ(source->format().chroma, chroma);
        EXPECT_EQ(source->format().full_range, full);
        EXPECT_EQ(source->expected_frames(), 3);
        Pixels wanted(format);
        Frame frame;
        for (int64_t k = 0; k < 3; ++k) {
          ASSERT_TRUE(source->next(frame));
          wanted.fill(k);
          EXPECT_EQ(frame.index, k);
          EXPECT_DOUBLE_EQ(frame.time, double(k) * 1001 / 30000);
          EXPECT_EQ(mean_difference(frame.luma, wanted.luma), 0);
          if (chroma == Chroma::none) {
            EXPECT_FALSE(frame.cb);
          } else {
            EXPECT_EQ(mean_difference(frame.cb, wanted.cb), 0);
            EXPECT_EQ(mean_difference(frame.cr, wanted.cr), 0);
          }
        }
        EXPECT_FALSE(source->next(frame));
      }
    }
  }
}

TEST(VideoIo, CodedVideosKeepSizeCountTimesRangeAndPicture) {
  const TempFolder folder;
  constexpr int64_t count = 20;
  for (const std::string extension : {"mp4", "mkv", "mov"}) {
    for (const auto& [width, height] : {std::pair{64, 48}, {33, 17}, {32, 45}, {47, 32}}) {
      for (const bool full : {false, true}) {
        SCOPED_TRACE(extension + " " + std::to_string(width) + " x " + std::to_string(height));
        StreamFormat format = format_of(width, height);
        format.full_range = full;
        const std::string path = folder / ("a." + extension);
        write_video(path, format, steady(count));
        const auto source = io::open_frames(path, {.threads = 1});
        EXPECT_EQ(source->format().width, width);
        EXPECT_EQ(source->format().height, height);
        EXPECT_EQ(source->format().full_range, full);
        EXPECT_EQ(source->format().rate_num, 25 * source->format().rate_den);
        Pixels wanted(format);
        Frame frame;
        int64_t k = 0;
        for (; source->next(frame); ++k) {
          wanted.fill(k);
          EXPECT_EQ(frame.index, k);
          EXPECT_NEAR(frame.time, double(k) / 25, 1e-9);
          EXPECT_LT(mean_difference(frame.luma, wanted.luma), 4);
        }
        EXPECT_EQ(k, count);
      }
    }
  }
}

TEST(VideoIo, UnevenTimesAreKept) {
  const TempFolder folder;
  const std::vector<int64_t> times = {0, 40, 100, 103, 250, 251, 1000, 1040, 5000};
  StreamFormat format = format_of(32, 32);
  format.time_base_num = 1, format.time_base_den = 1000;
  for (const std::string extension : {"mp4", "mkv"}) {
    const std::string path = folder / ("vfr." + extension);
    write_video(path, format, times);
    const auto source = io::open_frames(path);
    Frame frame;
    for (const int64_t time : times) {
      ASSERT_TRUE(source->next(frame)) << extension;
      EXPECT_NEAR(frame.time, double(time) / 1000, 1e-9) << extension;
      const StreamFormat& f = source->format();
      EXPECT_NEAR(double(frame.pts) * double(f.time_base_num) / double(f.time_base_den), frame.time,
                  1e-12);
    }
    EXPECT_FALSE(source->next(frame));
  }
}

TEST(VideoIo, ATurnedVideoComesUpright) {
  const TempFolder folder;
  const std::string path = folder / "a.mp4", turned_path = folder / "turned.mp4";
  write_video(path, format_of(48, 32), steady(3));
  std::string bytes = bytes_of(path);
  const size_t at = bytes.find("tkhd");
  ASSERT_NE(at, std::string::npos);
  // The display matrix of a quarter turn clockwise: rows (0 1 0), (-1 0 0), 16.16.
  const unsigned char matrix[20] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0, 0, 0};
  std::memcpy(bytes.data() + at + 44, matrix, sizeof matrix);
  put(turned_path, bytes);
  const auto stored = io::open_frames(path), turned = io::open_frames(turned_path);
  EXPECT_EQ(turned->format().width, 32);
  EXPECT_EQ(turned->format().height, 48);
  Frame a, b;
  while (stored->next(a)) {
    ASSERT_TRUE(turned->next(b));
    const auto from = a.luma.as<uint8_t>(), to = b.luma.as<uint8_t>();
    for (int32_t y = 0; y < 48; ++y) {
      for (int32_t x = 0; x < 32; ++x) ASSERT_EQ(to.row(y)[x], from.row(31 - x)[y]);
    }
  }
}

std::string wav(int seconds) {
  const uint32_t rate = 8000, size = rate * uint32_t(seconds) * 2;
  std::string out = "RIFF";
  const auto number = [&](uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out.push_back(char(value >> (8 * i)));
  };
  number(36 + size, 4);
  out += "WAVEfmt ";
  number(16, 4), number(1, 2), number(1, 2), number(rate, 4), number(rate * 2, 4), number(2, 2);
  number(16, 2);
  out += "data";
  number(size, 4);
  for (uint32_t i = 0; i < size / 2; ++i) number(uint32_t(i * 97) & 0xfff, 2);
  return out;
}

TEST(VideoIo, SoundIsCopiedWhereTheContainerTakesIt) {
  const TempFolder folder;
  const std::string sound = folder / "a.wav", with = folder / "with.mkv";
  put(sound, wav(2));
  write_video(with, format_of(32, 32), steady(50), sound);
  const auto said = [&](const std::string& name) {
    return io::create_frames(folder / name, format_of(32, 32), with)->description();
  };
  EXPECT_NE(said("again.mkv").find("sound copied"), std::string::npos) << said("again.mkv");
  const auto lost = [&](const std::string& name) {
    return io::create_frames(folder / name, format_of(32, 32), with)->loss();
  };
  EXPECT_EQ(lost("again.mkv"), "");
  EXPECT_EQ(said("again.mp4").find("sound"), std::string::npos) << said("again.mp4");
  EXPECT_NE(lost("again.mp4").find("without its sound"), std::string::npos) << lost("again.mp4");
  EXPECT_GT(bytes_of(with).size(), size_t(2 * 8000 * 2)) << "the samples are there";
  const auto source = io::open_frames(with);
  Frame frame;
  int64_t count = 0;
  while (source->next(frame)) ++count;
  EXPECT_EQ(count, 50);
  // Without finish(), nothing stays.
  EXPECT_FALSE(std::filesystem::exists(folder / "again.mkv"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

TEST(VideoIo, LosslessGrayComesBackExactly) {
  const TempFolder folder;
  StreamFormat format = format_of(71, 53, Chroma::none);
  format.full_range = true;
  for (const std::string name : {"a.mkv", "a.avi", "a.y4m"}) {
    SCOPED_TRACE(name);
    const auto sink = io::create_frames(folder / name, format, {}, {.threads = 2},
                                        io::Placing::when_whole, io::Coding::lossless_gray);
    Pixels pixels(format);
    for (int64_t k = 0; k < 5; ++k) pixels.fill(k), sink->write(pixels.frame(k, k));
    sink->finish();
    const auto source = io::open_frames(folder / name);
    EXPECT_EQ(source->format().chroma, Chroma::none);
    Frame frame;
    for (int64_t k = 0; k < 5; ++k) {
      ASSERT_TRUE(source->next(frame)) << k;
      pixels.fill(k);
      EXPECT_EQ(mean_difference(frame.luma, pixels.frame(k, k).luma), 0) << k;
    }
    EXPECT_FALSE(source->next(frame));
  }
  EXPECT_THROW(io::create_frames(folder / "a.mp4", format, {}, {}, io::Placing::when_whole,
                                 io::Coding::lossless_gray),
               Error);
}

TEST(VideoIo, WhatIsNoVideoIsRefused) {
  const TempFolder folder;
  put(folder / "sound.wav", wav(1));
  put(folder / "sound.mp4", wav(1));
  put(folder / "empty.mp4", "");
  put(folder / "text.mp4", "no video\n");
  for (const char* name : {"sound.wav", "sound.mp4", "empty.mp4", "text.mp4", "missing.mp4"})
    expect_input_error(folder / name);
  write_video(folder / "good.mp4", format_of(64, 48), steady(3));
  expect_input_error(folder / "good.mp4", {.max_pixels = 64 * 48 - 1});
}

// Two videos of different sizes, one after the other in one file.
TEST(VideoIo, ASizeThatChangesIsAnError) {
  const TempFolder folder;
  for (const std::string extension : {"y4m", "mjpeg", "ts", "h264"}) {
    SCOPED_TRACE(extension);
    const std::string first = folder / ("a." + extension), second = folder / ("b." + extension);
    write_video(first, format_of(32, 32), steady(30));
    write_video(second, format_of(64, 48), steady(30));
    const std::string both = folder / ("both." + extension);
    put(both, bytes_of(first) + bytes_of(second));
    expect_input_error(both);
    expect_input_error(both, {.allow_partial = true});
  }
}

TEST(VideoIo, WrongFramesAreRefused) {
  const TempFolder folder;
  for (const char* name : {"a.mp4", "a.y4m"}) {
    const auto sink = io::create_frames(folder / name, format_of(32, 32));
    Pixels other(format_of(32, 30));
    EXPECT_THROW(sink->write(other.frame(0, 0)), Error);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

TEST(VideoIo, MemoryStaysFlat) {
#if defined(CUESTA_SANITIZED)
  GTEST_SKIP() << "sanitizers keep freed memory";
#endif
  const TempFolder folder;
  constexpr int64_t count = 2000, warm = 200, most = 30 << 20;
  const StreamFormat format = format_of(160, 120);
  {
    const auto sink = io::create_frames(folder / "long.mp4", format, {}, {.threads = 1});
    Pixels pixels(format);
    int64_t before = 0;
    for (int64_t k = 0; k < count; ++k) {
      if (k == warm) before = resident_bytes();
      pixels.fill(k);
      sink->write(pixels.frame(k, k));
    }
    EXPECT_LT(resident_bytes() - before, most) << "while writing";
    sink->finish();
  }
  const auto source = io::open_frames(folder / "long.mp4", {.threads = 1});
  Frame frame;
  int64_t before = 0, k = 0;
  for (; source->next(frame); ++k) {
    if (k == warm) before = resident_bytes();
  }
  EXPECT_EQ(k, count);
  EXPECT_LT(resident_bytes() - before, most) << "while reading";
}

// A sum of each frame's samples, weighted by where they are.
std::vector<std::pair<int64_t, int64_t>> frames_of(const std::string& path,
                                                   const ReadOptions& options) {
  std::vector<std::pair<int64_t, int64_t>> out;
  VideoReader reader(path, options);
  for (const cuesta::Frame& frame : reader) {
    int64_t sum = 0;
    for (int32_t y = 0; y < frame.luma().height; ++y)
      for (int32_t x = 0; x < frame.luma().width; ++x)
        sum += (x + 31 * y + 1) * frame.luma().row(y)[x];
    out.emplace_back(frame.index(), sum);
  }
  return out;
}

// H.264 with its units' lengths before them, and with start codes.
TEST(VideoParts, AreTheFramesOfTheWhole) {
  const TempFolder folder;
  for (const char* name : {"a.mkv", "a.ts"}) {
    const std::string path = folder / name;
    StreamFormat format = format_of(32, 32);
    format.rate_num = 10;  // one that grows has a key frame every two seconds
    write_video(path, format, steady(120), {}, io::Placing::growing);
    const auto whole = frames_of(path, {});
    const auto parts = video_parts(path, 30);
    ASSERT_GT(parts.size(), 1U) << name;
    std::vector<std::pair<int64_t, int64_t>> joined;
    for (const VideoPart& part : parts) {
      EXPECT_EQ(part.first, int64_t(joined.size())) << name;
      const auto some = frames_of(path, {.part = part});
      EXPECT_EQ(int64_t(some.size()), part.frames) << name;
      joined.insert(joined.end(), some.begin(), some.end());
    }
    EXPECT_EQ(joined, whole) << name;
    EXPECT_EQ(video_parts(path, 1000).size(), 1U) << name;
  }
}

// One reader takes part after part, from wherever it is in the one before.
TEST(VideoParts, AReaderGoesOnWithAnother) {
  const TempFolder folder;
  const std::string path = folder / "a.mkv";
  StreamFormat format = format_of(32, 32);
  format.rate_num = 10;
  write_video(path, format, steady(160), {}, io::Placing::growing);
  const auto parts = video_parts(path, 30);
  ASSERT_GT(parts.size(), 3U);
  io::VideoReader reader(path, {.threads = 1, .part = parts[0]});
  for (const size_t k : {1, 3}) {
    io::VideoReader own(path, {.threads = 1, .part = parts[k]});
    if (k == 1)
      reader.take(parts[k]);
    else
      reader.take(parts[2]), reader.take(parts[k]);
    Frame mine, other;
    int64_t frames = 0;
    for (; own.next(mine); ++frames) {
      ASSERT_TRUE(reader.next(other)) << k << ' ' << frames;
      EXPECT_EQ(other.index, mine.index);
      EXPECT_EQ(other.time, mine.time);
      EXPECT_EQ(mean_difference(mine.luma, other.luma), 0) << k << ' ' << frames;
    }
    EXPECT_EQ(frames, parts[k].frames);
    if (k == 3) {
      EXPECT_FALSE(reader.next(other));
    }
  }
}

// Where no GPU decodes, the CPU does, and it is said; or that is an error, if it has to be a GPU.
TEST(GpuDecoding, IsSaidWhereItIsNotThere) {
  std::string why_none;
  if (!list_devices(&why_none).empty()) GTEST_SKIP() << "there is a GPU: tests/cli/test_decode.py";
  const TempFolder folder;
  const io::GpuDecoding asked{.device = 0, .required = false, .host_planes = false, .decoders = 7};
  io::GpuDecoding needed = asked;
  needed.required = true;
  StreamFormat format = format_of(32, 32);
  format.rate_num = 10;
  const auto said_of = [&](const std::string& path) {
    try {
      io::open_frames(path, {.gpu = needed});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  struct Case {
    io::Coding coding;
    std::string why;
  };
  for (const Case& one :
       {Case{io::Coding::for_viewing, "decoding on cuda:0: " + why_none},
        {io::Coding::lossless_gray, "GPUs are given H.264, HEVC, VP8 and VP9, not ffv1"}}) {
    const std::string path = folder / "a.mkv";
    format.chroma = one.coding == io::Coding::for_viewing ? Chroma::c420 : Chroma::none;
    write_video(path, format, steady(140), {}, io::Placing::growing, one.coding);
    const auto plain = io::open_frames(path);
    const auto source = io::open_frames(path, {.gpu = asked});
    EXPECT_NE(source->description().find("decoded by the CPU ("), std::string::npos)
        << source->description();
    EXPECT_NE(source->description().find(one.why), std::string::npos) << source->description();
    Frame wanted, found;
    int64_t frames = 0;
    for (; plain->next(wanted); ++frames) {
      ASSERT_TRUE(source->next(found));
      EXPECT_FALSE(found.gpu_luma);
      EXPECT_EQ(mean_difference(wanted.luma, found.luma), 0) << path << ' ' << frames;
    }
    EXPECT_FALSE(source->next(found));
    EXPECT_EQ(frames, 140);
    EXPECT_NE(said_of(path).find(one.why), std::string::npos) << said_of(path);
  }
  const std::string raw = folder / "a.y4m";
  write_video(raw, format_of(32, 32), steady(3));
  EXPECT_NE(said_of(raw).find("decoding y4m on a GPU is not supported"), std::string::npos)
      << said_of(raw);
  EXPECT_EQ(io::open_frames(raw, {.gpu = asked})->format().width, 32);
}

TEST(GpuDecoding, OtherGpusAreRefusedWhereTheyAreAbsent) {
  if (io::has_render_node()) GTEST_SKIP() << "there is a GPU of VA-API";
  const TempFolder folder;
  const std::string path = folder / "a.mkv";
  write_video(path, format_of(32, 32), steady(20));
  for (const auto by : {io::GpuDecoders::vaapi, io::GpuDecoders::qsv}) {
    const io::GpuDecoding wanted{.by = by}, needed{.by = by, .required = true};
    EXPECT_EQ(
        test::error_of(ErrorCode::device, [&] { io::open_frames(path, {.gpu = needed}); }),
        fmt::format("decoding on {}: this machine has no /dev/dri/renderD*", io::name_of(needed)));
    const auto plain = io::open_frames(path), source = io::open_frames(path, {.gpu = wanted});
    EXPECT_NE(source->description().find("decoded by the CPU (decoding on " + io::name_of(wanted)),
              std::string::npos)
        << source->description();
    Frame expected, found;
    int64_t frames = 0;
    for (; plain->next(expected); ++frames) {
      ASSERT_TRUE(source->next(found));
      EXPECT_EQ(mean_difference(expected.luma, found.luma), 0);
    }
    EXPECT_FALSE(source->next(found));
    EXPECT_EQ(frames, 20);
  }
}

TEST(VideoParts, WhatCannotBeCutIsOne) {
  const TempFolder folder;
  write_video(folder / "a.y4m", format_of(32, 32), steady(4));
  const auto parts = video_parts(folder / "a.y4m", 1);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_TRUE(parts[0].is_whole());
  EXPECT_THROW(video_parts(folder / "a.y4m", 0), Error);
  EXPECT_THROW(video_parts(folder / "none.mp4"), Error);
}

}  // namespace
}  // namespace cuesta
#endif
