// OpenCV as a peer, called as its documentation suggests.
#include <algorithm>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#ifdef CUESTA_HAS_VIDEO
#include <opencv2/videoio.hpp>
#endif

#include "bench/peers/peer.hpp"

namespace cuesta::bench {
namespace {

cv::Mat mat_of(ConstAnyView plane) {
  const int depth = plane.type == PixelType::u8    ? CV_8U
                    : plane.type == PixelType::u16 ? CV_16U
                    : plane.type == PixelType::s16 ? CV_16S
                                                   : CV_32F;
  return cv::Mat(plane.height, plane.width, CV_MAKETYPE(depth, plane.channels),
                 const_cast<void*>(plane.data), size_t(plane.stride_bytes));
}

class OpenCv final : public Peer {
 public:
  const char* name() const override { return "opencv"; }
  const char* version() const override { return CV_VERSION; }
  void set_threads(int threads) override { cv::setNumThreads(threads); }

  void canny(ConstAnyView src, AnyView dst, int ksize, double sigma, double low,
             double high) override {
    cv::Mat in = mat_of(src), out = mat_of(dst);
    if (ksize > 0) {
      cv::GaussianBlur(in, smooth_, {ksize, ksize}, sigma);
      in = smooth_;
    }
    cv::Canny(in, out, low, high);
  }

  void log(ConstAnyView src, double sigma) override {
    cv::GaussianBlur(mat_of(src), smooth_, {5, 5}, sigma);
    cv::Laplacian(smooth_, response_, CV_16S);
  }

  void gaussian(ConstAnyView src, AnyView dst, int ksize, double sigma) override {
    cv::Mat out = mat_of(dst);
    cv::GaussianBlur(mat_of(src), out, {ksize, ksize}, sigma);
  }

  void median(ConstAnyView src, AnyView dst, int ksize) override {
    cv::Mat out = mat_of(dst);
    cv::medianBlur(mat_of(src), out, ksize);
  }

  void sobel_magnitude(ConstAnyView src, AnyView dst) override {
    const cv::Mat in = mat_of(src);
    cv::Mat out = mat_of(dst);
    if (dst.type == PixelType::f32) {
      cv::Sobel(in, gx_, CV_32F, 1, 0);
      cv::Sobel(in, gy_, CV_32F, 0, 1);
      cv::magnitude(gx_, gy_, out);
      return;
    }
    cv::Sobel(in, gx_, CV_16S, 1, 0);
    cv::Sobel(in, gy_, CV_16S, 0, 1);
    cv::convertScaleAbs(gx_, absolute_x_);
    cv::convertScaleAbs(gy_, absolute_y_);
    cv::add(absolute_x_, absolute_y_, out);
  }

  void box(ConstAnyView src, AnyView dst, int n) override {
    cv::Mat out = mat_of(dst);
    cv::blur(mat_of(src), out, {n, n});
  }

  void morphology(ConstAnyView src, AnyView dst, bool open, std::span<const uint8_t> cells,
                  int n) override {
    cv::Mat out = mat_of(dst);
    const cv::Mat element(n, n, CV_8U, const_cast<uint8_t*>(cells.data()));
    cv::morphologyEx(mat_of(src), out, open ? cv::MORPH_OPEN : cv::MORPH_DILATE, element);
  }

  void threshold(ConstAnyView src, AnyView dst, double limit) override {
    cv::Mat out = mat_of(dst);
    cv::threshold(mat_of(src), out, limit, 255, cv::THRESH_BINARY);
  }

  void histogram(ConstAnyView src) override {
    const cv::Mat in = mat_of(src);
    const int channel = 0, bins = src.type == PixelType::u8 ? 256 : 65536;
    const float range[] = {0, float(bins)};
    const float* ranges = range;
    cv::calcHist(&in, 1, &channel, cv::noArray(), counts_, 1, &bins, &ranges);
  }

  void gradients(ConstAnyView src, AnyView gx, AnyView gy) override {
    cv::Mat x = mat_of(gx), y = mat_of(gy);
    cv::spatialGradient(mat_of(src), x, y);
  }

  void correlate(ConstAnyView src, AnyView dst, std::span<const float> taps, int n) override {
    cv::Mat out = mat_of(dst);
    cv::filter2D(mat_of(src), out, -1, cv::Mat(n, n, CV_32F, const_cast<float*>(taps.data())));
  }

