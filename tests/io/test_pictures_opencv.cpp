// Pictures as read here against cv::imread, on the pictures of the opencv-doc package.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "cuesta/cuesta.hpp"
#include "cuesta/io/picture.hpp"
#include "support/opencv.hpp"
#include "support/places.hpp"

namespace cuesta {
namespace {

namespace fs = std::filesystem;

// CUESTA_OPENCV_DATA names the unpacked examples/data folder; scripts/test sets it.
std::vector<fs::path> doc_pictures() {
  std::vector<fs::path> out;
  const char* folder = std::getenv("CUESTA_OPENCV_DATA");
  if (!folder) return out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && io::is_picture_extension(entry.path().extension().string()))
      out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The picture as OpenCV's color reading gives it, red first or gray.
cv::Mat opencv_picture(const fs::path& path, cv::ColorConversionCodes conversion) {
  const cv::Mat color = cv::imread(path.string(), cv::IMREAD_COLOR);
  cv::Mat picture;
  if (!color.empty()) cv::cvtColor(color, picture, conversion);
  return picture;
}
cv::Mat opencv_gray(const fs::path& path) { return opencv_picture(path, cv::COLOR_BGR2GRAY); }

Image<uint8_t> our_gray(const io::Picture& picture) {
  const ConstAnyView pixels = picture.view();
  Image<uint8_t> gray(pixels.width, pixels.height);
  if (pixels.channels != 2) {
    to_gray(pixels, gray);
  } else {  // gray and alpha
    const auto view = pixels.as<uint8_t>();
    for (int32_t y = 0; y < view.height; ++y)
      for (int32_t x = 0; x < view.width; ++x) gray.at(x, y) = view.at(x, y);
  }
  return gray;
}

TEST(PicturesOpenCv, EdgesEqualImreadGrayCanny) {
  const auto paths = doc_pictures();
  if (paths.empty()) GTEST_SKIP() << "CUESTA_OPENCV_DATA is not set";
  int compared = 0;
  for (const auto& path : paths) {
    cv::Mat expected = opencv_gray(path);
    if (expected.empty()) continue;
    SCOPED_TRACE(path.string());
    io::Picture picture;
    ASSERT_NO_THROW(picture = io::read_picture(path));
    ASSERT_EQ(picture.view().type, PixelType::u8) << "a picture of 16 bits";
    auto gray = our_gray(picture);
    ASSERT_TRUE(test::equal(expected, test::mat_of(gray))) << "gray differs";
    for (const auto& [aperture, low, high] :
         {std::tuple{3, 50.0, 150.0}, {5, 700.0, 1800.0}, {7, 6000.0, 16000.0}}) {
      for (const Norm norm : {Norm::l1, Norm::l2}) {
        cv::Mat theirs;
        cv::Canny(expected, theirs, low, high, aperture, norm == Norm::l2);
        auto ours = canny(gray, {.sigma = 0,
                                 .thresholds = Thresholds::given(low, high),
                                 .norm = norm,
                                 .aperture = aperture});
        EXPECT_TRUE(test::equal(theirs, test::mat_of(ours)))
            << "aperture " << aperture << " norm " << int(norm);
      }
    }
    ++compared;
  }
  EXPECT_GT(compared, 80);
}

#if defined(CUESTA_HAS_CLI)
// The same through the command, a folder of pictures at a time, as `edges FOLDER -o OUT`, in color
// and gray.
TEST(PicturesOpenCv, TheCommandEqualsCanny) {
  std::map<fs::path, std::vector<fs::path>> folders;
  for (const auto& path : doc_pictures()) {
    if (!opencv_gray(path).empty()) folders[path.parent_path()].push_back(path);
  }
  if (folders.empty()) GTEST_SKIP() << "CUESTA_OPENCV_DATA is not set";
  const fs::path out = fs::temp_directory_path() / ("cuesta-edges-" + std::to_string(getpid()));
  int compared = 0;
  for (const auto& [aperture, low, high] :
       {std::tuple{3, 50, 150}, {5, 700, 1800}, {7, 6000, 16000}}) {
    for (const bool l2 : {false, true}) {
      for (const auto& [folder, paths] : folders) {
        const std::string call = fmt::format(
            "{} edges '{}' -o '{}' --sigma 0 --low {} --high {} --aperture {} {} --format png -q",
            test::command_file(), folder.string(), out.string(), low, high, aperture,
            l2 ? "--norm l2 --color gray" : "");
        ASSERT_EQ(std::system(call.c_str()), 0) << call;
        for (const auto& path : paths) {
          cv::Mat theirs;
          cv::Canny(opencv_picture(path, l2 ? cv::COLOR_BGR2GRAY : cv::COLOR_BGR2RGB), theirs, low,
                    high, aperture, l2);
          const fs::path result = (out / path.filename()).replace_extension(".png");
          EXPECT_TRUE(test::equal(theirs, cv::imread(result.string(), cv::IMREAD_UNCHANGED)))
              << path.string() << " aperture " << aperture << (l2 ? " l2" : " l1");
          ++compared;
        }
        fs::remove_all(out);
      }
    }
  }
  EXPECT_GT(compared, 6 * 80);
}
#endif

// Files that OpenCV writes: formats, types, orientation. What imread makes of them in color and
// gray is what edges sees.
TEST(PicturesOpenCv, FormatsReadAsImreadDoes) {
  const fs::path folder =
      fs::temp_directory_path() / ("cuesta-formats-" + std::to_string(getpid()));
  fs::create_directories(folder);
  for (const int type : {CV_8UC1, CV_8UC3, CV_8UC4}) {
    for (const char* extension : {".png", ".jpg", ".tiff", ".webp", ".ppm", ".bmp"}) {
      cv::Mat picture(37, 53, type);
      cv::randu(picture, 0, 256);
      cv::GaussianBlur(picture, picture, {5, 5}, 0);
      const fs::path path = folder / (std::to_string(picture.channels()) + extension);
      if (std::string_view(extension) == ".ppm" && picture.channels() != 3) continue;
      ASSERT_TRUE(cv::imwrite(path.string(), picture));
      SCOPED_TRACE(path.string());
      io::Picture ours;
      ASSERT_NO_THROW(ours = io::read_picture(path));
      auto gray = our_gray(ours);
      EXPECT_TRUE(test::equal(opencv_gray(path), test::mat_of(gray)));
    }
  }
  fs::remove_all(folder);
}

// A JPEG with an EXIF block that holds nothing but the orientation.
std::vector<uint8_t> with_orientation(const std::vector<uint8_t>& jpeg, uint8_t orientation) {
  const uint8_t exif[] = {0xFF,        0xE1, 0,    34,   'E', 'x', 'i', 'f', 0, 0,  // APP1
                          'I',         'I',  42,   0,    8,   0,   0,   0,          // TIFF header
                          1,           0,    0x12, 0x01, 3,   0,   1,   0,   0, 0,  // one entry
                          orientation, 0,    0,    0,    0,   0,   0,   0};
  std::vector<uint8_t> out(jpeg.size() + sizeof exif);
  const auto after_start = std::copy_n(jpeg.begin(), 2, out.begin());
  std::copy(jpeg.begin() + 2, jpeg.end(), std::copy(std::begin(exif), std::end(exif), after_start));
  return out;
}

TEST(PicturesOpenCv, OrientationIsAppliedAsImreadDoes) {
  cv::Mat picture(40, 60, CV_8UC3);
  cv::randu(picture, 0, 256);
  std::vector<uint8_t> plain;
  cv::imencode(".jpg", picture, plain);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const auto bytes = with_orientation(plain, uint8_t(orientation));
    cv::Mat expected;
    cv::cvtColor(cv::imdecode(bytes, cv::IMREAD_COLOR), expected, cv::COLOR_BGR2GRAY);
    ASSERT_EQ(expected.cols, orientation < 5 ? 60 : 40);
    const io::Picture ours = io::read_picture(bytes, "memory");
    auto gray = our_gray(ours);
    EXPECT_TRUE(test::equal(expected, test::mat_of(gray))) << "orientation " << orientation;
  }
}

TEST(PicturesOpenCv, CorruptJpegIsAnErrorAndCameraQuirksAreNot) {
  cv::Mat picture(64, 64, CV_8UC3);
  cv::randu(picture, 0, 256);
  std::vector<uint8_t> whole;
  cv::imencode(".jpg", picture, whole);
  const auto expected = our_gray(io::read_picture(whole, "memory"));

  auto corrupt = whole;  // an end marker amid the samples
  corrupt[corrupt.size() / 2] = 0xFF;
  corrupt[corrupt.size() / 2 + 1] = 0xD9;
  EXPECT_THROW(io::read_picture(corrupt, "memory"), Error);
  EXPECT_NO_THROW(io::read_picture(corrupt, "memory", {.allow_partial = true}));
  const std::span<const uint8_t> cut(whole.data(), whole.size() / 2);
  EXPECT_THROW(io::read_picture(cut, "memory"), Error);
  EXPECT_NO_THROW(io::read_picture(cut, "memory", {.allow_partial = true}));

  auto trailing = whole;  // bytes between the last scan and the end marker
  trailing.insert(trailing.end() - 2, {1, 2, 3});
  auto gray = our_gray(io::read_picture(trailing, "memory"));
  for (int32_t y = 0; y < 64; ++y)
    ASSERT_TRUE(std::equal(gray.row(y), gray.row(y) + 64, expected.row(y)));
}

TEST(PicturesOpenCv, SixteenBitsStayAndTheirHighBytesAreImreads) {
  const fs::path path =
      fs::temp_directory_path() / ("cuesta-16-" + std::to_string(getpid()) + ".png");
  cv::Mat picture(31, 47, CV_16UC3);
  cv::randu(picture, 0, 65536);
  ASSERT_TRUE(cv::imwrite(path.string(), picture));
  const io::Picture ours = io::read_picture(path);
  ASSERT_EQ(ours.view().type, PixelType::u16);
  const cv::Mat eight = cv::imread(path.string(), cv::IMREAD_COLOR);
  const auto view = ours.view().as<uint16_t>();
  for (int y = 0; y < view.height; ++y) {
    for (int x = 0; x < view.width; ++x) {
      for (int c = 0; c < 3; ++c) {
        ASSERT_EQ(view.at(x, y, c), picture.at<cv::Vec3w>(y, x)[2 - c]);
        ASSERT_EQ(view.at(x, y, c) >> 8, eight.at<cv::Vec3b>(y, x)[2 - c]);
      }
    }
  }
  fs::remove(path);
}

}  // namespace
}  // namespace cuesta
