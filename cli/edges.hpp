// What `cuesta edges` does with a decoded picture: for the verb and the tuner.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/conversion.hpp"
#include "cli/described.hpp"
#include "cli/lines_file.hpp"
#include "cli/memory.hpp"
#include "cuesta/edges.hpp"
#include "recipes/descriptions.hpp"

namespace cuesta::cli {

struct LineOptions {
  TraceOptions trace{};
};

/// The options of `cuesta edges` as given.
struct EdgesArguments {
  CommonOptions common;
  JobOptions jobs;
  MemoryOptions memory;
  DescribedOptions described{"--method"};
  DescribedOptions tracing{};
  LinesOptions lines;
  std::string method = "canny";
  std::string low, high, threshold, mask;  // what several of the library's options are made of
};
/// All of them; `options` stays where it is.
void add_edges_options(CLI::App& app, EdgesArguments& options);

/// The recipe that they ask for, without the mask. Throws Error{invalid_argument} for options that
/// cannot be meant.
EdgesOptions edges_of(const EdgesArguments& options);
TraceOptions trace_of(const EdgesArguments& options);

class EdgesConversion : public Conversion {
 public:
  using Conversion::Conversion;
  /// The file of --lines of a picture, which `job` names.
  virtual std::string lines_text(const Job& job, const Made& made) const = 0;
};
/// Makes edges of picture after picture. `options`, and `mask`, which is empty or of the pictures'
/// size, outlive it. Throws Error{invalid_argument} for options that cannot be meant.
std::unique_ptr<EdgesConversion> edges_conversion(const EdgesArguments& options,
                                                  const Image<uint8_t>& mask);

}  // namespace cuesta::cli

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
