// Detection of motion written with OpenCV.
#pragma once

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <utility>
#include <vector>

#include "cuesta/motion.hpp"

namespace cuesta::test {

// Paper 004 in OpenCV, with elements given as cells.
class OpenCvChain {
 public:
  explicit OpenCvChain(const MotionOptions& options)
      : options_(options), close_(cells(options.close)), open_(cells(options.open)) {}

  std::vector<Detection> push(const cv::Mat& gray) {
    cv::GaussianBlur(gray, smooth_, {options_.blur, options_.blur}, options_.blur_sigma);
    if (background_.empty()) smooth_.copyTo(background_);
    cv::absdiff(smooth_, background_, difference_);
    limit_ = options_.threshold.level;
    if (options_.threshold.otsu)
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

}  // namespace cuesta::test
