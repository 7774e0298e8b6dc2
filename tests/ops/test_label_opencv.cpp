// Components against cv::connectedComponentsWithStats: the labels, boxes, areas and centroids.
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "cuesta/objects.hpp"
#include "support/opencv.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using verify::Pattern;

// OpenCV's labels by the first pixel in raster order: renumbered[theirs] = ours.
std::vector<int32_t> raster_order(const cv::Mat& labels, int count) {
  std::vector<int32_t> renumbered(size_t(count), 0);
  int32_t next = 0;
  for (int y = 0; y < labels.rows; ++y) {
    for (int x = 0; x < labels.cols; ++x) {
      const int l = labels.at<int>(y, x);
      if (l && !renumbered[size_t(l)]) renumbered[size_t(l)] = ++next;
    }
  }
  return renumbered;
}

void expect_equal(int32_t width, int32_t height, Pattern pattern, int connectivity) {
  SCOPED_TRACE(testing::Message() << width << "x" << height << " " << verify::name_of(pattern)
                                  << " " << connectivity << "-way");
  Image<uint8_t> mask(width, height);
  Image<int32_t> labels(width, height);
  std::vector<Component> components;
  verify::fill(mask, pattern, 5);
  const int32_t count = label(mask, labels, &components, {connectivity});

  cv::Mat theirs, stats, centroids;
  const int all =
      cv::connectedComponentsWithStats(test::mat_of(mask), theirs, stats, centroids, connectivity);
  ASSERT_EQ(count, all - 1);
  const auto number = raster_order(theirs, all);
  for (int l = 1; l < all; ++l) {
    // 4-way, OpenCV's order is raster order already.
    if (connectivity == 4) {
      ASSERT_EQ(number[size_t(l)], l);
    }
    const Component& c = components[size_t(number[size_t(l)]) - 1];
    const int* s = stats.ptr<int>(l);
    ASSERT_EQ(c.box, (Rect{s[cv::CC_STAT_LEFT], s[cv::CC_STAT_TOP], s[cv::CC_STAT_WIDTH],
                           s[cv::CC_STAT_HEIGHT]}));
    ASSERT_EQ(c.area, s[cv::CC_STAT_AREA]);
    ASSERT_EQ(c.centroid_x(), centroids.at<double>(l, 0));
    ASSERT_EQ(c.centroid_y(), centroids.at<double>(l, 1));
  }
  for (int32_t y = 0; y < height; ++y)
    for (int32_t x = 0; x < width; ++x)
      ASSERT_EQ(labels.at(x, y), number[size_t(theirs.at<int>(y, x))]) << x << ", " << y;
}

TEST(LabelOpenCv, ComponentsEqual) {
  const std::pair<int32_t, int32_t> sizes[] = {{1, 1},  {1, 50},    {50, 1},   {64, 48},
                                               {65, 3}, {201, 177}, {640, 480}};
  for (const auto& [width, height] : sizes)
    for (const auto pattern :
         {Pattern::extremes, Pattern::sparse, Pattern::blobs, Pattern::gradient})
      for (const int connectivity : {4, 8}) expect_equal(width, height, pattern, connectivity);
}

}  // namespace
}  // namespace cuesta
