// For kernels of other operations that learn frames themselves.
#pragma once

#include "cuesta/motion.hpp"

namespace cuesta {

/// The pixels of a mask that samples nearby do not explain either.
struct UnmatchedOutput {
  Batch bits{};              ///< of the masks' size; without data it is not wanted
  int32_t displacement = 0;  ///< pixels, across and down, within which samples are asked
};

struct BackgroundAccess {
  /// BackgroundSubtractor::push() that also writes `unmatched`; of the model samples, and where
  /// out.mask is bits.
  static void push(BackgroundSubtractor& background, const ConstBatch& frames,
                   const BackgroundBatchOutputs& out, const UnmatchedOutput& unmatched,
                   double limit, const Exec& exec);
  /// The state as push() of a frame of this size and space would find it, which a first frame makes
  /// room for. Throws as push().
  static AnyView state_for(BackgroundSubtractor& background, ConstAnyView frame);
  /// Sets the distance, gray levels, within which two samples explain a pixel (samples), 1..16.
  static void set_radius(BackgroundSubtractor& background, int32_t radius);
  /// This many frames more have been learned.
  static void learned(BackgroundSubtractor& background, int64_t frames);
};

}  // namespace cuesta
