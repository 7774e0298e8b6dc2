// Pictures as read here against cv::imread, on the pictures of the opencv-doc package.
#include <gtest/gtest.h>

#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "cuesta/cuesta.hpp"
#include "io/picture.hpp"
#include "support/opencv.hpp"

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

// The picture as OpenCV's colour reading gives it, gray.
cv::Mat opencv_gray(const fs::path& path) {
  const cv::Mat color = cv::imread(path.string(), cv::IMREAD_COLOR);
  cv::Mat gray;
  if (!color.empty()) cv::cvtColor(color, gray, cv::COLOR_BGR2GRAY);
  return gray;
}

Image<uint8_t> our_gray(const io::Picture& picture) {
  const auto src = std::get<Image<uint8_t>>(picture.pixels).view();
  Image<uint8_t> gray(src.width, src.height);
  for (int32_t y = 0; y < src.height; ++y) {
    for (int32_t x = 0; x < src.width; ++x) {
      const uint8_t* p = &src.at(x, y);
      gray.at(x, y) = src.channels <= 2
                          ? p[0]
                          : uint8_t((9798 * p[0] + 19235 * p[1] + 3735 * p[2] + 16384) >> 15);
    }
  }
  return gray;
}

TEST(PicturesOpenCv, SamplesEqualImread) {
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
    EXPECT_TRUE(test::equal(expected, test::mat_of(gray)));
    ++compared;
  }
  EXPECT_GT(compared, 80);
}

}  // namespace
}  // namespace cuesta