  void close_open(ConstAnyView src, AnyView dst, int n) override {
    cv::Mat out = mat_of(dst);
    close_open(mat_of(src), out, n);
  }

  void components(ConstAnyView mask, std::vector<int64_t>& areas) override {
    const int count = cv::connectedComponentsWithStats(mat_of(mask), labels_, stats_, centroids_);
    areas.clear();
    for (int i = 1; i < count; ++i) areas.push_back(stats_.at<int>(i, cv::CC_STAT_AREA));
  }

  void motion(ConstAnyView frame, double threshold, int n, std::vector<Rect>& boxes,
              StageObserver* observer) override {
    const auto stage = [&](const char* name) {
      if (observer) observer->stage(name, nullptr);
    };
    boxes.clear();
    if (!frame) return background_.release();
    cv::Mat seen = mat_of(frame);
    if (seen.channels() == 3) {
      stage("grayscale");
      cv::cvtColor(seen, gray_, cv::COLOR_RGB2GRAY);
      seen = gray_;
    }
    stage("blur");
    cv::GaussianBlur(seen, smooth_, {15, 15}, 0);
    if (background_.empty()) return smooth_.copyTo(background_);
    stage("difference");
    cv::absdiff(smooth_, background_, difference_);
    stage("threshold");
    cv::threshold(difference_, mask_, threshold, 255, cv::THRESH_BINARY);
    stage("morphology");
    close_open(mask_, opened_, n);
    stage("components");
    const int count = cv::connectedComponentsWithStats(opened_, labels_, stats_, centroids_);
    stage("boxes");
    for (int i = 1; i < count; ++i) {
      boxes.push_back({stats_.at<int>(i, cv::CC_STAT_LEFT), stats_.at<int>(i, cv::CC_STAT_TOP),
                       stats_.at<int>(i, cv::CC_STAT_WIDTH),
                       stats_.at<int>(i, cv::CC_STAT_HEIGHT)});
    }
  }

#ifdef CUESTA_HAS_VIDEO
  int64_t video(const char* file, double threshold, int n, const char* out) override {
    cv::VideoCapture video(file);
    if (!video.isOpened()) return -1;
    cv::VideoWriter writer;
    cv::Mat frame, gray;
    std::vector<Rect> boxes;
    motion({}, 0, 0, boxes, nullptr);
    int64_t count = 0;
    for (; video.read(frame); ++count) {
      if (threshold > 0) {
        cv::cvtColor(frame, gray, cv::COLOR_BGR2GRAY);
        motion(ImageView<const uint8_t>{gray.data, gray.cols, gray.rows, 1, ptrdiff_t(gray.step)},
               threshold, n, boxes, nullptr);
      }
      if (!*out) continue;
      if (count == 0 && !writer.open(out, cv::VideoWriter::fourcc('m', 'p', '4', 'v'),
                                     std::max(1.0, video.get(cv::CAP_PROP_FPS)), frame.size()))
        return -1;
      for (const Rect& b : boxes)
        cv::rectangle(frame, cv::Rect(b.x, b.y, b.width, b.height), {0, 255, 0}, 2);
      writer.write(frame);
    }
    return count;
  }
#else
  int64_t video(const char*, double, int, const char*) override { return -1; }
#endif

 private:
  void close_open(const cv::Mat& in, cv::Mat& out, int n) {
    if (ellipse_.rows != n) ellipse_ = cv::getStructuringElement(cv::MORPH_ELLIPSE, {n, n});
    cv::morphologyEx(in, closed_, cv::MORPH_CLOSE, ellipse_);
    cv::morphologyEx(closed_, out, cv::MORPH_OPEN, ellipse_);
  }

  cv::Mat gray_, smooth_, response_, gx_, gy_, absolute_x_, absolute_y_, closed_, opened_, mask_,
      difference_, background_, ellipse_, labels_, stats_, centroids_, counts_;
};

}  // namespace
}  // namespace cuesta::bench

extern "C" cuesta::bench::Peer* cuesta_make_peer(int interface) {
  if (interface != cuesta::bench::peer_interface) return nullptr;
  return new cuesta::bench::OpenCv;
}
