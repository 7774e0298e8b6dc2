// OpenCV's pictures as views and back: the same memory, the same samples, refusals in words.
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <string>

#include "cuesta/edges.hpp"
#include "cuesta/objects.hpp"
#include "cuesta/opencv.hpp"
#include "support/errors.hpp"
#include "support/opencv.hpp"

namespace cuesta {
namespace {

TEST(ViewsOpenCv, EveryTypeAndChannelCountMapsThereAndBack) {
  const std::pair<int, PixelType> depths[] = {{CV_8U, PixelType::u8},
                                              {CV_16U, PixelType::u16},
                                              {CV_16S, PixelType::s16},
                                              {CV_32S, PixelType::s32},
                                              {CV_32F, PixelType::f32}};
  for (const auto& [depth, type] : depths) {
    for (int channels = 1; channels <= 4; ++channels) {
      cv::Mat mat(5, 7, CV_MAKETYPE(depth, channels));
      const AnyView made = view(mat);
      EXPECT_EQ(made.data, mat.data);
      EXPECT_EQ(made.width, 7);
      EXPECT_EQ(made.height, 5);
      EXPECT_EQ(made.channels, channels);
      EXPECT_EQ(made.type, type);
      EXPECT_EQ(made.space, Space::host);
      EXPECT_EQ(made.stride_bytes, ptrdiff_t(mat.step));
      const cv::Mat back = as_mat(made);
      EXPECT_EQ(back.data, mat.data);
      EXPECT_EQ(back.type(), mat.type());
      EXPECT_EQ(back.size(), mat.size());
      EXPECT_EQ(size_t(back.step), size_t(mat.step));
    }
  }
}

TEST(ViewsOpenCv, ARegionIsWrittenInPlaceAndItsEdgeIsThePicturesEdge) {
  cv::Mat picture(40, 50, CV_8UC1), whole(40, 50, CV_8UC1, cv::Scalar(7));
  cv::randu(picture, 0, 256);
  const cv::Rect part(9, 5, 21, 17);
  const cv::Mat source = picture(part);
  cv::Mat target = whole(part);
  canny(view(source), view(target), {.sigma = 0, .thresholds = Thresholds::given(50, 100)});
  cv::Mat expected;
  cv::Canny(source.clone(), expected, 50, 100);
  EXPECT_TRUE(test::equal(expected, target));
  cv::Mat outside = whole.clone();
  outside(part).setTo(7);
  EXPECT_EQ(cv::countNonZero(outside != 7), 0) << "samples outside the region were written";
}

TEST(ViewsOpenCv, ColorsAreInOpenCvsOrder) {
  cv::Mat color(6, 9, CV_8UC3), expected;
  cv::randu(color, 0, 256);
  Image<uint8_t> gray(9, 6);
  to_gray(view(color), gray, ColorOrder::bgr);
  cv::cvtColor(color, expected, cv::COLOR_BGR2GRAY);
  EXPECT_TRUE(test::equal(expected, as_mat(gray)));
}

TEST(ViewsOpenCv, WhatIsNoPictureHereIsNamed) {
  using enum ErrorCode;
  const auto says = [](cv::Mat mat) {
    return test::error_of(invalid_argument, [&] { view(mat); });
  };
  EXPECT_NE(says(cv::Mat(3, 3, CV_64FC1)).find("CV_64FC1"), std::string::npos);
  EXPECT_NE(says(cv::Mat(3, 3, CV_8SC2)).find("CV_8SC2"), std::string::npos);
  EXPECT_NE(says(cv::Mat(3, 3, CV_8UC(5))).find("CV_8UC5"), std::string::npos);
  EXPECT_NE(says(cv::Mat()).find("empty"), std::string::npos);
  const int sides[] = {2, 3, 4};
  EXPECT_NE(says(cv::Mat(3, sides, CV_8U)).find("3 dimensions"), std::string::npos);
}

TEST(ViewsOpenCv, WhatIsNoMatrixIsNamed) {
  using enum ErrorCode;
  Image<uint8_t> image(4, 3);
  const AnyView upside_down(image.row(2), 4, 3, 1, -image.view().stride_bytes, PixelType::u8);
  const BitImage bits(4, 3);
  const AnyView there(image.row(0), 4, 3, 1, 64, PixelType::u8, Space::device);
  const auto says = [](ConstAnyView v) {
    return test::error_of(invalid_argument, [&] { as_mat(v); });
  };
  EXPECT_NE(says(upside_down).find("-64"), std::string::npos);
  EXPECT_NE(says(bits.view()).find("bit"), std::string::npos);
  EXPECT_NE(says(there).find("as_gpu_mat"), std::string::npos);
  EXPECT_NE(test::error_of(invalid_argument, [&] { as_gpu_mat(image); }).find("as_mat"),
            std::string::npos);
}

TEST(ViewsOpenCv, GpuMatricesAreViewsOfTheDevice) {
  // Headers alone: no GPU is requested anything.
  uint8_t memory[256] = {};
  cv::cuda::GpuMat mat(3, 4, CV_8UC3, memory, 64);
  const AnyView made = view(mat);
  EXPECT_EQ(made.data, memory);
  EXPECT_EQ(made.space, Space::device);
  EXPECT_EQ(made.width, 4);
  EXPECT_EQ(made.height, 3);
  EXPECT_EQ(made.channels, 3);
  EXPECT_EQ(made.stride_bytes, 64);
  const cv::cuda::GpuMat back = as_gpu_mat(made);
  EXPECT_EQ(back.data, memory);
  EXPECT_EQ(back.type(), CV_8UC3);
  EXPECT_EQ(back.step, size_t{64});
  const cv::cuda::GpuMat wrong(3, 4, CV_64FC1, memory, 64);
  EXPECT_NE(test::error_of(ErrorCode::invalid_argument, [&] { view(wrong); }).find("CV_64FC1"),
            std::string::npos);
}

}  // namespace
}  // namespace cuesta
