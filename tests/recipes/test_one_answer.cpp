// "The edges of photo.jpg": C++, C, files in bands and the command give the same bytes, for each
// method and kind of picture. Python, Ray and GPUs: python/tests/test_one_answer.py.
#include <cuesta.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "cuesta/cuesta.hpp"
#include "cuesta/io.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

#if defined(CUESTA_HAS_PICTURES)
namespace cuesta {
namespace {

using test::TempFolder;

struct Question {
  const char* words;  // as the command takes them
  EdgesOptions options;
  bool has_lines = false, in_bands = true;
  std::function<void(cuesta_edges_options&)> c = [](cuesta_edges_options&) {};
};

std::vector<Question> questions() {
  return {
      {"", CannyEdges{}, true},
      {"--sigma auto --ksize 5", CannyEdges{.ksize = 5}, true, true, [](auto& c) { c.ksize = 5; }},
      {"--sigma 1 --low 30 --high 90", CannyEdges{.sigma = 1, .thresholds = Given{30, 90}}, true,
       true, [](auto& c) { c.sigma = 1, c.rule = CUESTA_GIVEN, c.low = 30, c.high = 90; }},
      {"--sigma 1.4", CannyEdges{.sigma = 1.4}, true, true, [](auto& c) { c.sigma = 1.4; }},
      {"--threshold 120", CannyEdges{.thresholds = Given{60, 120}}, true, true,
       [](auto& c) { c.threshold = 120; }},
      {"--threshold auto:percentile:95",
       CannyEdges{.thresholds = Automatic{AutoThreshold::percentile, 95}}, true, true,
       [](auto& c) { c.rule = CUESTA_PERCENTILE, c.percent = 95; }},
      {"--color structure --aperture 5", CannyEdges{.aperture = 5, .color = EdgeColor::structure},
       true, true, [](auto& c) { c.color = CUESTA_STRUCTURE, c.aperture = 5; }},
      {"--color gray --norm l2", CannyEdges{.norm = Norm::l2, .color = EdgeColor::gray}, true, true,
       [](auto& c) { c.color = CUESTA_GRAY, c.norm = CUESTA_L2; }},
      {"--border constant:200", CannyEdges{.border = {BorderMode::constant, 200}}, true, true,
       [](auto& c) {
         c.border = {CUESTA_CONSTANT, 200};
       }},
      {"--border ignore --sigma 2 --norm l2",
       CannyEdges{.sigma = 2, .norm = Norm::l2, .border = {BorderMode::ignore}}, true, true,
       [](auto& c) { c.border.mode = CUESTA_IGNORE, c.sigma = 2, c.norm = CUESTA_L2; }},
      {"--border wrap --sigma 2", CannyEdges{.sigma = 2, .border = {BorderMode::wrap}}, true, false,
       [](auto& c) { c.border.mode = CUESTA_WRAP, c.sigma = 2; }},
      {"--strength --border symmetric --sigma 2",
       CannyEdges{.sigma = 2, .border = {BorderMode::reflect}, .strength = true}, false, true,
       [](auto& c) { c.strength = 1, c.border.mode = CUESTA_REFLECT, c.sigma = 2; }},
      {"--strength --sigma 1", CannyEdges{.sigma = 1, .strength = true}, false, true,
       [](auto& c) { c.strength = 1, c.sigma = 1; }},
      {"--strength --norm l2 --aperture 7",
       CannyEdges{.norm = Norm::l2, .aperture = 7, .strength = true}, false, false,
       [](auto& c) { c.strength = 1, c.norm = CUESTA_L2, c.aperture = 7; }},
      {"--method log", LogEdges{}, true, true, [](auto& c) { c.method = CUESTA_METHOD_LOG; }},
      {"--method log --mode threshold", LogEdges{.mode = LogMode::threshold}, false, true,
       [](auto& c) { c.method = CUESTA_METHOD_LOG, c.mode = CUESTA_LOG_THRESHOLD; }},
      {"--method log --sigma 2 --threshold 1", LogEdges{.threshold = 1, .sigma = 2}, true, true,
       [](auto& c) { c.method = CUESTA_METHOD_LOG, c.sigma = 2, c.threshold = 1; }},
      {"--method log --sigma 1.4", LogEdges{.sigma = 1.4}, true, true,
       [](auto& c) { c.method = CUESTA_METHOD_LOG, c.sigma = 1.4; }},
      {"--method log --mode threshold --sigma 1.4",
       LogEdges{.mode = LogMode::threshold, .sigma = 1.4}, false, true,
       [](auto& c) { c.method = CUESTA_METHOD_LOG, c.mode = CUESTA_LOG_THRESHOLD, c.sigma = 1.4; }},
      {"--method sobel", SobelEdges{}, false, true,
       [](auto& c) { c.method = CUESTA_METHOD_SOBEL; }},
      {"--method sobel --sigma 2 --aperture 7", SobelEdges{.sigma = 2, .aperture = 7}, false, true,
       [](auto& c) { c.method = CUESTA_METHOD_SOBEL, c.sigma = 2, c.aperture = 7; }},
      {"--method sobel --threshold 60 --border replicate",
       SobelEdges{.border = {BorderMode::replicate}, .threshold = 60}, false, true,
       [](auto& c) {
         c.method = CUESTA_METHOD_SOBEL, c.threshold = 60;
         c.border.mode = CUESTA_REPLICATE;
       }},
      {"--method boundaries", BoundaryOptions{}, false, false,
       [](auto& c) { c.method = CUESTA_METHOD_BOUNDARIES; }},
      {"--method boundaries --quality high", BoundaryOptions{.quality = BoundaryQuality::high},
       false, false, [](auto& c) { c.method = CUESTA_METHOD_BOUNDARIES, c.quality = CUESTA_HIGH; }},
      {"--method regions", RegionEdges{}, false, false,
       [](auto& c) { c.method = CUESTA_METHOD_REGIONS; }},
      {"--method regions --quality fast --threshold 0.3",
       RegionEdges{.threshold = 0.3, .quality = BoundaryQuality::fast}, false, false,
       [](auto& c) {
         c.method = CUESTA_METHOD_REGIONS, c.quality = CUESTA_FAST, c.threshold = 0.3;
       }},
      {"--method regions --labels", RegionEdges{.labels = true}, false, false,
       [](auto& c) { c.method = CUESTA_METHOD_REGIONS; }},
  };
}

// A photograph's stand-in: slopes, steps, texture, and colors of one gray level.
AnyImage drawn(int32_t channels, PixelType type) {
  AnyImage picture(150, 400, channels, type);
  for (int32_t y = 0; y < 400; ++y) {
    for (int32_t x = 0; x < 150; ++x) {
      for (int32_t c = 0; c < channels; ++c) {
        const bool is_disk = (x - 75) * (x - 75) + (y - 155) * (y - 155) < 900;
        const int level = (x + y * 2) / 4 +
                          (is_disk ? (c == 1   ? 60
                                      : c == 0 ? 120
                                               : 20)
                                   : 0) +
                          (x > 110 ? (x * 7 + y * 13) % 11 : 0) + (y < 30 && x < 60 ? 40 * c : 0);
        if (type == PixelType::u8)
          picture.as<uint8_t>().at(x, y, c) = uint8_t(level & 255);
        else
          picture.as<uint16_t>().at(x, y, c) = uint16_t((level & 255) * 251);
      }
    }
  }
  return picture;
}

// Lines of one pixel, which want the least sigma.
AnyImage strokes() {
  AnyImage picture(150, 400, 3, PixelType::u8);
  for (int32_t y = 0; y < 400; ++y)
    for (int32_t x = 0; x < 150; ++x)
      for (int32_t c = 0; c < 3; ++c)
        picture.as<uint8_t>().at(x, y, c) =
            (x % 9 == 0 && y % 12 < 8) || (y % 12 == 7 && x % 9 < 5) ? 20 : 250;
  return picture;
}

// A dark disk with noise, which wants the largest.
AnyImage noise(int ground, int level) {
  std::mt19937 random(5);
  AnyImage picture(150, 400, 3, PixelType::u8);
  for (int32_t y = 0; y < 400; ++y)
    for (int32_t x = 0; x < 150; ++x)
      for (int32_t c = 0; c < 3; ++c)
        picture.as<uint8_t>().at(x, y, c) =
            uint8_t(ground + int(random() % uint32_t(4 * level)) + (x > 60 && x < 90 ? 60 : 0));
  return picture;
}

// The photograph's stand-in with as much noise as leaves it between the two.
AnyImage grain() {
  AnyImage picture = drawn(3, PixelType::u8);
  const AnyImage other = noise(0, 5);
  for (int32_t y = 0; y < 400; ++y)
    for (int32_t x = 0; x < 150; ++x)
      for (int32_t c = 0; c < 3; ++c)
        picture.as<uint8_t>().at(x, y, c) = uint8_t(std::min(
            255, picture.as<uint8_t>().at(x, y, c) + other.as<uint8_t>().at(x, y, c) % 20));
  return picture;
}

bool same(ConstAnyView a, ConstAnyView b) {
  if (a.size() != b.size() || a.type != b.type || a.channels != b.channels) return false;
  const auto bytes = size_t(a.width) * size_t(bytes_per_sample(a.type)) * size_t(a.channels);
  for (int32_t y = 0; y < a.height; ++y) {
    const auto row = [&](ConstAnyView of) {
      return static_cast<const char*>(of.data) + ptrdiff_t(y) * of.stride_bytes;
    };
    if (std::memcmp(row(a), row(b), bytes) != 0) return false;
  }
  return true;
}

AnyImage by_c(ConstAnyView picture, const Question& question, PixelType type,
              const EdgesResult& found) {
  const auto view_of = [](auto view) {
    cuesta_view out{};
    out.data = const_cast<void*>(static_cast<const void*>(view.data));
    out.width = view.width, out.height = view.height, out.channels = view.channels;
    out.stride_bytes = view.stride_bytes;
    out.type = view.type == PixelType::u8    ? CUESTA_U8
               : view.type == PixelType::u16 ? CUESTA_U16
               : view.type == PixelType::s32 ? CUESTA_S32
                                             : CUESTA_F32;
    out.space = CUESTA_HOST;
    return out;
  };
  cuesta_edges_options options;
  cuesta_edges_options_init(&options, sizeof options);
  question.c(options);
  AnyImage out(picture.size(), 1, type);
  const cuesta_view src = view_of(picture), dst = view_of(out.view());
  cuesta_edges_used used{-1, -1, -1};
  EXPECT_EQ(cuesta_edges(nullptr, &src, &dst, &options, &used), CUESTA_OK) << cuesta_error_text();
  EXPECT_EQ(used.sigma, found.sigma.value_or(-1));
  if (found.thresholds) {
    EXPECT_EQ(used.low, found.thresholds->low);
    EXPECT_EQ(used.high, found.thresholds->high);
  }
  return out;
}

// Of labels a file has 16 bits.
AnyImage in_file(AnyImage expected) {
  if (expected.type() != PixelType::s32) return expected;
  AnyImage file(expected.size(), 1, PixelType::u16);
  for (int32_t y = 0; y < expected.height(); ++y)
    for (int32_t x = 0; x < expected.width(); ++x)
      file.as<uint16_t>().at(x, y) = uint16_t(expected.as<int32_t>().at(x, y));
  return file;
}

class OneAnswer : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Pictures, OneAnswer,
                         testing::Values("photo.jpg", "color.png", "gray.png", "alpha.png",
                                         "gray-alpha.png", "deep.png", "scan.tif", "text.png",
                                         "night.png", "grain.jpg"));

TEST_P(OneAnswer, FromEveryInterface) {
  const std::string name = GetParam();
  const TempFolder folder;
  const std::string photo = folder / name;
  const int32_t channels = name == "gray.png"         ? 1
                           : name == "gray-alpha.png" ? 2
                           : name == "alpha.png"      ? 4
                                                      : 3;
  write(photo, name == "text.png"    ? strokes()
               : name == "night.png" ? noise(14, 6)
               : name == "grain.jpg"
                   ? grain()
                   : drawn(channels, name == "deep.png" ? PixelType::u16 : PixelType::u8));
  const AnyImage picture = read(photo);
  for (const Question& question : questions()) {
    SCOPED_TRACE(question.words);
    AnyImage expected(picture.size(), 1, edges_type(picture.type(), question.options));
    const EdgesResult used = edges(picture, AnyView(expected), question.options);
    const std::string extension = expected.type() == PixelType::f32 ? ".tif" : ".png";
    const std::string file = folder / ("file" + extension);
    if (*question.words == 0) {
      EXPECT_TRUE(name != "text.png" || used.sigma == 1);
      EXPECT_TRUE(name != "night.png" || used.sigma == 3);
    }
    EXPECT_TRUE(same(by_c(picture, question, expected.type(), used), expected)) << "C";
    expected = in_file(std::move(expected));
    for (const BandOptions& bands : {BandOptions{}, BandOptions{.rows = 17}}) {
      const FileResult made = edges_file(photo, file, question.options, bands);
      EXPECT_EQ(made.sigma, used.sigma.value_or(0));
      EXPECT_EQ(made.type, expected.type());
      EXPECT_TRUE(same(read(file), expected)) << "edges_file";
    }
#if defined(CUESTA_HAS_CLI)
    const std::string by_command = folder / ("command" + extension);
    const auto command = [&](const std::string& more) {
      const std::string line = test::command_file() + " edges " + photo + " " + question.words +
                               " -q --device cpu " + more;
      ASSERT_EQ(std::system(line.c_str()), 0) << line;
      EXPECT_TRUE(same(read(by_command), expected)) << line;
    };
    const std::string out = "-o " + by_command;
    command(out);
    if (question.has_lines) command(out + " --lines " + (folder / "lines.svg"));
    if (question.in_bands)
      command(out + (name == "deep.png" ? " --memory 700kB" : " --memory 300kB"));
#endif
  }
}

}  // namespace
}  // namespace cuesta
#endif
