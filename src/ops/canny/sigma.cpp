// The sigma that suits a picture, from two histograms of its gradient magnitudes.
#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "cuesta/bands.hpp"
#include "ops/canny/thresholds.hpp"

namespace cuesta {
namespace {

constexpr size_t bins = size_t(canny_bins);

CannyBands counting(int32_t width, double sigma) {
  return {width, {.sigma = sigma, .thresholds = Automatic{}}};
}

// The smallest magnitude that half of the counted ones do not exceed.
double median_of(PixelType type, std::span<uint64_t> counts) {
  return canny_automatic({.thresholds = Automatic{AutoThreshold::percentile, 50}}, type, counts)
      .high;
}

// The median that only text and drawings reach: 110 of 255 levels. Floats may have any unit.
double dense_strokes(PixelType type) {
  if (type == PixelType::f32) return std::numeric_limits<double>::infinity();
  return type == PixelType::u16 ? 110 * 257 : 110;
}

}  // namespace

struct SigmaBands::State {
  std::array<CannyBands, 2> at;  // sigma 1 and 3
  std::atomic<PixelType> type = PixelType::u8;
};

SigmaBands::SigmaBands(int32_t width)
    : state_(new State{{counting(width, sigmas[0]), counting(width, sigmas[3])}}) {}
SigmaBands::SigmaBands(SigmaBands&&) noexcept = default;
SigmaBands& SigmaBands::operator=(SigmaBands&&) noexcept = default;
SigmaBands::~SigmaBands() = default;

int32_t SigmaBands::reach() { return reach_of(CannyOptions{.sigma = sigmas[3]}); }

void SigmaBands::count(ConstAnyView rows, int32_t first, int32_t end, const Exec& exec,
                       ConstAnyView mask) {
  state_->type = rows.type;
  for (CannyBands& one : state_->at) one.count(rows, first, end, exec, mask);
}

std::vector<uint64_t> SigmaBands::counts() const {
  std::vector<uint64_t> all = state_->at[0].counts();
  const std::vector<uint64_t> coarse = state_->at[1].counts();
  all.insert(all.end(), coarse.begin(), coarse.end());
  return all;
}

void SigmaBands::add_counts(std::span<const uint64_t> counts, PixelType type) {
  if (counts.size() != 2 * bins) {
    throw_invalid(std::to_string(counts.size()),
                  "sigma in bands: there are {} counts; there must be {}", counts.size(), 2 * bins);
  }
  state_->type = type;
  for (size_t i = 0; i < state_->at.size(); ++i)
    state_->at[i].add_counts(counts.subspan(i * bins, bins), type);
}

double SigmaBands::find_sigma() const {
  std::vector<uint64_t> fine = state_->at[0].counts(), coarse = state_->at[1].counts();
  const double median = median_of(state_->type, fine);
  double smooth = median_of(state_->type, coarse);
  if (state_->type != PixelType::f32) smooth = std::max(smooth, 1.0);  // it was rounded away
  const double otsu = canny_automatic({}, state_->type, fine).high;
  const double detail = median * median, limit = otsu * smooth;
  if (10 * detail <= 3 * limit || median >= dense_strokes(state_->type)) return sigmas[0];
  if (10 * detail <= 7 * limit) return sigmas[1];
  return 10 * detail <= 9 * limit ? sigmas[2] : sigmas[3];
}

}  // namespace cuesta
