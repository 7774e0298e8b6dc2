// OpenCV's pictures as Cuesta's views and the other way round, without a copy. Header only: it
// needs OpenCV's core headers (3.0 or later) and links nothing that its includer does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/core/cuda.hpp>
#include <string>

#include "cuesta/error.hpp"
#include "cuesta/image.hpp"

namespace cuesta {

namespace detail {

/// "CV_8UC3".
inline std::string opencv_type_name(int type) {
  constexpr const char* depths[] = {"8U", "8S", "16U", "16S", "32S", "32F", "64F", "16F"};
  return std::string("CV_") + depths[CV_MAT_DEPTH(type) & 7] + "C" +
         std::to_string(CV_MAT_CN(type));
}

[[noreturn]] inline void refuse_opencv(const std::string& value, const std::string& why) {
  throw Error(ErrorCode::invalid_argument, why, value);
}

inline PixelType pixel_type_of_opencv(int type) {
  const int channels = CV_MAT_CN(type);
  if (channels >= 1 && channels <= 4) {
    switch (CV_MAT_DEPTH(type)) {
      case CV_8U: return PixelType::u8;
      case CV_16U: return PixelType::u16;
      case CV_16S: return PixelType::s16;
      case CV_32S: return PixelType::s32;
      case CV_32F: return PixelType::f32;
      default: break;
    }
  }
  const std::string name = opencv_type_name(type);
  refuse_opencv(name,
                "view: an OpenCV picture of type " + name +
                    "; CV_8U, CV_16U, CV_16S, CV_32S and CV_32F are taken, of 1 to 4 channels");
}

inline int opencv_type_of(ConstAnyView view) {
  int depth = 0;
  switch (view.type) {
    case PixelType::u8: depth = CV_8U; break;
    case PixelType::u16: depth = CV_16U; break;
    case PixelType::s16: depth = CV_16S; break;
    case PixelType::s32: depth = CV_32S; break;
    case PixelType::f32: depth = CV_32F; break;
    case PixelType::bit:
    case PixelType::none:
      refuse_opencv(name_of(view.type), std::string("as_mat: OpenCV has no samples of type ") +
                                            name_of(view.type) +
                                            "; u8, u16, s16, s32 and f32 become a cv::Mat");
  }
  return CV_MAKETYPE(depth, view.channels);
}

template <class View, class Mat>
View view_of_opencv(Mat& mat, Space space) {
  if (mat.empty()) refuse_opencv("empty", "view: the OpenCV picture is empty");
  return {mat.data,
          int32_t{mat.cols},
          int32_t{mat.rows},
          int32_t{mat.channels()},
          static_cast<ptrdiff_t>(size_t{mat.step}),
          pixel_type_of_opencv(mat.type()),
          space};
}

inline void check_dims(const cv::Mat& mat) {
  if (mat.dims > 2) {
    refuse_opencv(std::to_string(mat.dims), "view: a cv::Mat of " + std::to_string(mat.dims) +
                                                " dimensions; pictures have 2");
  }
}

/// What a header of OpenCV's needs of a view: the space, a step that is no negative number.
inline void check_header(ConstAnyView view, Space space, const char* what) {
  if (view.space != space) {
    refuse_opencv("space",
                  std::string(what) + (space == Space::host
                                           ? ": the view is of device memory; as_gpu_mat takes it"
                                           : ": the view is of host memory; as_mat takes it"));
  }
  if (view.stride_bytes < 0) {
    refuse_opencv(std::to_string(view.stride_bytes),
                  std::string(what) +
                      ": OpenCV's rows lie one after the other, and the stride is " +
                      std::to_string(view.stride_bytes) + " bytes");
  }
}

}  // namespace detail

/// Returns a view of the samples of an OpenCV matrix.
/// `mat` owns the samples and must outlive the view. A region of a matrix
/// (mat(rect)) is a view of that region. Color is in OpenCV's order: pass
/// ColorOrder::bgr to to_gray(). Throws Error{invalid_argument} naming the type or the dimensions
/// for unsupported matrices: CV_8S, CV_16F, CV_64F, more than 4 channels, more than 2 dimensions,
/// an empty matrix.
inline AnyView view(cv::Mat& mat) {
  detail::check_dims(mat);
  return detail::view_of_opencv<AnyView>(mat, Space::host);
}
inline ConstAnyView view(const cv::Mat& mat) {
  detail::check_dims(mat);
  return detail::view_of_opencv<ConstAnyView>(mat, Space::host);
}
/// Returns a view of device memory.
inline AnyView view(cv::cuda::GpuMat& mat) {
  return detail::view_of_opencv<AnyView>(mat, Space::device);
}
inline ConstAnyView view(const cv::cuda::GpuMat& mat) {
  return detail::view_of_opencv<ConstAnyView>(mat, Space::device);
}

/// A matrix header over a view's samples, which must outlive it. OpenCV knows no constant samples:
/// writing through the header of a constant view writes into it. Throws Error{invalid_argument} for
/// masks of bits, upside-down views and device memory.
inline cv::Mat as_mat(ConstAnyView view) {
  detail::check_header(view, Space::host, "as_mat");
  return {view.height, view.width, detail::opencv_type_of(view), const_cast<void*>(view.data),
          static_cast<size_t>(view.stride_bytes)};
}
/// The same over device memory.
inline cv::cuda::GpuMat as_gpu_mat(ConstAnyView view) {
  detail::check_header(view, Space::device, "as_gpu_mat");
  return {view.height, view.width, detail::opencv_type_of(view), const_cast<void*>(view.data),
          static_cast<size_t>(view.stride_bytes)};
}

}  // namespace cuesta
