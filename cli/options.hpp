// Values of options, as text to what the library takes. Every parser throws Error{invalid_argument}
// with one sentence that names option and value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cuesta/edges.hpp"
#include "cuesta/image.hpp"
#include "cuesta/motion.hpp"
#include "cuesta/recipes/samples.hpp"
#include "cuesta/stencil.hpp"
#include "cuesta/strategies.hpp"

namespace cuesta::cli {

/// A finite number, all of the text.
double parse_number(std::string_view option, std::string_view text);
/// A whole number of at most 64 bits.
int64_t parse_whole_number(std::string_view option, std::string_view text);
/// --region x,y,width,height
Rect parse_region(std::string_view text);
/// --param name=value
Parameter parse_parameter(std::string_view text);
/// A mode, or constant:V
Border parse_border(std::string_view option, std::string_view text);
/// As StructuringElement::parse has it.
StructuringElement parse_element(std::string_view option, std::string_view text);
/// T, auto, or auto:T
DifferenceThreshold parse_difference(std::string_view option, std::string_view text,
                                     const DifferenceThreshold& usual);
/// --white auto, light or a number above 0
recipes::White parse_white(std::string_view white, std::string_view black);
/// --device cuda or cuda:N: the GPU's number
int parse_cuda_device(std::string_view text);

/// --threshold: T, or auto, auto:otsu, auto:median, auto:percentile, auto:percentile:P, auto:noise
struct ThresholdSpec {
  std::optional<double> value{};  ///< nothing: automatic
  AutoThreshold rule = AutoThreshold::otsu;
  double percent = 90;
};
ThresholdSpec parse_threshold(std::string_view text);

/// --kernel: average:N, sharpen:N, unsharp:N, gaussian:K[:SIGMA], laplacian, rows of numbers, or a
/// file that holds them.
struct KernelSpec {
  Stencil stencil{};
  int gaussian_size = 0;  ///< not 0: Gaussian smoothing, for which the library has its own entry
  double gaussian_sigma = 0;
};
KernelSpec parse_kernel(std::string_view text, bool may_read_files = true);

}  // namespace cuesta::cli
