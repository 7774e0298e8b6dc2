// The recipe of edges: one method with its options.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cuesta/lines.hpp"
#include "cuesta/recipes/recipe.hpp"

namespace cuesta::recipes {

/// The names of the methods, in the order of EdgesOptions.
inline constexpr std::string_view edge_methods[] = {"canny", "log", "sobel", "boundaries",
                                                    "regions"};
/// Returns the options of a method by its name, all defaults.
/// Throws Error{invalid_argument} that lists the names.
EdgesOptions edges_options(std::string_view method);

/// The recipe of edges by one method.
class EdgesRecipe : public Recipe {
 public:
  /// Makes the recipe. Throws Error{invalid_argument} naming the option.
  explicit EdgesRecipe(const EdgesOptions& options);

  /// Return the options, and the name of the method.
  const EdgesOptions& options() const { return options_; }
  std::string_view method() const { return edge_methods[options_.index()]; }
  /// Returns whether the result is a mask.
  bool makes_mask() const;
  /// Returns whether the result is Canny's strengths instead of its edges.
  bool makes_strengths() const;
  /// Returns whether the result is the labels of regions instead of their contours.
  bool makes_labels() const;
  /// Returns whether colors are seen, if there are some.
  bool sees_color() const;
  /// Returns what is seen of a picture with this number of channels, for reports: "gray levels".
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

  /// Returns the steps with Canny's mask; they write the thresholds that Canny uses to `used`.
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
    const bool is_wanted = is_canny() && (joins_bands() || finds_sigma());
    return is_wanted ? std::optional(canny(seen)) : std::nullopt;
  }
  bool joins_bands() const override { return is_canny() && !makes_strengths(); }
  std::optional<double> strengths_sigma() const override {
    return makes_strengths() ? std::get<CannyEdges>(options_).sigma : std::nullopt;
  }
  bool finds_sigma() const override;
  Image<uint8_t> mask_around(ConstAnyView holes, ConstAnyView mask) const override;
  void leave_out(ConstAnyView holes, AnyView out) const override;
  std::shared_ptr<const Recipe> settled(ConstAnyView seen, ConstAnyView mask,
                                        const Exec& exec) const override;
  std::shared_ptr<const Recipe> with_sigma(double sigma) const override;
  /// Returns the options with the sigma of this picture, if this recipe finds its sigma.
  EdgesOptions settled_options(ConstAnyView seen, ConstAnyView mask, const Exec& exec) const;
  /// Returns the edges that run() found, with the sigma that it found, as lines.
  /// On the host or the device. `holes` are those of the picture, if it has some.
  Polylines trace(ConstAnyView seen, ConstAnyView edges, std::optional<double> sigma, double scale,
                  ConstAnyView holes, const TraceOptions& how, const Exec& exec) const;
  /// Returns whether the result has outlines: labelled regions.
  bool has_outlines() const { return std::holds_alternative<RegionEdges>(options_); }
  /// Throws Error{invalid_argument} if the method's edges have no lines.
  void check_lines() const;

  /// canny() and log() return the method's own options for a picture of this kind.
  /// Canny's sigma is the one that was given or found, otherwise the largest that can be found.
  CannyOptions canny(const PictureKind& seen, std::optional<double> found = {}) const;
  LogOptions log(const PictureKind& seen) const;
  /// Returns whether the method is canny.
  bool is_canny() const { return options_.index() == 0; }

 private:
  EdgesOptions options_;
  double largest_ = 1;  // magnitude that Sobel's gradient of samples from 0 to 1 can have
};

/// The picture in which edges() finds edges: the source itself, or levels of it, as of its file.
class EdgeSource {
 public:
  /// Makes levels if white or black is given, and of floats if the recipe compares levels.
  /// Levels are made in host memory. `src` must outlive the object.
  EdgeSource(const EdgesRecipe& recipe, ConstAnyView src, const White& white, const Exec& exec);
  EdgeSource(const EdgeSource&) = delete;
  EdgeSource& operator=(const EdgeSource&) = delete;

  /// Returns what the view holds.
  PictureKind kind() const;

  ConstAnyView view;
  ConstAnyView holes{};   ///< where floats have no data; its type is none if nowhere
  double scale = 1;       ///< levels of the view for one level of the source
  std::string warning{};  ///< a sentence if many samples were clipped

 private:
  Whitened levels_{};
};

/// edges() and edge_lines() of such a picture. Given thresholds are levels of the source.
EdgesResult edges_at(const EdgeSource& of, AnyView dst, const EdgesOptions& options,
                     const Exec& exec);
Polylines edge_lines_at(const EdgeSource& of, const EdgesOptions& options, const TraceOptions& how,
                        const Exec& exec);

/// Returns the outlines of labelled regions; means are of what edges() saw, in the file's levels.
std::vector<Outline> outlines_at(ConstAnyView seen, ConstAnyView labels, double scale,
                                 const TraceOptions& how, const Exec& exec);
/// Returns the outlines of the regions that edges() finds in a picture in host memory.
std::vector<Outline> region_outlines_at(const EdgeSource& of, const RegionEdges& options,
                                        const TraceOptions& how, const Exec& exec);
/// Computes the contours that edges() makes of these labels; holes are cut out of both.
void contours_of(ConstAnyView labels, ConstAnyView holes, AnyView contours);

/// Computes the gradient magnitudes of canny(), of a picture that is smoothed already.
/// `smooth` is u8, u16 or f32 with 1 or 3 channels, in host memory. `out` has the units of the
/// thresholds.
void canny_magnitudes(ConstAnyView smooth, ImageView<float> out, const CannyOptions& options,
                      const Exec& exec);

}  // namespace cuesta::recipes
