// Strategy `rows`: the reference's stages, rows over threads.
#include "ops/boundaries/reference.hpp"

namespace cuesta {

void boundaries_rows(const BoundariesArgs& args, Call& call) {
  boundaries_by_rows(args, call, call.threads());
}

}  // namespace cuesta
