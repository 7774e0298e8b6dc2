#include "bench/works/edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "cuesta/device.hpp"
#include "cuesta/smoothing.hpp"
#include "cuesta/stencil.hpp"

namespace cuesta::bench {
namespace {

Work work_of(std::string experiment, std::string operation, std::string parameters,
             ConstAnyView src) {
  Work work;
  work.experiment = std::move(experiment);
  work.operation = std::move(operation);
  work.parameters = std::move(parameters);
  work.sources = {src};
  work.bytes_per_pixel = 2;
  work.border = name_of(BorderMode::reflect101);
  return work;
}

/// gy of the last call, in the space of its source.
class GradientsDown {
 public:
  AnyView beside(ConstAnyView src) {
    space_ = src.space;
    if (space_ == Space::device) return of_size(device_, src);
    return of_size(host_, src);
  }
  std::string bytes() {
    if (space_ == Space::device) {
      const ConstAnyView there = device_;
      download(there, of_size(host_, there));
    }
    std::string bytes;
    for (int32_t y = 0; y < host_.height(); ++y)
      bytes.append(reinterpret_cast<const char*>(host_.row(y)), size_t(host_.width()) * 2);
    return bytes;
  }

 private:
  template <class Picture>
  static AnyView of_size(Picture& picture, ConstAnyView src) {
    if (picture.width() != src.width || picture.height() != src.height)
      picture = Picture(src.width, src.height);
    return picture;
  }
  Image<int16_t> host_;
  Image<int16_t, Space::device> device_;
  Space space_ = Space::host;
};

}  // namespace

Work canny_work(std::string experiment, const CannyOptions& options, ConstAnyView src) {
  const Given given = std::get<Given>(options.thresholds);
  const double low = given.low, high = given.high;
  const double sigma = smoothing_of(options).sigma;
  const bool smooth = sigma > 0;
  int ksize = smooth ? smoothing_of(options).ksize : 0;
  if (smooth && ksize == 0) ksize = gaussian_size(sigma);
  Work work = work_of(std::move(experiment), "canny",
                      fmt::format("{}{}, low {}, high {}",
                                  smooth ? fmt::format("{0}x{0} sigma {1}, ", ksize, sigma) : "",
                                  options.norm == Norm::l1 ? "L1" : "L2", low, high),
                      src);
  if (options.aperture == 3 && options.norm == Norm::l1 && !options.mask)
    work.window = {.width = std::max(ksize, 1), .height = std::max(ksize, 1)};
  work.call = [options](ConstAnyView from, AnyView to, const Exec& exec) {
    canny(from, to, options, exec);
  };
  work.border = smooth ? "reflect101, then replicate" : "replicate";
  // cv::Canny takes no other type; the peer asks it for sums.
  if (src.type == PixelType::u8 && options.norm == Norm::l1) {
    work.opencv = [ksize, sigma, low, high](Peer& peer, ConstAnyView from, AnyView to) {
      peer.canny(from, to, ksize, sigma, low, high);
    };
    work.opencv_equal = true;
  }
  std::vector<float> taps;
  if (smooth) {
    const std::vector<double> exact = gaussian_taps(ksize, sigma);
    taps.assign(exact.begin(), exact.end());
  }
  work.npp = [taps, low, high](DevicePeer& peer, ConstAnyView from, AnyView to, void* stream) {
    peer.canny(from, to, taps, low, high, stream);
  };
  return work;
}

CannyOptions with_chosen_thresholds(Session& session, CannyOptions options, ConstAnyView src) {
  options.thresholds = Thresholds::automatic(AutoThreshold::percentile, 90);
  Image<uint8_t> edges(src.width, src.height);
  const CannyResult chosen = canny(src, edges, options, session.exec());
  options.thresholds = Thresholds::given(std::round(chosen.low), std::round(chosen.high));
  return options;
}

Work boundaries_work(std::string experiment, ConstAnyView src) {
  Work work = work_of(std::move(experiment), "boundaries",
                      fmt::format("{}, threshold {}", src.channels == 1 ? "gray" : "3 channels",
                                  BoundaryOptions{}.threshold),
                      src);
  work.bytes_per_pixel = double(src.channels + 1);
  work.call = [](ConstAnyView from, AnyView to, const Exec& exec) {
    boundaries(from, to, {}, exec);
  };
  work.border = "replicate";
  return work;
}

Work log_work(std::string experiment, std::string parameters, ConstAnyView src) {
  Work work = work_of(std::move(experiment), "log", std::move(parameters), src);
  work.flops_per_pixel = 2 * 49;
  work.call = [](ConstAnyView from, AnyView to, const Exec& exec) {
    log_edges(from, to, {}, exec);
  };
  if (src.type == PixelType::u8)  // OpenCV makes 16-bit responses of no other
    work.opencv = [](Peer& peer, ConstAnyView from, AnyView) {
      peer.log(from, PaperGaussian::sigma);
    };
  return work;
}

Work sobel_work(std::string experiment, std::string parameters, ConstAnyView src) {
  Work work = work_of(std::move(experiment), "sobel", std::move(parameters), src);
  work.window = {3, 3, true, true};
  // Two sums of nine products, two absolute values and a sum.
  work.flops_per_pixel = 2 * 2 * 9 + 3;
  work.call = [](ConstAnyView from, AnyView to, const Exec& exec) {
    sobel(from, {.magnitude = to}, {}, exec);
  };
  if (src.type == PixelType::u8) {  // OpenCV makes 16-bit gradients of no other
    work.opencv = [](Peer& peer, ConstAnyView from, AnyView to) { peer.sobel_magnitude(from, to); };
    work.opencv_equal = true;
  }
  work.npp = [](DevicePeer& peer, ConstAnyView from, AnyView to, void* stream) {
    peer.sobel_magnitude(from, to, stream);
  };
  return work;
}

Work gradients_work(std::string experiment, std::string parameters, ConstAnyView src) {
  Work work = work_of(std::move(experiment), "sobel", std::move(parameters), src);
  work.result = PixelType::s16;  // gx; gy is the work's own
  work.bytes_per_pixel = 5;
  const auto gy = std::make_shared<GradientsDown>();
  work.call = [gy](ConstAnyView from, AnyView to, const Exec& exec) {
    sobel(from, {.gx = to, .gy = gy->beside(from)}, {}, exec);
  };
  work.answer = [gy] { return gy->bytes(); };
  work.opencv = [gy](Peer& peer, ConstAnyView from, AnyView to) {
    peer.gradients(from, to, gy->beside(from));
  };
  work.opencv_equal = true;
  return work;
}

}  // namespace cuesta::bench
