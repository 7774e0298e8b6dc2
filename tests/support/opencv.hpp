// Our views as cv::Mat headers over the same memory.
#pragma once

#include <opencv2/core.hpp>

#include "cuesta/image.hpp"

namespace cuesta::test {

template <class T, class = void>
int cv_depth() {
  switch (pixel_type_of<T>()) {
    case PixelType::u8: return CV_8U;
    case PixelType::u16: return CV_16U;
    case PixelType::s16: return CV_16S;
    case PixelType::s32: return CV_32S;
    default: return CV_32F;
  }
}

template <class T>
cv::Mat mat_of(ImageView<T> view) {
  return cv::Mat(view.height, view.width, CV_MAKETYPE(cv_depth<T>(), view.channels),
                 const_cast<std::remove_const_t<T>*>(view.data), size_t(view.stride_bytes));
}
template <class T>
cv::Mat mat_of(Image<T>& image) {
  return mat_of(image.view());
}

template <class T>
ImageView<T> view_of(cv::Mat& mat) {
  return {mat.ptr<T>(), mat.cols, mat.rows, mat.channels(), ptrdiff_t(mat.step)};
}

/// True when both hold the same bytes.
inline bool equal(const cv::Mat& a, const cv::Mat& b) {
  return a.size() == b.size() && a.type() == b.type() && cv::norm(a, b, cv::NORM_INF) == 0;
}

}  // namespace cuesta::test
