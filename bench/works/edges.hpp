// Requests of edges and gradients, which several experiments time.
#pragma once

#include <string>

#include "bench/engine/session.hpp"
#include "cuesta/boundaries.hpp"
#include "cuesta/edges.hpp"

namespace cuesta::bench {

/// Canny with given thresholds, beside OpenCV (equal bytes) and NPP.
Work canny_work(std::string experiment, const CannyOptions& options, ConstAnyView src);
/// The options with the thresholds that a tenth of the gradients exceed, as whole numbers: chosen
/// once, so that every strategy does the same work.
CannyOptions with_chosen_thresholds(Session& session, CannyOptions options, ConstAnyView src);

/// Boundaries at the usual threshold, of 1 or 3 channels. OpenCV has nothing like it.
Work boundaries_work(std::string experiment, ConstAnyView src);

/// Edges of sigma 1.4 over 5. OpenCV's GaussianBlur and Laplacian are of another definition and
/// stop short of the threshold, so the answers are not compared.
Work log_work(std::string experiment, std::string parameters, ConstAnyView src);

/// The L1 magnitude in u8; OpenCV's is cv::Sobel and cv::convertScaleAbs twice and cv::add.
Work sobel_work(std::string experiment, std::string parameters, ConstAnyView src);
/// Both gradients in s16, beside cv::spatialGradient.
Work gradients_work(std::string experiment, std::string parameters, ConstAnyView src);

}  // namespace cuesta::bench
