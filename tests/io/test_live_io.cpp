// Video as it happens: waiting that can be ended, files that can be read while they grow, y4m of
// every depth, addresses.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cuesta/error.hpp"
#include "cuesta/io.hpp"
#include "cuesta/io/address.hpp"
#include "cuesta/io/colors.hpp"
#include "cuesta/io/frames.hpp"
#include "io/input_bytes.hpp"
#include "io/y4m.hpp"
#include "support/temp_folder.hpp"
#if defined(CUESTA_HAS_VIDEO)
#include "io/video.hpp"
#endif

namespace cuesta {
namespace {

using namespace std::chrono_literals;
using test::TempFolder;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(LiveIo, StopEndsWaitingAtOnce) {
  io::StopSignal stop;
  EXPECT_FALSE(stop.wait(0.01));
  std::jthread other([&] {
    std::this_thread::sleep_for(20ms);
    stop.request();
  });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(stop.wait(60));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
  EXPECT_TRUE(stop.requested());
}

// One camera's stop among several: each ends alone, and all with the run's.
TEST(LiveIo, AStopAmongSeveralEndsAloneOrWithAll) {
  const auto readable = [](const io::StopSignal& stop) {
    pollfd watched{stop.descriptor(), POLLIN, 0};
    return poll(&watched, 1, 0) == 1 && (watched.revents & POLLIN);
  };
  const auto run = std::make_shared<io::StopSignal>();
  io::StopSignal gate(run), yard(run);
  gate.request();
  EXPECT_TRUE(gate.requested() && readable(gate) && gate.wait(60));
  EXPECT_FALSE(yard.requested() || readable(yard) || yard.wait(0.01));
  EXPECT_FALSE(run->requested() || readable(*run));

  std::jthread other([&] {
    std::this_thread::sleep_for(20ms);
    run->request();
  });
  EXPECT_TRUE(yard.wait(60));
  EXPECT_TRUE(readable(yard) && readable(*run));
  EXPECT_TRUE(io::StopSignal(run).requested()) << "a camera that comes after the end";
}

// A pipe with a header and one frame in it, whose writer says nothing more.
TEST(LiveIo, AReaderThatWaitsIsStopped) {
  const TempFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int writer = open(path.c_str(), O_RDWR);
  ASSERT_GE(writer, 0);
  const std::string text = "YUV4MPEG2 W4 H2 F25:1 Cmono\nFRAME\n12345678FRAME\n123";
  ASSERT_EQ(::write(writer, text.data(), text.size()), ssize_t(text.size()));
  VideoReader video(path);
  const Frame* frame = video.next();
  ASSERT_NE(frame, nullptr);
  EXPECT_EQ(frame->luma().row(1)[3], '8');
  EXPECT_EQ(frame->lost(), std::nullopt);
  EXPECT_FALSE(frame->damaged());
  std::jthread other([&] {
    std::this_thread::sleep_for(50ms);
    video.stop();
  });
  EXPECT_EQ(video.next(), nullptr) << "half a frame is no error where the reader was stopped";
  EXPECT_EQ(video.next(), nullptr);
  close(writer);
}

TEST(LiveIo, BytesOfAPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::vector<char> sent(300'000);
  for (size_t i = 0; i < sent.size(); ++i) sent[i] = char(i * 7 + i / 251);
  std::jthread writer([&] {
    size_t at = 0;
    while (at < sent.size()) {
      const ssize_t n =
          ::write(ends[1], sent.data() + at, std::min<size_t>(4097, sent.size() - at));
      ASSERT_GT(n, 0);
      at += size_t(n);
    }
    close(ends[1]);
  });
  io::InputBytes bytes(ends[0], "pipe", {});
  EXPECT_EQ(bytes.size(), -1);
  EXPECT_EQ(bytes.peek(9), std::string_view(sent.data(), 9));
  EXPECT_EQ(bytes.peek(100), std::string_view(sent.data(), 100));
  EXPECT_EQ(bytes.position(), 0);
  EXPECT_EQ(bytes.get(), static_cast<unsigned char>(sent[0]));
  std::vector<char> got = {sent[0]};
  for (size_t want = 1; got.size() < sent.size(); want = want * 3 % 100'003) {
    const size_t n = std::min(want, sent.size() - got.size());
    got.resize(got.size() + n);
    ASSERT_EQ(bytes.read(got.data() + got.size() - n, n), n);
  }
  EXPECT_EQ(got, sent);
  EXPECT_EQ(bytes.get(), -1);
  EXPECT_EQ(bytes.peek(1), "");
  close(ends[0]);
}

TEST(LiveIo, Addresses) {
  for (const char* text : {"rtsp://a", "http://a/b", "RTSP://a", "x+y-z.1://?"})
    EXPECT_TRUE(io::is_address(text)) << text;
  for (const char* text : {"", "a.mp4", "/a/b.mp4", "://a", "rtsp://", "a b://c", "rtsp:/a", "c:a"})
    EXPECT_FALSE(io::is_address(text)) << text;
  EXPECT_EQ(io::without_password("rtsp://u:p@h:554/a"), "rtsp://u:***@h:554/a");
  EXPECT_EQ(io::without_password("rtsp://u:p@q@h/a?b@c"), "rtsp://u:***@h/a?***");
  for (const char* text : {"rtsp://u:ge/heim@h/", "rtsp://u:geheim#@h/", "mqtt://user:ge/heim@h",
                           "rtsp://u:ge?heim@h/", "rtsp://u:p@ge/heim@h/", "http://h/?token=geheim",
                           "http://h/a#geheim", "rtsp://:geheim@h", "rtsp://u:geheim@[::1]:554/",
                           "rtsp://u:p@geheim@h/a", "htp://u:ge:heim@h/"}) {
    const std::string shown = io::without_password(text);
    EXPECT_EQ(shown.find("ge"), shown.npos) << shown;
    EXPECT_EQ(shown.find("heim"), shown.npos) << shown;
    EXPECT_NE(shown.find("***"), shown.npos) << shown;
    EXPECT_EQ(io::without_password(shown), shown);
    const auto message = [](const std::string& of) {
      return "--mqtt \"" + of + "\": a.mp4 and " + of + ": no data";
    };
    EXPECT_EQ(io::without_passwords(message(text)), message(shown));
  }
  EXPECT_EQ(io::without_passwords("a://, ://b and c"), "a://, ://b and c");
  for (const char* text :
       {"rtsp://h:554/a", "rtsp://u@h:554/a", "http://h/a:b@c", "a.mp4", "a:b@c"})
    EXPECT_EQ(io::without_password(text), text);
  EXPECT_NO_THROW(io::check_address("HTTPS://a/b"));
  for (const char* text : {"file:///etc/passwd", "concat://a", "pipe://0", "ftp://a"})
    EXPECT_THROW(io::check_address(text), Error) << text;
  EXPECT_TRUE(io::is_live("rtsp://a"));
  EXPECT_TRUE(io::is_live("/dev/null"));
  EXPECT_FALSE(io::is_live("/etc/passwd"));
  EXPECT_FALSE(io::is_live("/no/such/file"));
  EXPECT_FALSE(io::is_camera("/dev/null"));
}

TEST(LiveIo, RecordsAreWholeWhileTheFileGrows) {
  const TempFolder folder;
  const std::string path = folder / "a";
  {
    io::RecordFile whole(path, io::Placing::when_whole);
    whole.write(std::string("one"));
    EXPECT_FALSE(std::filesystem::exists(path));
    whole.finish();
    EXPECT_EQ(bytes_of(path), "one");
  }
  io::RecordFile grows(path, io::Placing::growing);
  EXPECT_EQ(bytes_of(path), "") << "the old result is gone";
  grows.write(std::string("two"));
  EXPECT_EQ(bytes_of(path), "two");
  grows.write(std::string("three"));
  EXPECT_EQ(bytes_of(path), "twothree");
  grows.finish();
  EXPECT_THROW(io::RecordFile(folder / "no/such", io::Placing::growing), Error);
  EXPECT_THROW(io::RecordFile(folder.path().string(), io::Placing::growing), Error);
  io::RecordFile full("/dev/full", io::Placing::when_whole);
  EXPECT_THROW(full.write(std::string("x")), Error);
}

#if defined(CUESTA_HAS_VIDEO)

io::StreamFormat format_of(int32_t width, int32_t height) {
  io::StreamFormat format;
  format.width = width, format.height = height;
  return format;
}

// Every chroma and depth of y4m, read by us, and by libav's own demuxer and pixel formats.
TEST(LiveIo, DeepY4mIsWhatLibavReads) {
  const TempFolder folder;
  struct Kind {
    const char* name;
    int shift_x, shift_y;
  };
  constexpr int32_t width = 33, height = 17, count = 3;
  for (const Kind& kind :
       {Kind{"mono", -1, -1}, {"420", 1, 1}, {"422", 1, 0}, {"444", 0, 0}, {"411", 2, 0}}) {
    for (const int bits : {8, 9, 10, 12, 14, 16}) {
      const std::string chroma = kind.name;
      if (bits > 8 && chroma == "411") continue;     // libav has none
      if (chroma == "mono" && bits == 14) continue;  // nor this
      std::string name = chroma;
      if (bits > 8) name += (chroma == "mono" ? "" : "p") + std::to_string(bits);
      SCOPED_TRACE(name);
      size_t samples = size_t(width) * height;
      if (kind.shift_x >= 0) {
        samples += 2 * size_t((width + (1 << kind.shift_x) - 1) >> kind.shift_x) *
                   size_t((height + (1 << kind.shift_y) - 1) >> kind.shift_y);
      }
      std::string data = "YUV4MPEG2 W33 H17 F25:1 Ip A1:1 C" + name + " XCOLORRANGE=LIMITED\n";
      uint32_t state = uint32_t(bits);
      for (int k = 0; k < count; ++k) {
        data += "FRAME\n";
        for (size_t i = 0; i < samples; ++i) {
          state = state * 1664525u + 1013904223u;
          const uint32_t value = (state >> 8) & ((1u << bits) - 1);
          data.push_back(char(value));
          if (bits > 8) data.push_back(char(value >> 8));
        }
      }
      const std::string path = folder / "a.y4m";
      std::ofstream(path, std::ios::binary) << data;
      const auto ours = io::open_frames(path, {.keep_depth = true});
      io::VideoReader theirs(std::span(reinterpret_cast<const uint8_t*>(data.data()), data.size()),
                             "libav", {.keep_depth = true});
      EXPECT_EQ(ours->expected_frames(), count);
      ASSERT_EQ(ours->format().chroma, theirs.format().chroma);
      io::Frame a, b;
      for (int k = 0; k < count; ++k) {
        ASSERT_TRUE(ours->next(a));
        ASSERT_TRUE(theirs.next(b));
        for (const auto plane : {&io::Frame::luma, &io::Frame::cb, &io::Frame::cr}) {
          const ConstAnyView x = a.*plane, y = b.*plane;
          ASSERT_EQ(x.width, y.width);
          ASSERT_EQ(x.height, y.height);
          for (int32_t row = 0; row < x.height; ++row) {
            const uint8_t *p = x.as<uint8_t>().row(row), *q = y.as<uint8_t>().row(row);
            ASSERT_TRUE(std::equal(p, p + x.width, q)) << "frame " << k << ", row " << row;
          }
        }
        ASSERT_EQ(bool(a.deep_luma), bits > 8);
        ASSERT_EQ(bool(b.deep_luma), bits > 8);
        for (int32_t row = 0; bits > 8 && row < height; ++row) {
          const uint16_t *p = a.deep_luma.as<uint16_t>().row(row),
                         *q = b.deep_luma.as<uint16_t>().row(row);
          ASSERT_TRUE(std::equal(p, p + width, q)) << "frame " << k << ", row " << row;
          // The bits stand highest; rounded to 8 they are luma.
          for (int32_t x = 0; x < width; ++x) {
            ASSERT_EQ(p[x] & ((1 << (16 - bits)) - 1), 0);
            ASSERT_EQ(io::to_8_bits(p[x], 16), a.luma.as<uint8_t>().at(x, row));
          }
        }
      }
      EXPECT_FALSE(ours->next(a));
      EXPECT_FALSE(theirs.next(b));
    }
  }
}

int64_t count_frames(const std::string& path) {
  const auto source = io::open_frames(path, {.allow_partial = true, .threads = 1});
  io::Frame frame;
  int64_t count = 0;
  while (source->next(frame)) ++count;
  return count;
}

// What is there of a video at any moment can be played, but for the last second.
TEST(LiveIo, AGrowingVideoPlays) {
  const TempFolder folder;
  for (const std::string extension : {"mp4", "mov", "mkv", "ts"}) {
    SCOPED_TRACE(extension);
    const std::string path = folder / ("a." + extension);
    auto format = format_of(64, 48);
    format.chroma = io::Chroma::none;
    {
      const auto sink = io::create_frames(path, format, {}, {.threads = 1}, io::Placing::growing);
      Image<uint8_t> luma(64, 48);
      for (int64_t k = 0; k < 200; ++k) {
        for (int32_t y = 0; y < 48; ++y) std::fill_n(luma.row(y), 64, uint8_t(40 + (k + y) % 150));
        io::Frame frame;
        frame.luma = ImageView<const uint8_t>(luma.view());
        frame.index = frame.pts = k;
        sink->write(frame);
        if (k == 99 || k == 199) {
          const std::string copy = folder / ("copy." + extension);
          std::filesystem::copy_file(path, copy, std::filesystem::copy_options::overwrite_existing);
          EXPECT_GE(count_frames(copy), k + 1 - 26) << "a second is 25 frames";
        }
      }
    }  // ended without finish()
    EXPECT_GE(count_frames(path), 200 - 26);
    const auto sink = io::create_frames(path, format, {}, {.threads = 1}, io::Placing::growing);
    Image<uint8_t> luma(64, 48);
    io::Frame frame;
    frame.luma = ImageView<const uint8_t>(luma.view());
    for (int64_t k = 0; k < 60; ++k) {
      std::fill_n(luma.row(0), 64, uint8_t(k));
      frame.index = frame.pts = k;
      sink->write(frame);
    }
    sink->finish();
    EXPECT_EQ(count_frames(path), 60);
  }
}

#endif

}  // namespace
}  // namespace cuesta
