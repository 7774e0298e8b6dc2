// The strategies of background on CUDA, those of ladder/ aside. No CUDA type: the table reads it.
#pragma once

#include "ops/background/args.hpp"

namespace cuesta::background_cuda {

/// Strategy `plain`, on the device; it takes every request.
void plain(const BackgroundArgs& args, Call& call);
/// One pass over the frames of a batch, the state in registers meanwhile.
void fused(const BackgroundArgs& args, Call& call);
std::string_view fused_supports(const BackgroundArgs& args, const Parameters&);
/// args.unmatched of one frame, which the rows of the samples launch after its mask.
void unmatched(const BackgroundArgs& args, Call& call);
/// The samples alone, a thread four pixels.
void words(const BackgroundArgs& args, Call& call);
std::string_view words_supports(const BackgroundArgs& args, const Parameters&);

}  // namespace cuesta::background_cuda
