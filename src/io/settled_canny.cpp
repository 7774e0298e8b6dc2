#include "io/settled_canny.hpp"

#include <algorithm>
#include <string>

#include "core/check.hpp"
#include "cuesta/recipes/recipe.hpp"
#include "cuesta/smoothing.hpp"

namespace cuesta::io {
namespace {

std::vector<double> sigmas_of(const CannyOptions& options, bool finds_sigma) {
  if (!finds_sigma) return {smoothing_of(options).sigma};
  return {std::begin(SigmaBands::sigmas), std::end(SigmaBands::sigmas)};
}

// Whether counts for the thresholds of these options are those of SigmaBands at the same sigma.
bool counts_alike(const CannyOptions& options) {
  return options.thresholds.is_automatic() && options.ksize == 0 && options.norm == Norm::l1 &&
         options.aperture == 3 && options.color == ColorGradient::strongest &&
         options.border.mode == BorderMode::reflect101;
}

}  // namespace

SettledCanny::SettledCanny(int32_t width, const CannyOptions& options, bool finds_sigma)
    : sigmas_(sigmas_of(options, finds_sigma)) {
  for (const double sigma : sigmas_) {
    CannyOptions one = options;
    if (finds_sigma) one.sigma = sigma;
    at_.emplace_back(width, one);
  }
  if (finds_sigma) sigma_.emplace(width);
  shares_ = finds_sigma && counts_alike(options);
  wants_counts_ = finds_sigma || at_[0].wants_counts();
  if (!wants_counts_) settle({at_[0].thresholds(), sigmas_[0]});
}

void SettledCanny::count(ConstAnyView rows, int32_t first, int32_t end, const Exec& exec) {
  type_ = rows.type;
  for (CannyBands& one : at_)
    if (one.wants_counts()) one.count(rows, first, end, exec);
  if (sigma_ && !shares_)  // a pinned strategy need not take bands
    sigma_->count(rows, first, end, recipes::execs_of(exec).around);
}

std::vector<uint64_t> SettledCanny::counts() const {
  std::vector<uint64_t> all;
  const auto append = [&](const std::vector<uint64_t>& some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  for (const CannyBands& one : at_)
    if (one.wants_counts()) append(one.counts());
  if (sigma_ && !shares_) append(sigma_->counts());
  return all;
}

int SettledCanny::histograms() const {
  const int own = at_[0].wants_counts() ? int(at_.size()) : 0;
  return own + (sigma_ && !shares_ ? 2 : 0);
}

void SettledCanny::add_counts(std::span<const uint64_t> counts, PixelType type) {
  const size_t own = this->counts().size();
  if (counts.size() != own) {
    throw_invalid(std::to_string(counts.size()),
                  "canny in bands: there are {} counts; there must be {}", counts.size(), own);
  }
  const size_t each = own / size_t(std::max(1, histograms()));
  const auto take = [&](size_t count) {
    const auto some = counts.first(count);
    counts = counts.subspan(count);
    return some;
  };
  type_ = type;
  for (CannyBands& one : at_)
    if (one.wants_counts()) one.add_counts(take(each), type);
  if (sigma_ && !shares_) sigma_->add_counts(take(counts.size()), type);
}

CannyFound SettledCanny::find() {
  if (!wants_counts_) return found_;
  if (shares_) {
    std::vector<uint64_t> both = at_.front().counts();
    const std::vector<uint64_t> coarse = at_.back().counts();
    both.insert(both.end(), coarse.begin(), coarse.end());
    sigma_->add_counts(both, type_);
  }
  const double sigma = sigma_ ? sigma_->find_sigma() : sigmas_[0];
  CannyBands& one = at_[size_t(std::ranges::find(sigmas_, sigma) - sigmas_.begin())];
  settle({one.find_thresholds(), sigma});
  return found_;
}

void SettledCanny::settle(const CannyFound& found) {
  const auto at = std::ranges::find(sigmas_, found.sigma);
  if (at == sigmas_.end())
    throw_invalid(std::to_string(found.sigma), "canny in bands: sigma {} cannot be used here",
                  found.sigma);
  settled_ = size_t(at - sigmas_.begin());
  at_[settled_].set_thresholds(found.thresholds);
  wants_counts_ = false;
  found_ = found;
}

}  // namespace cuesta::io
