// The device tables of a build without CUDA: none.
#include "ops/tables.hpp"

namespace cuesta {

#if !defined(CUESTA_HAS_CUDA)
const CudaTables& cuda_tables() {
  static constexpr CudaTables none;
  return none;
}
#endif

}  // namespace cuesta
