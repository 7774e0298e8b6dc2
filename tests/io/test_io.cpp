// The public interface of files: pictures in one line, the frames of a video one after the other.
#include "cuesta/io.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cuesta/error.hpp"
#include "cuesta/objects.hpp"
#include "support/errors.hpp"
#include "support/temp_folder.hpp"

namespace cuesta {
namespace {

using test::error_of;
using test::TempFolder;

template <class T>
void fill(Image<T>& image, int seed) {
  for (int32_t y = 0; y < image.height(); ++y) {
    for (int32_t i = 0; i < image.width() * image.channels(); ++i)
      image.row(y)[i] = T((i * 37 + y * 101 + seed) * 7919);
  }
}

template <class T>
bool equal(ImageView<const T> a, ImageView<const T> b) {
  if (a.width != b.width || a.height != b.height || a.channels != b.channels) return false;
  for (int32_t y = 0; y < a.height; ++y) {
    if (std::memcmp(a.row(y), b.row(y), size_t(a.width) * size_t(a.channels) * sizeof(T)))
      return false;
  }
  return true;
}

#if defined(CUESTA_HAS_PICTURES)
TEST(Io, PicturesComeBackAsTheyWereWritten) {
  const TempFolder folder;
  for (int channels = 1; channels <= 4; ++channels) {
    Image<uint8_t> bytes(33, 17, channels);
    Image<uint16_t> words(33, 17, channels);
    fill(bytes, channels), fill(words, channels);
    write(folder / "bytes.png", bytes);
    write(folder / "words.png", words);
    const AnyImage b = read(folder / "bytes.png"), w = read(folder / "words.png");
    ASSERT_EQ(b.type(), PixelType::u8);
    ASSERT_EQ(w.type(), PixelType::u16);
    EXPECT_TRUE(equal<uint8_t>(b.as<uint8_t>(), bytes)) << channels;
    EXPECT_TRUE(equal<uint16_t>(w.as<uint16_t>(), words)) << channels;
    EXPECT_TRUE(equal<uint8_t>(read<uint8_t>(folder / "bytes.png").view(), bytes.view()));
  }
}

TEST(Io, ARegionIsWrittenAlone) {
  const TempFolder folder;
  Image<uint8_t> picture(20, 10);
  fill(picture, 3);
  const auto part = picture.region({5, 2, 9, 7});
  write(folder / "part.pgm", part);
  EXPECT_TRUE(equal<uint8_t>(read<uint8_t>(folder / "part.pgm").view(), part));
}

TEST(Io, TypesAreConvertedAsAsked) {
  const TempFolder folder;
  Image<uint8_t> bytes(16, 16);
  Image<uint16_t> words(16, 16);
  for (int i = 0; i < 256; ++i) {
    bytes.at(i % 16, i / 16) = uint8_t(i);
    words.at(i % 16, i / 16) = uint16_t(i * 257 + (i % 2 ? -1 : 0));
  }
  write(folder / "bytes.png", bytes);
  write(folder / "words.png", words);
  const auto up = read<uint16_t>(folder / "bytes.png");
  const auto down = read<uint8_t>(folder / "words.png");
  const auto numbers = read<float>(folder / "words.png");
  for (int i = 0; i < 256; ++i) {
    const int x = i % 16, y = i / 16;
    EXPECT_EQ(up.at(x, y), i * 257);
    EXPECT_EQ(down.at(x, y), words.at(x, y) >> 8);
    EXPECT_EQ(numbers.at(x, y), float(words.at(x, y)));
  }
}

TEST(Io, GrayIsWhatToGrayMakes) {
  const TempFolder folder;
  Image<uint8_t> color(31, 12, 3), expected(31, 12), with_alpha(31, 12, 2);
  fill(color, 5), fill(with_alpha, 9);
  to_gray(color, expected);
  write(folder / "color.png", color);
  write(folder / "alpha.png", with_alpha);
  write(folder / "gray.png", expected);
  EXPECT_TRUE(equal<uint8_t>(read_gray(folder / "color.png").view(), expected.view()));
  EXPECT_TRUE(equal<uint8_t>(read_gray(folder / "gray.png").view(), expected.view()));
  const auto first = read_gray(folder / "alpha.png");
  ASSERT_EQ(first.channels(), 1);
  for (int x = 0; x < 31; ++x) EXPECT_EQ(first.at(x, 7), with_alpha.at(x, 7));
  const auto wide = read_gray<uint16_t>(folder / "color.png");
  EXPECT_EQ(wide.at(4, 5), expected.at(4, 5) * 257);
}

TEST(Io, WhatCannotBeReadNamesTheFile) {
  const TempFolder folder;
  const auto says = [&](const std::string& name, const ReadOptions& options = {}) {
    return error_of(ErrorCode::input, [&] { read(folder / name, options); });
  };
  EXPECT_NE(says("missing.png").find("missing.png"), std::string::npos);
  std::ofstream(folder / "text.png") << "this is no picture";
  EXPECT_NE(says("text.png").find("text.png"), std::string::npos);
  write(folder / "picture.png", Image<uint8_t>(40, 30));
  EXPECT_NE(says("picture.png", {.max_pixels = 1199}).find("the limit of 1199"), std::string::npos);
  EXPECT_NO_THROW(read(folder / "picture.png", {.max_pixels = 1200}));
  try {
    read(folder / "picture.png", {.max_pixels = 1199});
    FAIL() << "a picture above the limit was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.hint(), Hint::raise_max_pixels);
  }
}

// libvips keeps one text of errors for all threads.
TEST(Io, WhatCannotBeReadSaysWhyBesideOthers) {
  const TempFolder folder;
  std::ofstream(folder / "cut.pgm", std::ios::binary) << "P5 10 10 255\n";
  std::ofstream(folder / "whole.pgm", std::ios::binary) << "P5 1 1 255\n.";
  const auto complaint = [&] {
    try {
      read<uint8_t>(folder / "cut.pgm");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no complaint");
  };
  const std::string alone = complaint();
  EXPECT_EQ(alone.find("no reason given"), std::string::npos) << alone;
  std::vector<std::string> others;
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < 3; ++i)
      readers.emplace_back([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) read<uint8_t>(folder / "whole.pgm");
      });
    for (int i = 0; i < 1000; ++i)
      if (std::string said = complaint(); said != alone) others.push_back(std::move(said));
  }
  EXPECT_TRUE(others.empty()) << others.size() << " of 1000, as " << others.front();
}

