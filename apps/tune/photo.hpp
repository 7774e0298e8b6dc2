// A picture that edges are tuned on.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "apps/tune/controls.hpp"
#include "apps/tune/lane.hpp"
#include "apps/tune/subject.hpp"
#include "cli/common.hpp"
#include "cuesta/io/picture.hpp"
#include "cuesta/recipes/edges.hpp"

namespace cuesta::cli::tune {

/// Decoded once, and kept at its size and at halves of it, down to about a screen's.
class Photo final : public Subject {
 public:
  /// What canvases of browsers hold.
  static constexpr int64_t max_pixels = int64_t(1) << 26;

  /// `page` and `band` count from 1; 0 is the only page, and all channels. Throws Error{input},
  /// also for more than max_pixels in the region.
  Photo(std::string input, const CommonOptions& common, int page = 0, int band = 0);

  Json about() const override;
  Reply answer(const HttpRequest& request) override;

 private:
  struct Result;
  Reply source(int level) const;
  Reply result(const Json& asked);
  Reply histogram(const Json& asked);
  Reply stage(const Json& asked);
  Reply copies(const Json& values) const;
  std::vector<io::Picture> pyramid_of(io::Picture whole, const CommonOptions& common) const;
  /// Throws Error{invalid_argument} for a level that there is not.
  const io::Picture& picture(int level) const;
  const io::Picture& picture(int level, const recipes::EdgesRecipe& recipe) const;
  Json with_source(Json values) const;
  /// The values with canny's sigma of the whole picture where it is found.
  Json settled(Json values);

  std::string input_, region_;
  int threads_, page_, band_;
  std::vector<io::Picture> levels_;
  std::vector<io::Picture> whitened_;  // of floats, for methods that take none, and to look at
  std::mutex settling_;
  std::map<bool, double> sigmas_;  // found in its gray levels, and in its colors
  Lane exact_, quick_, side_;      // results, results while something is dragged, all others
};

/// What looks alike in a picture of half the size, `level` times; for while a control moves.
struct AtLevel {
  Json values{};       ///< thresholds that are found stay so
  double steeper = 1;  ///< how many times a gradient is what it was
};
AtLevel at_level(const Json& values, int level);

}  // namespace cuesta::cli::tune
