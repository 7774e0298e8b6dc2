// Elements, erosion, dilation, opening and closing against OpenCV, byte for byte.
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "cuesta/objects.hpp"
#include "support/opencv.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using verify::Pattern;

cv::Mat mat_of(const StructuringElement& element) {
  cv::Mat mat(element.height(), element.width(), CV_8U);
  std::copy(element.cells().begin(), element.cells().end(), mat.ptr());
  return mat;
}

std::vector<StructuringElement> elements() {
  std::vector<StructuringElement> all;
  for (const auto text : {"disk:15", "ellipse:15", "ellipse:6x9", "rect:3", "rect:4x7", "rect:1x9",
                          "rect:40x1", "cross:5", "cross:4x2", "disk:31", "rect:1"})
    all.push_back(StructuringElement::parse(text));
  const uint8_t cells[] = {0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1};
  all.emplace_back(4, 3, cells);
  return all;
}

bool is_symmetric(const StructuringElement& e) {
  return e.width() % 2 == 1 && e.height() % 2 == 1 &&
         std::equal(e.cells().begin(), e.cells().end(), e.cells().rbegin());
}

TEST(StructuringElementOpenCv, MakersEqual) {
  for (int width = 1; width <= 33; ++width) {
    for (int height = 1; height <= 33; ++height) {
      const auto equal = [&](const StructuringElement& ours, int shape) {
        const cv::Mat theirs = cv::getStructuringElement(shape, {width, height});
        return test::equal(mat_of(ours), theirs);
      };
      EXPECT_TRUE(equal(StructuringElement::ellipse(width, height), cv::MORPH_ELLIPSE))
          << width << "x" << height;
      EXPECT_TRUE(equal(StructuringElement::rectangle(width, height), cv::MORPH_RECT));
      EXPECT_TRUE(equal(StructuringElement::cross(width, height), cv::MORPH_CROSS));
    }
  }
}

template <class T>
void expect_equal(Pattern pattern) {
  const std::pair<int32_t, int32_t> sizes[] = {{1, 1}, {7, 3}, {64, 48}, {201, 77}};
  for (const auto& [width, height] : sizes) {
    Image<T> src(width, height), ours(width, height);
    verify::fill(src, pattern, 7);
    for (const auto& element : elements()) {
      const cv::Mat kernel = mat_of(element), input = test::mat_of(src);
      const std::string what = std::to_string(width) + "x" + std::to_string(height) + " element " +
                               std::to_string(element.width()) + "x" +
                               std::to_string(element.height());
      cv::Mat theirs;
      erode(src, ours, element);
      cv::erode(input, theirs, kernel);
      EXPECT_TRUE(test::equal(theirs, test::mat_of(ours))) << "erode " << what;
      dilate(src, ours, element);
      cv::dilate(input, theirs, kernel);
      EXPECT_TRUE(test::equal(theirs, test::mat_of(ours))) << "dilate " << what;
      // OpenCV reads the element unturned in both steps.
      if (!is_symmetric(element)) continue;
      morph_open(src, ours, element);
      cv::morphologyEx(input, theirs, cv::MORPH_OPEN, kernel);
      EXPECT_TRUE(test::equal(theirs, test::mat_of(ours))) << "open " << what;
      morph_close(src, ours, element);
      cv::morphologyEx(input, theirs, cv::MORPH_CLOSE, kernel);
      EXPECT_TRUE(test::equal(theirs, test::mat_of(ours))) << "close " << what;
    }
  }
}

TEST(MorphologyOpenCv, GreyEquals) {
  expect_equal<uint8_t>(Pattern::natural);
  expect_equal<uint8_t>(Pattern::noise);
  expect_equal<uint16_t>(Pattern::noise);
}
TEST(MorphologyOpenCv, MasksEqual) {
  expect_equal<uint8_t>(Pattern::blobs);
  expect_equal<uint8_t>(Pattern::sparse);
}

TEST(MorphologyOpenCv, BordersEqual) {
  const std::pair<BorderMode, int> borders[] = {{BorderMode::reflect101, cv::BORDER_REFLECT_101},
                                                {BorderMode::replicate, cv::BORDER_REPLICATE},
                                                {BorderMode::reflect, cv::BORDER_REFLECT},
                                                {BorderMode::constant, cv::BORDER_CONSTANT}};
  const uint8_t cells[] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0};
  const StructuringElement all[] = {StructuringElement::disk(7), StructuringElement(4, 3, cells)};
  for (const auto pattern : {Pattern::natural, Pattern::sparse}) {
    Image<uint8_t> src(70, 40), ours(70, 40);
    verify::fill(src, pattern, 3);
    for (const auto& [mode, theirs_mode] : borders) {
      for (const auto& element : all) {
        cv::Mat theirs;
        const MorphologyOptions options{.border = Border{mode, 77}};
        morphology(src, ours, Morph::erode, element, options);
        cv::erode(test::mat_of(src), theirs, mat_of(element), {-1, -1}, 1, theirs_mode, 77);
        EXPECT_TRUE(test::equal(theirs, test::mat_of(ours))) << "erode " << name_of(mode);
        morphology(src, ours, Morph::dilate, element, options);
        cv::dilate(test::mat_of(src), theirs, mat_of(element), {-1, -1}, 1, theirs_mode, 77);
        EXPECT_TRUE(test::equal(theirs, test::mat_of(ours))) << "dilate " << name_of(mode);
      }
    }
  }
}

}  // namespace
}  // namespace cuesta