TEST(Io, WhatCannotBeWrittenLeavesNothingAndWhatWasThere) {
  const TempFolder folder;
  Image<uint8_t> picture(4, 4);
  fill(picture, 1);
  write(folder / "old.png", picture);
  const auto says = [&](const std::string& name, ErrorCode code, ConstAnyView view) {
    return error_of(code, [&] { write(folder / name, view); });
  };
  EXPECT_NE(says("a.xyz", ErrorCode::output, picture).find(".xyz"), std::string::npos);
  EXPECT_NE(says("no/a.png", ErrorCode::output, picture).find("folder"), std::string::npos);
  EXPECT_NE(says("old.png", ErrorCode::output, Image<float>(4, 4)).find(".tif"), std::string::npos);
  EXPECT_NE(says("old.png", ErrorCode::invalid_argument, ConstAnyView()).find("no data"),
            std::string::npos);
  const ConstAnyView there(picture.row(0), 4, 4, 1, 64, PixelType::u8, Space::device);
  EXPECT_NE(says("old.png", ErrorCode::invalid_argument, there).find("device"), std::string::npos);
  EXPECT_TRUE(equal<uint8_t>(read<uint8_t>(folder / "old.png").view(), picture.view()));
  const auto files = std::distance(std::filesystem::directory_iterator(folder.path()),
                                   std::filesystem::directory_iterator());
  EXPECT_EQ(files, 1) << "a half-written file is left";
}
#else
TEST(Io, ABuildWithoutPictureFilesSaysSo) {
  EXPECT_NE(error_of(ErrorCode::unsupported, [] { read("a.png"); }).find("libvips"),
            std::string::npos);
}
#endif

// A y4m stream whose frame k has luma (x + y + k) and, with color, constant planes.
std::string y4m(int width, int height, int count, const std::string& head, int cb = -1,
                int cr = -1) {
  std::string out = "YUV4MPEG2 W" + std::to_string(width) + " H" + std::to_string(height) + head;
  for (int k = 0; k < count; ++k) {
    out += "FRAME\n";
    for (int i = 0; i < width * height; ++i) out += char(i % width + i / width + k);
    if (cb >= 0)
      out += std::string(size_t(width * height), char(cb)) +
             std::string(size_t(width * height), char(cr));
  }
  return out;
}

