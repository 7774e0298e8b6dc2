// What `cuesta edges` does with one picture, for those who have it decoded: the verb, the tuner.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/conversion.hpp"
#include "cli/described.hpp"
#include "cli/lines_file.hpp"
#include "cli/memory.hpp"
#include "cuesta/edges.hpp"
#include "lines/options.hpp"
#include "ops/canny/options.hpp"
#include "ops/log/options.hpp"

namespace cuesta::cli {

/// What may come before sobel, which has no smoothing of its own.
struct SmoothingOptions {
  double sigma = 0;
  int ksize = 0;
  bool wanted() const { return sigma > 0 || ksize > 0; }
};

struct LineOptions {
  TraceOptions trace{};
};

/// The options of `cuesta edges` as given.
struct EdgesOptions {
  CommonOptions common;
  JobOptions jobs;
  MemoryOptions memory;
  DescribedOptions described{"--method"};
  DescribedOptions tracing{};
  LinesOptions lines;
  std::string method = "canny";
  std::string low, high, threshold, mask;  // what several of the library's options are made of
  std::string color;                       // a ColorGradient, gray, or empty: usual_color()

  /// Canny's where none is named: gray for lines, whose points are found in gray levels.
  std::string_view usual_color() const { return lines.out.empty() ? "strongest" : "gray"; }
  /// Whether colors are looked at, where there are some.
  bool takes_color() const {
    if (method != "canny") return method == "boundaries";
    return (color.empty() ? usual_color() : std::string_view(color)) != "gray";
  }
};
/// All of them; `options` stays where it is.
void add_edges_options(CLI::App& app, EdgesOptions& options);

/// What the library is told, but for thresholds, which depend on a picture's depth: canny's are its
/// defaults, log's the command's for 8 bits. Throw Error{invalid_argument}.
CannyOptions canny_of(const EdgesOptions& options);
LogOptions log_of(const EdgesOptions& options);
TraceOptions trace_of(const EdgesOptions& options);

/// What edges are looked for in: colors or gray levels, in `holder` or in `picture`.
ConstAnyView source_of(const EdgesOptions& options, ConstAnyView picture, AnyImage& holder,
                       const Exec& exec);

/// The largest magnitude that samples from 0 to 1 can have: over all directions of the gradient,
/// the sum of the taps along it that are positive. Magnitudes are scaled so that it is white.
double largest_magnitude(const SobelOptions& options);

class EdgesConversion : public Conversion {
 public:
  /// The file of --lines of the last picture, which `job` named.
  virtual std::string lines_text(const Job& job) const = 0;
};
/// Makes edges of picture after picture. `options`, and `mask`, which is empty or of the pictures'
/// size, outlive it. Throws Error{invalid_argument} for options that cannot be meant.
std::unique_ptr<EdgesConversion> edges_conversion(const EdgesOptions& options,
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

// The names of TraceOptions' fields on a command line that has other options beside them.
template <>
struct cuesta::Described<cuesta::cli::LineOptions> {
  using Options = cli::LineOptions;
  static constexpr auto fields = std::apply(
      [](const auto& tolerance, const auto& min_length, const auto& refinement) {
        return std::tuple(field<&Options::trace, &TraceOptions::tolerance>(
                              "line_tolerance", tolerance.limits, tolerance.words),
                          field<&Options::trace, &TraceOptions::min_length>(
                              min_length.name, min_length.limits, min_length.words),
                          field<&Options::trace, &TraceOptions::refinement>(
                              refinement.name, refinement.limits, refinement.words));
      },
      Described<TraceOptions>::fields);
};
