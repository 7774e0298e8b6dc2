// Measures as they are defined: every pixel adds its powers, its step of the outline and its sample
// to its component. No cleverness.
#include "ops/measure/reference.hpp"

#include <algorithm>

namespace cuesta {
namespace measuring {
namespace {

void add_wide(WideSum& to, Wide value) {
  const Wide sum = to.value() + value;
  to = {uint64_t(sum), uint64_t(sum >> 64)};
}

}  // namespace

void add(Sums& to, const Sums& part) {
  to.area += part.area;
  to.left = std::max(to.left, part.left), to.top = std::max(to.top, part.top);
  to.right = std::max(to.right, part.right), to.bottom = std::max(to.bottom, part.bottom);
  for (int i = 0; i < power_count; ++i) add_wide(to.coordinates[i], part.coordinates[i].value());
  for (int i = 0; i < step_count; ++i) to.steps[i] += part.steps[i];
  for (int i = 0; i < sample_words; ++i) to.samples[i] += part.samples[i];
  to.nan += part.nan, to.positive += part.positive, to.negative += part.negative;
  to.lowest = std::max(to.lowest, part.lowest), to.highest = std::max(to.highest, part.highest);
}

template <class T>
void add_sample(Sums& to, T sample) {
  if constexpr (std::is_floating_point_v<T>) {
    if (is_nan(sample)) {
      ++to.nan;
      return;
    }
    if (is_infinite(sample)) {
      ++(sample > 0 ? to.positive : to.negative);
    } else {
      const SampleWords words = words_of(sample);
      to.samples[words.first] += words.low;
      if (words.high != 0) to.samples[words.first + 1] += words.high;
    }
  } else {
    to.samples[0] += sample;
  }
  to.lowest = std::max(to.lowest, least(key_of(sample)));
  to.highest = std::max(to.highest, key_of(sample));
}
template void add_sample(Sums&, uint8_t);
template void add_sample(Sums&, uint16_t);
template void add_sample(Sums&, float);

}  // namespace measuring

namespace {

using namespace measuring;

void add_sample_at(Sums& to, ConstAnyView picture, int32_t x, int32_t y) {
  switch (picture.type) {
    case PixelType::u8: return add_sample(to, picture.as<const uint8_t>().at(x, y));
    case PixelType::u16: return add_sample(to, picture.as<const uint16_t>().at(x, y));
    default: return add_sample(to, picture.as<const float>().at(x, y));
  }
}

}  // namespace

void measure_serial(const MeasureArgs& args, Call&) {
  const LabelsAround around{args.labels};
  for (int32_t row = args.first; row < args.end; ++row) {
    const auto y = int32_t(args.top + row);
    for (int32_t x = 0; x < args.labels.width; ++x) {
      const int32_t label = around.at(x, row);
      if (label < 1 || size_t(label) > args.sums.size()) continue;
      Sums pixel{};
      pixel.area = 1;
      pixel.left = least(uint32_t(x)), pixel.top = least(uint32_t(y));
      pixel.right = uint32_t(x) + 1, pixel.bottom = uint32_t(y) + 1;
      for (int i = 0; i < power_count; ++i) {
        const Wide value = power_of(x, power_at(i).x) * power_of(y, power_at(i).y);
        pixel.coordinates[i] = {uint64_t(value), uint64_t(value >> 64)};
      }
      if (const int step = around.step_at(x, row, label); step >= 0) pixel.steps[step] = 1;
      if (args.intensity) add_sample_at(pixel, args.intensity, x, row);
      add(args.sums[size_t(label) - 1], pixel);
    }
  }
}

}  // namespace cuesta
