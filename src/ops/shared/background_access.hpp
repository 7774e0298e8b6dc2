// For kernels of other operations that learn frames themselves.
#pragma once

#include "cuesta/motion.hpp"

namespace cuesta {

struct BackgroundAccess {
  /// The state as push() of a frame of this size and space would find it, which a first frame makes
  /// room for. Throws as push().
  static AnyView state_for(BackgroundSubtractor& background, ConstAnyView frame);
  /// This many frames more have been learned.
  static void learned(BackgroundSubtractor& background, int64_t frames);
};

}  // namespace cuesta
