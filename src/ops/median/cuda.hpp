// The strategies of median on CUDA. No CUDA type: the table reads it.
#pragma once

#include <string_view>

#include "ops/median/args.hpp"

namespace cuesta::median_cuda {

/// The definition, a thread a sample; takes every request.
void plain(const MedianArgs& args, Call& call);
/// Selection networks on a tile in shared memory: u8 and u16 to 11.
std::string_view networks_supports(const MedianArgs& args, const Parameters& parameters);
void networks(const MedianArgs& args, Call& call);
/// A histogram a lane and one a group of lanes: u8 from 13 on.
std::string_view lanes_supports(const MedianArgs& args, const Parameters& parameters);
void lanes(const MedianArgs& args, Call& call);
/// Ranks of the samples of a tile, as bytes, and a histogram a lane: u16 from 7 on.
std::string_view ranks_supports(const MedianArgs& args, const Parameters& parameters);
void ranks(const MedianArgs& args, Call& call);
/// Sorted columns in registers for 3 and 5; bits.
std::string_view fused_supports(const MedianArgs& args, const Parameters& parameters);
void fused(const MedianArgs& args, Call& call);

}  // namespace cuesta::median_cuda
