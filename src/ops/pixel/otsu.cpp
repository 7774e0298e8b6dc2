// Otsu's threshold of a histogram.
#include "ops/shared/otsu.hpp"

#include "core/check.hpp"
#include "cuesta/objects.hpp"

namespace cuesta {

int32_t otsu_threshold(std::span<const uint64_t> bins) {
  if (bins.empty())
    throw_invalid("0", "otsu_threshold: the histogram has no bins; it must have at least 1");
  return int32_t(otsu_class(bins, [](size_t bin) { return double(bin); }));
}

}  // namespace cuesta
