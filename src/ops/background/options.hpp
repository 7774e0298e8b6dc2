// What there is to say of the background's options.
#pragma once

#include <array>

#include "core/options.hpp"
#include "ops/shared/background_models.hpp"

namespace cuesta {

namespace background {
template <class... Model>
constexpr auto named_models(ModelList<Model...>) {
  return std::array{Named<BackgroundModel>{Model::id, Model::name}...};
}
inline constexpr auto model_names = named_models(Models());
}  // namespace background
constexpr std::span<const Named<BackgroundModel>> names_of(BackgroundModel) {
  return background::model_names;
}

/// The fields of BackgroundOptions at the end of a path, the model under a name of the owner's.
template <auto... Path>
constexpr auto background_fields(std::string_view model) {
  return std::tuple(
      field<Path..., &BackgroundOptions::model>(
          model, any(),
          "select the background model. first: the first frame; mean: a running "
          "mean; median: sigma-delta; "
          "mixture: integer mixture of Gaussians; samples: samples of past frames"),
      field<Path..., &BackgroundOptions::rate_shift>(
          "rate_shift", between(1, 12).or_own("mean 6, mixture 9"),
          "learn at the rate 2^-N, with mean and mixture"),
      field<Path..., &BackgroundOptions::absorb>(
          "absorb", between(1, 1'000'000'000).in_frames().or_own("250"),
          "make what stands for this number of frames background, with background samples"));
}

/// Whether a model has the option of that name; each has all others.
constexpr bool has_rate_shift(BackgroundModel model) {
  return model == BackgroundModel::mean || model == BackgroundModel::mixture;
}
constexpr bool has_absorb(BackgroundModel model) { return model == BackgroundModel::samples; }
/// Throws Error{invalid_argument} for an option that is set and that the model does not have.
void check_taken(const BackgroundOptions& options, std::string_view what);

template <>
struct Described<BackgroundOptions> {
  static constexpr auto fields = background_fields("model");
};

}  // namespace cuesta
