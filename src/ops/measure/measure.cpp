// The public entries of measure: check, choose a strategy, run.
#include "cuesta/measure.hpp"

#include <optional>

#include "core/check.hpp"
#include "ops/measure/args.hpp"
#include "ops/measure/measures.hpp"

namespace cuesta {
namespace {

void check_measure(ConstAnyView labels, ConstAnyView intensity) {
  check_view(labels, "measure: labels", {PixelType::s32});
  if (!intensity) return;
  check_view(intensity, "measure: intensity", {PixelType::u8, PixelType::u16, PixelType::f32});
  check_same_size(labels, intensity, "measure: labels", "measure: intensity");
}

void check_count(int32_t count) {
  if (count >= 0) return;
  throw_invalid(std::to_string(count), "measure: count is {}; it must be at least 0", count);
}

}  // namespace

struct MeasureBands::State {
  int32_t width = 0;
  std::vector<measuring::Sums> sums{};
  std::optional<PixelType> type{};  // of intensities, once rows were added
  bool intensity = false;
};

MeasureBands::MeasureBands(int32_t width, int32_t count) : state_(std::make_unique<State>()) {
  if (width < 1)
    throw_invalid(std::to_string(width), "measure: width is {}; it must be at least 1", width);
  check_count(count);
  state_->width = width;
  state_->sums.resize(size_t(count));
}
MeasureBands::MeasureBands(MeasureBands&&) noexcept = default;
MeasureBands& MeasureBands::operator=(MeasureBands&&) noexcept = default;
MeasureBands::~MeasureBands() = default;

void MeasureBands::add(ConstAnyView labels, int32_t first, int32_t end, int64_t top,
                       ConstAnyView intensity, const Exec& exec) {
  check_measure(labels, intensity);
  State& s = *state_;
  if (labels.width != s.width) {
    throw_invalid(std::to_string(labels.width),
                  "measure: labels have {} columns; they must have {}", labels.width, s.width);
  }
  if (first < 0 || end > labels.height || first >= end) {
    throw_invalid(fmt::format("{}, {}", first, end),
                  "measure: rows {} to {} are not rows of labels, which have {}", first, end,
                  labels.height);
  }
  const PixelType type = intensity ? intensity.type : PixelType::s32;
  if (s.type && *s.type != type) {
    throw_invalid(std::string(name_of(type)),
                  "measure: intensities are {}; those of earlier rows were {}", name_of(type),
                  name_of(*s.type));
  }
  if (!exec.choices) s.type = type, s.intensity = bool(intensity);
  dispatch(MeasureArgs{labels, intensity, first, end, top, s.sums}, exec);
}

std::vector<Measures> MeasureBands::finish() const {
  std::vector<Measures> found;
  found.reserve(state_->sums.size());
  for (const auto& sums : state_->sums) {
    found.push_back(measuring::measures_of(
        sums, int32_t(found.size()) + 1, state_->type.value_or(PixelType::s32), state_->intensity));
  }
  return found;
}

std::vector<Measures> measure(ConstAnyView labels, int32_t count, ConstAnyView intensity,
                              const Exec& exec) {
  check_measure(labels, intensity);
  MeasureBands bands(labels.width, count);
  bands.add(labels, 0, labels.height, 0, intensity, exec);
  if (exec.choices) return {};
  return bands.finish();
}

}  // namespace cuesta
