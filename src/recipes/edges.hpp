// The recipe of edges: one method with its options.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/smoothing.hpp"
#include "lines/outlines.hpp"
#include "recipes/recipe.hpp"

namespace cuesta::recipes {

/// The names of the methods, in the order of EdgesOptions.
inline constexpr std::string_view edge_methods[] = {"canny", "log", "sobel", "boundaries",
                                                    "regions"};
/// The options of a method by its name, all defaults. Throws Error{invalid_argument} that lists
/// the names.
EdgesOptions edges_options(std::string_view method);

class EdgesRecipe : public Recipe {
 public:
  /// Throws Error{invalid_argument} naming the option.
  explicit EdgesRecipe(const EdgesOptions& options);

  const EdgesOptions& options() const { return options_; }
  std::string_view method() const { return edge_methods[options_.index()]; }
  bool makes_mask() const;
  /// Canny's strengths instead of its edges.
  bool makes_strengths() const;
  /// The labels of regions instead of their contours.
  bool makes_labels() const;
  /// Whether colors are seen, where there are some.
  bool sees_color() const;
  /// What is seen of a picture with this many channels, for reports: "", "gray levels".
  std::string_view seen_in_words(int32_t channels) const;

  std::string key() const override;
  Output output(const PictureKind& kind) const override;
  Floats floats() const override;
  PictureKind seen(const PictureKind& kind) const override;
  Steps preparation(const PictureKind& kind) const override;
  Steps steps(const PictureKind& seen) const override { return steps(seen, {}, nullptr); }
  int32_t reach() const override;
  bool wraps() const override;
  std::string_view whole_only() const override;
  double scratch_bytes(const PictureKind& kind) const override;

  /// The same with Canny's mask, and the thresholds that it uses into `used`.
  Steps steps(const PictureKind& seen, ConstAnyView mask, EdgesResult* used) const;
  /// Finds the edges of what was seen. Thresholds of the result are in the file's levels.
  EdgesResult run(ConstAnyView seen, AnyView out, ConstAnyView mask, double scale,
                  const Execs& execs) const;
  Used apply(ConstAnyView seen, AnyView out, ConstAnyView mask, double scale,
             const Execs& execs) const override {
    const EdgesResult found = run(seen, out, mask, scale, execs);
    return {found.thresholds, found.sigma};
  }
  std::optional<CannyOptions> as_canny(const PictureKind& seen) const override {
    return is_canny() && !makes_strengths() ? std::optional(canny(seen)) : std::nullopt;
  }
  std::optional<double> strengths_sigma() const override {
    return makes_strengths() ? std::get<CannyEdges>(options_).sigma : std::nullopt;
  }
  bool finds_sigma() const override;
  Image<uint8_t> mask_around(ConstAnyView holes, ConstAnyView mask) const override;
  void leave_out(ConstAnyView holes, AnyView out) const override;
  std::shared_ptr<const Recipe> settled(ConstAnyView seen, ConstAnyView mask,
                                        const Exec& exec) const override;
  /// The same where this recipe finds its sigma, with the sigma of this picture.
  EdgesOptions settled_options(ConstAnyView seen, ConstAnyView mask, const Exec& exec) const;
  /// The edges that run() found, with the sigma that it found, as lines; on the host or the device.
  /// `holes` are those of the picture, if it has some.
  Polylines trace(ConstAnyView seen, ConstAnyView edges, std::optional<double> sigma, double scale,
                  ConstAnyView holes, const TraceOptions& how, const Exec& exec) const;
  bool has_outlines() const { return std::holds_alternative<RegionEdges>(options_); }
  /// Throws Error{invalid_argument} where the method's edges have no lines.
  void check_lines() const;

  /// Canny's and LoG's own options for a picture of this kind. Canny's sigma is the one that was
  /// given or found, else the largest that can be found.
  CannyOptions canny(const PictureKind& seen, std::optional<double> found = {}) const;
  LogOptions log(const PictureKind& seen) const;
  bool is_canny() const { return options_.index() == 0; }

 private:
  EdgesOptions options_;
  double largest_ = 1;  // magnitude that Sobel's gradient of samples from 0 to 1 can have
};

/// edges() and edge_lines() of a picture with `scale` levels for one level of its file, in which
/// given thresholds count.
EdgesResult edges_at(ConstAnyView src, AnyView dst, const EdgesOptions& options, double scale,
                     const Exec& exec);
Polylines edge_lines_at(ConstAnyView src, const EdgesOptions& options, double scale,
                        const TraceOptions& how, const Exec& exec);

/// The outlines of labelled regions; means are of what edges() saw, in the file's levels.
std::vector<lines::Outline> outlines_at(ConstAnyView seen, ConstAnyView labels, double scale,
                                        const TraceOptions& how, const Exec& exec);
/// The outlines of the regions that edges() finds in a picture of the host.
std::vector<lines::Outline> region_outlines_at(ConstAnyView src, const RegionEdges& options,
                                               double scale, const TraceOptions& how,
                                               const Exec& exec);
/// The contours that edges() makes where these are the labels, holes being cut out of both.
void contours_of(ConstAnyView labels, ConstAnyView holes, AnyView contours);

/// The largest magnitude that samples from 0 to 1 can have: over all directions of the gradient,
/// the sum of the taps along it that are positive.
double largest_magnitude(int aperture, Norm norm);

}  // namespace cuesta::recipes
