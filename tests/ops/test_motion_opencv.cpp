// The whole chain on real frames against the same chain written with OpenCV.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>

#include "cuesta/motion.hpp"
#include "support/opencv.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

// Paper 004 in OpenCV, with elements given as cells.
class OpenCvChain {
 public:
  explicit OpenCvChain(const MotionOptions& options)
      : options_(options), close_(cells(options.close)), open_(cells(options.open)) {}

  std::vector<Detection> push(const cv::Mat& gray) {
    cv::GaussianBlur(gray, smooth_, {options_.blur, options_.blur}, options_.blur_sigma);
    if (background_.empty()) smooth_.copyTo(background_);
    cv::absdiff(smooth_, background_, difference_);
    limit_ = options_.threshold;
    if (options_.automatic)
      limit_ = std::max(
          limit_, cv::threshold(difference_, mask_, 0, 255, cv::THRESH_BINARY | cv::THRESH_OTSU));
    cv::threshold(difference_, mask_, limit_, 255, cv::THRESH_BINARY);
    cv::morphologyEx(mask_, mask_, cv::MORPH_CLOSE, close_);
    cv::morphologyEx(mask_, mask_, cv::MORPH_OPEN, open_);
    const int count =
        cv::connectedComponentsWithStats(mask_, labels_, stats_, centroids_, options_.connectivity);
    std::vector<std::pair<int, Detection>> found;  // by first pixel
    for (int i = 1; i < count; ++i) {
      const int* s = stats_.ptr<int>(i);
      const int* row = labels_.ptr<int>(s[cv::CC_STAT_TOP]);
      const int x = int(std::find(row, row + labels_.cols, i) - row);
      found.push_back(
          {s[cv::CC_STAT_TOP] * labels_.cols + x,
           {{s[cv::CC_STAT_LEFT], s[cv::CC_STAT_TOP], s[cv::CC_STAT_WIDTH], s[cv::CC_STAT_HEIGHT]},
            s[cv::CC_STAT_AREA],
            centroids_.at<double>(i, 0),
            centroids_.at<double>(i, 1)}});
    }
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Detection> out;
    for (const auto& [first, detection] : found) out.push_back(detection);
    return out;
  }
  const cv::Mat& mask() const { return mask_; }
  double limit() const { return limit_; }

 private:
  static cv::Mat cells(const StructuringElement& element) {
    return cv::Mat(element.height(), element.width(), CV_8U,
                   const_cast<uint8_t*>(element.cells().data()))
        .clone();
  }
  MotionOptions options_;
  cv::Mat close_, open_, smooth_, background_, difference_, mask_, labels_, stats_, centroids_;
  double limit_ = 0;
};

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

// Every `step`-th of the first `count` frames of vtest.avi, a surveillance camera with walkers.
void compare_video(const MotionOptions& options, bool colour, int step, int count) {
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
    const auto found = colour ? detector.push(test::view_of<uint8_t>(rgb))
                              : detector.push(test::view_of<uint8_t>(gray));
    objects += found.size();
    compare_frame(detector, found, chain, gray, frame);
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_EQ(frame, count);
  EXPECT_GT(objects, size_t(frame / step)) << "about one walker a frame at the least";
}

TEST(MotionOpenCv, WalkersEqual) { compare_video({}, false, 3, 300); }
TEST(MotionOpenCv, WalkersInColourWithOtsuEqual) {
  MotionOptions options;
  options.automatic = true;
  options.threshold = 10;
  compare_video(options, true, 7, 300);
}
TEST(MotionOpenCv, WalkersFourWaySmallElementsEqual) {
  MotionOptions options;
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
      MotionOptions options;
      options.automatic = automatic;
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
