// What a sigma that is not given stands for in the options of canny() and log_edges().
#pragma once

#include "cuesta/edges.hpp"
#include "cuesta/filter.hpp"
#include "cuesta/stencil.hpp"

namespace cuesta {

/// Returns sigma, window and border: those of the papers if no sigma is given.
/// A ksize of 0 follows from sigma; a sigma of 0 is none.
template <class Options>
constexpr GaussianOptions smoothing_of(const Options& options) {
  if (options.sigma)
    return {.sigma = *options.sigma, .ksize = options.ksize, .border = options.border};
  return {.sigma = PaperGaussian::sigma,
          .ksize = options.ksize ? options.ksize : PaperGaussian::ksize,
          .border = options.border};
}

/// Returns whether log_edges() takes PaperGaussian::taps.
constexpr bool is_papers_window(const LogOptions& options) {
  return !options.sigma && options.ksize == 0;
}
/// Returns the factor of the undivided response of log_edges().
constexpr int32_t scale_of(const LogOptions& options) {
  return is_papers_window(options) ? PaperGaussian::sum * PaperGaussian::sum : 1 << 16;
}

}  // namespace cuesta
