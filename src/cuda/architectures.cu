// nvcc alone knows the list.
#include "cuda/architectures.hpp"

namespace cuesta::cuda {

std::span<const int> built_architectures() {
  static constexpr int hundreds[] = {__CUDA_ARCH_LIST__};
  static constexpr auto tens = [] {
    struct {
      int values[std::size(hundreds)];
    } out{};
    for (size_t i = 0; i < std::size(hundreds); ++i) out.values[i] = hundreds[i] / 10;
    return out;
  }();
  return tens.values;
}

}  // namespace cuesta::cuda
