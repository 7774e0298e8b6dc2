// Strategy `rows`: the reference's loops, rows over threads.
#include "ops/morphology/reference.hpp"

namespace cuesta {

void morphology_rows(const MorphologyArgs& args, Call& call) {
  morphology_plain(args, call, call.threads());
}

}  // namespace cuesta
