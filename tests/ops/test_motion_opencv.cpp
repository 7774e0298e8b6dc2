// The whole chain on real frames against the same chain written with OpenCV.
#include <gtest/gtest.h>

#include <cstdlib>
#include <opencv2/videoio.hpp>

#include "cuesta/motion.hpp"
#include "support/opencv.hpp"
#include "support/opencv_motion.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using test::OpenCvChain;

void compare_frame(const MotionDetector& detector, std::span<const Detection> found,
                   OpenCvChain& chain, const cv::Mat& gray, int frame) {
  const std::vector<Detection> wanted = chain.push(gray);
  EXPECT_EQ(detector.threshold(), chain.limit()) << "frame " << frame;
  ASSERT_EQ(found.size(), wanted.size()) << "frame " << frame;
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(found[i].box, wanted[i].box) << "frame " << frame << " object " << i;
    EXPECT_EQ(found[i].area, wanted[i].area) << "frame " << frame << " object " << i;
    EXPECT_EQ(found[i].centroid_x, wanted[i].centroid_x) << "frame " << frame << " object " << i;
    EXPECT_EQ(found[i].centroid_y, wanted[i].centroid_y) << "frame " << frame << " object " << i;
  }
  Image<uint8_t> mask(gray.cols, gray.rows);
  unpack_mask(detector.mask(), mask);
  EXPECT_TRUE(test::equal(test::mat_of(mask), chain.mask())) << "frame " << frame;
}

// Every `step`-th of the first `count` frames of vtest.avi, a surveillance camera with
// block_threads.
void compare_video(const MotionOptions& options, bool color, int step, int count) {
  const char* folder = std::getenv("CUESTA_OPENCV_DATA");
  if (!folder || !*folder)
    GTEST_SKIP() << "CUESTA_OPENCV_DATA does not name opencv-doc's examples/data";
  cv::VideoCapture video(std::string(folder) + "/vtest.avi");
  if (!video.isOpened()) GTEST_SKIP() << folder << "/vtest.avi cannot be opened";
  MotionDetector detector(options);
  OpenCvChain chain(options);
  cv::Mat bgr, rgb, gray;
  size_t objects = 0;
  int frame = 0;
  for (; frame < count && video.read(bgr); ++frame) {
    if (frame % step) continue;
    cv::cvtColor(bgr, gray, cv::COLOR_BGR2GRAY);
    cv::cvtColor(bgr, rgb, cv::COLOR_BGR2RGB);
    const auto found = color ? detector.push(test::view_of<uint8_t>(rgb))
                             : detector.push(test::view_of<uint8_t>(gray));
    objects += found.size();
    compare_frame(detector, found, chain, gray, frame);
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_EQ(frame, count);
  EXPECT_GT(objects, size_t(frame / step)) << "about one walker a frame at the least";
}

TEST(MotionOpenCv, WalkersEqual) {
  compare_video(MotionOptions::of(BackgroundModel::first), false, 3, 300);
}
TEST(MotionOpenCv, WalkersInColourWithOtsuEqual) {
  MotionOptions options = MotionOptions::of(BackgroundModel::first);
  options.threshold = DifferenceThreshold::automatic(10);
  compare_video(options, true, 7, 300);
}
TEST(MotionOpenCv, WalkersFourWaySmallElementsEqual) {
  MotionOptions options = MotionOptions::of(BackgroundModel::first);
  options.blur = 5;
  options.close = StructuringElement::ellipse(5, 5);
  options.open = StructuringElement::cross(3, 3);
  options.connectivity = 4;
  compare_video(options, true, 7, 300);
}

// Without any data: noise and discs, sizes that are no multiple of anything.
TEST(MotionOpenCv, SyntheticFramesEqual) {
  for (const auto& [width, height] : {std::pair{201, 77}, {64, 48}, {31, 200}, {7, 5}}) {
    for (const bool automatic : {false, true}) {
      MotionOptions options = MotionOptions::of(BackgroundModel::first);
      options.threshold.otsu = automatic;
      options.close = StructuringElement::disk(width > 64 ? 7 : 3);
      options.open = StructuringElement::disk(3);
      MotionDetector detector(options);
      OpenCvChain chain(options);
      Image<uint8_t> frame(width, height);
      for (int t = 0; t < 6; ++t) {
        verify::fill(frame, verify::Pattern::natural, uint64_t(t));
        const auto found = detector.push(frame);
        compare_frame(detector, found, chain, test::mat_of(frame), t);
      }
    }
  }
}

}  // namespace
}  // namespace cuesta
