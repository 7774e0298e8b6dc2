// Strategy `rows`: the same chain, each step with its rows over threads.
#include "ops/motion/reference.hpp"

namespace cuesta {

void motion_rows(const MotionArgs& args, Call& call) { motion_chain(args, call, "rows"); }

}  // namespace cuesta
