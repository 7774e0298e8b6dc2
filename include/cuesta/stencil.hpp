// Stencils: the taps of a linear filter. ("Kernel" is kept for GPU code.)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuesta {

/// The taps of a linear filter: a width × height window, row-major.
/// Filters correlate with the anchor over the output pixel. Integer taps share one divisor: result
/// = round-half-even(sum / divisor), saturated. Float taps on u8 and u16 are first rounded to
/// multiples of 2^-16, then follow the same rule.
class Stencil {
 public:
  static constexpr int max_size = 255;

  /// Makes a stencil of integer taps with one divisor.
  /// Throws Error{invalid_argument} for sizes outside 1..max_size, a wrong number of taps, or a
  /// divisor below 1.
  static Stencil integers(int width, int height, std::span<const int32_t> taps,
                          int64_t divisor = 1);
  /// Makes a stencil of float taps.
  /// Throws as integers(), and for a tap that is not finite.
  static Stencil floats(int width, int height, std::span<const float> taps);
  /// Makes a stencil from text.
  /// Rows are separated by ';' or new lines, numbers by commas or blanks. A divisor follows a
  /// slash: "1 2 1;2 4 2;1 2 1 / 16".
  static Stencil parse(std::string_view text);

  /// Return the size, the anchor, the taps and the divisor.
  int width() const { return width_; }
  int height() const { return height_; }
  /// The tap over the output pixel: (width / 2, height / 2), OpenCV's default.
  int anchor_x() const { return anchor_x_; }
  int anchor_y() const { return anchor_y_; }
  bool is_integer() const { return !integers_.empty(); }
  std::span<const int32_t> integer_taps() const { return integers_; }
  std::span<const float> float_taps() const { return floats_; }
  int64_t divisor() const { return divisor_; }
  double tap(int x, int y) const;

  /// Turned by 180 degrees, anchor included: correlating with it convolves.
  Stencil flipped() const;
  Stencil transposed() const;

  /// The factors of a stencil of rank 1: column · rowᵀ = taps.
  /// They are exact for integers (and whole floats),
  /// within 1e-6 of the largest tap for floats.
  struct Factors {
    std::vector<int32_t> column_integers, row_integers;
    std::vector<float> column_floats, row_floats;
  };
  /// Returns the factors of the taps; empty if their rank is not 1.
  std::optional<Factors> factors() const;

 private:
  int width_ = 0, height_ = 0, anchor_x_ = 0, anchor_y_ = 0;
  int64_t divisor_ = 1;
  std::vector<int32_t> integers_;
  std::vector<float> floats_;
};

/// Computes the Gaussian taps for u8 and u16 pictures in units of 1/256.
/// These are cv::GaussianBlur's fixed-point taps: rounded half to even with the error carried from
/// the outside in, the centre taking the rest. Length ksize.
std::vector<int32_t> gaussian_taps_q8(int ksize, double sigma);
/// The same into the caller's memory, taps.size() of them.
void gaussian_taps_q8(std::span<int32_t> taps, double sigma);
/// Computes the taps of the Gaussian, normalised to sum 1.
/// As cv::getGaussianKernel (its fixed taps for k up to 9
/// and sigma <= 0 included). sigma <= 0 means 0.3((k-1)/2 - 1) + 0.8.
std::vector<double> gaussian_taps(int ksize, double sigma);
/// Returns the window size for a sigma, by OpenCV's rule for 8 bits: round(6 sigma + 1) | 1.
int gaussian_size(double sigma);

/// The papers' Gaussian, which cuts a sigma of 1.4 to a window of 5.
/// canny() and log_edges() smooth by it where no sigma is given: canny() by gaussian_taps_q8 of the
/// sigma and window, log_edges() by the integer taps of paper 000.
struct PaperGaussian {
  static constexpr double sigma = 1.4;  ///< pixels
  static constexpr int ksize = 5;
  static constexpr int32_t taps[ksize] = {2, 4, 5, 4, 2};  ///< paper 000's
  static constexpr int32_t sum = 17;                       ///< of these taps
};

/// Functions that make stencils. Each throws Error{invalid_argument} naming the argument.
namespace stencils {
Stencil average(int n);                         ///< n × n ones / n²
Stencil sharpen(int n);                         ///< −1 around n² (paper 002), n odd; sum 1
Stencil unsharp(int n);                         ///< 2δ − box / n² (paper 003), n odd
Stencil gaussian(int ksize, double sigma = 0);  ///< outer product of gaussian_taps_q8 over 2^16
Stencil sobel(int dx, int dy,
              int aperture = 3);  ///< (1,0) or (0,1); apertures 1, 3, 5, 7 as cv::getDerivKernels
Stencil scharr(int dx, int dy);
Stencil prewitt(int dx, int dy);
Stencil paper_gaussian();  ///< g gᵀ of paper 000: 5 × 5, divisor 289, g = PaperGaussian::taps
Stencil laplacian();       ///< 0 1 0; 1 −4 1; 0 1 0
Stencil log();             ///< (g gᵀ) ∗ l of paper 000: 7 × 7, divisor 289
}  // namespace stencils

}  // namespace cuesta