std::string file_of(const TempFolder& folder, const std::string& name, const std::string& bytes) {
  const std::string path = folder / name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(IoVideo, FramesComeInOrderWithTheirTimes) {
  const TempFolder folder;
  // Reported by its bytes: the name does not matter.
  const auto path = file_of(folder, "street.mp4", y4m(24, 10, 5, " F50:2 Cmono\n"));
  VideoReader video(path);
  EXPECT_EQ(video.width(), 24);
  EXPECT_EQ(video.height(), 10);
  EXPECT_EQ(video.rate(), 25);
  EXPECT_EQ(video.expected_frames(), 5);
  int64_t count = 0;
  for (const Frame& frame : video) {
    EXPECT_EQ(frame.index(), count);
    EXPECT_DOUBLE_EQ(frame.time(), double(count) / 25);
    EXPECT_EQ(frame.width(), 24);
    EXPECT_EQ(frame.height(), 10);
    EXPECT_EQ(frame.luma().at(7, 3), 10 + count);
    ++count;
  }
  EXPECT_EQ(count, 5);
  EXPECT_EQ(video.next(), nullptr) << "after the last frame there is none";
  EXPECT_TRUE(video.damage().empty());
}

TEST(IoVideo, ATemporaryReaderLivesAsLongAsItsLoop) {
  const TempFolder folder;
  const auto path = file_of(folder, "a.y4m", y4m(8, 8, 3, " F25:1 Cmono\n"));
  int count = 0;
  for (const Frame& frame : VideoReader(path)) count += frame.luma().at(0, 0);
  EXPECT_EQ(count, 0 + 1 + 2);
}

TEST(IoVideo, AMovedReaderReadsOn) {
  const TempFolder folder;
  const auto path = file_of(folder, "a.y4m", y4m(8, 8, 3, " F25:1 Cmono\n"));
  VideoReader first(path);
  ASSERT_NE(first.next(), nullptr);
  VideoReader second = std::move(first);
  std::vector<int64_t> rest;
  for (const Frame& frame : second) rest.push_back(frame.index());
  EXPECT_EQ(rest, (std::vector<int64_t>{1, 2}));
}

TEST(IoVideo, AHeldFrameStaysWhileOthersCome) {
  const TempFolder folder;
  for (const std::string chroma : {"mono", "444"}) {
    VideoReader video(file_of(folder, "a.y4m",
                              y4m(8, 8, 40, " F25:1 C" + chroma + " XCOLORRANGE=FULL\n",
                                  chroma == "444" ? 128 : -1, 128)));
    struct Kept {
      std::shared_ptr<const void> memory;
      ImageView<const uint8_t> luma, rgb;
    };
    std::vector<Kept> kept;
    for (const Frame& frame : video) {
      const auto rgb = frame.index() % 2 ? frame.rgb() : ImageView<const uint8_t>();
      kept.push_back({frame.hold(), frame.luma(), rgb});
    }
    ASSERT_EQ(kept.size(), 40u);
    for (size_t k = 0; k < kept.size(); ++k) {
      EXPECT_EQ(kept[k].luma.at(5, 2), int(7 + k)) << k;
      if (kept[k].rgb.data) {
        EXPECT_EQ(kept[k].rgb.at(5, 2, 1), int(7 + k)) << k;
      }
    }
  }
}

TEST(IoVideo, DeepLumaKeepsItsBits) {
  const TempFolder folder;
  std::string bytes = "YUV4MPEG2 W4 H1 F25:1 Cmono10\nFRAME\n";
  for (const int sample : {0, 64, 513, 1023}) bytes += {char(sample), char(sample >> 8)};
  const auto path = file_of(folder, "deep.y4m", bytes);
  VideoReader deep(path, {.keep_depth = true});
  const Frame* frame = deep.next();
  ASSERT_TRUE(frame && frame->deep_luma().data);
  const uint16_t* samples = frame->deep_luma().row(0);
  EXPECT_EQ(std::vector<int>(samples, samples + 4),
            (std::vector<int>{0, 16 * 256, 513 << 6, 1023 << 6}));
  EXPECT_EQ(frame->luma().at(1, 0), 16) << "a gray level of 8 bits is 256";
  EXPECT_EQ(frame->luma().at(3, 0), 255);
  VideoReader plain(path);
  EXPECT_FALSE(plain.next()->deep_luma().data);
  VideoReader bytes_only(file_of(folder, "a.y4m", y4m(8, 8, 1, " F25:1 Cmono\n")),
                         {.keep_depth = true});
  EXPECT_FALSE(bytes_only.next()->deep_luma().data);
}

// A square that goes to the right, over a background that has none.
std::string a_square_moves(int frames) {
  std::string out = "YUV4MPEG2 W64 H48 F10:1 Cmono\n";
  for (int k = 0; k < frames; ++k) {
    std::string picture(64 * 48, char(40));
    for (int y = 12; k >= 3 && y < 24; ++y) picture.replace(size_t(y * 64 + 2 * k), 12, 12, '\xc8');
    out += "FRAME\n" + picture;
  }
  return out;
}

DetectOptions for_squares() {
  DetectOptions options;
  options.motion = MotionOptions::of(BackgroundModel::first);
  options.motion.blur = 1;
  options.motion.close = options.motion.open = StructuringElement::rectangle(3, 3);
  options.scene.lines.push_back({"gate", {0.5, 1}, {0.5, 0}});
  return options;
}

TEST(IoVideo, ADetectorGivesWhatItsPartsGive) {
  const TempFolder folder;
  const auto path = file_of(folder, "a.y4m", a_square_moves(20));
  const DetectOptions options = for_squares();
  VideoReader frames(path);
  MotionDetector detector(options.motion);
  SceneWatch watch(frames.size(), options.scene, options.tracking);
  VideoDetector video(path, options);
  int64_t count = 0, known = 0, crossed = 0;
  for (const MovingFrame& moving : video) {
    const Frame* frame = frames.next();
    ASSERT_NE(frame, nullptr);
    const auto found = detector.push(frame->luma());
    const SceneStep& step = watch.push({frame->index(), frame->time()}, found);
    EXPECT_EQ(moving.frame->index(), count++);
    EXPECT_TRUE(std::ranges::equal(moving.detections, found));
    ASSERT_EQ(moving.scene.objects.size(), step.objects.size());
    for (size_t i = 0; i < step.objects.size(); ++i) {
      EXPECT_EQ(moving.scene.objects[i].id, step.objects[i].id);
      EXPECT_EQ(moving.scene.objects[i].detection, step.objects[i].detection);
    }
    known += int64_t(step.objects.size());
    crossed += int64_t(moving.scene.crossings.size());
    EXPECT_TRUE(moving.scene.ended.empty());
    EXPECT_EQ(video.mask().width, 64);
    EXPECT_EQ(moving.state, detector.states().back());
  }
  EXPECT_EQ(count, 20);
  EXPECT_EQ(known, 13) << "seen in 17 frames; something small is reported from the fifth on";
  EXPECT_EQ(crossed, 1);
  ASSERT_EQ(video.counts().size(), 1u);
  EXPECT_EQ(video.counts()[0].to_right, 1);
  const auto last = video.finish();
  ASSERT_EQ(last.size(), 1u);
  EXPECT_DOUBLE_EQ(last[0].first.seconds, 0.3);
  EXPECT_DOUBLE_EQ(last[0].last.seconds, 1.9);
  EXPECT_TRUE(video.finish().empty());
  EXPECT_EQ(video.next(), nullptr);
  EXPECT_FALSE(video.video().is_live());
}

TEST(IoVideo, WhatIsLookedAtSmallerIsToldOfTheVideo) {
  const TempFolder folder;
  const auto path = file_of(folder, "a.y4m", a_square_moves(20));
  DetectOptions options = for_squares();
  VideoDetector whole(path, options);
  options.downscale = 2;  // divides the square's places and its side
  VideoDetector half(path, options);
  size_t found = 0;
  for (const MovingFrame& moving : whole) {
    const MovingFrame* smaller = half.next();
    ASSERT_NE(smaller, nullptr);
    EXPECT_TRUE(std::ranges::equal(moving.detections, smaller->detections));
    EXPECT_EQ(half.mask().width, 64);
    found += moving.detections.size();
  }
  EXPECT_EQ(found, 17u);
  EXPECT_EQ(half.counts()[0].to_right, 1);
  options.downscale = 0;
  EXPECT_EQ(error_of(ErrorCode::invalid_argument, [&] { VideoDetector(path, options); }),
            "motion: downscale is 0; it must be 1 to 16");
}

TEST(IoVideo, OneLimitOfAreaHoldsForJoinedObjects) {
  const TempFolder folder;
  const auto path = file_of(folder, "a.y4m", a_square_moves(12));
  const auto objects = [&](int64_t of_motion, int64_t of_tracking, int join) {
    DetectOptions options = for_squares();
    options.motion.min_area = of_motion;
    options.tracking.min_area = of_tracking;
    options.tracking.join = join;
    options.tracking.min_hits = 1;
    int64_t count = 0;
    for (const MovingFrame& moving : VideoDetector(path, options))
      count += int64_t(moving.scene.objects.size());
    return count;
  };
  for (const int join : {0, 5}) {
    EXPECT_EQ(objects(144, 0, join), 9);
    EXPECT_EQ(objects(0, 144, join), 9);
    EXPECT_EQ(objects(145, 0, join), 0);
    EXPECT_EQ(objects(100, 145, join), 0);
  }
}

TEST(IoVideo, RgbIsMadeByTheStreamsRange) {
  const TempFolder folder;
  const auto rgb_at = [&](const std::string& head, int level, int cb, int cr) {
    std::string bytes = y4m(4, 2, 1, head, cb, cr);
    const size_t begin = bytes.find("FRAME\n") + 6;
    std::fill_n(bytes.begin() + ptrdiff_t(begin), 8, char(level));
    VideoReader video(file_of(folder, "color.y4m", bytes));
    const auto rgb = video.next()->rgb();
    EXPECT_EQ(rgb.channels, 3);
    return std::vector<int>{rgb.at(3, 1, 0), rgb.at(3, 1, 1), rgb.at(3, 1, 2)};
  };
  const std::string full = " F25:1 C444 XCOLORRANGE=FULL\n", limited = " F25:1 C444\n";
  EXPECT_EQ(rgb_at(limited, 16, 128, 128), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(rgb_at(limited, 235, 128, 128), (std::vector<int>{255, 255, 255}));
  EXPECT_EQ(rgb_at(full, 77, 128, 128), (std::vector<int>{77, 77, 77}));
  // BT.601's red, green and blue, rounded to 8 bits: at most 1 away.
  const auto near = [](std::vector<int> a, std::vector<int> b) {
    for (size_t i = 0; i < 3; ++i) EXPECT_LE(std::abs(a[i] - b[i]), 1) << i;
  };
  near(rgb_at(limited, 81, 90, 240), {255, 0, 0});
  near(rgb_at(limited, 145, 54, 34), {0, 255, 0});
  near(rgb_at(limited, 41, 240, 110), {0, 0, 255});
  near(rgb_at(full, 76, 85, 255), {254, 0, 0});
}

TEST(IoVideo, RgbOfAGrayVideoIsGrayAndFollowsTheFrames) {
  const TempFolder folder;
  VideoReader video(file_of(folder, "a.y4m", y4m(6, 4, 2, " F25:1 Cmono XCOLORRANGE=FULL\n")));
  for (const Frame& frame : video) {
    for (int c = 0; c < 3; ++c) {
      EXPECT_EQ(frame.rgb().at(5, 3, c), 8 + frame.index());
      EXPECT_EQ(frame.rgb().at(0, 0, c), frame.index());
    }
  }
}

TEST(IoVideo, WhatCannotBeReadNamesTheFileAndTheWayOut) {
  const TempFolder folder;
  const auto hint_of = [&](const std::string& name, const ReadOptions& options = {}) {
    try {
      for (const Frame& frame : VideoReader(folder / name, options)) (void)frame;
      ADD_FAILURE() << name << " was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::input);
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find("--"), std::string::npos) << error.what();
      return error.hint();
    }
    return Hint::none;
  };
  EXPECT_EQ(hint_of("missing.mp4"), Hint::none);
  file_of(folder, "empty.mp4", "");
  EXPECT_EQ(hint_of("empty.mp4"), Hint::none);
  const std::string whole = y4m(24, 10, 3, " F25:1 Cmono\n");
  file_of(folder, "whole.y4m", whole);
  EXPECT_EQ(hint_of("whole.y4m", {.max_pixels = 239}), Hint::raise_max_pixels);
  file_of(folder, "cut.y4m", whole.substr(0, whole.size() - 10));
  EXPECT_EQ(hint_of("cut.y4m"), Hint::allow_partial);
  VideoReader partial(folder / "cut.y4m", {.allow_partial = true});
  int count = 0;
  for (const Frame& frame : partial) count += frame.width() == 24;
  EXPECT_EQ(count, 2);
  EXPECT_NE(partial.damage().find("frame 2"), std::string::npos) << partial.damage();
}

}  // namespace
}  // namespace cuesta
