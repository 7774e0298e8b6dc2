// The parsers of option values. The first byte chooses one; what they refuse, they refuse by
// cuesta::Error.
#include "cli/options.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cuesta/error.hpp"
#include "cuesta/objects.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void parse(uint8_t which, std::string_view text) {
  using namespace cuesta;
  switch (which % 8) {
    case 0: {
      const Rect r = cli::parse_region(text);
      require(r.x >= 0 && r.y >= 0 && r.width >= 1 && r.height >= 1);
      break;
    }
    case 1: {
      const auto spec = cli::parse_threshold(text);
      require(!spec.value || (std::isfinite(*spec.value) && *spec.value >= 0));
      require(spec.percent >= 0 && spec.percent <= 100);
      break;
    }
    case 2: {
      const auto spec = cli::parse_kernel(text, false);
      require(spec.stencil.width() >= 1 && spec.stencil.height() >= 1);
      (void)spec.stencil.factors();
      break;
    }
    case 3: {
      const auto [name, value] = cli::parse_parameter(text);
      require(!name.empty() && !value.empty());
      break;
    }
    case 4: require(std::isfinite(cli::parse_border("--border", text).value)); break;
    case 5: require(cli::parse_cuda_device(text) >= 0); break;
    case 6: require(std::isfinite(cli::parse_number("--sigma", text))); break;
    case 7: require(StructuringElement::parse(text).count() >= 1); break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  try {
    parse(data[0], {reinterpret_cast<const char*>(data + 1), size - 1});
  } catch (const cuesta::Error&) {
  }
  return 0;
}
