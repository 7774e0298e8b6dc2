// What `cuesta edges` does with one picture, for those who have it decoded: the verb, the tuner.
#pragma once

#include <memory>
#include <string>

#include "cli/conversion.hpp"
#include "cli/described.hpp"
#include "cuesta/edges.hpp"
#include "ops/canny/options.hpp"
#include "ops/log/options.hpp"

namespace cuesta::cli {

/// What may come before sobel, which has no smoothing of its own.
struct SmoothingOptions {
  double sigma = 0;
  int ksize = 0;
  bool wanted() const { return sigma > 0 || ksize > 0; }
};

/// The options of `cuesta edges` as given.
struct EdgesOptions {
  CommonOptions common;
  JobOptions jobs;
  DescribedOptions described{"--method"};
  std::string method = "canny";
  std::string low, high, threshold, mask;  // what several of the library's options are made of
};
/// All of them; `options` stays where it is.
void add_edges_options(CLI::App& app, EdgesOptions& options);

/// Thin lines, as canny's; bands beside them are for who asks.
LogOptions edges_log_defaults();
/// The largest magnitude that samples from 0 to 1 can have: over all directions of the gradient,
/// the sum of the taps along it that are positive. Magnitudes are scaled so that it is white.
double largest_magnitude(const SobelOptions& options);

/// Makes edges of picture after picture. `options`, and `mask`, which is empty or of the pictures'
/// size, outlive it. Throws Error{invalid_argument} for options that cannot be meant.
std::unique_ptr<Conversion> edges_conversion(const EdgesOptions& options,
                                             const Image<uint8_t>& mask);

}  // namespace cuesta::cli

template <>
struct cuesta::Described<cuesta::cli::SmoothingOptions> {
  using Options = cli::SmoothingOptions;
  static constexpr auto fields =
      std::tuple(field<&Options::sigma>("sigma", at_least(0),
                                        "of a Gaussian before the gradient, in pixels; 0 smooths "
                                        "nothing without ksize"),
                 field<&Options::ksize>("ksize", odd(1, 255).or_own(window_of_sigma),
                                        "side of the Gaussian's window"));
};
